package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPeaks(t *testing.T) {
	for _, bytes := range []int{16, 32, 64} {
		n := VectorsPerCycle(bytes)
		t.Logf("%d bytes: %.2f operations a cycle", bytes, n)
		require.GreaterOrEqual(t, n, 0.0)
	}
	require.Zero(t, VectorsPerCycle(5))
	for _, size := range []int{32 << 10, 256 << 10, 64 << 20} {
		n := ReadPerCycle(size)
		t.Logf("%d KB: %.1f bytes a cycle", size>>10, n)
		require.Positive(t, n)
	}
}

func TestReadWords(t *testing.T) {
	require.Equal(t, 64, readWords(make([]byte, 95)))
	require.Equal(t, 0, readWords(nil))
}
