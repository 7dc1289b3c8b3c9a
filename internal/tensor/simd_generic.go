//go:build !amd64 || purego

package tensor

var instructionSets []*kernels
