//go:build !amd64 || purego

package worker

// pause does nothing where there is no such instruction.
func pause() {}
