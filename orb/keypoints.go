package orb

import (
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
	quota := e.quotas[l.number]
	l.search(e, quota)
	if e.opts.Score == HarrisScore {
		l.appendHarris(e.opts.EdgeThreshold)
	} else {
		l.responses = l.responses[:0]
		for _, c := range l.corners {
			l.responses = append(l.responses, float32(c.Score))
		}
	}
	l.ranked = l.ranked[:0]
	for i, r := range l.responses {
		l.ranked = append(l.ranked, rank(r)<<32|uint64(i))
	}
	slices.Sort(l.ranked)
	l.found = l.found[:0]
	for i, r := range l.ranked {
		if i >= quota && r>>32 != l.ranked[quota-1]>>32 {
			break // those that equal the last one stay
		}
		index := uint32(r)
		x, y := l.corners[index].X, l.corners[index].Y
		l.found = append(l.found, keypoint{
			x: x, y: y,
			response: l.responses[index],
			angle:    angle(l.moments(&e.disc, int(x), int(y))),
		})
	}
}

// rank returns a number of 32 bits that is the lower the higher a response is, which
// is not -0.
func rank(response float32) uint64 {
	bits := math.Float32bits(response)
	if bits < 1<<31 {
		bits = 1<<31 - 1 - bits
	}
	return uint64(bits)
}

// harrisReach is how far Harris' response of a pixel reaches.
const harrisReach = 4

// A harrisRun is corners to sum the products of gradients of. The 11 pixels to the
// right of each are pixels of the image.
type harrisRun struct {
	pix     *byte // of the image
	stride  int
	corners []fast.Corner
	sums    *[harrisCorners]harrisSums
}

// harrisCorners is how many corners a harrisRun has at most.
const harrisCorners = 256

// harrisSums are the sums of the squares of the gradients of 7 by 7 pixels in both
// directions, and of their products.
type harrisSums struct{ xx, yy, xy, _ int32 }

// appendHarris makes Harris' responses of the corners, which are edge pixels away
// from the edges of the level.
func (l *level) appendHarris(edge int) {
	l.responses = l.responses[:0]
	for begin := 0; begin < len(l.corners); begin += harrisCorners {
		corners := l.corners[begin:min(begin+harrisCorners, len(l.corners))]
		if l.kernels != nil && edge > harrisReach {
			l.harrisRun = harrisRun{&l.img.Pix[0], l.img.Stride, corners, &l.sums}
			l.kernels.harris(&l.harrisRun)
		} else {
			for i, c := range corners {
				l.sums[i] = sumGradients(&l.img, int(c.X), int(c.Y))
			}
		}
		for i := range corners {
			l.responses = append(l.responses, l.sums[i].response())
		}
	}
}

// sumGradients returns the sums for the 7 by 7 pixels around x, y, with Sobel's
// gradients of 3 by 3.
func sumGradients(img *image.Gray, x, y int) (s harrisSums) {
	const half, size = harrisReach - 1, 2*harrisReach - 1
	for dy := -half; dy <= half; dy++ {
		var rows [3][]byte // of 9 pixels
		for i := range rows {
			rows[i] = img.Pix[(y+dy-1+i)*img.Stride+x-half-1:][:size+2]
		}
		above, row, below := (*[size + 2]byte)(rows[0]), (*[size + 2]byte)(rows[1]), (*[size + 2]byte)(rows[2])
		for i := 1; i <= size; i++ {
			gx := int32(above[i+1]) - int32(above[i-1]) + 2*(int32(row[i+1])-int32(row[i-1])) + int32(below[i+1]) - int32(below[i-1])
			gy := int32(below[i-1]) + 2*int32(below[i]) + int32(below[i+1]) - int32(above[i-1]) - 2*int32(above[i]) - int32(above[i+1])
			s.xx += gx * gx
			s.yy += gy * gy
			s.xy += gx * gy
		}
	}
	return s
}

// response returns Harris' response.
func (s *harrisSums) response() float32 {
	// Every operation is rounded to float32. The conversions of products keep
	// them from being fused with what is added.
	const k = float32(0.04)
	a, b, c := float32(s.xx), float32(s.yy), float32(s.xy)
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
