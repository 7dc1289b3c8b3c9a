// Package vpi finds FAST corners
package vpi

import (
	"fmt"
	"image"
	"math"
	"runtime"
	"sync"

	"github.com/fastcorners/fast"
)

// A Corner is a pixel that passed the segment test.
type Corner struct {
	// X and Y are the pixel's coordinates in the image, in pixels.
	X, Y int32
	// Score is the largest threshold at which the pixel is still a corner.
	Score uint16
}

// Pt returns the coordinates of c as a point.
func (c Corner) Pt() image.Point {
	return image.Pt(int(c.X), int(c.Y))
}

// Options say what a Detector finds. Zero stands for the default of each of them.
type Options struct {
	// Radius is that of the circle, in pixels: 1, 2 or 3, of 8, 12 or 16 pixels. 0
	// means 3.
	Radius int
	// Arc is how many contiguous pixels of the circle make a corner, 1 to all of
	// them. 0 means 5, 7 or 9 for a Radius of 1, 2 or 3.
	Arc int
	// Threshold is the least difference between a corner and the pixels of its arc, in
	// units of the pixels. 0 means 10, and a negative number means 0.
	Threshold float32
	// NoSuppression keeps the corners next to one with a higher score, too.
	NoSuppression bool
	// Border is what lies beyond the edges of an image.
	Border Border
	// Capacity is how many corners are wanted, the first ones. 0 means all.
	Capacity int
	// Strongest orders the corners by their scores, the highest first, so that Capacity
	// keeps the strongest ones. Equal ones stay in raster order.
	Strongest bool

	// Workers is the number of goroutines that share an image, the caller's among
	// them. 0 means 1, and a negative number means runtime.GOMAXPROCS(0). Small images
	// get fewer. Images, if there are several, are the better unit.
	Workers int
}

// A Detector finds corners as its Options say. It is made by New and safe for
// concurrent use.
type Detector struct {
	opts      Options // with the defaults
	threshold float64 // for integers: an integer, 0 at least
	circle    circle
	fast      *fast.Detector // for pixels of 8 bits, or nil
	pool      sync.Pool      // of *scratch
}

// New returns a Detector. It fails when an option is out of range.
func New(opts Options) (*Detector, error) {
	setDefault(&opts.Radius, 3)
	if opts.Radius < 1 || opts.Radius > maxRadius {
		return nil, fmt.Errorf("vpi: Radius %d is not in the range 1 to %d", opts.Radius, maxRadius)
	}
	n := len(circles[opts.Radius])
	setDefault(&opts.Arc, n/2+1)
	setDefault(&opts.Threshold, 10)
	switch threshold := float64(opts.Threshold); {
	case opts.Arc < 1 || opts.Arc > n:
		return nil, fmt.Errorf("vpi: Arc %d is not in the range 1 to %d, the pixels of a circle of Radius %d", opts.Arc, n, opts.Radius)
	case math.IsNaN(threshold) || math.IsInf(threshold, 0):
		return nil, fmt.Errorf("vpi: Threshold %v is not finite", opts.Threshold)
	case opts.Border > Mirror:
		return nil, fmt.Errorf("vpi: unknown Border %d", opts.Border)
	case opts.Capacity < 0:
		return nil, fmt.Errorf("vpi: Capacity %d is negative", opts.Capacity)
	}
	if opts.Workers < 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	d := &Detector{
		opts:      opts,
		threshold: max(math.Ceil(float64(opts.Threshold)), 0),
		circle:    newCircle(opts.Radius, opts.Arc),
	}
	if opts.Radius == 3 && opts.Arc >= 9 && opts.Arc <= 12 && d.threshold >= 1 && d.threshold <= math.MaxUint8 {
		var err error
		d.fast, err = fast.New(fast.Options{
			Threshold:         uint8(d.threshold) - 1, // its comparisons are strict
			ArcLength:         opts.Arc,
			Score:             true,
			NonmaxSuppression: !opts.NoSuppression,
			FirstOfEqual:      true,
			Workers:           opts.Workers,
		})
		if err != nil {
			return nil, fmt.Errorf("vpi: %w", err)
		}
	}
	d.pool.New = func() any { return &scratch{detector: d, searchers: []*searcher{new(searcher)}} }
	return d, nil
}

// setDefault replaces 0 by what it stands for.
func setDefault[T int | float32](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// Detect returns the corners of img
func (d *Detector) Detect(img *image.Gray) []Corner {
	return d.Append(nil, img)
}

// Append is Detect, appending the corners to dst. With one worker it does not allocate
// in the steady state when dst has room.
func (d *Detector) Append(dst []Corner, img *image.Gray) []Corner {
	dst, _ = d.Search(dst, Gray(img))
	return dst
}

// Search is Append for pixels of any type. It returns the corners appended to dst, and the
// total of those that there are, of which Capacity may have kept fewer.
func (d *Detector) Search(dst []Corner, img Image) (corners []Corner, total int) {
	img.check()
	s := d.pool.Get().(*scratch)
	dst, total = s.search(dst, img)
	s.release()
	return dst, total
}
