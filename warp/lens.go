package warp

import (
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
)

// Undistortion returns the map that turns an image of w by h pixels, taken by c, into the image that
// a camera without distortion would have taken: one with the same Fx, Fy, Cx and Cy and no
// coefficients. If K4, K5 and K6 are 0 and the model is BrownConrady, the result with Linear and the
// Border Constant is that of OpenCV's undistort. It panics if w or h is negative or more than 32766,
// or if [camera.Camera.Check] returns an error.
//
// Beyond the end of the model (see [camera.Camera.End]), positions are those of its formula, as in
// OpenCV, so that parts of the image may appear again. [Rectification] leaves such pixels out, and
// can show other parts of what the camera sees.
func Undistortion(c camera.Camera, w, h int) *FixedMap {
	checkFixed(w, h)
	m := newFixedMap(w, h)
	row := make([]geometry.Point, w)
	for y := range h {
		fillRow(row, y)
		c.Distort(row, row)
		for x, p := range row {
			if p.X != p.X {
				p = beyond(&c, x, y)
			}
			m.put(y*w+x, round(32*p.X), round(32*p.Y))
		}
	}
	return m
}

// fillRow sets row to the pixels of row y of an image.
func fillRow(row []geometry.Point, y int) {
	for x := range row {
		row[x] = geometry.Point{X: float64(x), Y: float64(y)}
	}
}

// beyond returns the pixel at which the formula of c has the pixel x, y of an image without
// distortion.
func beyond(c *camera.Camera, x, y int) geometry.Point {
	d, _ := c.Derivatives([3]float64{(float64(x) - c.Cx) / c.Fx, (float64(y) - c.Cy) / c.Fy, 1})
	return d.Pixel
}

// Rectification returns the map that turns images taken by camera from into images of w by h pixels
// that camera to would have taken at the same place, turned: turn is the rotation, by rows, that maps
// directions in the frame of from to the frame of to: the R of a Pose of package pose. With that of
// pose.Identity(), only the lenses differ, as when a fisheye becomes a pinhole. For rectified stereo
// images, each camera is turned so that rows correspond.
//
// Pixels at which to sees nothing, and directions that from does not see, come from nowhere: their
// positions are NaN.
//
// Rectification panics if w or h is negative or more than 1<<20, if turn is not a rotation, or if
// [camera.Camera.Check] returns an error. It corresponds to OpenCV's initUndistortRectifyMap and
// fisheye::initUndistortRectifyMap, where turn is R and to is P, without distortion.
func Rectification(from, to camera.Camera, turn [9]float64, w, h int) *Map {
	if err := sizeError("Map", w, h, maxSide); err != nil {
		panic(err.Error())
	}
	checkRotation(&turn)
	m := &Map{w, h, make([]float32, w*h), make([]float32, w*h)}
	row := make([]geometry.Point, w)
	rays := make([][3]float64, 0, w)
	for y := range h {
		fillRow(row, y)
		rays = to.AppendBearings(rays[:0], row)
		for i, b := range rays {
			for k := range 3 {
				rays[i][k] = float64(turn[k]*b[0]) + float64(turn[3+k]*b[1]) + float64(turn[6+k]*b[2])
			}
		}
		for x, p := range from.AppendProjections(row[:0], rays) {
			m.X[y*w+x], m.Y[y*w+x] = float32(p.X), float32(p.Y)
		}
	}
	return m
}

// checkRotation panics unless r is a rotation, up to errors of 1e-4.
func checkRotation(r *[9]float64) {
	for i := 0; i < 9; i += 3 {
		// A row is the cross product of the next two, and 1 long.
		a, b, c := r[i:i+3], r[(i+3)%9:][:3], r[(i+6)%9:][:3]
		squares := 0.0
		for k := range 3 {
			p, q := (k+1)%3, (k+2)%3
			cross := float64(b[p]*c[q]) - float64(b[q]*c[p])
			squares += float64(a[k] * a[k])
			if !(math.Abs(a[k]-cross) <= 1e-4) { // NaN is not, either
				panic("warp: turn that is not a rotation")
			}
		}
		if !(math.Abs(squares-1) <= 1e-4) {
			panic("warp: turn that is not a rotation")
		}
	}
}
