package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The picture of a path, in its units.
const (
	pathWidth    = 960
	pathHeight   = 160 // of a panel
	pathLeft     = 70  // where panels begin
	pathRight    = pathWidth - 10
	pathGap      = 30 // between panels
	beforeColor  = "#e69f00"
	afterColor   = "#0072b2"
	roomColor    = "#f7e6c4"
	limitedColor = "#d00000"
)

// positionNames are the names of the numbers.
var positionNames = [3]string{"x, pixels", "y, pixels", "rotation, degrees"}

// draw writes a picture of the path, an SVG file: a panel for each number of the position, and for
// shifts another one of what is after less what is before, since a path may be so long that its room
// is not seen.
func (l *shakeLog) draw(w io.Writer) error {
	c := chart{last: max(l.frames-1, 1), step: l.step}
	for i, name := range positionNames {
		c.panel(i, name, l.samples, 2)
		if i < shifts {
			c.panel(i, name+", after less before", differences(l.samples), 1)
		}
	}
	height := c.bottom + pathGap
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", pathWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", pathWidth, height)
	b.WriteString(c.svg.String())
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">frame %d</text>`+"\n", pathRight, height-10, max(l.frames-1, 0))
	fmt.Fprintf(&b, `<text x="%d" y="%d">0</text>`+"\n", pathLeft, height-10)
	fmt.Fprintf(&b, `<text x="%d" y="18" text-anchor="end"><tspan fill="%s">before</tspan> <tspan fill="%s" font-weight="bold">after</tspan> `+
		`<tspan fill="%s">&#9632;</tspan> no edge in sight <tspan fill="%s">&#9632;</tspan> limited</text>`+"\n",
		pathRight, beforeColor, afterColor, roomColor, limitedColor)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// differences returns samples whose positions are relative to those before stabilizing.
func differences(samples []sample) []sample {
	list := slices.Clone(samples)
	for i := range list {
		s := &list[i]
		s.before, s.after = position{}, s.after.plus(s.before, -1)
	}
	return list
}

// A chart is panels, one below the other.
type chart struct {
	svg        strings.Builder
	last, step int // the last frame, and how many there are from sample to sample
	bottom     int // of the panels
}

// x returns where a frame is.
func (c *chart) x(frame float64) float64 {
	return pathLeft + frame/float64(c.last)*(pathRight-pathLeft)
}

// panel draws a number of the position, and where the room for it is. The line of what is after
// stabilizing has a width.
func (c *chart) panel(i int, name string, samples []sample, width int) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range samples {
		low, high = min(low, s.before[i]-s.room[i], s.after[i]), max(high, s.before[i]+s.room[i], s.after[i])
	}
	if !(low < high) {
		low, high = -1, 1
	}
	top := c.bottom + pathGap
	c.bottom = top + pathHeight
	y := func(v float64) float64 { return float64(top) + (high-v)/(high-low)*pathHeight }
	fmt.Fprintf(&c.svg, `<text x="%d" y="%d">%s</text>`+"\n", pathLeft, top-6, name)
	for _, v := range []float64{low, high} {
		fmt.Fprintf(&c.svg, `<text x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n", pathLeft-6, y(v)+4, v)
	}
	points := func(samples []sample, of func(s sample) float64) []byte {
		var list []byte
		for _, s := range samples {
			list = strconv.AppendFloat(append(list, ' '), c.x(float64(s.frame)), 'f', 1, 64)
			list = strconv.AppendFloat(append(list, ','), y(of(s)), 'f', 1, 64)
		}
		return list
	}
	var limited []byte // frames, below the panel
	for _, s := range samples {
		if s.limited {
			from, to := max(pathLeft, c.x(float64(s.frame-c.step)+.5)), min(c.x(float64(s.frame)+.5), pathRight)
			limited = fmt.Appendf(limited, "M%.1f %dh%.1f", from, c.bottom+5, max(to-from, 1))
		}
	}
	for len(samples) > 0 {
		n := 1
		for n < len(samples) && !samples[n].cut {
			n++
		}
		scene := samples[:n]
		samples = samples[n:]
		if scene[0].cut {
			fmt.Fprintf(&c.svg, `<path d="M%.1f %dv%d" stroke="#ccc"/>`+"\n", c.x(float64(scene[0].frame)), top, pathHeight)
		}
		if i < shifts {
			back := slices.Clone(scene)
			slices.Reverse(back)
			above := points(scene, func(s sample) float64 { return s.before[i] + s.room[i] })
			below := points(back, func(s sample) float64 { return s.before[i] - s.room[i] })
			fmt.Fprintf(&c.svg, `<polygon fill="%s" points="%s%s"/>`+"\n", roomColor, above, below)
		}
		c.line(beforeColor, 1, points(scene, func(s sample) float64 { return s.before[i] }))
		c.line(afterColor, width, points(scene, func(s sample) float64 { return s.after[i] }))
	}
	fmt.Fprintf(&c.svg, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#ccc"/>`+"\n", pathLeft, top, pathRight-pathLeft, pathHeight)
	fmt.Fprintf(&c.svg, `<path stroke="%s" stroke-width="6" d="%s"/>`+"\n", limitedColor, limited)
}

// line draws a line through points.
func (c *chart) line(color string, width int, points []byte) {
	fmt.Fprintf(&c.svg, `<polyline fill="none" stroke="%s" stroke-width="%d" points="%s"/>`+"\n", color, width, points)
}
