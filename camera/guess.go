package camera

import (
	"fmt"
	"image"
	"math"
)

// FromFieldOfView returns a camera without distortion whose field of view spans the given angle, in
// degrees, over the given number of pixels of images of the given size: their width for a horizontal
// field of view, or their diagonal, math.Hypot(w, h), for a diagonal one, which the data sheets of
// webcams state. The principal point is the middle of the image.
//
// Expect the focal length to be off by a few percent, and by more for wide lenses: data sheets round,
// distortion widens the view toward the edges, and videos often show only a part of what photos show,
// so that a stated field of view is that of another format. Fisheyes need a calibration.
//
// FromFieldOfView panics unless the angle is more than 0 and less than 180 degrees, the number of
// pixels is positive and finite, and the size is positive, or if the focal length is not finite.
func FromFieldOfView(degrees, pixels float64, size image.Point) Camera {
	if !(degrees > 0 && degrees < 180) {
		panic(fmt.Sprintf("camera: field of view of %v degrees, not between 0 and 180", degrees))
	}
	if !(pixels > 0 && pixels <= math.MaxFloat64) {
		panic(fmt.Sprintf("camera: field of view over %v pixels", pixels))
	}
	sin, cos := sincos(float64(degrees * (math.Pi / 360)))
	return centered(pixels/2*cos/sin, size)
}

// From35mm returns a camera without distortion that has a 35 mm equivalent focal length, in
// millimeters, and takes images of the given size. Photos have it in Exif's FocalLengthIn35mmFilm,
// tag 0xA405, which is 0 if it is not known. The principal point is the middle of the image.
//
// A lens of that focal length sees the same diagonal angle on a frame of 36 by 24 mm, whose diagonal
// is 43.27 mm (CIPA DCG-001, "Individual guidelines for noting digital camera specifications"). Expect
// the focal length to be off by a few percent: Exif rounds it to millimeters, which are 2 percent for
// the main cameras of telephones, and some cameras compare widths instead of diagonals. The size must
// be that of the whole photo, neither cropped nor taken with digital zoom unless Exif accounts for it.
//
// From35mm panics unless the focal length, in millimeters and in pixels, is positive and finite, and
// the size is positive.
func From35mm(focal float64, size image.Point) Camera {
	if !(focal > 0 && focal <= math.MaxFloat64) {
		panic(fmt.Sprintf("camera: 35 mm equivalent focal length of %v mm", focal))
	}
	w, h := float64(size.X), float64(size.Y)
	diagonal := math.Sqrt(float64(w*w) + float64(h*h))
	return centered(focal*diagonal/math.Sqrt(36*36+24*24), size)
}

// centered returns a camera with the given focal length whose axis is in the middle of its images.
func centered(focal float64, size image.Point) Camera {
	requireSize(size)
	c := Camera{Fx: focal, Fy: focal, Cx: float64(size.X-1) / 2, Cy: float64(size.Y-1) / 2}
	c.check()
	return c
}
