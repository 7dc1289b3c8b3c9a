package warp

import (
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Options say how images are resampled. The zero value interpolates linearly, on a black
// background.
type Options struct {
	// Interpolation says how a pixel is made of those around its place. The default is
	// Linear.
	Interpolation Interpolation
	// Border says what lies outside of the source. The default is Constant.
	Border Border
	// Value is the color outside of the source with the Border Constant: red, green, blue
	// and alpha as they are in memory, or Y, Cb and Cr. Gray images have the first one. The
	// default is 0, 0, 0, 0, which is not black in video: that is 16, 128, 128.
	Value [4]uint8
	// Workers is the number of goroutines that share an image, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). There are fewer for small
	// images.
	Workers int
}

// An Interpolation says how a pixel is made of those around its place.
type Interpolation uint8

const (
	// Linear is the weighted mean of the four pixels around the place, in steps of 1/32
	// pixel.
	Linear Interpolation = iota
	// Nearest is the pixel at the place, rounded.
	Nearest
)

var interpolations = option.Enum[Interpolation]{
	Package: "warp", Type: "Interpolation",
	Names: []string{"linear", "nearest"},
}

// String returns the name of i, such as "linear".
func (i Interpolation) String() string { return interpolations.String(i) }

// MarshalText returns the name of i. It fails if i is not an Interpolation of this package.
func (i Interpolation) MarshalText() ([]byte, error) { return interpolations.MarshalText(i) }

// UnmarshalText sets i to the Interpolation that text names. It fails if there is none.
func (i *Interpolation) UnmarshalText(text []byte) error {
	return interpolations.UnmarshalText(i, text)
}

// A Border says what lies outside of an image.
type Border uint8

const (
	// Constant is Options.Value everywhere.
	Constant Border = iota
	// Replicate is the outermost pixel: aaa|abcd|ddd.
	Replicate
	// Reflect is the mirrored image: cba|abcd|dcb.
	Reflect
	// Reflect101 is the image mirrored without its outermost pixels: dcb|abcd|cba.
	Reflect101
	// Transparent is nothing: the destination keeps its pixels there.
	Transparent
)

var borders = option.Enum[Border]{
	Package: "warp", Type: "Border",
	Names: []string{"constant", "replicate", "reflect", "reflect101", "transparent"},
}

// String returns the name of b, such as "constant".
func (b Border) String() string { return borders.String(b) }

// MarshalText returns the name of b. It fails if b is not a Border of this package.
func (b Border) MarshalText() ([]byte, error) { return borders.MarshalText(b) }

// UnmarshalText sets b to the Border that text names. It fails if there is none.
func (b *Border) UnmarshalText(text []byte) error { return borders.UnmarshalText(b, text) }

// setDefaults replaces the fields that stand for other values by these.
func (o *Options) setDefaults() {
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range.
func (o *Options) check() error {
	switch {
	case !interpolations.Has(o.Interpolation):
		return option.OutOfRange("warp", "Interpolation", o.Interpolation, interpolations.Want())
	case !borders.Has(o.Border):
		return option.OutOfRange("warp", "Border", o.Border, borders.Want())
	}
	return nil
}
