package overlay

import (
	"image/color"
	"image/draw"
	"math"
	"strconv"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
)

// Tags draws the outlines of markers, a dot at the first corner of each, and its ID in the middle.
// The pens alternate. Nothing is drawn at a point with a coordinate that is not finite.
func Tags(dst draw.Image, tags []tag.Tag, pens ...Pen) {
	checkDestination(dst)
	withRims(dst, inTurn(pens, tags, (*pen).outline), inTurn(pens, tags, (*pen).id))
}

// outline draws the quad of a marker and its first corner.
func (p *pen) outline(t tag.Tag) {
	for i, from := range t.Corners {
		p.line(segmentBetween(from, t.Corners[(i+1)%4]), p.unit)
	}
	p.disc(t.Corners[0].X, t.Corners[0].Y, 3*p.unit)
}

// The strokes of digits: those at the top, the upper and the lower right, the bottom, the lower and
// the upper left, and across the middle. The upper left corner of a digit is 0, 0, and its size 2
// by 4.
var strokes = [7]segment{{0, 0, 2, 0}, {2, 0, 2, 2}, {2, 2, 2, 4}, {0, 4, 2, 4}, {0, 2, 0, 4}, {0, 0, 0, 2}, {0, 2, 2, 2}}

// digits are the strokes of the digits, the first in the lowest bit.
var digits = [10]uint8{0b0111111, 0b0000110, 0b1011011, 0b1001111, 0b1100110, 0b1101101, 0b1111101, 0b0000111, 0b1111111, 0b1101111}

// id draws the ID of a marker.
func (p *pen) id(t tag.Tag) {
	const advance = 3.5 // from one digit to the next
	number := strconv.Itoa(max(t.ID, 0))
	center, size := t.Center(), 3*p.unit
	x := math.Round(center.X - float64(size*float64(advance*float64(len(number)-1)+2)/2))
	y := math.Round(center.Y - float64(size*2))
	for _, digit := range number {
		for i, s := range strokes {
			if digits[digit-'0']>>i&1 == 1 {
				p.line(segment{x + float64(size*s.x0), y + float64(size*s.y0), x + float64(size*s.x1), y + float64(size*s.y1)}, p.unit)
			}
		}
		x += math.Round(advance * size)
	}
}

// Axes draws the axes of frames, such as those of markers, as a camera sees them: lines of the
// given length from the origin along x in red, along y in green and along z in blue. Poses map from
// the frames to that of the camera. Nothing is drawn of an axis one of whose ends the camera does
// not see. Axes panics if [camera.Camera.Check] returns an error.
func Axes(dst draw.Image, c camera.Camera, poses []pose.Pose, length float64) {
	checkDestination(dst)
	colors := [3]color.RGBA{{R: 0xff, G: 0x20, B: 0x20, A: 0xff}, {R: 0x20, G: 0xff, B: 0x40, A: 0xff}, {R: 0x40, G: 0x80, B: 0xff, A: 0xff}}
	type axis struct {
		segment
		color color.RGBA
	}
	var axes []axis
	for _, at := range poses {
		origin, ok := c.Project(at.T)
		for k, color := range colors {
			var end pose.Vector
			end[k] = length
			tip, visible := c.Project(at.Apply(end))
			if ok && visible {
				axes = append(axes, axis{segmentBetween(origin, tip), color})
			}
		}
	}
	withRims(dst, func(p *pen) {
		for _, a := range axes {
			p.color = a.color
			p.line(a.segment, 2*p.unit)
		}
	})
}

// segmentBetween returns the line from a to b.
func segmentBetween(a, b geometry.Point) segment { return segment{a.X, a.Y, b.X, b.Y} }
