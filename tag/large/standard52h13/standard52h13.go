// Package standard52h13 adds the dictionary Standard52h13 to package tag, which programs get by
// importing it without using its name. This program draws a marker:
//
//	package main
//
//	import (
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast/tag"
//		_ "github.com/fastcorners/fast/tag/large/standard52h13"
//	)
//
//	func main() {
//		family := tag.Family{Kind: tag.Standard52h13}
//		if _, err := os.Stdout.Write(family.SVG(30000, 50)); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// Its codes take a few hundred kilobytes, so it belongs to a module of its own,
// github.com/fastcorners/fast/tag/large, which only programs that import it need.
package standard52h13

import (
	_ "embed" // of the codes

	"github.com/fastcorners/fast/tag/internal/dictionary"
)

// The codes are AprilTag 3's.
//
//go:embed codes.bin
var codes string

func init() {
	dictionary.Standard52h13 = &dictionary.Dictionary{
		Bits: 52, Cells: 6, Margin: 2, Distance: 13, Reversed: true,
		Quarter: [][2]int8{{-2, -2}, {-1, -2}, {0, -2}, {1, -2}, {2, -2}, {3, -2}, {4, -2}, {5, -2}, {6, -2}, {1, 1}, {2, 1}, {3, 1}, {2, 2}},
		Codes:   codes,
	}
}
