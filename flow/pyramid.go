package flow

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
)

// A Pyramid is an image and smaller versions of it. It is made by [Tracker.Pyramid]. Any
// number of goroutines may use it at once, but for [Tracker.Reset].
type Pyramid struct {
	levels []raster.Plane // the first one is the image
	min    Point          // the coordinates of the upper left pixel
	memory []byte         // for the levels above the image
	run    downRun
}

func (p *Pyramid) width() int  { return p.levels[0].W }
func (p *Pyramid) height() int { return p.levels[0].H }

// levels returns the number of levels, with that of the image, for an image of w by h pixels.
func (t *Tracker) levels(w, h int) int {
	n := 1
	for n <= t.opts.Levels && half(w) > t.opts.Window.X && half(h) > t.opts.Window.Y {
		w, h = half(w), half(h)
		n++
	}
	return n
}

// half returns the side of the level above one with that side.
func half(side int) int { return (side + 1) / 2 }

// reset makes p the pyramid of an image.
func (p *Pyramid) reset(t *Tracker, img *image.Gray) {
	plane := raster.NewPlane("flow", img)
	if p == nil {
		panic("flow: nil Pyramid")
	}
	if plane.H > 0 {
		plane.Pix = plane.Pix[:(plane.H-1)*plane.Stride+plane.W]
	}
	p.min = Point{float32(img.Rect.Min.X), float32(img.Rect.Min.Y)}
	n := t.levels(plane.W, plane.H)
	size := 0
	for i, w, h := 1, half(plane.W), half(plane.H); i < n; i++ {
		size += w * h
		w, h = half(w), half(h)
	}
	p.memory = raster.Resize(p.memory, size)
	p.levels = append(p.levels[:0], plane)
	memory := p.memory
	down := table.Best().down
	for i := 1; i < n; i++ {
		w, h := half(plane.W), half(plane.H)
		next := raster.Plane{Pix: memory[:w*h], Stride: w, W: w, H: h}
		memory = memory[w*h:]
		p.run.from, p.run.to = plane, next
		p.run.sums = raster.Resize(p.run.sums, plane.W+2*sumsMargin)
		down(&p.run)
		plane = next
		p.levels = append(p.levels, plane)
	}
	p.run.from, p.run.to = raster.Plane{}, raster.Plane{}
}

// sumsMargin is the number of elements of a downRun's sums on either side of the columns.
const sumsMargin = 64

// A downRun is the argument of the kernel down.
type downRun struct {
	from, to raster.Plane
	// sums is memory for the sums of a column's pixels: of those of the level, and of
	// sumsMargin more on either side.
	sums []uint16
}

// down makes a level of the one before it, whose sides are at least 7. Each pixel
// is the weighted mean of 5 by 5 pixels.
func down(r *downRun) {
	w, h := r.from.W, r.from.H
	sums := r.sums[sumsMargin-2:]
	for y := range r.to.H {
		var rows [5][]byte
		for i := range rows {
			rows[i] = r.from.Row(raster.Mirror(2*y+i-2, h))
		}
		a, b, c, d, e := rows[0], rows[1][:w], rows[2][:w], rows[3][:w], rows[4][:w]
		middle := sums[2:][:w]
		for x, v := range a {
			middle[x] = uint16(v) + uint16(e[x]) + 4*(uint16(b[x])+uint16(d[x])) + 6*uint16(c[x])
		}
		sums[0], sums[1] = middle[2], middle[1]
		sums[w+2], sums[w+3] = middle[w-2], middle[w-3]
		to := r.to.Row(y)
		row := sums[:2*len(to)+4]
		for x := range to {
			s := row[2*x:][:5]
			to[x] = byte((s[0] + s[4] + 4*(s[1]+s[3]) + 6*s[2] + 128) >> 8)
		}
	}
}
