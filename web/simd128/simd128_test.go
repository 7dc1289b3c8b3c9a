package simd128

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAppend reads the section that Append has added, as the specification defines it.
func TestAppend(t *testing.T) {
	program := []byte("\x00asm\x01\x00\x00\x00")
	section := Append(program)[len(program):]
	require.Equal(t, byte(0), section[0])
	n, i := 0, 1 // the size, in LEB128
	for shift := 0; ; shift += 7 {
		b := section[i]
		n |= int(b&0x7f) << shift
		i++
		if b < 0x80 {
			break
		}
	}
	content := section[i:]
	require.Len(t, content, n)
	require.Equal(t, "\x07simd128", string(content[:8]))
	require.Equal(t, Kernels, content[8:])
}
