package main

import (
	"image"
	"math"
	"slices"
	"time"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
)

// A following is corners that are followed through frames.
type following struct {
	cfg      *trackConfig
	frames   int
	pyramids [2]flow.Pyramid // of this frame and of the one before, taking turns
	live     []track
	begun    int // how many tracks there have been
	trailing bool

	points  []flow.Point // of live, before
	found   []flow.Track
	corners []harris.Corner
	mask    *image.Gray
	moved   []float64
}

// A track is a corner that is followed.
type track struct {
	id    int
	point flow.Point
	trail []flow.Point // the latest positions, if there are pictures
}

// A trackedFrame is what a frame has brought.
type trackedFrame struct {
	number int
	points []trackedPoint
	found  int
	begun  int
	motion float64 // the median distance from where points were, in pixels
	time   time.Duration
}

// A trackedPoint is a track in a frame.
type trackedPoint struct {
	id     int
	point  flow.Point
	err    float32
	status string // of package flow, or statusNew
}

// statusNew is the status of a corner with which a track begins.
const statusNew = "new"

func newFollowing(cfg *trackConfig) *following {
	return &following{cfg: cfg, trailing: cfg.draw && cfg.trail > 0}
}

// step follows the corners to the next frame, whose pixels must stay as they are until the step
// after it has been done, and finds new ones if there are too few.
func (f *following) step(img *image.Gray) trackedFrame {
	start := time.Now()
	res := trackedFrame{number: f.frames}
	before, now := &f.pyramids[(f.frames+1)%2], &f.pyramids[f.frames%2]
	f.cfg.tracker.PyramidInto(now, img)
	if f.frames > 0 {
		f.follow(before, now, &res)
	}
	f.frames++
	if limit := f.cfg.corners.MaxCorners; len(f.live) == 0 || float64(len(f.live)) < f.cfg.refill*float64(limit) {
		f.find(img, &res)
	}
	res.time = time.Since(start)
	return res
}

// follow moves the tracks to where their corners are now, and ends those of which that is not
// known.
func (f *following) follow(before, now *flow.Pyramid, res *trackedFrame) {
	f.points, f.moved = f.points[:0], f.moved[:0]
	for _, t := range f.live {
		f.points = append(f.points, t.point)
	}
	f.found = f.cfg.tracker.AppendTrack(f.found[:0], before, now, f.points, nil)
	kept := f.live[:0]
	for i, got := range f.found {
		t := f.live[i]
		res.points = append(res.points, trackedPoint{t.id, got.Point(), got.Err, got.Status.String()})
		if got.Status != flow.Found {
			continue
		}
		f.moved = append(f.moved, math.Hypot(float64(got.X-t.point.X), float64(got.Y-t.point.Y)))
		t.point = got.Point()
		f.extend(&t)
		kept = append(kept, t)
	}
	f.live, res.found = kept, len(kept)
	if n := len(f.moved); n > 0 {
		slices.Sort(f.moved)
		res.motion = f.moved[n/2]
	}
}

// find begins tracks with corners that are not near those of others.
func (f *following) find(img *image.Gray, res *trackedFrame) {
	if f.mask == nil {
		f.mask = image.NewGray(img.Rect)
	}
	for i := range f.mask.Pix {
		f.mask.Pix[i] = 255
	}
	for _, t := range f.live {
		clearDisc(f.mask, t.point, f.cfg.corners.MinDistance)
	}
	f.corners = f.cfg.detector.Append(f.corners[:0], img, f.mask)
	for _, c := range f.corners[:min(len(f.corners), f.cfg.corners.MaxCorners-len(f.live))] {
		t := track{id: f.begun, point: flow.Point{X: float32(c.X), Y: float32(c.Y)}}
		f.begun++
		f.extend(&t)
		f.live = append(f.live, t)
		res.points = append(res.points, trackedPoint{t.id, t.point, 0, statusNew})
		res.begun++
	}
}

// clearDisc sets the pixels to 0 that are nearer to a point than radius.
func clearDisc(mask *image.Gray, p flow.Point, radius float64) {
	x, y := float64(p.X), float64(p.Y)
	within := func(v float64, end int) int { return int(min(max(v, 0), float64(end))) }
	for row := within(math.Ceil(y-radius), mask.Rect.Max.Y); row < within(math.Floor(y+radius)+1, mask.Rect.Max.Y); row++ {
		reach := math.Sqrt(max(radius*radius-(float64(row)-y)*(float64(row)-y), 0))
		left, right := within(math.Ceil(x-reach), mask.Rect.Max.X), within(math.Floor(x+reach)+1, mask.Rect.Max.X)
		if left < right {
			clear(mask.Pix[row*mask.Stride:][left:right])
		}
	}
}

// extend adds the point of a track to its trail.
func (f *following) extend(t *track) {
	if !f.trailing {
		return
	}
	if n := f.cfg.trail; len(t.trail) > n {
		t.trail = append(t.trail[:0], t.trail[len(t.trail)-n:]...)
	}
	t.trail = append(t.trail, t.point)
}

// trails returns the positions of all tracks for a picture.
func (f *following) trails() [][]flow.Point {
	var list [][]flow.Point
	for _, t := range f.live {
		if !f.trailing {
			t.trail = []flow.Point{t.point}
		}
		list = append(list, t.trail)
	}
	return list
}
