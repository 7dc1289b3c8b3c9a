//go:build !purego

package locate

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./locate

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.AVX512VNNI, Kernels: kernels{
		multiply: multiplyAVX512, bytes: true, transformed: 320,
		multiplyLow: multiplyLowAVX512,
		slide:       slideAVX512,
		window:      windowAVX512,
		accumulate:  accumulateAVX512,
		span:        spanAVX512,
		normalize:   normalizeAVX512,
		differ:      differAVX512,
		respond:     respondAVX512,
		seek:        seekAVX512,
		respondLow:  respondLowAVX512,
		seekLow:     seekLowAVX512,
		place:       placeAVX2,

		blocks:         blocksAVX512,
		multiplyBlocks: multiplyBlocksAVX512, multiplyBands: multiplyBandsAVX512,
		stride: strideAVX512, sumBlocks: sumBlocksAVX512,
		measure: measureAVX512,
		bound:   boundAVX512, boundSide: 24,
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		multiply: multiplyAVX2, transformed: 60,
		fold: foldAVX2, multiplyFolds: multiplyFoldsAVX2,
		slide:      slideAVX2,
		window:     windowAVX2,
		accumulate: accumulateAVX2,
		span:       spanAVX2,
		normalize:  normalizeAVX2,
		differ:     differAVX2,
		respond:    respondAVX2,
		seek:       seekAVX2,
		respondLow: respondLowAVX2,
		seekLow:    seekLowAVX2,
		place:      placeAVX2,

		blocks:         blocksAVX2,
		multiplyBlocks: multiplyBlocksAVX2, multiplyBands: multiplyBandsAVX2,
		stride: strideAVX2, sumBlocks: sumBlocksAVX2,
		measure: measureAVX2,
		bound:   boundAVX2, boundSide: 20,
	}},
}

// multiplyAVX2 and, with values as bytes, multiplyAVX512 replace the loops of [multiply]:
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
func multiplyAVX2(r *multiplyRun)

//go:noescape
func multiplyAVX512(r *multiplyRun)

// multiplyLowAVX512 is multiplyAVX512 with lows in place of products.
//
//go:noescape
func multiplyLowAVX512(r *multiplyRun)

// foldAVX2 makes the fold of a pair of rows.
//
//go:noescape
func foldAVX2(r *foldRun)

// multiplyFoldsAVX2 multiplies folded rows. The products of a list are added to what those lists have made that
// it has in common with others.
//
//go:noescape
func multiplyFoldsAVX2(r *foldRun)

// slideAVX2 and slideAVX512 replace the loops of [slide].
//
//go:noescape
func slideAVX2(r *windowRun)

//go:noescape
func slideAVX512(r *windowRun)

// windowAVX2 and windowAVX512 replace the loops of [window]. They sum up, in parts of the row,
// what enters windows less what leaves them.
//
//go:noescape
func windowAVX2(r *windowRun)

//go:noescape
func windowAVX512(r *windowRun)

// accumulateAVX2 and accumulateAVX512 replace the loops of [accumulate].
//
//go:noescape
func accumulateAVX2(r *spanRun)

//go:noescape
func accumulateAVX512(r *spanRun)

// spanAVX2 and spanAVX512 replace the loops of [addSpans]. They add all spans of some places at
// once.
//
//go:noescape
func spanAVX2(r *spanRun)

//go:noescape
func spanAVX512(r *spanRun)

// normalizeAVX2 and normalizeAVX512 replace the loop of [normalize]:
//
//	for x := range r.scores[:r.n] {
//		numerator, variation := r.at(x)
//		r.scores[x] = ratio(numerator, r.variation, variation)
//	}
//
//go:noescape
func normalizeAVX2(r *scoreRun)

//go:noescape
func normalizeAVX512(r *scoreRun)

// differAVX2 and differAVX512 replace the loop of [differ]:
//
//	for x := range r.scores[:r.n] {
//		numerator, _ := r.at(x)
//		r.scores[x] = 1 - float64(r.sum2+r.sums2[x]-2*numerator)/r.largest
//	}
//
//go:noescape
func differAVX2(r *scoreRun)

//go:noescape
func differAVX512(r *scoreRun)

// respondAVX2 and respondAVX512 make the scores of [normalize] as float32. With AVX-512 these are
// approximations, and the scores themselves where the next float32 might be another one.
//
//go:noescape
func respondAVX2(r *scoreRun)

//go:noescape
func respondAVX512(r *scoreRun)

// seekAVX2 and seekAVX512 compare the squares of numerators with those of the threshold and of denominators.
//
//go:noescape
func seekAVX2(r *scoreRun)

//go:noescape
func seekAVX512(r *scoreRun)

// respondLowAVX2 and respondLowAVX512 make responses from numbers of 32 bits. They are approximations, and the
// scores themselves where the next float32 might be another one.
//
//go:noescape
func respondLowAVX2(r *lowScoreRun)

//go:noescape
func respondLowAVX512(r *lowScoreRun)

// seekLowAVX2 and seekLowAVX512 compare the squares of numerators of 32 bits.
//
//go:noescape
func seekLowAVX2(r *lowScoreRun)

//go:noescape
func seekLowAVX512(r *lowScoreRun)

// placeAVX2 replaces the loops of [place].
//
//go:noescape
func placeAVX2(r *placeRun)

// blocksAVX2 and blocksAVX512 replace the loops of [blocks]. They make sums as the kernels of
// [window] do.
//
//go:noescape
func blocksAVX2(r *blockRun)

//go:noescape
func blocksAVX512(r *blockRun)

// multiplyBlocksAVX2 and multiplyBlocksAVX512 replace the loops of [multiplyBlocks]:
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
func multiplyBlocksAVX2(r *blockProductRun)

//go:noescape
func multiplyBlocksAVX512(r *blockProductRun)

// multiplyBandsAVX2 and multiplyBandsAVX512 replace multiplyBlocks for blockRows rows of places:
//
//	for i := range blockRows {
//		row := *r
//		row.pairs, row.products, row.more = r.pairs[i*r.down:], r.products[i*r.apart:], r.more[i*r.moreApart:]
//		multiplyBlocks(&row)
//	}
//
//go:noescape
func multiplyBandsAVX2(r *blockProductRun)

//go:noescape
func multiplyBandsAVX512(r *blockProductRun)

// strideAVX2 and strideAVX512 replace the loops of [stride].
//
//go:noescape
func strideAVX2(r *strideRun)

//go:noescape
func strideAVX512(r *strideRun)

// sumBlocksAVX2 and sumBlocksAVX512 replace the loops of [sumBlocks].
//
//go:noescape
func sumBlocksAVX2(r *blockSumRun)

//go:noescape
func sumBlocksAVX512(r *blockSumRun)

// measureAVX2 and measureAVX512 replace the loop of [measure].
//
//go:noescape
func measureAVX2(r *measureRun)

//go:noescape
func measureAVX512(r *measureRun)

// boundAVX2 and boundAVX512 replace the loop of [bound]. They make the bounds of a vector of places only if
// one of them may reach the cutoff, and estimate scores only if one of the bounds is large enough. The last
// vector may have places of the one before again.
//
//go:noescape
func boundAVX2(r *boundRun)

//go:noescape
func boundAVX512(r *boundRun)
