package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"
	"strings"

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
	names := []string{"frame", "status", "points", "inliers", "dx", "dy", "rotation", "scale", "limited"}
	values := []any{
		res.Frame, res.Status, res.Points, res.Inliers,
		rounded(m.DX, 1e4), rounded(m.DY, 1e4), rounded(degrees(m.Rotation), 1e5), rounded(m.Scale, 1e6), res.Limited,
	}
	if r.format == formatJSON {
		o := jsonObject{ctx: context.Background(), w: r.w}
		o.braces(func() {
			for i, name := range names {
				o.add(name, values[i])
			}
		})
		return o.end("\n")
	}
	c := newCSV(r.w)
	if !r.begun {
		r.begun = true
		c.add(names...)
	}
	c.add(texts(values)...)
	return c.flush()
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

// positionNames are the names of the numbers.
var positionNames = [3]string{"x, pixels", "y, pixels", "rotation, degrees"}

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
	cut           bool     // since the sample before
}

// A shakeLog keeps the path of the picture, some samples of it if it is long, and counts.
type shakeLog struct {
	size                  image.Point
	frames, cuts, limited int
	samples               []sample
	step                  int // frames from sample to sample
	latest                [3]sample
	cut                   bool       // since the last sample that was kept
	shakes                int        // frames whose shake counts
	shake                 [2]float64 // the sums before and after
}

// maxSamples is how many samples are kept at most.
const maxSamples = 4096

func newShakeLog(size image.Point) *shakeLog {
	return &shakeLog{size: size, step: 1}
}

// movement returns what a transform does to the position.
func movement(m stabilize.Movement) position {
	return position{m.DX, m.DY, degrees(m.Rotation)}
}

// add adds a frame.
func (l *shakeLog) add(r *stabilize.Result) {
	last := &l.latest[0]
	s := sample{frame: l.frames, cut: r.Status == stabilize.Cut && l.frames > 0}
	s.before = last.before.plus(movement(stabilize.MovementOf(r.Motion, l.size)), 1)
	s.after = s.before.plus(movement(stabilize.MovementOf(r.Source, l.size)), -1)
	l.latest = [3]sample{s, l.latest[0], l.latest[1]}
	l.frames++
	if r.Limited {
		l.limited++
	}
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
	l.cut = l.cut || s.cut
	if s.frame%l.step != 0 {
		return
	}
	s.cut, l.cut = l.cut, false
	l.samples = append(l.samples, s)
	if len(l.samples) < maxSamples {
		return
	}
	l.step *= 2
	l.cut = l.samples[maxSamples-1].cut
	for i := range l.samples[:maxSamples/2] {
		kept := l.samples[2*i]
		kept.cut = kept.cut || i > 0 && l.samples[2*i-1].cut
		l.samples[i] = kept
	}
	l.samples = l.samples[:maxSamples/2]
}

// summary says what has been done.
func (l *shakeLog) summary() string {
	n := float64(max(l.shakes, 1))
	return fmt.Sprintf("wrote %d frames: %d cuts, %d limited by the zoom, shake of %.2f pixels, now %.2f",
		l.frames, l.cuts, l.limited, l.shake[0]/n, l.shake[1]/n)
}

// The picture of a path, in its units.
const (
	pathWidth   = 960
	pathHeight  = 160 // of a panel
	pathLeft    = 70  // where panels begin
	pathGap     = 30  // between panels
	beforeColor = "#e69f00"
	afterColor  = "#0072b2"
)

// draw writes a picture of the path, an SVG file.
func (l *shakeLog) draw(w io.Writer) error {
	var b strings.Builder
	height := len(positionNames)*(pathHeight+pathGap) + pathGap
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", pathWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", pathWidth, height)
	last := float64(max(l.frames-1, 1))
	x := func(frame int) float64 { return pathLeft + float64(frame)/last*(pathWidth-pathLeft-10) }
	for i, name := range positionNames {
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range l.samples {
			low, high = min(low, s.before[i], s.after[i]), max(high, s.before[i], s.after[i])
		}
		if !(low < high) {
			low, high = -1, 1
		}
		top := float64(pathGap + i*(pathHeight+pathGap))
		y := func(v float64) float64 { return top + (high-v)/(high-low)*pathHeight }
		fmt.Fprintf(&b, `<text x="%d" y="%.0f">%s</text>`+"\n", pathLeft, top-6, name)
		fmt.Fprintf(&b, `<rect x="%d" y="%.0f" width="%d" height="%d" fill="none" stroke="#ccc"/>`+"\n", pathLeft, top, pathWidth-pathLeft-10, pathHeight)
		for _, v := range []float64{low, high} {
			fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n", pathLeft-6, y(v)+4, v)
		}
		for _, s := range l.samples {
			if s.cut {
				fmt.Fprintf(&b, `<path d="M%.1f %.0fv%d" stroke="#ccc"/>`+"\n", x(s.frame), top, pathHeight)
			}
		}
		l.line(&b, beforeColor, 1, func(s sample) (float64, float64) { return x(s.frame), y(s.before[i]) })
		l.line(&b, afterColor, 2, func(s sample) (float64, float64) { return x(s.frame), y(s.after[i]) })
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">frame %d</text>`+"\n", pathWidth-10, height-10, max(l.frames-1, 0))
	fmt.Fprintf(&b, `<text x="%d" y="%d">0</text>`+"\n", pathLeft, height-10)
	fmt.Fprintf(&b, `<text x="%d" y="18" text-anchor="end"><tspan fill="%s">before</tspan> <tspan fill="%s" font-weight="bold">after</tspan></text>`+"\n",
		pathWidth-10, beforeColor, afterColor)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// line draws the line through all samples, with a gap at cuts.
func (l *shakeLog) line(b *strings.Builder, color string, width float64, at func(sample) (x, y float64)) {
	if len(l.samples) == 0 {
		return
	}
	fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="%v" d="`, color, width)
	for i, s := range l.samples {
		letter := "L"
		if i == 0 || s.cut {
			letter = "M"
		}
		x, y := at(s)
		b.WriteString(letter + strconv.FormatFloat(x, 'f', 1, 64) + " " + strconv.FormatFloat(y, 'f', 1, 64))
	}
	b.WriteString("\"/>\n")
}
