package stabilize

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
)

// A Status is what is known about a frame.
type Status uint8

const (
	NoFrame  Status = iota // the zero Result: no frame has one yet
	Followed               // the motion since the previous frame is known
	Cut                    // a path begins: the first frame, or one that shows something else
	Blank                  // there is too little to follow; the frame stays where the previous one is
	Glitch                 // the frame shows something different from those around it; it also stays
)

var statusNames = option.Enum[Status]{"no-frame", "followed", "cut", "blank", "glitch"}

// String returns the name of s, such as "followed".
func (s Status) String() string { return statusNames.String(s) }

// MarshalText returns the name of s. It fails if s is not a Status of this package.
func (s Status) MarshalText() ([]byte, error) { return statusNames.MarshalText(s) }

// UnmarshalText sets s to the Status named by text. It fails if there is no such Status.
func (s *Status) UnmarshalText(text []byte) error { return statusNames.UnmarshalText(s, text) }

// A Result is what a Stabilizer returns for a frame. Coordinates are relative to the upper left
// pixels.
type Result struct {
	// Frame is the number of the frame, from 0.
	Frame int
	// Status reports whether the frame could be followed, or why not.
	Status Status
	// Points is the number of corners that were followed to this frame, forward and back, and
	// Inliers is how many of them agree with the Motion.
	Points, Inliers int
	// Motion maps points of the previous frame to this one: it is the motion of the picture, which
	// is opposite to that of the camera. After frames that are Blank or a Glitch, it is the motion
	// since the last frame before them. It is the identity if the Status is not Followed.
	Motion geometry.Transform
	// Source maps pixels of the stabilized frame to their positions in the original frame.
	Source geometry.Transform
	// Limited reports that the full correction would have brought an edge of the frame into view
	// and was therefore changed. Departure is the distance in pixels between the middle of the
	// frame as shown and on the smooth path: it is not 0 in such frames and, without
	// Options.Online, before and after them. With Options.Borders, Limited is false and Departure
	// is 0.
	Limited   bool
	Departure float64
}

// A Movement is what a transform does to the middle of a frame and around it.
type Movement struct {
	DX, DY   float64 // where the middle goes, in pixels
	Rotation float64 // around the middle, in radians from the x axis toward the y axis, -Pi to Pi
	Scale    float64 // of lengths; the root of the scale of areas
}

// MovementOf returns what t, such as a Motion, does in the middle of frames of the given size. The
// last bits of Rotation may differ between platforms, since package math computes it.
func MovementOf(t geometry.Transform, size image.Point) Movement {
	c := middle(size)
	to := t.Apply(c)
	w := float64(t[6]*c.X) + float64(t[7]*c.Y) + t[8]
	// The derivatives at the middle.
	xx, xy := (t[0]-float64(to.X*t[6]))/w, (t[1]-float64(to.X*t[7]))/w
	yx, yy := (t[3]-float64(to.Y*t[6]))/w, (t[4]-float64(to.Y*t[7]))/w
	return Movement{
		DX: to.X - c.X, DY: to.Y - c.Y,
		Rotation: math.Atan2(yx-xy, xx+yy),
		Scale:    math.Sqrt(math.Abs(float64(xx*yy) - float64(xy*yx))),
	}
}

// middle returns the middle of frames of a size.
func middle(size image.Point) geometry.Point {
	return geometry.Point{X: float64(size.X-1) / 2, Y: float64(size.Y-1) / 2}
}

// maxSide is the largest width and height of frames.
const maxSide = math.MaxUint16

// A Stabilizer takes the frames of a video one after the other. Create one with [New]. It is not
// safe for concurrent use.
type Stabilizer struct {
	made     option.Made
	opts     Options // with the defaults
	follower follower
	path     path
	size     image.Point // of the frames, once there is one
}

// New returns a Stabilizer. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Stabilizer, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	s := &Stabilizer{made: true, opts: opts}
	s.follower.init(&s.opts)
	s.path.init(&s.opts)
	return s, nil
}

// check panics unless s was made by New.
func (s *Stabilizer) check() {
	s.made.Require("stabilize", "Stabilizer", "New")
}

// Options returns the options of s, with defaults filled in and negative numbers replaced by what
// they stand for.
func (s *Stabilizer) Options() Options {
	s.check()
	return s.opts
}

// Push takes the luma of the next frame of the video. With Options.Online it returns the Result for
// this frame; otherwise, it returns the Result for the frame that came Options.SmoothingRadius
// frames earlier, or false if there was none. It does not keep img, and does not allocate in the
// steady state.
//
// Push panics if img is nil, malformed or empty, if it has a side of more than 65,535 pixels, or if
// its size differs from that of earlier frames or of Options.Mask.
func (s *Stabilizer) Push(img *image.Gray) (Result, bool) {
	s.check()
	p := raster.NewPlane("stabilize", img)
	size := image.Pt(p.W, p.H)
	switch {
	case size == image.Point{}:
		panic("stabilize: empty image")
	case max(p.W, p.H) > maxSide:
		panic(fmt.Sprintf("stabilize: a frame of %d by %d pixels, more than %d", p.W, p.H, maxSide))
	case s.size == image.Point{}:
		s.follower.setMask(size)
		s.size = size
		s.follower.begin(size)
		s.path.begin(size)
	case s.size != size:
		panic(fmt.Sprintf("stabilize: a frame of %d by %d pixels after frames of %d by %d", p.W, p.H, s.size.X, s.size.Y))
	}
	found, bridged := s.follower.step(p)
	s.path.add(found, bridged)
	return s.path.next(false)
}

// Flush returns the next result that is still outstanding at the end of a video, or false if there
// is none. Then the Stabilizer is ready for another video, with frames of any size.
func (s *Stabilizer) Flush() (Result, bool) {
	s.check()
	r, ok := s.path.next(true)
	if !ok {
		s.size = image.Point{}
	}
	return r, ok
}
