//go:build !amd64 || purego

package lococo

// There is no assembly.
var instructionSets []*kernels
