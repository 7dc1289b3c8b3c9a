//go:build !purego

package locate

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
	multiply: multiplyNEON, transformed: 15,
	slide:      slideNEON,
	window:     windowNEON,
	accumulate: accumulateNEON,
	span:       spanNEON,
	normalize:  normalize,
	differ:     differ,
	place:      placeNEON,

	blocks:         blocksNEON,
	multiplyBlocks: multiplyBlocksNEON,
	stride:         strideNEON,
	sumBlocks:      sumBlocksNEON,
	measure:        measureNEON,
	bound:          boundNEON, boundSide: 16,
}}}

// multiplyNEON replaces the loops of [multiply]:
//
//	for row := range blockRows {
//		for j := range r.rows {
//			for p := range r.pairs {
//				k := r.values[(j*r.pairs+p)*2*blockRows+2*row:]
//				for x := range r.n {
//					q := r.pix[j*r.stride+2*p+x:]
//					r.products[row*r.apart+x] += int64(k[0])*int64(q[0]) + int64(k[1])*int64(q[1])
//				}
//			}
//		}
//	}
//
//go:noescape
func multiplyNEON(r *multiplyRun)

// slideNEON replaces the loops of [slide].
//
//go:noescape
func slideNEON(r *windowRun)

// windowNEON replaces the loops of [window]. It sums up, in parts of the row, what enters windows less
// what leaves them.
//
//go:noescape
func windowNEON(r *windowRun)

// accumulateNEON replaces the loops of [accumulate].
//
//go:noescape
func accumulateNEON(r *spanRun)

// spanNEON replaces the loops of [addSpans]. It adds all spans of some places at once.
//
//go:noescape
func spanNEON(r *spanRun)

// placeNEON replaces the loops of [place].
//
//go:noescape
func placeNEON(r *placeRun)

// blocksNEON replaces the loops of [blocks]. It makes sums as windowNEON does.
//
//go:noescape
func blocksNEON(r *blockRun)

// multiplyBlocksNEON replaces the loops of [multiplyBlocks]:
//
//	copy(r.products[:r.n], r.more)
//	for j := range r.rows {
//		for i := range r.columns {
//			k := r.coefficients[2*(r.columns*j+i):]
//			for x, v := range r.pairs[r.down*j+r.step*i:][:r.n] {
//				r.products[x] += int32(k[0])*int32(int16(v)) + int32(k[1])*(int32(v)>>16)
//			}
//		}
//	}
//
//go:noescape
func multiplyBlocksNEON(r *blockProductRun)

// strideNEON replaces the loops of [stride].
//
//go:noescape
func strideNEON(r *strideRun)

// sumBlocksNEON replaces the loops of [sumBlocks].
//
//go:noescape
func sumBlocksNEON(r *blockSumRun)

// measureNEON replaces the loop of [measure].
//
//go:noescape
func measureNEON(r *measureRun)

// boundNEON replaces the loop of [bound]. It estimates scores only if one of two bounds is large enough.
//
//go:noescape
func boundNEON(r *boundRun)
