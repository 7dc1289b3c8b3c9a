// Package checks counts how many checks of the segment test pixels and blocks
// of pixels go through. It follows the definition of the test, pixel by pixel,
// and has nothing in common with the kernels but the order of the checks.
package checks

import "image"

// Max is the number of checks. Each looks at two ring pixels.
const Max = 8

// Passed is the count of a pixel that all checks leave alive.
const Passed = Max + 1

// radius is the distance of the ring from its center.
const radius = 3

// ring holds the ring pixels, the one straight above first, clockwise.
var ring = [16]image.Point{
	{0, -3},
	{1, -3},
	{2, -2},
	{3, -1},
	{3, 0},
	{3, 1},
	{2, 2},
	{1, 3},
	{0, 3},
	{-1, 3},
	{-2, 2},
	{-3, 1},
	{-3, 0},
	{-3, -1},
	{-2, -2},
	{-1, -3},
}

// order holds the ring pixels of each check, counted from 1. A hypothesis, that
// the arc is bright or that it is dark, stays alive if one of the first two
// pixels speaks for it; where there is a third, which lies opposite to both, if
// that one does or both others do.
var order = [Max][3]int{
	{1, 9},
	{5, 13},
	{3, 11},
	{7, 15},
	{2, 16, 9},
	{8, 10, 1},
	{12, 14, 5},
	{4, 6, 13},
}

// Count returns an image of how many checks each pixel of img goes through
// before it is given up, or Passed. It is 0 for those that are too near to an
// edge to be corners.
func Count(img *image.Gray, threshold uint8) *image.Gray {
	counts := image.NewGray(img.Rect)
	inner := img.Rect.Inset(radius)
	for y := inner.Min.Y; y < inner.Max.Y; y++ {
		for x := inner.Min.X; x < inner.Max.X; x++ {
			counts.Pix[counts.PixOffset(x, y)] = count(img, x, y, int(threshold))
		}
	}
	return counts
}

// count returns how many checks the pixel goes through, or Passed.
func count(img *image.Gray, x, y, threshold int) uint8 {
	at := img.PixOffset(x, y)
	center := int(img.Pix[at])
	// difference is by how much a ring pixel is brighter.
	difference := func(n int) int {
		p := ring[n-1]
		return int(img.Pix[at+p.Y*img.Stride+p.X]) - center
	}
	bright, dark := true, true
	for i, c := range order {
		a, b := difference(c[0]), difference(c[1])
		if c[2] == 0 {
			bright = bright && max(a, b) > threshold
			dark = dark && min(a, b) < -threshold
		} else {
			opposite := difference(c[2])
			bright = bright && max(min(a, b), opposite) > threshold
			dark = dark && min(max(a, b), opposite) < -threshold
		}
		if !bright && !dark {
			return uint8(i + 1)
		}
	}
	return Passed
}

// Blocks calls f with each block of w by h pixels that has pixels that may be
// corners, and the highest of their counts. The blocks lie side by side from
// the pixel origin on; those at the edges are cut off.
func Blocks(counts *image.Gray, origin image.Point, w, h int, f func(block image.Rectangle, most uint8)) {
	inner := counts.Rect.Inset(radius)
	for y := origin.Y; y < inner.Max.Y; y += h {
		for x := origin.X; x < inner.Max.X; x += w {
			block := image.Rect(x, y, x+w, y+h).Intersect(inner)
			if block.Empty() {
				continue
			}
			most := uint8(0)
			for y := block.Min.Y; y < block.Max.Y; y++ {
				for _, n := range counts.Pix[counts.PixOffset(block.Min.X, y):][:block.Dx()] {
					most = max(most, n)
				}
			}
			f(block, most)
		}
	}
}

// First returns the first pixel of img that may be a corner.
func First(img *image.Gray) image.Point {
	return img.Rect.Inset(radius).Min
}

// Shares returns the share of the blocks, as Blocks has them, that go through
// at least n checks, for each n from 0 to Passed. A block goes on as long as
// one of its pixels does.
func Shares(counts *image.Gray, origin image.Point, w, h int) [Passed + 1]float64 {
	var shares [Passed + 1]float64
	blocks := 0
	Blocks(counts, origin, w, h, func(_ image.Rectangle, most uint8) {
		blocks++
		for n := range most + 1 {
			shares[n]++
		}
	})
	for n := range shares {
		shares[n] /= float64(blocks)
	}
	return shares
}
