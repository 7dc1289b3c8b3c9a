// Package circle49h12 adds the dictionary Circle49h12 to package tag, which programs get by
// importing it without using its name. This program draws a marker:
//
//	package main
//
//	import (
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast/tag"
//		_ "github.com/fastcorners/fast/tag/large/circle49h12"
//	)
//
//	func main() {
//		family := tag.Family{Kind: tag.Circle49h12}
//		if _, err := os.Stdout.Write(family.SVG(30000, 50)); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// Its codes take a few hundred kilobytes, so it belongs to a module of its own,
// github.com/fastcorners/fast/tag/large, which only programs that import it need.
package circle49h12

import (
	_ "embed" // of the codes

	"github.com/fastcorners/fast/tag/internal/dictionary"
)

// The codes are AprilTag 3's.
//
//go:embed codes.bin
var codes string

func init() {
	dictionary.Circle49h12 = &dictionary.Dictionary{
		Bits: 49, Cells: 5, Margin: 3, Distance: 12, Reversed: true,
		Quarter: [][2]int8{{1, -3}, {2, -3}, {3, -3}, {-1, -2}, {0, -2}, {1, -2}, {2, -2}, {3, -2}, {4, -2}, {5, -2}, {1, 1}, {2, 1}},
		Codes:   codes,
	}
}
