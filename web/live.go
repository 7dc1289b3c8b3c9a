//go:build js && wasm && !boards

package main

import (
	"image"
	"math"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/stabilize"
)

// A trackFinder follows corners from each picture to the next one.
type trackFinder struct {
	options  options
	detector *harris.Detector
	tracker  *flow.Tracker

	// The pixels of the last two frames, which their pyramids refer to.
	frames   [2]image.Gray
	pyramids [2]flow.Pyramid
	last     int // the index of the last one

	trails  []trail
	points  []flow.Point // the ends of trails
	tracks  []flow.Track
	corners []harris.Corner
	age     int // how many frames ago corners were looked for
}

// trailLength is the number of positions that a trail has.
const trailLength = 16

// A trail is where a corner was in the last frames, the newest position first. A trail that is
// shorter ends with its oldest position, repeated.
type trail [trailLength]flow.Point

// Corners are looked for again after so many frames, or when less than this share of them are
// left.
const (
	longestAge = 10
	leastShare = 0.7
)

func newTrackFinder(o options) (finder, error) {
	d, err := harris.New(harris.GoodFeatures(o.points, o.quality, o.distance))
	if err != nil {
		return nil, err
	}
	t, err := flow.New(flow.Options{Confirm: 0.5, KeepInside: true})
	if err != nil {
		return nil, err
	}
	return &trackFinder{options: o, detector: d, tracker: t}, nil
}

func (f *trackFinder) find(pictures *[slots]picture) {
	img := &pictures[0].gray
	before, next := f.last, 1-f.last
	g := &f.frames[next]
	if f.frames[before].Rect != img.Rect {
		f.trails = f.trails[:0]
	}
	*g = image.Gray{Pix: append(g.Pix[:0], img.Pix...), Stride: img.Stride, Rect: img.Rect}
	f.tracker.PyramidInto(&f.pyramids[next], g)
	f.last = next
	if len(f.trails) > 0 {
		f.follow(&f.pyramids[before], &f.pyramids[next])
	}
	if f.age++; f.age >= longestAge || float64(len(f.trails)) < leastShare*float64(len(f.corners)) || len(f.trails) == 0 {
		f.begin(g)
	}
}

// follow moves the ends of the trails, and drops those that are lost.
func (f *trackFinder) follow(a, b *flow.Pyramid) {
	f.points = f.points[:0]
	for i := range f.trails {
		f.points = append(f.points, f.trails[i][0])
	}
	f.tracks = f.tracker.AppendTrack(f.tracks[:0], a, b, f.points, nil)
	left := f.trails[:0]
	for i, t := range f.tracks {
		if t.Found() {
			trail := f.trails[i]
			copy(trail[1:], trail[:trailLength-1])
			trail[0] = t.Point()
			left = append(left, trail)
		}
	}
	f.trails = left
}

// begin adds trails for corners that are not near one already.
func (f *trackFinder) begin(img *image.Gray) {
	f.age = 0
	f.corners = f.detector.Append(f.corners[:0], img, nil)
	old := len(f.trails)
	for _, c := range f.corners {
		if len(f.trails) >= f.options.points {
			return
		}
		x, y := c.Position()
		if !near(f.trails[:old], x, y, float32(max(f.options.distance, 3))) {
			var t trail
			for i := range t {
				t[i] = flow.Point{X: x, Y: y}
			}
			f.trails = append(f.trails, t)
		}
	}
}

// near reports whether a trail ends less than a distance from a point.
func near(trails []trail, x, y, distance float32) bool {
	for i := range trails {
		dx, dy := trails[i][0].X-x, trails[i][0].Y-y
		if float32(dx*dx)+float32(dy*dy) < distance*distance {
			return true
		}
	}
	return false
}

func (f *trackFinder) appendTo(dst []float32) ([]float32, int) {
	for i := range f.trails {
		for _, p := range f.trails[i] {
			dst = append(dst, p.X, p.Y)
		}
	}
	return dst, 2 * trailLength
}

// A stabilizeFinder finds how the camera shakes, and from where the pixels of a frame must be
// taken for it to move smoothly.
type stabilizeFinder struct {
	options    options
	stabilizer *stabilize.Stabilizer
	size       image.Point
	result     stabilize.Result
	source     geometry.Transform // of the frame before
	shakes     [2]shake           // of the frames, and of the stabilized frames
}

func newStabilizeFinder(o options) (finder, error) {
	f := &stabilizeFinder{options: o}
	return f, f.restart()
}

// restart begins another video.
func (f *stabilizeFinder) restart() error {
	var err error
	f.stabilizer, err = stabilize.New(stabilize.Options{
		Online:          true,
		Points:          f.options.points,
		SmoothingRadius: f.options.smoothing,
		Zoom:            f.options.zoom,
		MaxZoom:         f.options.zoom,
	})
	f.shakes = [2]shake{}
	return err
}

func (f *stabilizeFinder) find(pictures *[slots]picture) {
	img := &pictures[0].gray
	if f.size != img.Rect.Size() {
		f.size = img.Rect.Size()
		f.restart() // with options that were right before
	}
	f.result, _ = f.stabilizer.Push(img)
	r := &f.result
	if back, ok := r.Source.Inverse(); ok && r.Status == stabilize.Followed {
		f.shakes[0].add(r.Motion, f.size)
		f.shakes[1].add(back.Mul(r.Motion.Mul(f.source)), f.size)
	}
	f.source = r.Source
}

// A shake tells how much the middle of frames is moved otherwise than in the frame before.
type shake struct {
	dx, dy float64 // the last movement
	square float64 // the mean square of differences in the last frames
	frames int
}

// memory is the weight of the past in the mean.
const memory = 0.96

// add adds the motion from a frame to the next one.
func (s *shake) add(motion geometry.Transform, size image.Point) {
	m := stabilize.MovementOf(motion, size)
	if s.frames > 0 {
		x, y := m.DX-s.dx, m.DY-s.dy
		weight := max(1-memory, 1/float64(s.frames))
		s.square += weight * (x*x + y*y - s.square)
	}
	s.dx, s.dy = m.DX, m.DY
	s.frames++
}

// pixels returns the root of the mean square.
func (s *shake) pixels() float64 { return math.Sqrt(s.square) }

func (f *stabilizeFinder) appendTo(dst []float32) ([]float32, int) { return dst, 1 }

// describe adds what is known of the frame.
func (f *stabilizeFinder) describe(result map[string]any) {
	result["count"] = f.result.Inliers
	result["source"] = numbers(f.result.Source)
	result["shake"] = []any{f.shakes[0].pixels(), f.shakes[1].pixels()}
}

// numbers returns the elements of a transform as a list of JavaScript.
func numbers(t geometry.Transform) []any {
	list := make([]any, len(t))
	for i, v := range t {
		list[i] = v
	}
	return list
}
