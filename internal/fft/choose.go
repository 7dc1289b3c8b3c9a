package fft

import (
	"image"
	"math/bits"
)

// costs has the time that a pixel of a tile takes, in tenths of a nanosecond, for tiles of 1<<12
// to 1<<22 pixels. It was measured on Zen 3 with AVX2: two tiles of 1<<15 pixels fill half a megabyte.
var costs = [...]int{19, 22, 24, 26, 27, 31, 37, 48, 59, 75, 90}

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
			log := bits.Len(uint(x * y / (MinSide * MinSide)))
			if t := float64(blocks) * float64(2*x*y) * float64(costs[log-1]) / 10; time == 0 || t < time {
				size, time = image.Pt(x, y), t
			}
		}
	}
	return size, time
}

// ceil returns n/m rounded up.
func ceil(n, m int) int { return (n + m - 1) / m }
