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
	// Interpolation specifies how a pixel is computed from those around its position. The default
	// is Linear.
	Interpolation Interpolation
	// Border specifies the pixels outside the source: Constant, which is Value, Replicate, Reflect,
	// Reflect101, Wrap, or Transparent, which keeps the pixels of the destination. The default is
	// Constant.
	Border border.Mode
	// Value is the color outside the source with the Border Constant: red, green, blue and alpha as
	// they are in memory, or Y, Cb and Cr. Gray images use the first element, v, and 16-bit images
	// v*257. The default is 0, 0, 0, 0, which is not black in video; black there is 16, 128, 128.
	Value [4]uint8
	// Workers is the number of goroutines that share an image, including the caller's. 0 means 1,
	// and a negative number means runtime.GOMAXPROCS(0). Small images get fewer. They wait for work
	// as fast.Options.Workers describes.
	Workers int
}

// An Interpolation specifies how a pixel is computed from those around its position.
type Interpolation uint8

const (
	// Linear is the weighted mean of the four pixels around the position, in steps of 1/32 pixel.
	Linear Interpolation = iota
	// Nearest is the pixel at the rounded position.
	Nearest
)

var interpolations = option.Enum[Interpolation]{"linear", "nearest"}

// String returns the name of i, such as "linear".
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
	o.Border = cmp.Or(o.Border, border.Constant)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range.
func (o *Options) check() error {
	fields := option.Fields{Package: "warp", Type: "Options"}
	if !interpolations.Has(o.Interpolation) {
		return fields.OutOfRange("Interpolation", o.Interpolation, interpolations.Want())
	}
	return option.OneOf(fields, "Border", o.Border,
		border.Constant, border.Replicate, border.Reflect, border.Reflect101, border.Wrap, border.Transparent)
}
