// Package overlay draws corners, keypoints, matches, tracks, polygons and markers on images. This
// program draws the corners of a photo:
//
//	package main
//
//	import (
//		"image"
//		_ "image/jpeg"
//		"image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/overlay"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		picture := overlay.Canvas(img)
//		overlay.Corners(picture, fast.Detect(fast.Gray(img), 40))
//		if err := png.Encode(os.Stdout, picture); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// The points of any package are in the coordinates of the image, whose bounds may begin anywhere.
// Whatever lies outside the image is cut off, so drawing on a SubImage works as on any other image.
// Every marker is a bright line with a dark rim, visible on any background, and lines are wider in
// larger images. In a gray image, such as an *image.Gray, all colors are shades of gray. There is
// no antialiasing, and the pixels are the same on every platform.
//
// Drawing on a large *image.RGBA uses runtime.GOMAXPROCS goroutines, and on any other image one.
//
// All functions panic if an image or a destination is nil.
//
// OpenCV's drawKeypoints, drawMatches, polylines, rectangle, drawDetectedMarkers and drawFrameAxes
// draw the same things, with other pixels.
package overlay

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/point"
)

// A palette holds the colors of markers, from the weakest to the strongest.
type palette [8]color.RGBA

// warm is the palette for images in color, from blue to red.
var warm = newPalette(0x80b8ff, 0x00d8ff, 0x00f0b0, 0x20ff40, 0xb0ff00, 0xffe000, 0xff9000, 0xff2020)

// bright is the palette for gray images, in which red is darker than blue.
var bright = newPalette(0x909090, 0xa0a0a0, 0xb0b0b0, 0xc0c0c0, 0xd0d0d0, 0xe0e0e0, 0xf0f0f0, 0xffffff)

// newPalette returns a palette of colors with a byte each of red, green and blue.
func newPalette(colors ...uint32) (p palette) {
	for i, c := range colors {
		p[i] = color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}
	}
	return p
}

// strongest is the last index of a palette.
const strongest = len(palette{}) - 1

// paletteOf returns the palette for an image.
func paletteOf(img image.Image) *palette {
	switch img.ColorModel() {
	case color.GrayModel, color.Gray16Model:
		return &bright
	}
	return &warm
}

// Canvas returns a copy of img to draw on, with the same bounds. Transparent parts of img are black
// in the copy.
func Canvas(img image.Image) *image.RGBA {
	checkImage(img)
	r := img.Bounds()
	canvas := image.NewRGBA(r)
	put(canvas, r, img)
	return canvas
}

// put draws img on black in r of canvas.
func put(canvas *image.RGBA, r image.Rectangle, img image.Image) {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		draw.Draw(canvas, r, img, img.Bounds().Min, draw.Src)
		return
	}
	draw.Draw(canvas, r, image.Black, image.Point{}, draw.Src)
	draw.Draw(canvas, r, img, img.Bounds().Min, draw.Over)
}

// Corners draws a ring and a dot for each corner or keypoint of any package. The stronger a
// corner, the larger its ring and the warmer its color, from blue through green and yellow to
// red for the strongest one. In a gray image the strongest one is white, and weaker ones are
// darker. Stronger corners are drawn over weaker ones.
func Corners[P point.Strong](dst draw.Image, corners []P) {
	checkDestination(dst)
	if len(corners) == 0 {
		return
	}
	strength := func(i int) float64 { return float64(corners[i].Strength()) }
	low := strength(0)
	high := low
	for i := range corners {
		// Unlike min and max, these prefer numbers to NaN.
		s := strength(i)
		if s < low || low != low {
			low = s
		}
		if s > high || high != high {
			high = s
		}
	}
	m := newMarkSet(dst, len(corners), func(i int) (at image.Point, level int) {
		return corners[i].Pt(), levelOf(strength(i), low, high)
	})
	inBands(dst, func(_ *image.Alpha, band image.Rectangle) { m.draw(dst, band) })
}

// mark draws a point whose color is that of a level.
func (p *pen) mark(at image.Point, level int) {
	share := float64(level) / float64(strongest)
	line := float64(p.unit * (1 + share))
	x, y := float64(at.X), float64(at.Y)
	p.color = p.palette[level]
	p.ring(x, y, float64(p.unit*(4+float64(3*share))), line)
	p.disc(x, y, line/2)
}

// largestFirst returns the indices of keypoints in the order of their sizes, of equal ones the
// first before others.
func largestFirst(kps []point.Keypoint) []uint64 {
	order := make([]uint64, len(kps))
	for i, k := range kps {
		bits := math.Float32bits(k.Size + 0) // of 0 for -0
		switch {
		case k.Size != k.Size:
			bits = math.MaxUint32
		case bits < 1<<31:
			bits = 1<<31 - 1 - bits
		}
		order[i] = uint64(bits)<<32 | uint64(i)
	}
	slices.Sort(order)
	for i := range order {
		order[i] &= math.MaxUint32
	}
	return order
}

// levelOf returns the index of a palette for a strength between low and high.
func levelOf(strength, low, high float64) int {
	switch {
	case strength != strength && low == low: // and not all are NaN
		return 0
	case !(strength < high):
		return strongest
	}
	// Most are low. The root spreads them. It is NaN if low is infinite.
	if share := math.Sqrt((strength - low) / (high - low)); share >= 0 {
		return int(float64(strongest) * share)
	}
	return 0
}

// octave returns the octave of a keypoint, which is in the lowest byte.
func octave(k point.Keypoint) int {
	return int(int8(k.Octave))
}

// Keypoints draws a circle for each keypoint, with its size as the diameter, and a line from the
// center to the circle in the direction of its angle. The color shows the octave, from blue for the
// first octave of the keypoints to red for the last, and in a gray image from gray to white. The
// octave is the lowest byte of Octave, -128 to 127, where packages orb and sift have it. Small
// circles are drawn over large ones. A keypoint has no line if its angle is not finite, is just a
// dot if its size is not finite and positive, and is not drawn if a coordinate is not finite.
func Keypoints(dst draw.Image, kps []point.Keypoint) {
	checkDestination(dst)
	order := largestFirst(kps)
	low, high := math.MaxInt8, math.MinInt8
	for _, k := range kps {
		low, high = min(low, octave(k)), max(high, octave(k))
	}
	layer := func(shape func(*pen, point.Keypoint)) func(*pen) {
		return func(p *pen) {
			for _, i := range order {
				k := kps[i]
				p.color = p.palette[(octave(k)-low)*strongest/max(1, high-low)]
				shape(p, k)
			}
		}
	}
	withRims(dst, layer((*pen).circle), layer((*pen).hand))
}

// circle draws the circle of a keypoint.
func (p *pen) circle(k point.Keypoint) {
	p.ring(float64(k.X), float64(k.Y), float64(k.Size)/2, p.unit)
}

// hand draws the center of a keypoint and the line that begins there.
func (p *pen) hand(k point.Keypoint) {
	x, y, radius := float64(k.X), float64(k.Y), max(0, float64(k.Size)/2)
	sin, cos := direction(float64(k.Angle))
	p.disc(x, y, 1.5*p.unit)
	p.line(segment{x, y, x + float64(radius*cos), y + float64(radius*sin)}, p.unit)
}

// direction returns the sine and the cosine of an angle in degrees, rounded, since their
// last bits are not the same on every platform.
func direction(degrees float64) (sin, cos float64) {
	const digits = 1 << 16
	sin, cos = math.Sincos(degrees * (math.Pi / 180))
	return math.Round(sin*digits) / digits, math.Round(cos*digits) / digits
}

// SideBySide returns a picture of both images on black: a in its own coordinates, and b to the
// right of it, with their upper edges aligned. A point of b appears there moved by shift.
func SideBySide(a, b image.Image) (picture *image.RGBA, shift image.Point) {
	checkImage(a)
	checkImage(b)
	left, right := a.Bounds(), b.Bounds()
	shift = image.Pt(left.Max.X, left.Min.Y).Sub(right.Min)
	right = right.Add(shift)
	height := max(left.Dy(), right.Dy())
	picture = image.NewRGBA(image.Rect(left.Min.X, left.Min.Y, right.Max.X, left.Min.Y+height))
	draw.Draw(picture, picture.Rect, image.Black, image.Point{}, draw.Src)
	put(picture, left, a)
	put(picture, right, b)
	return picture, shift
}

// Matches draws, for each match m, a line from a ring around query[m.Query] to a ring
// around train[m.Train], with that one moved by shift:
//
//	picture, shift := overlay.SideBySide(a, b)
//	overlay.Matches(picture, keypointsA, keypointsB, shift, matches)
//
// Without a shift, the lines show how points moved, in either image. The pens alternate. There is
// no line to a point whose coordinates are not finite. Matches panics if an index is out of range.
func Matches[Q, T point.Positioned](dst draw.Image, query []Q, train []T, shift image.Point, matches []match.Match, pens ...Pen) {
	checkDestination(dst)
	segments := make([]segment, 0, len(matches))
	for _, m := range matches {
		if !within(m.Query, len(query)) || !within(m.Train, len(train)) {
			panic(fmt.Sprintf("overlay: match %+v of %d and %d points", m, len(query), len(train)))
		}
		x0, y0 := query[m.Query].Position()
		x1, y1 := train[m.Train].Position()
		segments = append(segments, segment{
			float64(x0), float64(y0),
			float64(x1) + float64(shift.X), float64(y1) + float64(shift.Y),
		})
	}
	withRims(dst, inTurn(pens, segments, (*pen).thinLine), inTurn(pens, segments, (*pen).rings))
}

// thinLine draws the line of a match.
func (p *pen) thinLine(s segment) {
	p.line(s, p.unit)
}

// rings draws rings around the ends of the line of a match.
func (p *pen) rings(s segment) {
	p.ring(s.x0, s.y0, 3*p.unit, p.unit)
	p.ring(s.x1, s.y1, 3*p.unit, p.unit)
}

// within reports whether i is an index of n elements.
func within(i int32, n int) bool {
	return i >= 0 && int(i) < n
}

// checkImage panics if there is no image.
func checkImage(img image.Image) {
	if img == nil {
		panic("overlay: nil image")
	}
}

// checkDestination panics if there is nothing to draw on.
func checkDestination(dst draw.Image) {
	if dst == nil {
		panic("overlay: nil destination")
	}
}
