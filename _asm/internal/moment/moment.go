// Package moment emits, for NEON, the sums that are the first moments of pixels.
package moment

import (
	"github.com/fastcorners/fast/_asm/internal/neon"
	"github.com/fastcorners/fast/_asm/internal/op"
)

// Sums are the sums with two sets of weights. Each has two registers, whose additions need not wait
// for each other.
type Sums [2][2]neon.V

// New returns sums that are 0.
func New(f *neon.Function) Sums {
	return Sums{{f.Zero(), f.Zero()}, {f.Zero(), f.Zero()}}
}

// Add emits the weighted sums of 16 pixels. The first set of weights is disp bytes from the register,
// and the second one apart bytes further on.
func (s Sums) Add(f *neon.Function, pixels neon.V, weights neon.R, disp, apart int) {
	f.Scope(func() {
		low, high := f.V(), f.V()
		f.VUXTL(neon.B8, pixels, low)
		f.VUXTL2(neon.B16, pixels, high)
		for i, sum := range s {
			f.Scope(func() {
				last := f.Load(weights, disp+i*apart)
				first := f.V()
				f.ChangeTo(neon.SignedWords, last, first)
				f.ChangeTo(neon.LastSignedWords, last, last)
				f.Multiply(neon.AddProducts, low, first, sum[0])
				f.Multiply(neon.AddLastProducts, low, first, sum[1])
				f.Multiply(neon.AddProducts, high, last, sum[0])
				f.Multiply(neon.AddLastProducts, high, last, sum[1])
			})
		}
	})
}

// Return emits storing the sums in the fields m10 and m01, and returning.
func (s Sums) Return(f *neon.Function) {
	r := f.R()
	for i, field := range []string{"m10", "m01"} {
		sum := s[i][0]
		f.DoTo(op.AddLong, sum, s[i][1], sum)
		f.VADDV(neon.S4, sum, sum)
		f.FMOVS(sum, r)
		f.MOVW(r, r)
		f.MOVD(r, f.Place(field))
	}
	f.RET()
}
