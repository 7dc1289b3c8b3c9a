package stabilize

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

const (
	// finderSide is the longest side of the images that shifts are searched in.
	finderSide = 64
	// minOverlap is the least share of their width and height that must overlap.
	minOverlap = 0.5
)

// A shiftFinder finds by how much a picture is shifted as a whole, roughly.
type shiftFinder struct {
	a, b reduced
}

// A reduced image has pixels that are the means of squares.
type reduced struct {
	pix  []int32
	w, h int
}

// find returns the shift that most resembles the motion from one frame to another of the same
// size, if there is one. It may be wrong by half the side of the squares, which have 1/64 of the
// frame's longer side.
func (f *shiftFinder) find(from, to *image.Gray) (shift image.Point, ok bool) {
	size := from.Rect.Size()
	side := (max(size.X, size.Y) + finderSide - 1) / finderSide
	f.a.set(from, side)
	f.b.set(to, side)
	best := 0.
	for dy := -int(minOverlap * float64(f.a.h)); dy <= int(minOverlap*float64(f.a.h)); dy++ {
		for dx := -int(minOverlap * float64(f.a.w)); dx <= int(minOverlap*float64(f.a.w)); dx++ {
			if c := f.correlation(dx, dy); c > best {
				best, shift, ok = c, image.Pt(dx*side, dy*side), true
			}
		}
	}
	return shift, ok
}

// set sets r to the means of squares of a side. What is left at the right and below is left out.
func (r *reduced) set(img *image.Gray, side int) {
	r.w, r.h = img.Rect.Dx()/side, img.Rect.Dy()/side
	r.pix = raster.Resize(r.pix, r.w*r.h)
	clear(r.pix)
	for y := range r.h * side {
		row := img.Pix[y*img.Stride:][:r.w*side]
		sums := r.pix[y/side*r.w:][:r.w]
		for x := range sums {
			sum := int32(0)
			for _, v := range row[x*side:][:side] {
				sum += int32(v)
			}
			sums[x] += sum
		}
	}
	for i := range r.pix {
		r.pix[i] /= int32(side * side)
	}
}

// correlation returns the square of the correlation coefficient of what overlaps if the first image
// is shifted onto the second one, or 0 if the coefficient is negative.
func (f *shiftFinder) correlation(dx, dy int) float64 {
	w, h := f.a.w-max(dx, -dx), f.a.h-max(dy, -dy)
	var n, a, b, aa, ab, bb int64
	n = int64(w * h)
	for y := range h {
		p := f.a.pix[(y+max(0, -dy))*f.a.w+max(0, -dx):][:w]
		q := f.b.pix[(y+max(0, dy))*f.b.w+max(0, dx):][:w]
		var ra, rb, raa, rab, rbb int32
		for i, u := range p {
			v := q[i]
			ra, rb, raa, rab, rbb = ra+u, rb+v, raa+u*u, rab+u*v, rbb+v*v
		}
		a, b, aa, ab, bb = a+int64(ra), b+int64(rb), aa+int64(raa), ab+int64(rab), bb+int64(rbb)
	}
	covariance := n*ab - a*b
	variances := float64(n*aa-a*a) * float64(n*bb-b*b)
	if covariance <= 0 || !(variances > 0) {
		return 0
	}
	return float64(covariance) * float64(covariance) / variances
}
