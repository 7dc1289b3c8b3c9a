package warp

import (
	"cmp"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options control how images are resampled. The zero value interpolates linearly on a black
// background.
type Options struct {
	// Interpolation specifies how a pixel is computed from those around its position: Linear or
	// Nearest. 0 means Linear.
	Interpolation Interpolation
	// Border specifies the pixels outside the source: Constant, which is Value, Replicate, Reflect,
	// Reflect101, Wrap, or Transparent, which keeps the pixels of the destination. The default is
	// Constant.
	Border border.Mode
	// Value is the color outside the source with the Border Constant: red, green, blue and alpha as
	// they are in memory, or Y, Cb and Cr. Gray images use the first element, v, and 16-bit images
	// v*257. The default is 0, 0, 0, 0, which is not black in video; black there is 16, 128, 128.
	Value [4]uint8
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// An Interpolation specifies how a pixel is computed from those around its position. 0 is the default
// of what it is given to.
type Interpolation uint8

const (
	// Linear is the weighted mean of the four pixels around the position, for a Warper in steps of
	// 1/32 pixel.
	Linear Interpolation = iota + 1
	// Nearest is one pixel: for a Warper the one at the rounded position.
	Nearest
	// Area is the mean of all pixels that a pixel covers, each weighted by the part of it that is
	// covered. Only a Resizer supports it.
	Area
)

var interpolations = option.Enum[Interpolation]{"default", "linear", "nearest", "area"}

// String returns the name of i, such as "linear", or "default" if i is 0.
func (i Interpolation) String() string { return interpolations.String(i) }

// MarshalText returns the name of i. It fails if i is not an Interpolation of this package.
func (i Interpolation) MarshalText() ([]byte, error) { return interpolations.MarshalText(i) }

// UnmarshalText sets i to the Interpolation named by text. It fails if there is no such
// Interpolation.
func (i *Interpolation) UnmarshalText(text []byte) error {
	return interpolations.UnmarshalText(i, text)
}

// setDefaults replaces the fields that stand for other values by these.
func (o *Options) setDefaults() {
	o.Interpolation = cmp.Or(o.Interpolation, Linear)
	o.Border = cmp.Or(o.Border, border.Constant)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range.
func (o *Options) check() error {
	fields := option.Fields{Package: "warp", Type: "Options"}
	return cmp.Or(
		option.OneOf(fields, "Interpolation", o.Interpolation, Linear, Nearest),
		option.OneOf(fields, "Border", o.Border,
			border.Constant, border.Replicate, border.Reflect, border.Reflect101, border.Wrap, border.Transparent),
	)
}
