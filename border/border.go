// Package border defines modes for the pixels beyond the edges of an image, for the options of
// packages that need such pixels. This program shows what they are:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//		"log"
//
//		"github.com/fastcorners/fast/border"
//		"github.com/fastcorners/fast/warp"
//	)
//
//	func main() {
//		img := &image.Gray{Pix: []byte{10, 20, 30, 40}, Stride: 4, Rect: image.Rect(0, 0, 4, 1)}
//		for _, mode := range []border.Mode{border.Constant, border.Replicate, border.Reflect, border.Reflect101, border.Wrap} {
//			warper, err := warp.New(warp.Options{Border: mode})
//			if err != nil {
//				log.Fatal(err)
//			}
//			wide := image.NewGray(image.Rect(-3, 0, 7, 1))
//			warper.Gray(wide, img, warp.Affine{1, 0, 0, 0, 1, 0})
//			fmt.Println(mode, wide.Pix)
//		}
//	}
package border

import "github.com/fastcorners/fast/internal/option"

// A Mode specifies what lies beyond the edges of an image. Each package with a Mode among its
// options documents which modes it supports, and what the zero Mode means.
type Mode uint8

const (
	// Default is the default of the options that contain the Mode.
	Default Mode = iota
	// Constant is one value everywhere: 000|abcd|000.
	Constant
	// Replicate is the outermost pixel: aaa|abcd|ddd.
	Replicate
	// Reflect is the image reversed: cba|abcd|dcb. The modes that reverse an image do so repeatedly
	// if the image is smaller than its border.
	Reflect
	// Reflect101 is the image reversed without its outermost pixels: dcb|abcd|cba.
	Reflect101
	// Wrap is the image repeated: bcd|abcd|abc.
	Wrap
	// Transparent leaves pixels of the destination unchanged if they would need pixels beyond the
	// edges.
	Transparent
	// Limited leaves out pixels whose result would depend on pixels beyond the edges.
	Limited
)

var names = option.Enum[Mode]{"default", "constant", "replicate", "reflect", "reflect101", "wrap", "transparent", "limited"}

// String returns the name of m, such as "reflect101".
func (m Mode) String() string { return names.String(m) }

// MarshalText returns the name of m. It fails if m is not a Mode of this package.
func (m Mode) MarshalText() ([]byte, error) { return names.MarshalText(m) }

// UnmarshalText sets m to the Mode named by text. It fails if there is no such Mode.
func (m *Mode) UnmarshalText(text []byte) error { return names.UnmarshalText(m, text) }
