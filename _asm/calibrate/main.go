// Command calibrate generates simd_amd64.s and simd_arm64.s, the assembly of package calibrate. It
// runs in the directory of the module _asm.
package main

import (
	"github.com/fastcorners/fast/_asm/internal/generate"
	"github.com/fastcorners/fast/_asm/internal/neon"
	. "github.com/fastcorners/fast/_asm/internal/pairs"
	. "github.com/fastcorners/fast/_asm/internal/vec"
)

func main() {
	generate.Write("../calibrate", func() {
		for _, isa := range []ISA{AVX2, AVX512} {
			responses(isa)
			round(NewKernel(isa, "round"))
		}
	}, func(a *neon.Assembler) {
		responsesNEON(&neon.Function{Assembler: a})
		round(NewNEON(a, "round"))
	})
}

// A pixel is a place in the rows around those whose responses are computed, from the first one of
// them.
type pixel struct{ row, column int }

// middle is the row, and the column, of the pixel itself.
const middle = 5

// ring has the places of a ring's pixels, clockwise from the one to the right.
var ring = func() (ring [16]pixel) {
	for n, p := range [4]pixel{{0, 5}, {2, 5}, {4, 4}, {5, 2}} {
		for range 4 {
			ring[n] = pixel{middle + p.row, middle + p.column}
			n += 4
			p = pixel{p.column, -p.row}
		}
	}
	return ring
}()

// beside has the places of the pixels beside the middle.
var beside = [4]pixel{{middle, middle - 1}, {middle, middle + 1}, {middle - 1, middle}, {middle + 1, middle}}

// quarters returns the places of pixel n of the ring and of the opposite one, and of those in
// between.
func quarters(n int) [4]pixel { return [4]pixel{ring[n], ring[n+8], ring[n+4], ring[n+12]} }

// rows are those of the pixels.
var rows = []int{0, 1, 3, 4, 5, 6, 7, 9, 10}
