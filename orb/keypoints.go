package orb

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
)

// A keypoint is one on a level, in pixels of the level.
type keypoint struct {
	x, y            int32
	response, angle float32
	index           int // of those to describe
}

// find finds the keypoints of l, in the order of their responses.
func (l *level) find(e *Extractor) {
	l.corners = e.detector.Append(l.corners[:0], &l.img)
	l.corners = slices.DeleteFunc(l.corners, func(c fast.Corner) bool {
		return !c.Pt().In(l.img.Rect.Inset(e.opts.EdgeThreshold)) || l.mask.Pix != nil && l.mask.GrayAt(int(c.X), int(c.Y)).Y == 0
	})
	l.choose(e)
	harris := e.opts.Score == HarrisScore
	l.found = l.found[:0]
	for _, c := range l.corners {
		k := keypoint{x: c.X, y: c.Y, response: float32(c.Score)}
		if harris {
			k.response = harrisResponse(&l.img, int(c.X), int(c.Y))
		}
		l.found = append(l.found, k)
	}
	if harris {
		l.cut(e.quotas[l.number])
	}
	for i := range l.found {
		k := &l.found[i]
		k.angle = angle(l.moments(&e.disc, int(k.x), int(k.y)))
	}
	slices.SortFunc(l.found, func(a, b keypoint) int {
		return cmp.Or(cmp.Compare(b.response, a.response), cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
	})
}

// strongest returns the n corners with the highest scores, and those with the same
// score as the last of them. Unlike fast.Strongest it leaves none of these out.
func strongest(corners []fast.Corner, n int) []fast.Corner {
	if n >= len(corners) {
		return corners
	}
	if n == 0 {
		return corners[:0]
	}
	var counts [256]int
	for _, c := range corners {
		counts[c.Score]++
	}
	limit := 255
	for sum := counts[limit]; sum < n; sum += counts[limit] {
		limit--
	}
	return slices.DeleteFunc(corners, func(c fast.Corner) bool { return int(c.Score) < limit })
}

// cut drops all keypoints but the n with the highest responses, and those with the
// same response as the last of them.
func (l *level) cut(n int) {
	if n >= len(l.found) {
		return
	}
	if n == 0 {
		l.found = l.found[:0]
		return
	}
	l.ranked = l.ranked[:0]
	for _, k := range l.found {
		l.ranked = append(l.ranked, k.response)
	}
	slices.Sort(l.ranked)
	limit := l.ranked[len(l.ranked)-n]
	l.found = slices.DeleteFunc(l.found, func(k keypoint) bool { return k.response < limit })
}

// harrisResponse returns Harris' response of the 7 by 7 pixels around x, y, with
// Sobel's gradients of 3 by 3.
func harrisResponse(img *image.Gray, x, y int) float32 {
	const half, size = 3, 2*3 + 1
	var xx, yy, xy int32
	for dy := -half; dy <= half; dy++ {
		var rows [3][]byte // of 9 pixels
		for i := range rows {
			rows[i] = img.Pix[(y+dy-1+i)*img.Stride+x-half-1:][:size+2]
		}
		above, row, below := (*[size + 2]byte)(rows[0]), (*[size + 2]byte)(rows[1]), (*[size + 2]byte)(rows[2])
		for i := 1; i <= size; i++ {
			gx := int32(above[i+1]) - int32(above[i-1]) + 2*(int32(row[i+1])-int32(row[i-1])) + int32(below[i+1]) - int32(below[i-1])
			gy := int32(below[i-1]) + 2*int32(below[i]) + int32(below[i+1]) - int32(above[i-1]) - 2*int32(above[i]) - int32(above[i+1])
			xx += gx * gx
			yy += gy * gy
			xy += gx * gy
		}
	}
	// Every operation is rounded to float32. The conversions of products keep
	// them from being fused with what is added.
	const k = float32(0.04)
	a, b, c := float32(xx), float32(yy), float32(xy)
	trace := a + b
	determinant := float32(a*b) - float32(c*c)
	return (determinant - float32(float32(k*trace)*trace)) * scale4
}

// scale4 is the fourth power of what normalises the gradients, rounded after each
// product.
var scale4 = func() float32 {
	scale := float32(1) / (4 * 7 * 255)
	return float32(float32(float32(scale*scale)*scale) * scale)
}()

// discRows returns half the width of a disc in its middle row and the rows beside
// it. It is the same when it is turned by a quarter.
func discRows(half int) []int {
	rows := make([]int, half+2)
	most := int(math.Floor(float64(half)*math.Sqrt2/2 + 1))
	for v := 0; v <= most; v++ {
		rows[v] = int(math.RoundToEven(math.Sqrt(float64(half*half - v*v))))
	}
	v0 := 0
	for v := half; v >= most; v-- {
		for rows[v0] == rows[v0+1] {
			v0++
		}
		rows[v] = v0
		v0++
	}
	return rows[:half+1]
}

// A disc is the patch that the first moments are taken of.
type disc struct {
	umax    []int // half the width in its middle row and the rows beside it
	weights []momentRow
}

// A momentRow holds the weights of the 32 pixels of a row for both moments: those
// from momentReach before the middle on.
type momentRow [2][2 * (momentReach + 1)]int8

// momentReach is half of the largest disc that rows of 32 pixels hold.
const momentReach = 15

// newDisc returns the disc of a patch. It has weights only where all pixels of their
// rows are sure to be in the image, with keypoints not nearer to the edges than
// edge.
func newDisc(patch, edge int) disc {
	half := patch / 2
	d := disc{umax: discRows(half)}
	if half > momentReach || edge <= momentReach {
		return d
	}
	for v := -half; v <= half; v++ {
		var row momentRow
		for u := -half; u <= half; u++ {
			if max(u, -u) <= d.umax[max(v, -v)] {
				row[0][u+momentReach], row[1][u+momentReach] = int8(u), int8(v)
			}
		}
		d.weights = append(d.weights, row)
	}
	return d
}

// A momentRun is the rows of a disc.
type momentRun struct {
	pix      *byte // the first pixel of the first row
	stride   int
	weights  []momentRow
	m10, m01 int32
}

// moments returns the first moments of the disc around x, y.
func (l *level) moments(d *disc, x, y int) (m10, m01 int) {
	half := len(d.umax) - 1
	if d.weights != nil && l.kernels != nil {
		r := &l.momentRun
		r.pix, r.stride, r.weights = &l.img.Pix[(y-half)*l.img.Stride+x-momentReach], l.img.Stride, d.weights
		l.kernels.moments(r)
		return int(r.m10), int(r.m01)
	}
	for v := -half; v <= half; v++ {
		width := d.umax[max(v, -v)]
		row := l.img.Pix[(y+v)*l.img.Stride+x-width:][:2*width+1]
		sum := 0
		for u, p := range row {
			m10 += (u - width) * int(p)
			sum += int(p)
		}
		m01 += v * sum
	}
	return m10, m01
}

// angle returns the direction of a vector in degrees, 0 to 360, to within a third
// of a degree: OpenCV's fastAtan2.
func angle(x, y int) float32 {
	const (
		degrees = float32(180 / math.Pi)
		p1      = float32(0.9997878412794807) * degrees
		p3      = float32(-0.3258083974640975) * degrees
		p5      = float32(0.1555786518463281) * degrees
		p7      = float32(-0.04432655554792128) * degrees
	)
	ax, ay := float32(max(x, -x)), float32(max(y, -y))
	c := min(ax, ay) / (max(ax, ay) + 2.2204460e-16)
	c2 := float32(c * c)
	a := float32(p7 * c2)
	a = float32((a + p5) * c2)
	a = float32((a + p3) * c2)
	a = float32((a + p1) * c)
	if ay > ax {
		a = 90 - a
	}
	if x < 0 {
		a = 180 - a
	}
	if y < 0 {
		a = 360 - a
	}
	return a
}
