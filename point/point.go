// Package point defines what the points that vision programs find in images have in common:
// corners, keypoints, tracked points and estimated points. Their types differ, since some are whole
// pixels, others lie between pixels, and some need float64. Functions that take the points of any
// package are generic in one of the interfaces of this package, like the one in this program:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/orb"
//		"github.com/fastcorners/fast/point"
//	)
//
//	// bounds returns the smallest rectangle that contains the points.
//	func bounds[P point.Positioned](points []P) image.Rectangle {
//		var r image.Rectangle
//		for _, p := range points {
//			r = r.Union(image.Rectangle{Min: p.Pt(), Max: p.Pt().Add(image.Pt(1, 1))})
//		}
//		return r
//	}
//
//	func main() {
//		fmt.Println(bounds([]fast.Corner{{X: 30, Y: 20}, {X: 69, Y: 59}}))
//		fmt.Println(bounds([]orb.Keypoint{{X: 30.2, Y: 20.4}, {X: 69.3, Y: 58.8}}))
//	}
//
// A [Keypoint] is what packages orb and sift find, and what package overlay draws.
package point

import "image"

// A Positioned has a position in an image, in pixels. The centers of pixels have integer
// coordinates; x increases to the right and y downward.
type Positioned interface {
	// Pt returns the pixel of the point: its coordinates, rounded to the nearest integers.
	Pt() image.Point
	// Position returns the coordinates, rounded to float32.
	Position() (x, y float32)
}

// A Strong has a position and a strength. Of two points, the one with the larger strength is the
// stronger one.
type Strong interface {
	Positioned
	// Strength returns the strength of the point: a score or a response, whose scale depends on the
	// type.
	Strength() float32
}
