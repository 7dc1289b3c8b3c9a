package orb

import (
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/degrees"
)

// A keypoint is a Keypoint of a level, in pixels of the level.
type keypoint struct {
	x, y            int32
	response, angle float32
	index           int // of the keypoint to describe
}

// choose chooses the keypoints of l from the corners that get a response, in the order of their
// responses, without angles.
func (l *level) choose(e *Extractor) {
	quota := e.quotas[l.number]
	l.responses = l.responses[:0]
	if e.opts.ScoreType == HarrisScore {
		l.appendHarris(e.opts.EdgeThreshold)
	} else {
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
			break // keypoints that equal the last one stay
		}
		index := uint32(r)
		l.found = append(l.found, keypoint{x: l.corners[index].X, y: l.corners[index].Y, response: l.responses[index]})
	}
}

// rank returns a number of 32 bits that orders responses from the highest to the lowest.
// The response is not -0.
func rank(response float32) uint64 {
	bits := math.Float32bits(response)
	if bits < 1<<31 {
		bits = 1<<31 - 1 - bits
	}
	return uint64(bits)
}

// harrisReach is the distance of the outermost pixels that Harris' response depends on.
const harrisReach = 4

// harrisCorners is the largest number of corners in a harrisRun.
const harrisCorners = 256

// A harrisRun is corners to sum the products of gradients around. For assembly, the 11
// pixels to the right of each corner are in memory of the image.
type harrisRun struct {
	pix     []byte // of the image
	stride  int
	corners []fast.Corner
	sums    []harrisSums // for each of the corners
}

// harrisSums are the sums of the squares of the gradients of 7 by 7 pixels in both
// directions, and of their products.
type harrisSums struct{ xx, yy, xy, _ int32 }

// appendHarris appends Harris' responses of the corners, which are at least edge pixels
// away from the edges of the level.
func (l *level) appendHarris(edge int) {
	harris := l.kernels.harris
	if edge <= harrisReach {
		harris = portable.harris
	}
	for corners := range slices.Chunk(l.corners, harrisCorners) {
		l.harrisRun = harrisRun{l.img.Pix, l.img.Stride, corners, l.sums[:len(corners)]}
		harris(&l.harrisRun)
		for i := range corners {
			l.responses = append(l.responses, l.sums[i].response())
		}
	}
}

func harrisPortable(r *harrisRun) {
	for i, c := range r.corners {
		r.sums[i] = sumGradients(r.pix, r.stride, int(c.X), int(c.Y))
	}
}

// sumGradients returns the sums for the 7 by 7 pixels around x, y, with Sobel's gradients
// of 3 by 3.
func sumGradients(pix []byte, stride, x, y int) (s harrisSums) {
	const half, size = harrisReach - 1, 2*harrisReach - 1
	for dy := -half; dy <= half; dy++ {
		row := func(d int) *[size + 2]byte { return (*[size + 2]byte)(pix[(y+dy+d)*stride+x-half-1:]) }
		above, middle, below := row(-1), row(0), row(1)
		for i := 1; i <= size; i++ {
			gx := int32(above[i+1]) - int32(above[i-1]) + 2*(int32(middle[i+1])-int32(middle[i-1])) + int32(below[i+1]) - int32(below[i-1])
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
	// Every operation is rounded to float32. Converting the products keeps them from
	// being fused with additions.
	const k = float32(0.04)
	a, b, c := float32(s.xx), float32(s.yy), float32(s.xy)
	trace := a + b
	determinant := float32(a*b) - float32(c*c)
	return (determinant - float32(float32(k*trace)*trace)) * scale4
}

// scale4 is the fourth power of the factor that normalizes gradients, rounded after each
// product.
var scale4 = func() float32 {
	scale := float32(1) / (4 * 7 * 255)
	return float32(float32(float32(scale*scale)*scale) * scale)
}()

// discRows returns half the width of a disc in its middle row and in the rows on either
// side. A quarter turn does not change the disc.
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
	widths  []int       // half the width in its middle row and in the rows on either side
	weights []momentRow // nil if assembly cannot take the moments
}

// A momentRow holds the weights of the 32 pixels of a row for both moments: those from
// momentReach before the middle on.
type momentRow [2][2 * (momentReach + 1)]int8

// momentReach is half the width of the largest disc that fits into rows of 32 pixels.
const momentReach = 15

// newDisc returns the disc of a patch. It has weights only if all pixels of their rows
// are in the image wherever keypoints are at least edge pixels away from the edges.
func newDisc(patch, edge int) disc {
	half := patch / 2
	d := disc{widths: discRows(half)}
	if half > momentReach || edge <= momentReach {
		return d
	}
	d.weights = make([]momentRow, 2*half+1)
	for v := -half; v <= half; v++ {
		row := &d.weights[half+v]
		for u := -half; u <= half; u++ {
			if max(u, -u) <= d.widths[max(v, -v)] {
				row[0][u+momentReach], row[1][u+momentReach] = int8(u), int8(v)
			}
		}
	}
	return d
}

// A momentRun is the rows of a disc to take the first moments of. Assembly requires weights.
type momentRun struct {
	pix      []byte // from the first row on, whose middle is left pixels further on
	stride   int
	left     int
	widths   []int
	weights  []momentRow
	m10, m01 int64
}

// angle returns the direction from x, y to the centroid of the disc around it.
func (l *level) angle(d *disc, memory *lane, x, y int) float32 {
	half := len(d.widths) - 1
	moments, left := l.kernels.moments, momentReach
	if d.weights == nil {
		moments, left = portable.moments, half
	}
	r := &memory.momentRun
	r.pix, r.stride, r.left = l.img.Pix[(y-half)*l.img.Stride+x-left:], l.img.Stride, left
	r.widths, r.weights = d.widths, d.weights
	moments(r)
	return degrees.Direction(r.m10, r.m01)
}

func momentsPortable(r *momentRun) {
	r.m10, r.m01 = 0, 0
	half := len(r.widths) - 1
	for v := -half; v <= half; v++ {
		width := r.widths[max(v, -v)]
		moment, sum := 0, 0
		for u, p := range r.pix[(v+half)*r.stride+r.left-width:][:2*width+1] {
			moment += (u - width) * int(p)
			sum += int(p)
		}
		r.m10 += int64(moment)
		r.m01 += int64(v * sum)
	}
}
