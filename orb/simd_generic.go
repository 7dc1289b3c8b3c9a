//go:build !amd64 || purego

package orb

// There is no assembly.
func canResize() bool { return false }
func canSmooth() bool { return false }

func interpolateLine(*lineRun) {}
func blendRows(*blendRun)      {}
func smoothColumn(*smoothRun)  {}
