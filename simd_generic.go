//go:build !amd64 || purego

package fast

const (
	haveSSE2   = false
	haveAVX2   = false
	haveAVX512 = false
)
