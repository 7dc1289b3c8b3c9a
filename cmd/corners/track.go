package main

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/overlay"
)

// A trackConfig is what the command line of corners track asks for.
type trackConfig struct {
	output
	trackFlags
	flags *cli.Set
	names []string

	detector *harris.Detector
	tracker  *flow.Tracker
}

// trackFlags are the flags of corners track alone.
type trackFlags struct {
	corners  harris.Options
	flow     flow.Options
	window   int
	refill   float64
	trail    int
	interval int
}

func (f *trackFlags) define(flags *cli.Set) {
	flags.IntIn(&f.corners.MaxCorners, "corners", 500, cli.From(1, 1e6), "follow up to `N` corners at a time")
	flags.FloatIn(&f.corners.Quality, "quality", 0.01, cli.Above(0, 1), "begin with responses above `Q` times the largest")
	flags.FloatIn(&f.corners.MinDistance, "distance", 10, cli.From(1, 1e6), "begin with corners at least `D` pixels apart")
	flags.IntIn(&f.window, "window", 21, cli.From(3, 255), "compare windows of `N` by N pixels, 3 to 255")
	flags.IntIn(&f.flow.Levels, "levels", 4, cli.From(1, cli.Unlimited), "search `N` levels of different sizes; 1 is the image")
	flags.FloatIn(&f.flow.Confirm, "confirm", 0.5, cli.From(0, cli.Unlimited), "follow back, too, to within `D` pixels; 0 does not")
	flags.BoolVar(&f.flow.RemoveMean, "remove-mean", false, "allow for changes in brightness")
	flags.FloatIn(&f.refill, "refill", 0.8, cli.From(0, 1), "find new corners when fewer than this `SHARE` are left")
	flags.IntIn(&f.trail, "trail", 20, cli.From(0, 1e6), "draw where a corner was in the last `N` frames")
	flags.IntIn(&f.interval, "every", 0, cli.From(0, cli.Unlimited), "draw every `N`th frame; 0 draws only the last one")
}

// What corners track takes at most.
const (
	trackBytes    = 40  // for each pixel of a frame: the search, two pyramids, a mask and the frame before
	cornerBytes   = 300 // for each corner that is followed, with its line of the report
	positionBytes = 16  // for each position of a trail
)

// track follows corners from image to image.
func (s *session) track(args []string) error {
	cfg, err := parseTrack(args, s.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	s.begin(cfg.reporting)
	lists := cli.ByteSize(cfg.corners.MaxCorners) * cli.ByteSize(cornerBytes+positionBytes*cfg.trail)
	if lists > s.reader.Memory() {
		return fmt.Errorf("flags -corners and -trail: %v of memory are needed, more than %v (-memory)", lists, s.reader.Memory())
	}
	s.reader.Reserve(lists)
	source, err := s.openFrames(cfg)
	if err != nil {
		return err
	}
	defer source.close()
	target := files.NewTarget(cfg.path, cfg.force, source.inputs(), s.console.Stream())
	if cfg.draw {
		if err := s.drafts.MakeDir(target.Dir()); err != nil {
			return err
		}
		if target.IsOne() { // which must not turn out to be in use when all is done
			if _, err := target.Path(""); err != nil {
				return err
			}
		}
	}
	var pictures []string
	draw := func(f *following, frame frame) error {
		path, err := target.Path(frame.stem)
		if err != nil {
			return err
		}
		picture := overlay.Canvas(frame.seen)
		overlay.Tracks(picture, f.trails())
		if err := s.drafts.Save(s.life.Early, path, picture, cfg.force); err != nil {
			return err
		}
		pictures = append(pictures, path)
		return nil
	}

	follower := newFollowing(&cfg)
	lines := newTrackReport(s.life.Late, s.console.Stdout, cfg.format)
	var last frame
	drawn := false // the last frame
	for {
		s.console.Say("frame %d", follower.frames)
		next, ended := source.next()
		if ended != nil {
			// What came before a frame that cannot be read counts.
			if ended != io.EOF {
				s.console.Fail(ended)
			}
			break
		}
		last, drawn = next, false
		if err := lines.add(next, follower.step(next.gray)); err != nil {
			return err
		}
		s.console.Left = fmt.Sprintf("the report ends with frame %d", follower.frames-1)
		if n := cfg.interval; cfg.draw && n > 0 && (follower.frames-1)%n == 0 {
			last.stem += fmt.Sprintf("-%06d", follower.frames-1)
			if err := draw(follower, last); err != nil {
				return err
			}
			drawn = true
		}
		if err := s.life.Early.Err(); err != nil {
			return err
		}
	}
	s.console.Left = ""
	if cfg.draw && !drawn && follower.frames > 0 {
		if err := draw(follower, last); err != nil {
			return err
		}
	}
	s.console.EndProgress()
	if len(pictures) == 0 {
		return nil
	}
	return s.console.SayWritten(cfg.format, pictures)
}

// parseTrack reads the command line of corners track as parseFind does that of corners.
func parseTrack(args []string, stdout io.Writer) (cfg trackConfig, err error) {
	cfg.flags = cli.New(cfg.output.define, cfg.trackFlags.define)
	if cfg.names, err = cfg.output.parse(cfg.flags, args, stdout, printTrackHelp); err != nil {
		return trackConfig{}, err
	}
	if len(cfg.names) == 0 {
		return trackConfig{}, errors.New("corners track needs images, or a video")
	}
	if cfg.interval > 0 && files.IsPNG(cfg.path) && !files.IsDir(cfg.path) {
		return trackConfig{}, errors.New("flag -every draws several pictures: -o must be a directory")
	}
	f := &cfg.trackFlags
	f.corners.Workers, f.flow.Workers = cfg.workers, cfg.workers
	f.flow.Window = image.Pt(f.window, f.window)
	if cfg.detector, err = harris.New(f.corners); err == nil {
		cfg.tracker, err = flow.New(f.flow)
	}
	return cfg, err
}

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
