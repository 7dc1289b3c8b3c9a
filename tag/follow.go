package tag

import (
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// leastMargin is the least margin of the surroundings of a marker, in pixels.
const leastMargin = 16

// Follow returns the markers in img, a frame of a video, that are near those of the frame before, last,
// in any order. It takes a fraction of the time of [Detector.Detect], which finds markers that are new or
// have moved farther: call that now and then.
//
// The surroundings of a marker are the box around its Corners, with a margin of half a side, which is the
// root of the area, or 16 pixels, whichever is more. Where those of several markers overlap, the box
// around them replaces them. Follow finds the markers that Detect finds whose borders lie within the
// surroundings of last, with equal results. It ignores markers of last whose Corners are not finite, and
// panics if Detect would.
func (d *Detector) Follow(img *image.Gray, last []Tag) []Tag {
	return d.AppendFollow(nil, img, last)
}

// AppendFollow is like Follow, but appends the markers to dst, which may be last[:0]. With one worker it
// does not allocate in the steady state if dst has room.
func (d *Detector) AppendFollow(dst []Tag, img *image.Gray, last []Tag) []Tag {
	j := d.begin(img)
	j.surround(last, img.Rect.Min)
	for _, bounds := range j.around {
		j.open(bounds)
		j.findBits()
		j.findQuads()
	}
	dst = j.append(dst, img.Rect.Min)
	j.release()
	return dst
}

// surround sets the surroundings of tags, in an image whose upper left pixel has the given coordinates.
// They do not overlap.
func (j *job) surround(tags []Tag, origin image.Point) {
	j.around = j.around[:0]
	for i := range tags {
		r := surroundings(&tags[i], &j.image, origin)
		if r.Empty() {
			continue
		}
		for k := 0; k < len(j.around); k++ {
			if r.Overlaps(j.around[k]) {
				r = r.Union(j.around[k])
				j.around = slices.Delete(j.around, k, k+1)
				k = -1 // the union may overlap others
			}
		}
		j.around = append(j.around, r)
	}
}

// surroundings returns those of a tag, as far as they lie in an image whose upper left pixel has the given
// coordinates, relative to that.
func surroundings(t *Tag, p *raster.Plane, origin image.Point) image.Rectangle {
	c := &t.Corners
	left, right := min(c[0].X, c[1].X, c[2].X, c[3].X), max(c[0].X, c[1].X, c[2].X, c[3].X)
	top, bottom := min(c[0].Y, c[1].Y, c[2].Y, c[3].Y), max(c[0].Y, c[1].Y, c[2].Y, c[3].Y)
	margin := max(leastMargin, math.Sqrt(math.Abs(area(c[:])))/2)
	x, y := float64(origin.X), float64(origin.Y)
	return image.Rectangle{
		image.Pt(int(clamp(left-margin-x, float64(p.W))), int(clamp(top-margin-y, float64(p.H)))),
		image.Pt(int(clamp(right+margin+1-x, float64(p.W))), int(clamp(bottom+margin+1-y, float64(p.H)))),
	}
}

// A window is the part of an image in which quads are searched.
type window struct {
	bounds image.Rectangle // a component with pixels in its outermost rows and columns may go on beyond
	// The pixels on which the bits within bounds depend, and the place of the first one in the image.
	pixels raster.Plane
	origin image.Point
}

// open opens the window with the given bounds, which are pixels of the image. The bits within them and
// in the pixels around them, which decide what erosion leaves, are those that the whole image has: the
// tiles are the same, and there are all that the thresholds depend on.
func (j *job) open(bounds image.Rectangle) {
	const reach = tile + 1
	x0, y0 := max(bounds.Min.X-reach, 0)&^(tile-1), max(bounds.Min.Y-reach, 0)&^(tile-1)
	x1 := min((bounds.Max.X+reach+tile-1)&^(tile-1), j.image.W)
	y1 := min((bounds.Max.Y+reach+tile-1)&^(tile-1), j.image.H)
	j.window = window{
		bounds: j.beyondEdges(bounds),
		pixels: raster.Plane{Pix: j.image.Pix[y0*j.image.Stride+x0:], Stride: j.image.Stride, W: x1 - x0, H: y1 - y0},
		origin: image.Pt(x0, y0),
	}
}

// beyondEdges returns bounds with one pixel more at the edges of the image, beyond which nothing goes on.
func (j *job) beyondEdges(bounds image.Rectangle) image.Rectangle {
	if bounds.Min.X == 0 {
		bounds.Min.X--
	}
	if bounds.Min.Y == 0 {
		bounds.Min.Y--
	}
	if bounds.Max.X == j.image.W {
		bounds.Max.X++
	}
	if bounds.Max.Y == j.image.H {
		bounds.Max.Y++
	}
	return bounds
}
