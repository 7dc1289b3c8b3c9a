package fft

import (
	"image"
	"math/bits"
)

// costs has the time that a pixel of a tile takes, in tenths of a nanosecond, for tiles of 1<<12
// to 1<<22 pixels. Each doubling of the columns beyond 256 adds wide, since fewer rows of them fit
// the first cache at once. Both were measured on Zen 3 with AVX2.
var costs = [...]int{19, 22, 24, 26, 27, 31, 34, 45, 53, 68, 81}

const wide = 3

// Choose returns the size of tiles with which the sums of a template of w x h numbers, 1 to 1,024
// each, at all of a number of places take the least time, and an estimate of it in nanoseconds.
func Choose(places image.Point, w, h int) (size image.Point, time float64) {
	for y := MinSide; y <= MaxSide; y *= 2 {
		for x := MinSide; x <= MaxSide; x *= 2 {
			if x < w || y < h {
				continue
			}
			block := blockOf(image.Pt(x, y), w, h)
			blocks := ceil(places.X, block.X) * ceil(places.Y, block.Y)
			cost := costs[bits.Len(uint(x*y/(MinSide*MinSide)))-1] + wide*max(0, bits.Len(uint(x/256))-1)
			if t := float64(blocks) * float64(2*x*y) * float64(cost) / 10; time == 0 || t < time {
				size, time = image.Pt(x, y), t
			}
		}
	}
	return size, time
}

// ceil returns n/m rounded up.
func ceil(n, m int) int { return (n + m - 1) / m }
