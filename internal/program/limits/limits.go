// Package limits has the largest images that the packages take, as they document it. Programs check
// the size of an image before they decode it, since the packages panic.
package limits

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/orb"
)

// A Limit is how large an image can be. The zero Limit is none.
type Limit struct {
	Side   int   `json:",omitempty"` // the largest width and height, unless it is 0
	Pixels int64 `json:",omitempty"` // the largest number of pixels, unless it is 0
	Border int   `json:",omitempty"` // how many pixels on each side count as well
}

// The limits of packages whose options do not change them.
var (
	SIFT   = Limit{Side: 1 << 16}
	Harris = Limit{Pixels: 1 << 32}
	LoCoCo = Limit{Pixels: math.MaxInt32}
	VPI    = Limit{Pixels: math.MaxInt32, Border: 3}
	Warp   = Limit{Side: 1 << 20} // of sources

	Tag = Limit{Pixels: math.MaxInt32}

	Scene    = Limit{Pixels: math.MaxInt32} // of package locate
	Template = Limit{Side: 1024}
)

// orbPixels is the largest number of pixels of a level that package orb enlarges an image to.
const orbPixels = 1 << 30

// ORB returns the limit of package orb with options that have no zeros. What it rounds in single
// precision is left to it.
func ORB(opts *orb.Options) Limit {
	if opts.FirstLevel == 0 {
		return Limit{}
	}
	share := math.Pow(opts.ScaleFactor, -2*float64(opts.FirstLevel))
	return Limit{Pixels: int64(orbPixels * share * (1 - 1e-4))}
}

// Check returns an error unless something, as it is called in the error, takes images of a size.
func (l Limit) Check(what string, size image.Point) error {
	pixels := (int64(size.X) + 2*int64(l.Border)) * (int64(size.Y) + 2*int64(l.Border)) // of 32 bits each
	switch {
	case l.Side > 0 && max(size.X, size.Y) > l.Side:
		return fmt.Errorf("%d x %d pixels, but %s takes sides of up to %d", size.X, size.Y, what, l.Side)
	case l.Pixels > 0 && pixels > l.Pixels:
		return fmt.Errorf("%d x %d pixels, but %s takes up to %d of them", size.X, size.Y, what, l.Pixels)
	}
	return nil
}
