package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/stabilize"
)

// A shakeReport writes what is known of each frame.
type shakeReport struct {
	w      io.Writer
	format string
	size   image.Point
	begun  bool
}

// add writes a frame.
func (r *shakeReport) add(res *stabilize.Result) error {
	m := stabilize.MovementOf(res.Motion, r.size)
	names := []string{"frame", "status", "points", "inliers", "dx", "dy", "rotation", "scale", "limited", "departure"}
	values := []any{
		res.Frame, res.Status, res.Points, res.Inliers,
		rounded(m.DX, 1e4), rounded(m.DY, 1e4), rounded(degrees(m.Rotation), 1e5), rounded(m.Scale, 1e6),
		res.Limited, rounded(res.Departure, 1e4),
	}
	if r.format == report.FormatJSON {
		return report.WriteObject(context.Background(), r.w, func(o *report.Object) {
			for i, name := range names {
				o.Add(name, values[i])
			}
		})
	}
	c := report.NewCSV(r.w)
	if !r.begun {
		r.begun = true
		c.Add(names...)
	}
	c.Add(report.Texts(values)...)
	return c.Flush()
}

// rounded returns v as a multiple of 1/unit, so that the last bits, which may differ between
// platforms, are not seen.
func rounded(v, unit float64) float64 {
	return math.Round(v*unit) / unit
}

// degrees returns an angle in degrees.
func degrees(angle float64) float64 { return angle * 180 / math.Pi }

// A position is that of the picture: where what the middle of the first frame shows is, in pixels,
// and how far it is turned, in degrees.
type position [3]float64

// shifts is how many of the numbers, the first ones, are pixels.
const shifts = 2

func (p position) plus(q position, factor float64) position {
	for i := range p {
		p[i] += factor * q[i]
	}
	return p
}

// A sample is the position in a frame.
type sample struct {
	frame         int
	before, after position // stabilizing
	room          position // how far x and y may be apart without an edge in sight
	marks
}

// Marks tell what has happened since the sample before.
type marks struct{ cut, limited bool }

func (m marks) and(other marks) marks {
	return marks{m.cut || other.cut, m.limited || other.limited}
}

// A shakeLog keeps the path of the picture, some samples of it if it is long, and counts.
type shakeLog struct {
	size                  image.Point
	frames, cuts, limited int
	departure             float64 // the greatest
	samples               []sample
	step                  int // frames from sample to sample
	latest                [3]sample
	marks                            // since the last sample that was kept
	shakes                int        // frames whose shake counts
	shake                 [2]float64 // the sums before and after
}

// maxSamples is how many samples are kept at most.
const maxSamples = 4096

func newShakeLog(size image.Point) *shakeLog {
	return &shakeLog{size: size, step: 1}
}

// positionOf returns what a movement does to the position.
func positionOf(m stabilize.Movement) position {
	return position{m.DX, m.DY, degrees(m.Rotation)}
}

// room returns how far the middle of a picture may be from that of the frame that it is taken
// from, so that no edge of the frame is in sight. The picture is turned and enlarged.
func (l *shakeLog) room(m stabilize.Movement) position {
	w, h := float64(l.size.X-1)/2, float64(l.size.Y-1)/2
	sin, cos := math.Sincos(m.Rotation)
	sin, cos = m.Scale*math.Abs(sin), m.Scale*math.Abs(cos)
	return position{max(0, w-cos*w-sin*h), max(0, h-cos*h-sin*w)}
}

// add adds a frame.
func (l *shakeLog) add(r *stabilize.Result) {
	motion, source := stabilize.MovementOf(r.Motion, l.size), stabilize.MovementOf(r.Source, l.size)
	s := sample{frame: l.frames, room: l.room(source), marks: marks{r.Status == stabilize.Cut && l.frames > 0, r.Limited}}
	s.before = l.latest[0].before.plus(positionOf(motion), 1)
	s.after = s.before.plus(positionOf(source), -1)
	l.latest = [3]sample{s, l.latest[0], l.latest[1]}
	l.frames++
	if s.limited {
		l.limited++
	}
	l.departure = max(l.departure, r.Departure)
	if s.cut {
		l.cuts++
	}
	if l.frames > 2 && !s.cut && !l.latest[1].cut {
		l.shakes++
		for i, of := range []func(sample) position{
			func(s sample) position { return s.before },
			func(s sample) position { return s.after },
		} {
			change := of(l.latest[0]).plus(of(l.latest[1]), -2).plus(of(l.latest[2]), 1)
			l.shake[i] += math.Hypot(change[0], change[1])
		}
	}
	l.keep(s)
}

// keep keeps a sample, if it is its turn.
func (l *shakeLog) keep(s sample) {
	l.marks = l.and(s.marks)
	if s.frame%l.step != 0 {
		return
	}
	s.marks, l.marks = l.marks, marks{}
	l.samples = append(l.samples, s)
	if len(l.samples) < maxSamples {
		return
	}
	l.step *= 2
	l.marks = l.samples[maxSamples-1].marks
	for i := range l.samples[:maxSamples/2] {
		kept := l.samples[2*i]
		if i > 0 {
			kept.marks = kept.and(l.samples[2*i-1].marks)
		}
		l.samples[i] = kept
	}
	l.samples = l.samples[:maxSamples/2]
}

// summary says what has been done.
func (l *shakeLog) summary() string {
	n := float64(max(l.shakes, 1))
	limited := ""
	if l.limited > 0 {
		limited = fmt.Sprintf(" by up to %.2f pixels", l.departure)
	}
	return fmt.Sprintf("wrote %s: %s, %d limited by the zoom%s, shake of %.2f pixels, now %.2f",
		report.Count(l.frames, "frame", "frames"), report.Count(l.cuts, "cut", "cuts"), l.limited, limited, l.shake[0]/n, l.shake[1]/n)
}
