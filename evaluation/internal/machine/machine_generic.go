//go:build !amd64

package machine

func minima(bytes, n int) bool { return false }

func read(buf []byte) int { return readWords(buf) }
