package compact

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap, so
// that nothing escapes by a call through a function value.
type kernels struct {
	readPatch    func(*patchRun)
	comparePatch func(*comparisonRun)
}

// table holds the kernels of this platform.
var table = cpu.NewTable("compact", kernels{
	readPatch:    readPatchPortable,
	comparePatch: comparePatchPortable,
}, assembly...)

const (
	// patchSide is the side of the patch. patchAbove is the number of its rows above the
	// keypoint, and patchLeft the number of columns to the left of it.
	patchSide, patchAbove, patchLeft = 10, 5, 4
	// patchTop is the number of pixels that count of the uppermost row, which is the last
	// one by the definition.
	patchTop = 96 - 9*patchSide
	// patchStride is the distance of the rows in memory.
	patchStride = 16
)

// A patch is the pixels around a keypoint, from the uppermost row on. Any byte is an index
// into it, so no index has to be checked.
type patch [256]uint8

// A patchRun is a patch to read and to take the first moments of. Assembly reads 16 pixels
// of each of its 10 rows. They are in memory of the image, which goes on below the patch.
type patchRun struct {
	pix      []byte // from the first pixel of the patch on
	stride   int
	weights  *[patchSide]momentWeights
	patch    *patch
	m10, m01 int64
}

// momentWeights are the weights of the pixels of a row for both moments.
type momentWeights [2][patchStride]int8

// patchWeights are those of a patch.
var patchWeights = func() (rows [patchSide]momentWeights) {
	for row := range rows {
		for column := range patchSide {
			if row > 0 || column < patchTop {
				rows[row][0][column], rows[row][1][column] = int8(column-patchLeft), int8(row-patchAbove)
			}
		}
	}
	return rows
}()

func readPatchPortable(r *patchRun) {
	var m10, m01 int32
	for i := range r.weights {
		weights, row := &r.weights[i], r.patch[i*patchStride:][:patchSide]
		copy(row, r.pix[i*r.stride:])
		for column, v := range row {
			m10 += int32(weights[0][column]) * int32(v)
			m01 += int32(weights[1][column]) * int32(v)
		}
	}
	r.m10, r.m01 = int64(m10), int64(m01)
}

// tests is the number of tests.
const tests = 32

// places are the indices into a patch of the pixels that are compared: the first ones of
// all tests, and the second ones.
type places [2][tests]uint8

// A comparisonRun is a patch to compare the pixels of.
type comparisonRun struct {
	patch  *patch
	places *places
	bits   uint32 // the descriptor
}

func comparePatchPortable(r *comparisonRun) {
	r.bits = 0
	for i := range tests {
		if r.patch[r.places[0][i]] > r.patch[r.places[1][i]] {
			r.bits |= 1 << i
		}
	}
}
