//go:build !amd64 || purego

package lococo

var instructionSets []*kernels
