package stabilize

import (
	"image"
	"math"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

const (
	// minCorners is how many corners a frame must have to be followed.
	minCorners = 12
	// minShare is the least share of the points that must agree with a motion, of those that it
	// keeps in the frame.
	minShare = 0.05
	// maxGlitch is how many frames may be wrong between two that agree.
	maxGlitch = 3
	// window is the side of the window around a point that is followed, and epsilon the length
	// of the last step, in pixels.
	window  = 15
	epsilon = 0.03
	// confirm is how far from where it was a point may arrive that is followed back, in
	// pixels.
	confirm = 0.5
	// quality is the least response of a corner, as a share of the largest one.
	quality = 0.001
	// tolerance is how far from where the motion takes it a point may be, as a share of the
	// diagonal of the frame.
	tolerance = 1. / 500
	// maxStretch is the largest scale of a motion, and 1/maxStretch the least.
	maxStretch = 1.5
)

// found is what is known of the motion to a frame.
type found struct {
	status          Status
	points, inliers int
	motion          geometry.Transform
}

// A view is a frame from which points can be followed to others.
type view struct {
	number  int        // of the frame
	img     image.Gray // a copy of its luma
	pyramid flow.Pyramid
	points  []flow.Point
	age     int // frames since they were found
	begun   int // how many they were then
}

// A follower finds the motion from frame to frame.
type follower struct {
	opts      *Options
	tracker   *flow.Tracker
	estimator *geometry.Estimator
	similar   *geometry.Estimator // of similarities
	detector  *harris.Detector
	size      image.Point
	lanes     worker.Lanes[struct{}] // which need no memory for a copy

	frames int
	views  [3]view
	last   *view // the last frame that could be followed, or nil
	doubt  *view // a later frame that could not, but has corners, or nil

	mask    *image.Gray // where corners may be, or nil for everywhere
	exposed exposure
	finder  shiftFinder
	fresh   []flow.Point // corners found anew
	guesses []flow.Point
	tracks  []flow.Track
	pairs   pairs
	corners []harris.Corner
}

// pairs are the points of tracks in two views.
type pairs struct {
	a, b    []geometry.Point
	indices []int // of their tracks
	inliers []bool
}

func (f *follower) init(opts *Options) {
	f.opts = opts
	f.lanes = worker.NewLanes("stabilize", func() *struct{} { return nil })
	f.tracker = must(flow.New(flow.Options{
		Window: image.Pt(window, window), Epsilon: epsilon, Confirm: confirm, KeepInside: true, Workers: opts.Workers,
	}))
}

// begin gets ready for the first frame of a video.
func (f *follower) begin(size image.Point) {
	if size != f.size {
		w, h := float64(size.X), float64(size.Y)
		opts := geometry.Options{Kind: f.opts.Kind, InlierThreshold: max(1, math.Sqrt(float64(w*w)+float64(h*h))*tolerance)}
		f.estimator = must(geometry.New(opts))
		opts.Kind = geometry.Similarity
		f.similar = must(geometry.New(opts))
		detect := harris.GoodFeatures(f.opts.Points, quality, max(1, math.Sqrt(float64(w*h)/float64(f.opts.Points))/2))
		detect.Workers = f.opts.Workers
		f.detector = must(harris.New(detect))
		f.size = size
	}
	f.frames, f.last, f.doubt = 0, nil, nil
}

// must returns v, which was made of options that are in range.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// step returns the motion to the next frame, and how many frames before it turn out to be
// glitches.
func (f *follower) step(p raster.Plane) (res found, bridged int) {
	now := f.free()
	now.number = f.frames
	f.frames++
	f.load(now, p)
	if f.doubt != nil && now.number-f.last.number > min(maxGlitch, f.opts.SmoothingRadius)+1 {
		f.last, f.doubt = f.doubt, nil // it is too late to go back
	}
	if f.doubt != nil {
		if res, ok := f.follow(f.doubt, now); ok {
			f.last, f.doubt = now, nil
			return res, 0
		}
	}
	if f.last != nil {
		if res, ok := f.follow(f.last, now); ok {
			if f.doubt != nil {
				bridged = now.number - f.last.number - 1
			}
			f.last, f.doubt = now, nil
			return res, bridged
		}
	}
	res.motion = geometry.Identity()
	if f.find(now); len(now.points) < minCorners {
		res.status = Blank
		return res, 0
	}
	res.status = Cut
	if f.last == nil {
		f.last = now
	} else {
		f.doubt = now
	}
	return res, 0
}

// free returns a view that is not in use.
func (f *follower) free() *view {
	for i := range f.views {
		if v := &f.views[i]; v != f.last && v != f.doubt {
			return v
		}
	}
	panic("stabilize: no view is free")
}

// load makes v the view of a frame, without points.
func (f *follower) load(v *view, p raster.Plane) {
	v.img = image.Gray{Pix: raster.Resize(v.img.Pix, p.W*p.H), Stride: p.W, Rect: image.Rect(0, 0, p.W, p.H)}
	workers := worker.For(f.opts.Workers, raster.Shares(p.W, p.H))
	b := bands{v.img.Pix, p, raster.BandRows(p.H, workers, 1, 1)}
	worker.Each(b, &f.lanes, workers, (p.H+b.rows-1)/b.rows, bands.copy)
	f.tracker.PyramidInto(&v.pyramid, &v.img)
	v.points = v.points[:0]
}

// bands are the rows of a frame that are copied, the given number of rows at a time.
type bands struct {
	to   []byte
	from raster.Plane
	rows int
}

// copy copies band i.
func (b bands) copy(_ *struct{}, i int) {
	for y := i * b.rows; y < min((i+1)*b.rows, b.from.H); y++ {
		copy(b.to[y*b.from.W:], b.from.Row(y))
	}
}

// find finds the points of v anew.
func (f *follower) find(v *view) {
	f.corners = f.detector.Append(f.corners[:0], &v.img, f.mask)
	v.points = flow.AppendPoints(v.points[:0], f.corners)
	v.begun, v.age = len(v.points), 0
}

// follow returns the motion from one view to another, if that can be known, and gives that one
// its points. If it cannot be, because the exposure changed for example, the points are followed with
// the contrast of the first view. Then corners are found anew, and searched where they were and where
// a shift of the whole frame would take them.
func (f *follower) follow(from, to *view) (res found, ok bool) {
	if res, ok = f.track(from, to, nil); ok {
		return res, true
	}
	if res, ok = f.trackIn(f.exposed.match(f.tracker, &to.img, &from.img), from, to, nil); ok {
		return res, true
	}
	before := *from
	from.points = f.fresh
	f.find(from)
	if len(from.points) >= minCorners {
		if res, ok = f.track(from, to, nil); !ok {
			res, ok = f.search(from, to)
		}
	}
	f.fresh = from.points
	*from = before
	return res, ok
}

// search is track with guesses by the shift of the whole frame.
func (f *follower) search(from, to *view) (res found, ok bool) {
	shift, ok := f.finder.find(&from.img, &to.img)
	if !ok {
		return found{}, false
	}
	f.guesses = f.guesses[:0]
	for _, p := range from.points {
		f.guesses = append(f.guesses, flow.Point{X: p.X + float32(shift.X), Y: p.Y + float32(shift.Y)})
	}
	return f.track(from, to, f.guesses)
}

// track is follow with guesses of where the points are, or nil, and the points that there are.
func (f *follower) track(from, to *view, guesses []flow.Point) (res found, ok bool) {
	return f.trackIn(&to.pyramid, from, to, guesses)
}

// trackIn is track in another pyramid of the second view.
func (f *follower) trackIn(second *flow.Pyramid, from, to *view, guesses []flow.Point) (res found, ok bool) {
	f.tracks = f.tracker.AppendTrack(f.tracks[:0], &from.pyramid, second, from.points, guesses)
	pairs := &f.pairs
	pairs.a, pairs.b, pairs.indices = geometry.AppendFoundTracks(pairs.a[:0], pairs.b[:0], pairs.indices[:0], from.points, f.tracks)
	if f.mask != nil {
		pairs.keep(f.mask)
	}
	pairs.inliers = raster.Resize(pairs.inliers, len(pairs.a))
	fit, err := f.estimate()
	if err != nil || !f.plausible(&fit.Transform) || float64(fit.Inliers) < float64(minShare*float64(f.staying(from.points, &fit.Transform))) {
		return found{}, false
	}
	to.points = to.points[:0]
	for i, k := range pairs.indices {
		if pairs.inliers[i] {
			to.points = append(to.points, f.tracks[k].Point())
		}
	}
	to.age, to.begun = from.age+1, from.begun
	if to.age >= f.opts.Interval || 2*len(to.points) < to.begun {
		f.find(to)
	}
	return found{Followed, len(pairs.a), fit.Inliers, fit.Transform}, true
}

// estimate returns the transform that most pairs agree with. In place of an affine transform it is
// a similarity unless the other one fits clearly better.
func (f *follower) estimate() (geometry.Fit, error) {
	p := &f.pairs
	fit, err := f.estimator.Estimate(p.a, p.b, nil, p.inliers)
	if f.opts.Kind == geometry.Affine && (err != nil || !p.bends(&fit, f.size)) {
		return f.similar.Estimate(p.a, p.b, nil, p.inliers)
	}
	return fit, err
}

// bends reports whether an affine transform fits its inliers clearly better than any similarity.
// The more it has to be extrapolated to reach the corners of a frame of this size, the better it
// must fit.
func (p *pairs) bends(fit *geometry.Fit, size image.Point) bool {
	n := float64(fit.Inliers)
	var a, b geometry.Point // the means
	for i, ok := range p.inliers {
		if ok {
			a.X, a.Y, b.X, b.Y = a.X+p.a[i].X, a.Y+p.a[i].Y, b.X+p.b[i].X, b.Y+p.b[i].Y
		}
	}
	a, b = geometry.Point{X: a.X / n, Y: a.Y / n}, geometry.Point{X: b.X / n, Y: b.Y / n}
	// The sums of products of what is left of the means, and of the squares of errors.
	var xx, xy, yy, squares, along, across, errors float64
	for i, ok := range p.inliers {
		if !ok {
			continue
		}
		x, y, u, v := p.a[i].X-a.X, p.a[i].Y-a.Y, p.b[i].X-b.X, p.b[i].Y-b.Y
		xx, xy, yy = xx+float64(x*x), xy+float64(x*y), yy+float64(y*y)
		squares += float64(u*u) + float64(v*v)
		along += float64(u*x) + float64(v*y)
		across += float64(v*x) - float64(u*y)
		to := fit.Transform.Apply(p.a[i])
		u, v = to.X-p.b[i].X, to.Y-p.b[i].Y
		errors += float64(u*u) + float64(v*v)
	}
	similar := squares - (float64(along*along)+float64(across*across))/(xx+yy) // errors of the best one
	// The variance of an affine transform at a corner, if that of the mean of all pairs is 1.
	reach, c := 0., middle(size)
	for _, q := range corners(c) {
		x, y := q.X+c.X-a.X, q.Y+c.Y-a.Y
		v := float64(float64(x*x)*yy) - float64(float64(2*x*y)*xy) + float64(float64(y*y)*xx)
		reach = max(reach, n*v/(float64(xx*yy)-float64(xy*xy)))
	}
	// The ratio of variances of an F test, for two numbers more.
	ratio := (similar - errors) * (n - 3) / errors
	return ratio > float64(reach*reach)
}

// staying returns how many points a motion keeps in the frame.
func (f *follower) staying(points []flow.Point, t *geometry.Transform) int {
	n := 0
	for _, p := range points {
		q := t.Apply(geometry.Point{X: float64(p.X), Y: float64(p.Y)})
		if q.X >= 0 && q.Y >= 0 && q.X < float64(f.size.X) && q.Y < float64(f.size.Y) {
			n++
		}
	}
	return n
}

// plausible reports whether a motion may be that of a camera from one frame to the next.
func (f *follower) plausible(t *geometry.Transform) bool {
	m := MovementOf(*t, f.size)
	return math.Abs(m.DX) < float64(f.size.X)/2 && math.Abs(m.DY) < float64(f.size.Y)/2 && m.Scale < maxStretch && m.Scale > 1/maxStretch
}
