//go:build !amd64 || purego

package fast

func otherStages() []*stages { return nil }
