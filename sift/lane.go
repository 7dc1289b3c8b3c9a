package sift

// A lane is the memory of a worker.
type lane struct {
	kernels *kernels
	samples samplesRun // of the keypoint whose orientation is computed
	cascade cascade
	scanner scanner
	fit     fitRun
	angles  []float32
	found   []Keypoint

	sketcher sketcher
}

// reset prepares l for an image.
func (l *lane) reset(k *kernels) {
	l.kernels, l.cascade.kernels, l.scanner.kernels, l.sketcher.kernels = k, k, k, k
	l.scanner.found = l.scanner.found[:0]
	l.found = l.found[:0]
}
