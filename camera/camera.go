package camera

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
)

// A Model is a formula for the distortion of a lens.
type Model uint8

const (
	// BrownConrady is a pinhole with radial and tangential distortion (D. Brown, "Decentering
	// distortion of lenses", Photogrammetric Engineering 32, 1966), as OpenCV's calibrateCamera has
	// it. It sees only what is in front of the camera.
	BrownConrady Model = iota
	// KannalaBrandt is a fisheye: a polynomial of the angle to the axis (J. Kannala and S. Brandt,
	// "A generic camera model and calibration method for conventional, wide-angle, and fish-eye
	// lenses", PAMI 28, 2006), as OpenCV's fisheye::calibrate has it. It can see beyond 90 degrees.
	KannalaBrandt
)

var modelNames = option.Enum[Model]{"brown-conrady", "kannala-brandt"}

// String returns the name of m, such as "brown-conrady".
func (m Model) String() string { return modelNames.String(m) }

// MarshalText returns the name of m. It fails if m is not a Model of this package.
func (m Model) MarshalText() ([]byte, error) { return modelNames.MarshalText(m) }

// UnmarshalText sets m to the Model named by text. It fails if there is no such Model.
func (m *Model) UnmarshalText(text []byte) error { return modelNames.UnmarshalText(m, text) }

// A Camera describes how a camera projects points to pixels. In its frame, the x axis points to the
// right, y down and z forward, along the optical axis. The center of the first pixel of an image is
// 0, 0. The zero value is not useful: focal lengths are positive.
//
// Its methods, except [Camera.Check], panic if Check returns an error. Points and pixels that are
// not finite are no errors: they have no projection and no ray.
type Camera struct {
	// Model is the formula that the coefficients belong to.
	Model Model
	// Fx and Fy are the focal lengths in pixels, and Cx and Cy is the principal point: the pixel of
	// the optical axis.
	Fx, Fy, Cx, Cy float64
	// K1, K2, P1 and P2 are the first distortion coefficients, in the order of OpenCV. K1 and K2 are
	// radial, P1 and P2 tangential and 0 for KannalaBrandt.
	K1, K2, P1, P2 float64
	// K3 to K6 are further radial coefficients. For BrownConrady, K4 to K6 are the denominator of
	// OpenCV's rational model. KannalaBrandt has K3 and K4, and its K5 and K6 are 0.
	K3, K4, K5, K6 float64
}

// fieldNames are the names of the numbers of a Camera, in their order.
var fieldNames = [12]string{"Fx", "Fy", "Cx", "Cy", "K1", "K2", "P1", "P2", "K3", "K4", "K5", "K6"}

// pointers returns the numbers of c, in their order.
func (c *Camera) pointers() [12]*float64 {
	return [12]*float64{&c.Fx, &c.Fy, &c.Cx, &c.Cy, &c.K1, &c.K2, &c.P1, &c.P2, &c.K3, &c.K4, &c.K5, &c.K6}
}

// Check returns an error that names the first field that is out of range: Fx and Fy are positive,
// all fields are finite, and P1, P2, K5 and K6 are 0 for KannalaBrandt.
func (c Camera) Check() error {
	if !modelNames.Has(c.Model) {
		return outOfRange("Model", c.Model, modelNames.Want())
	}
	for i, p := range c.pointers() {
		switch v := *p; {
		case v-v != 0:
			return outOfRange(fieldNames[i], v, "finite")
		case i < 2 && v <= 0:
			return outOfRange(fieldNames[i], v, "positive")
		case c.Model == KannalaBrandt && v != 0 && slices.Contains([]string{"P1", "P2", "K5", "K6"}, fieldNames[i]):
			return outOfRange(fieldNames[i], v, "0 for "+c.Model.String())
		}
	}
	return nil
}

func outOfRange(field string, value any, want string) error {
	return &option.Error{Package: "camera", Field: field, Value: value, Want: want}
}

// check panics unless Check returns nil.
func (c *Camera) check() {
	// A difference is not 0 if a field is not finite.
	zero := (c.Cx - c.Cx) + (c.Cy - c.Cy) + (c.K1 - c.K1) + (c.K2 - c.K2) + (c.P1 - c.P1) + (c.P2 - c.P2) +
		(c.K3 - c.K3) + (c.K4 - c.K4) + (c.K5 - c.K5) + (c.K6 - c.K6)
	ok := zero == 0 && c.Fx > 0 && c.Fx <= math.MaxFloat64 && c.Fy > 0 && c.Fy <= math.MaxFloat64
	if c.Model != BrownConrady {
		ok = ok && c.Model == KannalaBrandt && c.P1 == 0 && c.P2 == 0 && c.K5 == 0 && c.K6 == 0
	}
	if !ok {
		c.panic()
	}
}

//go:noinline
func (c *Camera) panic() { panic(c.Check().Error()) }

// Resized returns the camera of images that are resized from one size to another, so that their
// edges stay edges, as resizing usually does. The distortion stays the same. It panics if a width or
// height is not positive, or if the camera that it returns would be out of range.
func (c Camera) Resized(from, to image.Point) Camera {
	c.check()
	requireSize(from)
	requireSize(to)
	resize := func(v float64, from, to int) float64 { return float64(v*float64(to)) / float64(from) }
	c.Fx, c.Cx = resize(c.Fx, from.X, to.X), resize(c.Cx+.5, from.X, to.X)-.5
	c.Fy, c.Cy = resize(c.Fy, from.Y, to.Y), resize(c.Cy+.5, from.Y, to.Y)-.5
	c.check()
	return c
}

// requireSize panics unless an image can have the given size.
func requireSize(size image.Point) {
	if size.X <= 0 || size.Y <= 0 {
		panic(fmt.Sprintf("camera: image of %d by %d pixels", size.X, size.Y))
	}
}

// Cropped returns the camera of a part of its images that begins at pixel min.
func (c Camera) Cropped(min image.Point) Camera {
	c.check()
	c.Cx -= float64(min.X)
	c.Cy -= float64(min.Y)
	return c
}

// Project returns the pixel at which the camera sees p, a point in its frame. It reports false if
// the camera does not see p: it is not in front of it or, for [KannalaBrandt], directly behind it,
// or it lies at or beyond the end of the model (see [Camera.End]).
func (c Camera) Project(p [3]float64) (geometry.Point, bool) {
	c.check()
	l := lens{Camera: &c}
	return l.project(p)
}

// Projections returns the pixels of points: see [Camera.Project]. The coordinates of those that the
// camera does not see are NaN.
func (c Camera) Projections(points [][3]float64) []geometry.Point {
	return c.AppendProjections(nil, points)
}

// AppendProjections is like Projections but appends to dst. It does not allocate if dst has room.
func (c Camera) AppendProjections(dst []geometry.Point, points [][3]float64) []geometry.Point {
	c.check()
	l := lens{Camera: &c}
	dst = slices.Grow(dst, len(points))
	for _, x := range points {
		p, ok := l.project(x)
		if !ok {
			p = nowhere
		}
		dst = append(dst, p)
	}
	return dst
}

// Ray returns the point at which the ray of pixel p meets the plane at depth 1, without distortion.
// It reports false if there is no such point: the camera sees nothing at p within the end of its
// model (see [Camera.End]), or the ray is 90 degrees or more from the axis.
func (c Camera) Ray(p geometry.Point) (x, y float64, ok bool) {
	c.check()
	l := lens{Camera: &c}
	return l.ray(p)
}

// Rays returns the rays of pixels: see [Camera.Ray]. The coordinates of those that do not exist are
// NaN. Rays corresponds to OpenCV's undistortPoints.
func (c Camera) Rays(pixels []geometry.Point) []geometry.Point {
	return c.AppendRays(nil, pixels)
}

// AppendRays is like Rays but appends to dst. It does not allocate if dst has room.
func (c Camera) AppendRays(dst, pixels []geometry.Point) []geometry.Point {
	c.check()
	l := lens{Camera: &c}
	dst = slices.Grow(dst, len(pixels))
	for _, p := range pixels {
		ray := nowhere
		if x, y, ok := l.ray(p); ok {
			ray = geometry.Point{X: x, Y: y}
		}
		dst = append(dst, ray)
	}
	return dst
}

// Bearing returns the direction of what the camera sees at pixel p, as a unit vector, also beyond 90
// degrees from the axis. It reports false if the camera sees nothing at p within the end of its
// model (see [Camera.End]).
func (c Camera) Bearing(p geometry.Point) ([3]float64, bool) {
	c.check()
	l := lens{Camera: &c}
	return l.bearing(p)
}

// Bearings returns the directions of pixels: see [Camera.Bearing]. The elements of those that do not
// exist are NaN.
func (c Camera) Bearings(pixels []geometry.Point) [][3]float64 {
	return c.AppendBearings(nil, pixels)
}

// AppendBearings is like Bearings but appends to dst. It does not allocate if dst has room.
func (c Camera) AppendBearings(dst [][3]float64, pixels []geometry.Point) [][3]float64 {
	c.check()
	l := lens{Camera: &c}
	dst = slices.Grow(dst, len(pixels))
	for _, p := range pixels {
		b, ok := l.bearing(p)
		if !ok {
			b = [3]float64{math.NaN(), math.NaN(), math.NaN()}
		}
		dst = append(dst, b)
	}
	return dst
}

// Distort sets dst to the pixels at which the camera sees the points src of an image without
// distortion: one that a BrownConrady camera with the same Fx, Fy, Cx and Cy and no coefficients
// would take. Those at or beyond the end of the model (see [Camera.End]), and those that are not
// finite, become NaN, NaN. dst may be src. Distort panics if the lengths differ.
func (c Camera) Distort(dst, src []geometry.Point) {
	c.check()
	requireSameLength(dst, src)
	l := lens{Camera: &c}
	for i, p := range src {
		x, y := c.normalized(p)
		var ok bool
		if dst[i], ok = l.project([3]float64{x, y, 1}); !ok {
			dst[i] = nowhere
		}
	}
}

// Undistort sets dst to the points of an image without distortion (see [Camera.Distort]) that the
// camera sees at the pixels src. It is the inverse of Distort, to 1e-9 pixel in images of up to
// 10,000 pixels, unless a point is so close to the end of the model that it moves a hundred times as
// far as the pixel at which it is seen. Pixels without a ray (see [Camera.Ray]) become NaN, NaN. dst
// may be src. Undistort panics if the lengths differ.
//
// OpenCV's undistortPoints stops a fixed-point iteration after five rounds, converged or not: with
// strong distortion, it can be many pixels away from the point.
func (c Camera) Undistort(dst, src []geometry.Point) {
	c.check()
	requireSameLength(dst, src)
	l := lens{Camera: &c}
	for i, p := range src {
		if x, y, ok := l.ray(p); ok {
			dst[i] = c.pixel(x, y)
		} else {
			dst[i] = nowhere
		}
	}
}

// nowhere is the point that does not exist.
var nowhere = geometry.Point{X: math.NaN(), Y: math.NaN()}

func requireSameLength(dst, src []geometry.Point) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("camera: room for %d points of %d", len(dst), len(src)))
	}
}
