//go:build !purego

package warp

import "github.com/fastcorners/fast/internal/cpu"

//go:generate go -C ../_asm run ./warp

var assembly = []cpu.Row[kernels]{
	{Name: "avx512", Needs: cpu.VBMI2, Kernels: kernels{
		linear:  [3]func(*sampleRun){linearGrayAVX512, linearGray16AVX512, linearColorAVX512},
		nearest: [3]func(*sampleRun){nearestGrayAVX512, nearestGray16AVX512, nearestColorAVX512},
		turned:  linearColorAVX2,
		group:   16,
		project: projectAVX512,
		scale:   scaleAVX512,
		unpack:  unpackAVX512,
		resize: [3]resizeKernels{
			{
				half:    halfKernel{halfGrayAVX512, 64},
				boxes:   areaKernel{areasAVX512, boxesAVX512},
				areas:   areaKernel{areasAVX512, areaAVX512},
				linear:  []linearKernel{{linesAVX512, acrossAVX512, downAVX512, bothAVX512}},
				nearest: nearestBytesKernelsAVX512,
			},
			{
				nearest: nearestBytesKernelsAVX512,
			},
			{
				half:    halfKernel{halfColorAVX512, 64},
				boxes:   areaKernel{areasAVX512, boxesAVX512},
				areas:   areaKernel{areasAVX512, areaAVX512},
				linear:  []linearKernel{{linesAVX512, acrossAVX512, downAVX512, bothAVX512}},
				nearest: []nearestKernel{{layout{block: 8, begins: []int{0}, sections: 1, window: 16, values: 8}, 4, nearestLongsAVX512}},
			},
		},
	}},
	{Name: "avx2", Needs: cpu.AVX2, Kernels: kernels{
		linear:  [3]func(*sampleRun){linearGrayAVX2, linearGray16AVX2, linearColorAVX2},
		nearest: [3]func(*sampleRun){nearestGrayAVX2, nearestGray16AVX2, nearestColorAVX2},
		turned:  linearColorAVX2,
		group:   8,
		project: projectAVX2,
		scale:   scaleAVX2,
		unpack:  unpackAVX2,
		resize: [3]resizeKernels{
			{
				half:    halfKernel{halfGrayAVX2, 32},
				boxes:   areaKernel{areasAVX2(4), boxesAVX2},
				areas:   areaKernel{areasAVX2(4), areaAVX2},
				farther: areaKernel{areasAVX2(1), fartherGrayAVX2},
				linear:  linearAVX2,
				nearest: []nearestKernel{nearestBytesKernelAVX2, {layout{block: 4}, 1, nearestEachGrayAVX2}},
			},
			{
				nearest: []nearestKernel{nearestBytesKernelAVX2, {layout{block: 4}, 2, nearestEachGray16AVX2}},
			},
			{
				half:    halfKernel{halfColorAVX2, 32},
				boxes:   areaKernel{areasAVX2(4), boxesAVX2},
				areas:   areaKernel{areasAVX2(4), areaAVX2},
				farther: areaKernel{areasAVX2(4), fartherColorAVX2},
				linear:  linearAVX2,
				nearest: []nearestKernel{
					{layout{block: 4, begins: []int{0}, sections: 1, window: 8, values: 4}, 4, nearestLongsAVX2},
					{layout{block: 4}, 4, nearestEachColorAVX2},
				},
			},
		},
	}},
}

// The layouts of areas and lines, in whose blocks packing brings the values into order.
var (
	areasAVX512 = layout{block: 64, begins: []int{0, 16, 32, 48}, sections: 1, window: 64, values: 16}
	linesAVX512 = layout{block: 64, begins: []int{0, 32}, sections: 1, window: 64, values: 32}
)

func areasAVX2(values int) layout {
	return layout{block: 32, begins: []int{0, 16, 4, 20, 8, 24, 12, 28}, sections: 2, window: 16, values: values}
}

func linesAVX2(values int) layout {
	return layout{block: 32, begins: []int{0, 16, 8, 24}, sections: 2, window: 16, values: values}
}

var linearAVX2 = []linearKernel{
	{linesAVX2(8), acrossAVX2, downAVX2, bothAVX2},
	{linesAVX2(4), across2AVX2, downAVX2, both2AVX2},
	{linesAVX2(1), across8AVX2, downAVX2, both8AVX2},
}

var nearestBytesKernelsAVX512 = []nearestKernel{{layout{block: 32, begins: []int{0}, sections: 1, window: 64, values: 32}, 1, nearestBytesAVX512}}

var nearestBytesKernelAVX2 = nearestKernel{layout{block: 16, begins: []int{0, 8}, sections: 2, window: 16, values: 8}, 1, nearestBytesAVX2}

// linearGrayAVX2 and linearGrayAVX512 replace the loop of [linearGray]:
//
//	a := (32-fx)*upper[0] + fx*upper[1]
//	b := (32-fx)*lower[0] + fx*lower[1]
//	to[i] = ((32-fy)*a + fy*b + 512) >> 10
//
//go:noescape
func linearGrayAVX2(r *sampleRun)

//go:noescape
func linearGrayAVX512(r *sampleRun)

// linearGray16AVX2 and linearGray16AVX512 replace the loop of [linearGray16], where sums are made in
// float32 from left to right:
//
//	sum := (32-fx)*(32-fy)*upper[0] + fx*(32-fy)*upper[1] + (32-fx)*fy*lower[0] + fx*fy*lower[1]
//	to[i] = roundToEven(sum / 1024)
//
//go:noescape
func linearGray16AVX2(r *sampleRun)

//go:noescape
func linearGray16AVX512(r *sampleRun)

// linearColorAVX2 and linearColorAVX512 replace the loop of [linearColor]: the same for each of
// four channels.
//
//go:noescape
func linearColorAVX2(r *sampleRun)

//go:noescape
func linearColorAVX512(r *sampleRun)

// nearestGrayAVX2 and nearestGrayAVX512 replace the loop of [nearestGray]:
//
//	to[i] = pix[row*stride+column]
//
//go:noescape
func nearestGrayAVX2(r *sampleRun)

//go:noescape
func nearestGrayAVX512(r *sampleRun)

// nearestGray16AVX2 and nearestGray16AVX512 replace the loop of [nearestGray16]: the same for
// numbers of 16 bits.
//
//go:noescape
func nearestGray16AVX2(r *sampleRun)

//go:noescape
func nearestGray16AVX512(r *sampleRun)

// nearestColorAVX2 and nearestColorAVX512 replace the loop of [nearestColor]: the same for each
// of four channels.
//
//go:noescape
func nearestColorAVX2(r *sampleRun)

//go:noescape
func nearestColorAVX512(r *sampleRun)

// projectAVX2 and projectAVX512 replace the loop of [project]:
//
//	for i := range r.n {
//		w := r.k / (r.w0 + r.dw*i)
//		r.x[i], r.y[i] = round((r.x0+r.dx*i)*w), round((r.y0+r.dy*i)*w)
//	}
//
//go:noescape
func projectAVX2(r *projectRun)

//go:noescape
func projectAVX512(r *projectRun)

// scaleAVX2 and scaleAVX512 replace the loop of [scale]:
//
//	for i, v := range r.from {
//		r.to[i] = round(v * r.k)
//	}
//
//go:noescape
func scaleAVX2(r *scaleRun)

//go:noescape
func scaleAVX512(r *scaleRun)

// unpackAVX2 and unpackAVX512 replace the loop of [unpack]:
//
//	for i, f := range r.fraction {
//		r.x[i] = r.xy[2*i]<<5 | f&31
//		r.y[i] = r.xy[2*i+1]<<5 | f>>5&31
//	}
//
//go:noescape
func unpackAVX2(r *unpackRun)

//go:noescape
func unpackAVX512(r *unpackRun)

// halfGrayAVX2 and halfGrayAVX512 replace the loops of [half] for one channel:
//
//	to[i] = (upper[2*i] + upper[2*i+1] + lower[2*i] + lower[2*i+1] + 2) >> 2
//
//go:noescape
func halfGrayAVX2(r *halfRun)

//go:noescape
func halfGrayAVX512(r *halfRun)

// halfColorAVX2 and halfColorAVX512 replace the loops of [half] for four channels.
//
//go:noescape
func halfColorAVX2(r *halfRun)

//go:noescape
func halfColorAVX512(r *halfRun)

// boxesAVX2 and boxesAVX512 replace the loops of [boxes], for up to four columns and maxBoxRows rows:
//
//	to[i] = roundToEven(scale * (the sum of the pixels))
//
//go:noescape
func boxesAVX2(r *areaRun)

//go:noescape
func boxesAVX512(r *areaRun)

// areaAVX2 and areaAVX512 replace the loops of [area], for up to four pixels in a row, where each
// product and each sum is rounded:
//
//	along := row[at]*weights[0] + row[at+1]*weights[1] + ...
//	sums[i] += weight*along
//	if last {
//		to[i], sums[i] = roundToEven(sums[i]*scale), next*along
//	}
//
//go:noescape
func areaAVX2(r *areaRun)

//go:noescape
func areaAVX512(r *areaRun)

// fartherGrayAVX2 and fartherColorAVX2 replace the loops of [area] for any number of pixels in a row.
//
//go:noescape
func fartherGrayAVX2(r *areaRun)

//go:noescape
func fartherColorAVX2(r *areaRun)

// acrossAVX2, across2AVX2, across8AVX2 and acrossAVX512 replace the loops of [across], where the eight
// values of half a vector come from one window, from two or from eight:
//
//	upperLine[i] = (a*upper[first] + b*upper[second]) >> 4
//
//go:noescape
func acrossAVX2(r *linearRun)

//go:noescape
func across2AVX2(r *linearRun)

//go:noescape
func across8AVX2(r *linearRun)

//go:noescape
func acrossAVX512(r *linearRun)

// downAVX2 and downAVX512 replace the loop of [down]:
//
//	to[i] = (upperLine[i]*above>>16 + lowerLine[i]*below>>16 + 2) >> 2
//
//go:noescape
func downAVX2(r *linearRun)

//go:noescape
func downAVX512(r *linearRun)

// bothAVX2, both2AVX2, both8AVX2 and bothAVX512 replace the loops of [both], which does what across does
// for two rows, and then what down does.
//
//go:noescape
func bothAVX2(r *linearRun)

//go:noescape
func both2AVX2(r *linearRun)

//go:noescape
func both8AVX2(r *linearRun)

//go:noescape
func bothAVX512(r *linearRun)

// nearestBytesAVX2 and nearestBytesAVX512 replace the loops of [nearest] for pixels of one byte and of
// two:
//
//	to[i] = from[columns[i]]
//
//go:noescape
func nearestBytesAVX2(r *nearestRun)

//go:noescape
func nearestBytesAVX512(r *nearestRun)

// nearestLongsAVX2 and nearestLongsAVX512 replace the loop of [nearest] for pixels of four bytes.
//
//go:noescape
func nearestLongsAVX2(r *nearestRun)

//go:noescape
func nearestLongsAVX512(r *nearestRun)

// nearestEachGrayAVX2, nearestEachGray16AVX2 and nearestEachColorAVX2 replace the loops of [nearest].
//
//go:noescape
func nearestEachGrayAVX2(r *nearestRun)

//go:noescape
func nearestEachGray16AVX2(r *nearestRun)

//go:noescape
func nearestEachColorAVX2(r *nearestRun)
