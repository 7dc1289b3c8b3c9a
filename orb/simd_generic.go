//go:build !amd64 || purego

package orb

// There is no assembly.
func smoothBlock(*smoothRun) bool { return false }
