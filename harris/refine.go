package harris

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"sync"

	"github.com/fastcorners/fast/internal/option"
)

// RefinerOptions control how a [Refiner] moves points. Zero fields have their default values.
type RefinerOptions struct {
	// WindowRadius is the number of pixels that the window around a point extends in each
	// direction, 1 to 31. A point that would move farther than that from its start, in x or y, is
	// not moved. 0 means 5, a window of 11 by 11 pixels.
	WindowRadius int
	// Iterations is the maximum number of steps of a point, 1 to 100. 0 means 40.
	Iterations int
	// Epsilon is the length of a step, in pixels, at which a point has converged: at most 100. 0
	// means 0.001, and a negative number means 0.
	Epsilon float64
}

// setDefaults replaces the fields that are 0 by what they mean, and a negative Epsilon by 0.
func (o *RefinerOptions) setDefaults() {
	o.WindowRadius = cmp.Or(o.WindowRadius, 5)
	o.Iterations = cmp.Or(o.Iterations, 40)
	o.Epsilon = max(cmp.Or(o.Epsilon, 0.001), 0)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *RefinerOptions) check() error {
	fields := option.Fields{Package: "harris", Type: "RefinerOptions"}
	switch {
	case o.WindowRadius < 1 || o.WindowRadius > maxRefineRadius:
		return fields.OutOfRange("WindowRadius", o.WindowRadius, "1 to 31")
	case o.Iterations < 1 || o.Iterations > 100:
		return fields.OutOfRange("Iterations", o.Iterations, "1 to 100")
	case !(o.Epsilon <= 100):
		return fields.OutOfRange("Epsilon", o.Epsilon, "a number up to 100")
	}
	return nil
}

const maxRefineRadius = 31

// A Refiner holds the RefinerOptions with which [Refine] moves points. Create one with [NewRefiner].
// It is safe for concurrent use.
type Refiner struct {
	made option.Made
	opts RefinerOptions // with the defaults
	pool sync.Pool      // of *refinement
}

// NewRefiner returns a Refiner. It fails if an option is out of range; the error names the
// field.
func NewRefiner(opts RefinerOptions) (*Refiner, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	r := &Refiner{made: true, opts: opts}
	r.pool.New = func() any { return &refinement{opts: &r.opts} }
	return r, nil
}

// Options returns the options of r, with defaults filled in and 0 for a negative Epsilon.
func (r *Refiner) Options() RefinerOptions {
	r.check()
	return r.opts
}

// check panics unless r was made by NewRefiner.
func (r *Refiner) check() {
	r.made.Require("harris", "Refiner", "NewRefiner")
}

// Refine moves points, in pixels, to the corners or saddle points near them, with a precision of a
// fraction of a pixel. These may be the corners of a chessboard, for instance, for which a Detector
// finds the nearest pixels. The results are those of OpenCV's cornerSubPix without a zero zone, bit
// for bit. P is any struct of two float32, X and Y.
//
// Refine returns how many points have converged, and sets converged[i] to whether points[i] is one
// of them; converged can be nil. A point has not converged if its last step was longer than
// Epsilon, if it left the image, or if it was not moved because there is no corner within
// WindowRadius. Refine does not move points that are outside the image or NaN, or any points if a
// side of the image is less than 2*WindowRadius+5 pixels.
//
// Refine panics if img is nil or malformed, or if converged is neither nil nor as long as
// points. It does not allocate in the steady state.
//
// The method uses that the gradient at each pixel of the window is perpendicular to the direction
// to the corner: W. Förstner and E. Gülch, "A fast operator for detection and precise location of
// distinct points, corners and centres of circular features", ISPRS Intercommission Workshop 1987.
func Refine[P ~struct{ X, Y float32 }](r *Refiner, img *image.Gray, points []P, converged []bool) int {
	r.check()
	plane := newPlane(img)
	if converged != nil && len(converged) != len(points) {
		panic(fmt.Sprintf("harris: %d flags for %d points", len(converged), len(points)))
	}
	clear(converged)
	if min(plane.W, plane.H) < 2*r.opts.WindowRadius+5 {
		return 0
	}
	f := r.pool.Get().(*refinement)
	defer r.release(f)
	f.reset(plane)
	left, top := float32(img.Rect.Min.X), float32(img.Rect.Min.Y)
	for i, p := range points {
		q := place(p)
		f.add(i, place{q.X - left, q.Y - top})
	}
	f.refine()
	n := 0
	for i := range f.points {
		p := &f.points[i]
		if p.moved {
			points[p.index] = P{p.at.X + left, p.at.Y + top}
		}
		if !p.converged {
			continue
		}
		n++
		if converged != nil {
			converged[p.index] = true
		}
	}
	return n
}

// release puts f back into the pool, without what belongs to the caller.
func (r *Refiner) release(f *refinement) {
	f.plane, f.sample.pix = plane{}, nil
	r.pool.Put(f)
}

// A place is a point relative to the upper left pixel.
type place = struct{ X, Y float32 }

// A refinement is the state of a call of Refine, with memory that is used again for others.
type refinement struct {
	opts    *RefinerOptions
	plane   plane
	kernels *kernels
	points  []refinedPoint
	lanes   []refineLane
	sample  sampleRun
	moments momentsRun
}

// A refinedPoint is a point in the image: where it begins, and then where it ends.
type refinedPoint struct {
	index            int // of the caller's points
	at               place
	moved, converged bool
}

// A refineLane is a point that is on its way. Several are on theirs at a time, one for each
// lane of a vector, so that sums in a given order do not wait for their terms.
type refineLane struct {
	index int   // of the refinement's points, or -1 for none
	at    place // now
	steps int

	corner   image.Point // the upper left pixel of the samples
	fraction place       // of the way from it to the next pixels
	inside   bool        // whether the window is inside the image
}

// reset prepares r for points in an image.
func (r *refinement) reset(plane plane) {
	r.plane = plane
	r.points = r.points[:0]
	if k := table.Best(); r.kernels != k {
		r.kernels = k
		r.lanes = make([]refineLane, k.refineLanes)
		r.moments = newMomentsRun(r.opts.WindowRadius, k.refineLanes)
		side := r.moments.side
		r.sample = sampleRun{
			side: side, lanes: k.refineLanes, out: r.moments.samples,
			pixels: make([]byte, (side+1)*k.refineLanes), rows: make([]float32, 2*(side+1)*k.refineLanes),
		}
	}
	r.sample.pix, r.sample.stride = plane.Pix, plane.Stride
	r.sample.start = [maxRefineLanes]int{}
}

// add adds a point of the caller, if it is in the image.
func (r *refinement) add(index int, at place) {
	if r.inside(at) {
		r.points = append(r.points, refinedPoint{index: index, at: at})
	}
}

// inside reports whether a point is in the image.
func (r *refinement) inside(p place) bool {
	return p.X >= 0 && p.X < float32(r.plane.W) && p.Y >= 0 && p.Y < float32(r.plane.H)
}

// refine moves all points.
func (r *refinement) refine() {
	next, busy := 0, 0
	// begin gives a lane its next point, if there is one.
	begin := func(l *refineLane) {
		l.index = -1
		if next < len(r.points) {
			*l = refineLane{index: next, at: r.points[next].at}
			next++
			busy++
		}
	}
	for i := range r.lanes {
		begin(&r.lanes[i])
	}
	for busy > 0 {
		r.samples()
		r.kernels.refineMoments(&r.moments)
		for i := range r.lanes {
			if l := &r.lanes[i]; l.index >= 0 && r.step(l, i) {
				busy--
				begin(l)
			}
		}
	}
}

// step moves the point of a lane by the moments of its window. It reports whether that was
// the last step.
func (r *refinement) step(l *refineLane, lane int) bool {
	sums := &r.moments.sums
	a, b, c, bx, by := sums[0][lane], sums[1][lane], sums[2][lane], sums[3][lane], sums[4][lane]
	det := float64(a*c) - float64(b*b)
	converged, more := false, false
	if math.Abs(det) > 0x1p-104 {
		scale := 1 / det
		before := l.at
		l.at.X = float32(float64(before.X) + float64(c*scale*bx) - float64(b*scale*by))
		l.at.Y = float32(float64(before.Y) - float64(b*scale*bx) + float64(a*scale*by))
		dx, dy := l.at.X-before.X, l.at.Y-before.Y
		converged = float64(float32(dx*dx)+float32(dy*dy)) <= float64(r.opts.Epsilon*r.opts.Epsilon)
		l.steps++
		more = !converged && l.steps < r.opts.Iterations
		if !r.inside(l.at) {
			converged, more = false, false
		}
	}
	if more {
		return false
	}
	p, radius := &r.points[l.index], float32(r.opts.WindowRadius)
	if abs32(l.at.X-p.at.X) <= radius && abs32(l.at.Y-p.at.Y) <= radius {
		p.moved, p.converged = l.at != p.at, converged
		p.at = l.at
	}
	return true
}

func abs32(v float32) float32 {
	return float32(math.Abs(float64(v)))
}

// samples interpolates the windows around the points of all lanes, and one pixel more in each
// direction.
func (r *refinement) samples() {
	s := &r.sample
	half := float32(s.side / 2) // of an odd number
	for i := range r.lanes {
		l := &r.lanes[i]
		if l.index < 0 {
			continue
		}
		x, y := l.at.X-half, l.at.Y-half
		left, top := floor(x), floor(y)
		l.corner, l.fraction = image.Pt(left, top), place{x - float32(left), y - float32(top)}
		l.inside = left >= 0 && top >= 0 && left+s.side < r.plane.W && top+s.side < r.plane.H
		s.start[i] = 0
		if l.inside {
			s.start[i] = top*r.plane.Stride + left
			s.set(i, l.fraction.X, l.fraction.Y)
		}
	}
	if s.side < minSampleSide {
		sample(s)
	} else {
		r.kernels.refineSample(s)
	}
	for i := range r.lanes {
		if l := &r.lanes[i]; l.index >= 0 && !l.inside {
			r.samplesAtEdge(i)
		}
	}
}

// floor returns the greatest integer that is not greater than v, which an int32 can hold.
func floor(v float32) int {
	n := int32(v)
	if float32(n) > v {
		n--
	}
	return int(n)
}

// samplesAtEdge replaces the samples of a lane whose window extends beyond the pixels of the
// image. Beyond them lies what stands at the edge; there samples are not interpolated along x.
func (r *refinement) samplesAtEdge(lane int) {
	l, side, lanes := &r.lanes[lane], r.sample.side, r.sample.lanes
	w, h := r.plane.W, r.plane.H
	a, b := l.fraction.X, l.fraction.Y
	w00, w01, w10, w11 := (1-a)*(1-b), a*(1-b), (1-a)*b, a*b
	// The first and the last column between pixels.
	from, to := min(max(-l.corner.X, 0), side), min(max(w-1-l.corner.X, 0), side)
	for y := range side {
		upper := r.plane.Row(min(max(l.corner.Y+y, 0), h-1))
		lower := r.plane.Row(min(max(l.corner.Y+y+1, 0), h-1))
		out := r.sample.out[y*side*lanes+lane:]
		edge := func(from, to, x int) {
			v := float32(float32(upper[x])*(1-b)) + float32(float32(lower[x])*b)
			for i := from; i < to; i++ {
				out[i*lanes] = v
			}
		}
		edge(0, from, 0)
		edge(to, side, w-1)
		if from >= to {
			continue
		}
		upper, lower = upper[l.corner.X+from:][:to-from+1], lower[l.corner.X+from:][:to-from+1]
		p, q := float32(upper[0]), float32(lower[0])
		for i, v := range upper[1:] {
			p1, q1 := float32(v), float32(lower[i+1])
			out[(from+i)*lanes] = float32(p*w00) + float32(p1*w01) + float32(q*w10) + float32(q1*w11)
			p, q = p1, q1
		}
	}
}

// A sampleRun holds the arguments of the kernel refineSample, which interpolates side by side
// samples for each lane, between the pixels from pix[start[lane]] on. In each row it needs one
// pixel more than samples, and one row more.
type sampleRun struct {
	pix    []byte
	start  [maxRefineLanes]int
	stride int
	side   int
	lanes  int
	out    []float32 // the samples row by row, for all lanes together
	// weights are those of the right pixels of a sample, in the upper and in the lower row, and
	// those of the rows.
	weights [4][maxRefineLanes]float32
	first   [maxRefineLanes]float32 // the weight of the first column's left pixels
	ratio   [maxRefineLanes]float64 // of the left pixels' weights to those of the right pixels

	// The ratio as the sum of two floats, the second of which is between least and most. If
	// both give the same product in floats, so does the ratio.
	ratio32, least, most [maxRefineLanes]float32

	// Memory for the kernels in assembly: the pixels of a row of all lanes, and of two rows.
	pixels []byte
	rows   []float32
}

// set sets the weights of a lane from the position of the samples between pixels.
func (r *sampleRun) set(lane int, a, b float32) {
	a = max(a, 0.0001)
	r.weights[0][lane], r.weights[1][lane] = a*(1-b), a*b
	r.weights[2][lane], r.weights[3][lane] = 1-b, b
	r.first[lane] = 1 - a
	ratio := (1 - float64(a)) / float64(a)
	rest := ratio - float64(float32(ratio))
	r.ratio[lane], r.ratio32[lane] = ratio, float32(ratio)
	// What the rounding of rest, and that of its product with a pixel, can change is half as much.
	change := float64(ratio * 0x1p-47)
	r.least[lane], r.most[lane] = float32(rest-change), float32(rest+change)
}

// minSampleSide is the least side for which there is a kernel refineSample in assembly, which
// reads 8 pixels at a time.
const minSampleSide = 7

// sample is the kernel refineSample in Go.
func sample(r *sampleRun) {
	for lane := range r.lanes {
		w0, w1, w2, w3 := r.weights[0][lane], r.weights[1][lane], r.weights[2][lane], r.weights[3][lane]
		i := lane
		for y := range r.side {
			upper := r.pix[r.start[lane]+y*r.stride:][:r.side+1]
			lower := r.pix[r.start[lane]+(y+1)*r.stride:][:r.side+1]
			left := float32(r.first[lane] * (float32(w2*float32(upper[0])) + float32(w3*float32(lower[0]))))
			for x, p := range upper[1:] {
				right := float32(w0*float32(p)) + float32(w1*float32(lower[x+1]))
				r.out[i] = left + right
				left = float32(float64(right) * r.ratio[lane])
				i += r.lanes
			}
		}
	}
}

// A momentsRun holds the arguments of the kernel refineMoments, which adds up moments of the
// gradients in the windows of all lanes.
type momentsRun struct {
	samples []float32 // side by side of them, each with a value for every lane
	side    int
	lanes   int
	weights []float64 // of the pixels of the window, which is smaller by one on each side
	offsets []float64 // of its columns and rows from its middle

	// Memory for the kernels in assembly, with room for the gradients of a row.
	gradients []float32

	// sums are those of gx*gx, gx*gy, gy*gy, gx*gx*x + gx*gy*y and gx*gy*x + gy*gy*y.
	sums [5][maxRefineLanes]float64
}

// maxRefineLanes is the number of doubles in the widest vectors.
const maxRefineLanes = 8

// newMomentsRun returns a momentsRun for windows of a radius. Weights decrease with the distance
// from the middle.
func newMomentsRun(radius, lanes int) momentsRun {
	n := 2*radius + 1
	r := momentsRun{
		samples: make([]float32, (n+2)*(n+2)*lanes), side: n + 2, lanes: lanes,
		gradients: make([]float32, 2*n*lanes),
	}
	bell := make([]float32, n)
	for i := range bell {
		x := float32(i-radius) / float32(radius)
		bell[i] = float32(decay(float64(x * x)))
		r.offsets = append(r.offsets, float64(i-radius))
	}
	for _, wy := range bell {
		for _, wx := range bell {
			r.weights = append(r.weights, float64(wy*wx))
		}
	}
	return r
}

// moments is the kernel refineMoments in Go.
func moments(r *momentsRun) {
	n := r.side - 2
	for lane := range r.lanes {
		var a, b, c, bx, by float64
		for i, y := range r.offsets {
			samples := r.samples[i*r.side*r.lanes+lane:]
			below := r.samples[(i+2)*r.side*r.lanes+lane:]
			weights := r.weights[i*n:][:n]
			for j, x := range r.offsets {
				k := (j + 1) * r.lanes
				middle := samples[r.side*r.lanes:]
				gx := float64(middle[k+r.lanes] - middle[k-r.lanes])
				gy := float64(below[k] - samples[k])
				xx := float64(gx*gx) * weights[j]
				xy := float64(gx*gy) * weights[j]
				yy := float64(gy*gy) * weights[j]
				a += float64(xx)
				b += float64(xy)
				c += float64(yy)
				bx += float64(xx*x) + float64(xy*y)
				by += float64(xy*x) + float64(yy*y)
			}
		}
		for i, sum := range [5]float64{a, b, c, bx, by} {
			r.sums[i][lane] = sum
		}
	}
}
