//go:build !amd64 || purego

package harris

// There is no assembly for rows.
var instructionSets []*kernels
