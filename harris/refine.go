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
	pool sync.Pool      // of *refineJob
}

// NewRefiner returns a Refiner. It fails if an option is out of range; the error names the
// field.
func NewRefiner(opts RefinerOptions) (*Refiner, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	r := &Refiner{made: true, opts: opts}
	r.pool.New = func() any { return &refineJob{opts: &r.opts} }
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
	f := r.pool.Get().(*refineJob)
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
func (r *Refiner) release(f *refineJob) {
	f.plane, f.sample.pix = plane{}, nil
	r.pool.Put(f)
}

// A place is a point relative to the upper left pixel.
type place = struct{ X, Y float32 }

// A refineJob is the memory of a call of Refine, which is used again for others.
type refineJob struct {
	opts     *RefinerOptions
	plane    plane
	kernels  *kernels
	points   []refinedPoint
	elements []refineElement
	sample   sampleRun
	moments  momentsRun
}

// A refinedPoint is a point in the image: where it begins, and then where it ends.
type refinedPoint struct {
	index            int // of the caller's points
	at               place
	moved, converged bool
}

// A refineElement is a point that is on its way. Several are on theirs at a time, one for each
// element of a vector, so that sums in a given order do not wait for their terms.
type refineElement struct {
	index int   // of the points of the job, or -1 for none
	at    place // now
	steps int

	corner   image.Point // the upper left pixel of the samples
	fraction place       // of the way from it to the next pixels
	inside   bool        // whether the window is inside the image
}

// reset prepares r for points in an image.
func (r *refineJob) reset(plane plane) {
	r.plane = plane
	r.points = r.points[:0]
	if k := table.Best(); r.kernels != k {
		r.kernels = k
		r.elements = make([]refineElement, k.refineElements)
		r.moments = newMomentsRun(r.opts.WindowRadius, k.refineElements)
		side := r.moments.side
		r.sample = sampleRun{
			side: side, elements: k.refineElements, out: r.moments.samples,
			pixels: make([]byte, (side+1)*k.refineElements), rows: make([]float32, 2*(side+1)*k.refineElements),
		}
	}
	r.sample.pix, r.sample.stride = plane.Pix, plane.Stride
	r.sample.start = [maxRefineElements]int{}
}

// add adds a point of the caller, if it is in the image.
func (r *refineJob) add(index int, at place) {
	if r.inside(at) {
		r.points = append(r.points, refinedPoint{index: index, at: at})
	}
}

// inside reports whether a point is in the image.
func (r *refineJob) inside(p place) bool {
	return p.X >= 0 && p.X < float32(r.plane.W) && p.Y >= 0 && p.Y < float32(r.plane.H)
}

// refine moves all points.
func (r *refineJob) refine() {
	next, busy := 0, 0
	// begin gives a element its next point, if there is one.
	begin := func(e *refineElement) {
		e.index = -1
		if next < len(r.points) {
			*e = refineElement{index: next, at: r.points[next].at}
			next++
			busy++
		}
	}
	for i := range r.elements {
		begin(&r.elements[i])
	}
	for busy > 0 {
		r.samples()
		r.kernels.refineMoments(&r.moments)
		for i := range r.elements {
			if e := &r.elements[i]; e.index >= 0 && r.step(e, i) {
				busy--
				begin(e)
			}
		}
	}
}

// step moves the point of a element by the moments of its window. It reports whether that was
// the last step.
func (r *refineJob) step(e *refineElement, element int) bool {
	sums := &r.moments.sums
	a, b, c, bx, by := sums[0][element], sums[1][element], sums[2][element], sums[3][element], sums[4][element]
	det := float64(a*c) - float64(b*b)
	converged, more := false, false
	if math.Abs(det) > 0x1p-104 {
		scale := 1 / det
		before := e.at
		e.at.X = float32(float64(before.X) + float64(c*scale*bx) - float64(b*scale*by))
		e.at.Y = float32(float64(before.Y) - float64(b*scale*bx) + float64(a*scale*by))
		dx, dy := e.at.X-before.X, e.at.Y-before.Y
		converged = float64(float32(dx*dx)+float32(dy*dy)) <= float64(r.opts.Epsilon*r.opts.Epsilon)
		e.steps++
		more = !converged && e.steps < r.opts.Iterations
		if !r.inside(e.at) {
			converged, more = false, false
		}
	}
	if more {
		return false
	}
	p, radius := &r.points[e.index], float32(r.opts.WindowRadius)
	if abs32(e.at.X-p.at.X) <= radius && abs32(e.at.Y-p.at.Y) <= radius {
		p.moved, p.converged = e.at != p.at, converged
		p.at = e.at
	}
	return true
}

func abs32(v float32) float32 {
	return float32(math.Abs(float64(v)))
}

// samples interpolates the windows around the points of all elements, and one pixel more in each
// direction.
func (r *refineJob) samples() {
	s := &r.sample
	half := float32(s.side / 2) // of an odd number
	for i := range r.elements {
		e := &r.elements[i]
		if e.index < 0 {
			continue
		}
		x, y := e.at.X-half, e.at.Y-half
		left, top := floor(x), floor(y)
		e.corner, e.fraction = image.Pt(left, top), place{x - float32(left), y - float32(top)}
		e.inside = left >= 0 && top >= 0 && left+s.side < r.plane.W && top+s.side < r.plane.H
		s.start[i] = 0
		if e.inside {
			s.start[i] = top*r.plane.Stride + left
			s.set(i, e.fraction.X, e.fraction.Y)
		}
	}
	if s.side < minSampleSide {
		sample(s)
	} else {
		r.kernels.refineSample(s)
	}
	for i := range r.elements {
		if e := &r.elements[i]; e.index >= 0 && !e.inside {
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

// samplesAtEdge replaces the samples of a element whose window extends beyond the pixels of the
// image. Beyond them lies what stands at the edge; there samples are not interpolated along x.
func (r *refineJob) samplesAtEdge(element int) {
	e, side, elements := &r.elements[element], r.sample.side, r.sample.elements
	w, h := r.plane.W, r.plane.H
	a, b := e.fraction.X, e.fraction.Y
	w00, w01, w10, w11 := (1-a)*(1-b), a*(1-b), (1-a)*b, a*b
	// The first and the last column between pixels.
	from, to := min(max(-e.corner.X, 0), side), min(max(w-1-e.corner.X, 0), side)
	for y := range side {
		upper := r.plane.Row(min(max(e.corner.Y+y, 0), h-1))
		lower := r.plane.Row(min(max(e.corner.Y+y+1, 0), h-1))
		out := r.sample.out[y*side*elements+element:]
		edge := func(from, to, x int) {
			v := float32(float32(upper[x])*(1-b)) + float32(float32(lower[x])*b)
			for i := from; i < to; i++ {
				out[i*elements] = v
			}
		}
		edge(0, from, 0)
		edge(to, side, w-1)
		if from >= to {
			continue
		}
		upper, lower = upper[e.corner.X+from:][:to-from+1], lower[e.corner.X+from:][:to-from+1]
		p, q := float32(upper[0]), float32(lower[0])
		for i, v := range upper[1:] {
			p1, q1 := float32(v), float32(lower[i+1])
			out[(from+i)*elements] = float32(p*w00) + float32(p1*w01) + float32(q*w10) + float32(q1*w11)
			p, q = p1, q1
		}
	}
}

// A sampleRun holds the arguments of the kernel refineSample, which interpolates side by side
// samples for each element, between the pixels from pix[start[element]] on. In each row it needs one
// pixel more than samples, and one row more.
type sampleRun struct {
	pix      []byte
	start    [maxRefineElements]int
	stride   int
	side     int
	elements int
	out      []float32 // the samples row by row, for all elements together
	// weights are those of the right pixels of a sample, in the upper and in the lower row, and
	// those of the rows.
	weights [4][maxRefineElements]float32
	first   [maxRefineElements]float32 // the weight of the first column's left pixels
	ratio   [maxRefineElements]float64 // of the left pixels' weights to those of the right pixels

	// The ratio as the sum of two floats, the second of which is between least and most. If
	// both give the same product in floats, so does the ratio.
	ratio32, least, most [maxRefineElements]float32

	// Memory for the kernels in assembly: the pixels of a row of all elements, and of two rows.
	pixels []byte
	rows   []float32
}

// set sets the weights of a element from the position of the samples between pixels.
func (r *sampleRun) set(element int, a, b float32) {
	a = max(a, 0.0001)
	r.weights[0][element], r.weights[1][element] = a*(1-b), a*b
	r.weights[2][element], r.weights[3][element] = 1-b, b
	r.first[element] = 1 - a
	ratio := (1 - float64(a)) / float64(a)
	rest := ratio - float64(float32(ratio))
	r.ratio[element], r.ratio32[element] = ratio, float32(ratio)
	// What the rounding of rest, and that of its product with a pixel, can change is half as much.
	change := float64(ratio * 0x1p-47)
	r.least[element], r.most[element] = float32(rest-change), float32(rest+change)
}

// minSampleSide is the least side for which there is a kernel refineSample in assembly, which
// reads 8 pixels at a time.
const minSampleSide = 7

// sample is the kernel refineSample in Go.
func sample(r *sampleRun) {
	for element := range r.elements {
		w0, w1, w2, w3 := r.weights[0][element], r.weights[1][element], r.weights[2][element], r.weights[3][element]
		i := element
		for y := range r.side {
			upper := r.pix[r.start[element]+y*r.stride:][:r.side+1]
			lower := r.pix[r.start[element]+(y+1)*r.stride:][:r.side+1]
			left := float32(r.first[element] * (float32(w2*float32(upper[0])) + float32(w3*float32(lower[0]))))
			for x, p := range upper[1:] {
				right := float32(w0*float32(p)) + float32(w1*float32(lower[x+1]))
				r.out[i] = left + right
				left = float32(float64(right) * r.ratio[element])
				i += r.elements
			}
		}
	}
}

// A momentsRun holds the arguments of the kernel refineMoments, which adds up moments of the
// gradients in the windows of all elements.
type momentsRun struct {
	samples  []float32 // side by side of them, each with a value for every element
	side     int
	elements int
	weights  []float64 // of the pixels of the window, which is smaller by one on each side
	offsets  []float64 // of its columns and rows from its middle

	// Memory for the kernels in assembly, with room for the gradients of a row.
	gradients []float32

	// sums are those of gx*gx, gx*gy, gy*gy, gx*gx*x + gx*gy*y and gx*gy*x + gy*gy*y.
	sums [5][maxRefineElements]float64
}

// maxRefineLanes is the number of doubles in the widest vectors.
const maxRefineElements = 8

// newMomentsRun returns a momentsRun for windows of a radius. Weights decrease with the distance
// from the middle.
func newMomentsRun(radius, elements int) momentsRun {
	n := 2*radius + 1
	r := momentsRun{
		samples: make([]float32, (n+2)*(n+2)*elements), side: n + 2, elements: elements,
		gradients: make([]float32, 2*n*elements),
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
	for element := range r.elements {
		var a, b, c, bx, by float64
		for i, y := range r.offsets {
			samples := r.samples[i*r.side*r.elements+element:]
			below := r.samples[(i+2)*r.side*r.elements+element:]
			weights := r.weights[i*n:][:n]
			for j, x := range r.offsets {
				k := (j + 1) * r.elements
				middle := samples[r.side*r.elements:]
				gx := float64(middle[k+r.elements] - middle[k-r.elements])
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
			r.sums[i][element] = sum
		}
	}
}
