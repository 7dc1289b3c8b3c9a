//go:build !amd64 || purego

package orb

// Other assembly than that for descriptors is for amd64 only.
var instructionSets []*kernels
