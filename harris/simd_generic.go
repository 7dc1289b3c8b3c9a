//go:build !amd64 || purego

package harris

// There is no assembly.
var instructionSets []*kernels
