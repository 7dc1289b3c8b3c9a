//go:build (!amd64 && !arm64) || purego

package orb

// There is no assembly.
var instructionSets []*kernels
