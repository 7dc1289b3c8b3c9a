// Package custom48h12 adds the dictionary Custom48h12 to package tag. Import it for that:
//
//	import _ "github.com/fastcorners/fast/tag/custom48h12"
//
// It is a package of its own because of its size, which is a few hundred kilobytes.
package custom48h12

import (
	_ "embed" // of the codes

	"github.com/fastcorners/fast/tag/internal/dictionary"
)

// The codes are AprilTag 3's.
//
//go:embed codes.bin
var codes string

func init() {
	dictionary.Custom48h12 = &dictionary.Dictionary{
		Bits: 48, Cells: 6, Margin: 2, Distance: 12, Reversed: true,
		Quarter: [][2]int8{{-2, -2}, {-1, -2}, {0, -2}, {1, -2}, {2, -2}, {3, -2}, {4, -2}, {5, -2}, {6, -2}, {1, 1}, {2, 1}, {3, 1}},
		Codes:   codes,
	}
}
