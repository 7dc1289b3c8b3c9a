//go:build (!amd64 && !arm64) || purego

package harris

// There is no assembly.
var fusedSets []*fusedKernels
