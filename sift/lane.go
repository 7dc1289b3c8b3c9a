package sift

// A lane is the memory of a worker.
type lane struct {
	kernels *kernels
	cascade cascade
	scanner scanner
	angles  []float32
	samples samples
}

// reset prepares l for an image.
func (l *lane) reset(k *kernels) {
	l.kernels, l.cascade.kernels, l.scanner.kernels = k, k, k
	l.scanner.found = l.scanner.found[:0]
}
