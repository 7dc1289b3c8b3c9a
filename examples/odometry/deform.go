package main

import (
	"image"

	"github.com/fastcorners/fast/geometry"
)

const (
	windowRadius = 5   // of what the tracker compares: 11 by 11 pixels
	neighborhood = 100 // how far neighbors are at most that tell how a window deforms, in pixels
)

// undeform moves the tracks to where the features are. The tracker finds where the window around
// a feature fits best if all of it moves alike. But from nearer the window shows the same things
// larger, and from the side slanted. Then what is beside the feature decides where the window
// fits, and each keyframe adds to the error.
func (o *odometry) undeform() {
	o.excess = o.excess[:0]
	for i, t := range o.tracks {
		var e geometry.Point
		if t.Found() {
			e = o.deformation(i).excess(o.image, o.a[i])
		}
		o.excess = append(o.excess, e)
	}
	for i, e := range o.excess {
		p, t := &o.b[i], &o.tracks[i]
		p.X, p.Y = p.X-e.X, p.Y-e.Y
		t.X, t.Y = float32(p.X), float32(p.Y)
	}
}

// A deformation tells how places near a feature move in relation to it: by xx and xy times the
// distances from it in x and y to the right, and by yx and yy times them downward.
type deformation struct{ xx, xy, yx, yy float64 }

// deformation returns the one around feature i: that which suits its neighbors best.
func (o *odometry) deformation(i int) deformation {
	var d deformation
	const little = 1000.0 // keeps it small where there are no neighbors
	xx, xy, yy := little, 0.0, little
	for k, t := range o.tracks {
		x, y := o.a[k].X-o.a[i].X, o.a[k].Y-o.a[i].Y
		if t.Found() && x*x+y*y < neighborhood*neighborhood {
			u, v := o.b[k].X-o.b[i].X-x, o.b[k].Y-o.b[i].Y-y
			xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
			d.xx, d.xy, d.yx, d.yy = d.xx+u*x, d.xy+u*y, d.yx+v*x, d.yy+v*y
		}
	}
	det := xx*yy - xy*xy
	return deformation{
		(d.xx*yy - d.xy*xy) / det, (d.xy*xx - d.xx*xy) / det,
		(d.yx*yy - d.yy*xy) / det, (d.yy*xx - d.yx*xy) / det,
	}
}

// excess returns how much farther the tracker moves the window around p than p moves: the step of
// Gauss and Newton's method for a window that does not move, but is deformed (compare J. Shi and
// C. Tomasi, "Good features to track", CVPR 1994).
func (d deformation) excess(img *image.Gray, p geometry.Point) geometry.Point {
	window := image.Rectangle{Min: p.Pt(), Max: p.Pt()}.Inset(-windowRadius)
	window.Max = window.Max.Add(image.Pt(1, 1))
	if !window.In(img.Rect.Inset(1)) {
		return geometry.Point{}
	}
	var xx, xy, yy, u, v float64
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for x := window.Min.X; x < window.Max.X; x++ {
			k := img.PixOffset(x, y)
			gx := float64(img.Pix[k+1]) - float64(img.Pix[k-1])
			gy := float64(img.Pix[k+img.Stride]) - float64(img.Pix[k-img.Stride])
			rx, ry := float64(x)-p.X, float64(y)-p.Y
			change := gx*(d.xx*rx+d.xy*ry) + gy*(d.yx*rx+d.yy*ry)
			xx, xy, yy = xx+gx*gx, xy+gx*gy, yy+gy*gy
			u, v = u+gx*change, v+gy*change
		}
	}
	det := xx*yy - xy*xy
	if det == 0 {
		return geometry.Point{}
	}
	return geometry.Point{X: (yy*u - xy*v) / det, Y: (xx*v - xy*u) / det}
}
