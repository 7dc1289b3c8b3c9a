package lococo

import (
	"math/big"
	"testing"

	"github.com/fastcorners/fast/harris"
	"github.com/stretchr/testify/require"
)

// TestMaxStrip checks that strips are as wide as they may be and no wider, on processors
// with 32 bits, too.
func TestMaxStrip(t *testing.T) {
	for kernel := 3; kernel <= 63; kernel += 2 {
		for side := 3; side <= 63; side += 2 {
			s := newSize(&Options{BlockSize: side, Measure: harris.Harris}, kernel)
			fits := func(columns int) bool {
				sum := big.NewInt(int64(s.gradient()))
				sum.Mul(sum, sum).Mul(sum, big.NewInt(int64(side*(columns+side-1))))
				return sum.BitLen() <= 53 || sum.TrailingZeroBits() == 53
			}
			strip := s.maxStrip()
			require.Positive(t, strip)
			require.LessOrEqual(t, strip, maxStrip)
			require.True(t, fits(strip), "kernel %d, window %d", kernel, side)
			require.True(t, strip == maxStrip || !fits(strip+1), "kernel %d, window %d", kernel, side)
		}
	}
}
