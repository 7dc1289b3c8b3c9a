package shaky

import (
	"image"
	"math"
	"math/rand/v2"

	"github.com/fastcorners/fast/geometry"
)

// Marks are values around marksMiddle, up to marksRange more or less at the edges of the plane.
// Those that are nearer to that than marksEdge may be from beyond the edges.
const (
	marksMiddle = 128
	marksRange  = 110.
	marksEdge   = 6
)

// marksRounds are by how many samples a mark may differ from what the round before makes of it, and
// how far apart the samples are that are looked at.
var marksRounds = [...]struct {
	limit float64
	step  int
}{{math.Inf(1), 4}, {6, 4}, {3, 4}, {2, 1}}

// Mark gives the planes of chroma of a frame with 4:2:0 values that tell where in the frame they
// are, which Marked reads after the frame has been moved. What finds motion looks at luma alone.
func Mark(f *image.YCbCr) {
	w, h := f.Rect.Dx()/2, f.Rect.Dy()/2
	dither := rand.New(rand.NewPCG(3, 4))
	mark := func(i, n int) byte {
		from := float64(i) - float64(n-1)/2
		return byte(math.Floor(marksMiddle + marksRange*from/(float64(n-1)/2) + dither.Float64()))
	}
	for y := range h {
		for x := range w {
			f.Cb[y*f.CStride+x], f.Cr[y*f.CStride+x] = mark(x, w), mark(y, h)
		}
	}
}

// Marked returns the affine transform that maps pixels of a frame to where they come from in a
// frame with marks, by least squares. Samples that come from beyond its edges do not count.
func Marked(f *image.YCbCr) geometry.Transform {
	w, h := f.Rect.Dx()/2, f.Rect.Dy()/2
	cx, cy := float64(w-1)/2, float64(h-1)/2
	t := geometry.Transform{8: 1}
	for axis, plane := range [][]byte{f.Cb, f.Cr} {
		half := []float64{cx, cy}[axis]
		var at [3]float64 // a sample at x, y from the middle comes from at[0]*x + at[1]*y + at[2]
		for _, round := range marksRounds {
			var sums [3][4]float64
			for y := 0; y < h; y += round.step {
				for x := 0; x < w; x += round.step {
					i := y*f.CStride + x
					if least, most := min(f.Cb[i], f.Cr[i]), max(f.Cb[i], f.Cr[i]); least < marksMiddle-marksRange+marksEdge || most > marksMiddle+marksRange-marksEdge {
						continue
					}
					row := [4]float64{float64(x) - cx, float64(y) - cy, 1, (float64(plane[i]) - marksMiddle) / marksRange * half}
					if math.Abs(row[3]-at[0]*row[0]-at[1]*row[1]-at[2]) > round.limit {
						continue
					}
					for j := range sums {
						for k, v := range row {
							sums[j][k] += row[j] * v
						}
					}
				}
			}
			at = solved(sums)
		}
		// Pixels are half as far apart as samples, and have the same middle.
		px, py := float64(f.Rect.Dx()-1)/2, float64(f.Rect.Dy()-1)/2
		t[3*axis], t[3*axis+1] = at[0], at[1]
		t[3*axis+2] = []float64{px, py}[axis] + 2*at[2] - at[0]*px - at[1]*py
	}
	return t
}

// solved returns the solution of three equations whose matrix is positive definite. The last
// column is the right side.
func solved(rows [3][4]float64) (x [3]float64) {
	for i := range rows {
		for j := i + 1; j < len(rows); j++ {
			f := rows[j][i] / rows[i][i]
			for k := i; k < len(rows[j]); k++ {
				rows[j][k] -= f * rows[i][k]
			}
		}
	}
	for i := len(rows) - 1; i >= 0; i-- {
		x[i] = rows[i][3]
		for k := i + 1; k < len(rows); k++ {
			x[i] -= rows[i][k] * x[k]
		}
		x[i] /= rows[i][i]
	}
	return x
}
