package method

import (
	"image"
	"image/draw"
	"math"
	"unsafe"

	"github.com/fastcorners/fast/internal/program/choose"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/point"
)

// A detector is what all methods for corners share. C is the type of the corners.
type detector[C point.Strong] struct {
	search  choose.Search[C]
	all     func(dst []C, img *image.Gray) []C // the same, before any is left out
	reach   int
	bytes   int64 // for each of them
	spare   int64 // bytes per pixel of Memory() that are for them
	apart   bool  // none touches another
	columns func(c C) []any
	limit   limits.Limit
	roots   bool // draw corners by the roots of their strengths, of which most are low
}

// searching sets how a detector searches: by what create makes of the options, and of those that
// leave out none of its corners.
func searching[C point.Strong, O any, D interface {
	Append(dst []C, img, mask *image.Gray) []C
}](d *detector[C], create func(O) (D, error), opts, all O) error {
	some, err := create(opts)
	if err != nil {
		return err
	}
	every, err := create(all)
	d.search = some.Append
	d.all = func(dst []C, img *image.Gray) []C { return every.Append(dst, img, nil) }
	return err
}

func (d *detector[C]) Find(img, mask *image.Gray) Finding {
	corners := d.search(nil, img, mask)
	return Finding{
		Rows:   [][]any{{len(corners)}},
		Count:  len(corners),
		Record: func(i int) []any { return d.columns(corners[i]) },
		Draw:   func(dst draw.Image) { d.draw(dst, corners) },
		Bytes:  int64(cap(corners)) * int64(unsafe.Sizeof(*new(C))),
	}
}

// Lists implements Method. A pixel on whose neighbors a corner depends is up to reach pixels
// away.
func (d *detector[C]) Lists(img *image.Gray, worst bool) int64 {
	pixels := int64(img.Rect.Dx()) * int64(img.Rect.Dy())
	n := pixels
	if d.apart {
		n = apart(img)
	}
	if !worst {
		var found []C
		n = countIn(img, d.reach, func(strip *image.Gray) int {
			found = d.all(found[:0], strip)
			return len(found)
		})
	}
	return max(0, n*d.bytes-d.spare*pixels)
}

// apart returns how many pixels of an image there are at most none of which touches another.
func apart(img *image.Gray) int64 {
	return int64(img.Rect.Dx()+1) / 2 * (int64(img.Rect.Dy()+1) / 2)
}

// countIn returns how many corners there are in an image at most. It counts in strips of the
// image, which overlap, by count.
func countIn(img *image.Gray, reach int, count func(strip *image.Gray) int) (n int64) {
	rows := max(4*reach, 1<<18/max(1, img.Rect.Dx()))
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += rows {
		strip := image.Rect(img.Rect.Min.X, y-reach, img.Rect.Max.X, y+rows+reach)
		n += int64(count(img.SubImage(strip).(*image.Gray)))
	}
	return n
}

// draw draws corners.
func (d *detector[C]) draw(dst draw.Image, corners []C) {
	if !d.roots {
		overlay.Corners(dst, corners)
		return
	}
	roots := make([]rooted[C], len(corners))
	for i, c := range corners {
		roots[i].corner = c
	}
	overlay.Corners(dst, roots)
}

// A rooted is a corner as strong as the root of its strength.
type rooted[C point.Strong] struct{ corner C }

func (r rooted[C]) Pt() image.Point          { return r.corner.Pt() }
func (r rooted[C]) Position() (x, y float32) { return r.corner.Position() }
func (r rooted[C]) Strength() float32        { return float32(math.Sqrt(float64(r.corner.Strength()))) }

func (d *detector[C]) Limit() limits.Limit { return d.limit }

func (d *detector[C]) Repeater() func(img *image.Gray) {
	var corners []C
	return func(img *image.Gray) { corners = d.search(corners[:0], img, nil) }
}
