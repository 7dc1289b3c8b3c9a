//go:build !purego

package fast

const (
	haveSSE2   = false
	haveAVX2   = false
	haveAVX512 = false
)
