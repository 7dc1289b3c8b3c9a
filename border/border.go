// Package border names what lies beyond the edges of an image, for the options of the
// packages that need pixels there.
package border

import "github.com/fastcorners/fast/internal/option"

// A Mode says what lies beyond the edges of an image. Each package that has it among its
// options says which modes it supports, and what the zero Mode stands for.
type Mode uint8

const (
	// Default is the default of the options that the Mode is part of.
	Default Mode = iota
	// Constant is one value everywhere: 000|abcd|000.
	Constant
	// Replicate is the outermost pixel: aaa|abcd|ddd.
	Replicate
	// Reflect is the image reversed: cba|abcd|dcb. The modes that reverse an image do so
	// again and again where it is smaller than its border.
	Reflect
	// Reflect101 is the image reversed without its outermost pixels: dcb|abcd|cba.
	Reflect101
	// Wrap is the image again and again: bcd|abcd|abc.
	Wrap
	// Transparent leaves pixels of the destination as they are where they would need
	// pixels beyond the edges.
	Transparent
	// Limited leaves out pixels whose result would depend on pixels beyond the edges.
	Limited
)

var names = option.Enum[Mode]{"default", "constant", "replicate", "reflect", "reflect101", "wrap", "transparent", "limited"}

// String returns the name of m, such as "reflect101".
func (m Mode) String() string { return names.String(m) }

// MarshalText returns the name of m. It fails if m is not a Mode of this package.
func (m Mode) MarshalText() ([]byte, error) { return names.MarshalText(m) }

// UnmarshalText sets m to the Mode that text names. It fails if there is none.
func (m *Mode) UnmarshalText(text []byte) error { return names.UnmarshalText(m, text) }
