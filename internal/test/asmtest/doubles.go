package asmtest

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Doubles returns a copy of values at the end of memory, which is that of [GuardedMemory].
func Doubles(memory []byte, values []float64) []float64 {
	if len(values) == 0 {
		return nil
	}
	tail := memory[len(memory)-8*len(values):]
	copied := unsafe.Slice((*float64)(unsafe.Pointer(&tail[0])), len(values))
	copy(copied, values)
	return copied
}

// RequireSameBits compares floats. All NaN are equal.
func RequireSameBits(t testing.TB, want, got []float64, message ...any) {
	t.Helper()
	require.Len(t, got, len(want), message...)
	for i, v := range want {
		if math.Float64bits(v) != math.Float64bits(got[i]) && !(math.IsNaN(v) && math.IsNaN(got[i])) {
			require.Fail(t, "different", "%v and %v in lane %d: %v", v, got[i], i, message)
		}
	}
}
