package fft

import "image"

// Choose returns the size of tiles with which the sums of a template of w x h numbers at all of a
// number of places take the least time.
func Choose(places image.Point, w, h int) image.Point {
	var best image.Point
	least := 0.0
	for y := MinSide; y <= MaxSide; y *= 2 {
		for x := MinSide; x <= MaxSide; x *= 2 {
			if x < w || y < h {
				continue
			}
			nx, ny := (places.X+2*(x-w+1)-1)/(2*(x-w+1)), (places.Y+y-h)/(y-h+1)
			cost := float64(nx) * float64(ny) * float64(x*y)
			if least == 0 || cost < least {
				best, least = image.Pt(x, y), cost
			}
		}
	}
	return best
}
