// Package overlay draws corners, keypoints and matches on images.
//
//	picture := overlay.Canvas(img)
//	overlay.Corners(picture, corners)
//	overlay.Keypoints(picture, keypoints)
//
// Corners and keypoints have the coordinates of the image, whose bounds may begin
// anywhere, and what lies outside of it is cut off; so a SubImage is drawn on like any
// other image. All markers have a bright line with a dark rim, to be seen on any
// ground, and lines are the wider the larger the image is. There is no antialiasing,
// and the pixels are the same on every platform.
package overlay

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

// palette has the colors that are drawn in, from the weakest to the strongest.
var palette = [...]color.Color{
	color.RGBA{0x60, 0x90, 0xff, 0xff},
	color.RGBA{0x00, 0xc0, 0xff, 0xff},
	color.RGBA{0x00, 0xf0, 0xc0, 0xff},
	color.RGBA{0x20, 0xff, 0x40, 0xff},
	color.RGBA{0xb0, 0xff, 0x00, 0xff},
	color.RGBA{0xff, 0xe0, 0x00, 0xff},
	color.RGBA{0xff, 0x90, 0x00, 0xff},
	color.RGBA{0xff, 0x20, 0x20, 0xff},
}

// strongest is the last index of palette.
const strongest = len(palette) - 1

// Canvas returns a copy of img to draw on, with the same bounds, and on black where
// img is transparent.
func Canvas(img image.Image) *image.RGBA {
	r := img.Bounds()
	canvas := image.NewRGBA(r)
	draw.Draw(canvas, r, image.Black, image.Point{}, draw.Src)
	draw.Draw(canvas, r, img, r.Min, draw.Over)
	return canvas
}

// Corners draws a ring and a dot for each corner. The stronger a corner, the larger is
// its ring and the warmer its color, from blue over green and yellow to red for the
// strongest of them, and the stronger lie above the weaker.
func Corners(dst draw.Image, corners []fast.Corner) {
	Points(dst, corners, func(c fast.Corner) float64 { return float64(c.Score) })
}

// Points draws points of any type as Corners draws corners, by a function that tells
// how strong a point is.
func Points[P interface{ Pt() image.Point }](dst draw.Image, points []P, strength func(P) float64) {
	if len(points) == 0 {
		return
	}
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b P) int { return cmp.Compare(strength(a), strength(b)) })
	low, high := strength(sorted[0]), strength(sorted[len(sorted)-1])
	withRims(dst, func(p *pen) {
		for _, point := range sorted {
			level := levelOf(strength(point), low, high)
			share := float64(level) / float64(strongest)
			line := float64(p.unit * (1 + share))
			at := point.Pt()
			x, y := float64(at.X), float64(at.Y)
			p.color = palette[level]
			p.ring(x, y, float64(p.unit*(4+float64(3*share))), line)
			p.disc(x, y, line/2)
		}
	})
}

// levelOf returns the index of palette for a strength between low and high.
func levelOf(strength, low, high float64) int {
	if !(high > low) {
		return strongest
	}
	// High strengths are rare: the root spreads the low ones.
	share := math.Sqrt((strength - low) / (high - low))
	if !(share >= 0) {
		return 0 // not a number
	}
	return int(float64(strongest) * share)
}

// Keypoints draws a circle for each keypoint, with its size as the diameter, and a
// line from the center to the circle in the direction of its angle. Colors go with the
// octave, from blue for the first one to red for the last one that there is, and small
// circles lie above large ones. Where the angle is no finite number there is no line;
// where the size is not a positive, finite number there is just a dot; and where the
// coordinates are not finite there is nothing.
func Keypoints(dst draw.Image, kps []orb.Keypoint) {
	if len(kps) == 0 {
		return
	}
	sorted := slices.DeleteFunc(slices.Clone(kps), func(k orb.Keypoint) bool { return !placed(k) })
	slices.SortStableFunc(sorted, func(a, b orb.Keypoint) int { return cmp.Compare(b.Size, a.Size) })
	low, high := int64(math.MaxInt32), int64(math.MinInt32)
	for _, k := range sorted {
		low, high = min(low, int64(k.Octave)), max(high, int64(k.Octave))
	}
	for _, shape := range []func(*pen, orb.Keypoint){(*pen).circle, (*pen).hand} {
		withRims(dst, func(p *pen) {
			for _, k := range sorted {
				p.color = palette[(int64(k.Octave)-low)*int64(strongest)/max(1, high-low)]
				shape(p, k)
			}
		})
	}
}

// circle draws the circle of a keypoint.
func (p *pen) circle(k orb.Keypoint) {
	if radius := radiusOf(k); radius > 0 {
		p.ring(float64(k.X), float64(k.Y), radius, p.unit)
	}
}

// hand draws the center of a keypoint, and from there the line.
func (p *pen) hand(k orb.Keypoint) {
	x, y, angle := float64(k.X), float64(k.Y), float64(k.Angle)
	p.disc(x, y, 1.5*p.unit)
	if radius := radiusOf(k); radius > 0 && finite(angle) {
		sin, cos := direction(angle)
		p.line(x, y, x+float64(radius*cos), y+float64(radius*sin), p.unit)
	}
}

// radiusOf returns the radius of a keypoint, or 0 if it has none.
func radiusOf(k orb.Keypoint) float64 {
	if size := float64(k.Size); size > 0 && finite(size) {
		return size / 2
	}
	return 0
}

// placed reports whether the coordinates of k are finite.
func placed(k orb.Keypoint) bool {
	return finite(float64(k.X)) && finite(float64(k.Y))
}

// finite reports whether v is neither infinite nor NaN.
func finite(v float64) bool {
	return v-v == 0
}

// direction returns the sine and the cosine of an angle in degrees. Their last bits
// are not the same on every platform, and are rounded off.
func direction(degrees float64) (sin, cos float64) {
	const digits = 1 << 16
	sin, cos = math.Sincos(degrees * (math.Pi / 180))
	return math.Round(sin*digits) / digits, math.Round(cos*digits) / digits
}

// Matches returns both images side by side, a on the left, on black and with bounds
// that begin at 0,0. A line joins the keypoints of each match, from a ring around that
// of kpsA which is the Query to one around that of kpsB which is the Train; lines take
// turns with the colors. Matches of keypoints whose coordinates are not finite are not
// drawn. Matches panics when there is no such keypoint.
func Matches(a, b image.Image, kpsA, kpsB []orb.Keypoint, matches []match.Match) *image.RGBA {
	boundsA, boundsB := a.Bounds(), b.Bounds()
	rectA := image.Rectangle{Max: boundsA.Size()}
	rectB := image.Rectangle{Max: boundsB.Size()}.Add(image.Pt(rectA.Max.X, 0))
	canvas := image.NewRGBA(rectA.Union(rectB))
	draw.Draw(canvas, canvas.Rect, image.Black, image.Point{}, draw.Src)
	draw.Draw(canvas, rectA, a, boundsA.Min, draw.Over)
	draw.Draw(canvas, rectB, b, boundsB.Min, draw.Over)
	if len(matches) == 0 {
		return canvas
	}
	moveA, moveB := rectA.Min.Sub(boundsA.Min), rectB.Min.Sub(boundsB.Min)
	withRims(canvas, func(p *pen) {
		for i, m := range matches {
			if !has(kpsA, m.Query) || !has(kpsB, m.Train) {
				panic(fmt.Sprintf("overlay: match %+v of %d and %d keypoints", m, len(kpsA), len(kpsB)))
			}
			from, to := kpsA[m.Query], kpsB[m.Train]
			if !placed(from) || !placed(to) {
				continue
			}
			xA, yA := float64(from.X)+float64(moveA.X), float64(from.Y)+float64(moveA.Y)
			xB, yB := float64(to.X)+float64(moveB.X), float64(to.Y)+float64(moveB.Y)
			p.color = palette[i%len(palette)]
			p.line(xA, yA, xB, yB, p.unit)
			p.ring(xA, yA, 3*p.unit, p.unit)
			p.ring(xB, yB, 3*p.unit, p.unit)
		}
	})
	return canvas
}

// has reports whether i is an index of kps.
func has(kps []orb.Keypoint, i int32) bool {
	return i >= 0 && int(i) < len(kps)
}
