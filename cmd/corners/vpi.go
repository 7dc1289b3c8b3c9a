package main

import (
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"math"
	"slices"
	"strconv"

	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/vpi"
)

// A vpiMethod is the method vpi.
type vpiMethod struct {
	vpiFlags
	*vpi.Detector
}

// vpiFlags are the flags of the method.
type vpiFlags struct {
	Radius    int
	Arc       int // never 0 once the flags are checked
	Threshold float64
	Border    enum
	Nonmax    bool
	strongest int
}

var vpiBorders = []string{
	vpi.Limited: "limited",
	vpi.Zero:    "zero",
	vpi.Clamp:   "clamp",
	vpi.Reflect: "reflect",
	vpi.Mirror:  "mirror",
}

// vpiArcs are the usual arcs, by the radius.
var vpiArcs = [...]int{1: 5, 2: 7, 3: 9}

func (m *vpiMethod) define(flags *flag.FlagSet) {
	m.Border.names = vpiBorders
	flags.IntVar(&m.Radius, "radius", 3, "compare with the circle of radius `R`, 1 to 3")
	flags.IntVar(&m.Arc, "arc", 0, "ask for an arc of `N` contiguous pixels; 0: 5, 7 or 9, by the radius")
	flags.Float64Var(&m.Threshold, "threshold", 10, "ask for differences of `T` gray levels at least")
	flags.Var(&m.Border, "border", "go on beyond the edges with `NAME`, such as mirror")
	flags.BoolVar(&m.Nonmax, "nonmax", true, "keep only corners stronger than all that touch them")
	flags.IntVar(&m.strongest, "strongest", 0, "keep only the `N` strongest corners; 0 keeps all")
}

func (m *vpiMethod) prepare(workers int) error {
	err := cmp.Or(
		checkRange("radius", m.Radius, 1, 3),
		checkLeast("arc", m.Arc, 0),
		checkLeast("strongest", m.strongest, 0),
	)
	if err != nil {
		return err
	}
	if !(m.Threshold >= 0 && m.Threshold <= math.MaxUint8) { // NaN is neither
		return fmt.Errorf("invalid value %v for flag -threshold: want 0 to 255", m.Threshold)
	}
	if m.Arc == 0 {
		m.Arc = vpiArcs[m.Radius]
	}
	threshold := m.Threshold
	if threshold == 0 {
		threshold = -1 // as package vpi has it
	}
	m.Detector, err = vpi.New(vpi.Options{
		Radius:        m.Radius,
		Arc:           m.Arc,
		Threshold:     float32(threshold),
		NoSuppression: !m.Nonmax,
		Border:        vpi.Border(m.Border.value),
		Strongest:     m.strongest > 0,
		Workers:       workers,
	})
	return err
}

// find returns those of the corners that the mask and -strongest leave, in this order.
func (m *vpiMethod) find(img *image.Gray, mask *image.Alpha) finding {
	corners := m.Detect(img)
	if mask != nil {
		corners = slices.DeleteFunc(corners, func(c vpi.Corner) bool {
			return mask.AlphaAt(int(c.X), int(c.Y)).A == 0
		})
	}
	if m.strongest > 0 {
		corners = corners[:min(m.strongest, len(corners))]
	}
	return vpiFinding{m.vpiFlags, corners}
}

func (m *vpiMethod) repeater() func(img *image.Gray) {
	var corners []vpi.Corner
	return func(img *image.Gray) { corners = m.Append(corners[:0], img) }
}

func (m *vpiMethod) memory() int64 { return 3 }

func (m *vpiMethod) titles() (table, csv []string) {
	return []string{"CORNERS"}, []string{"x", "y", "score"}
}

// A vpiFinding is the corners of an image.
type vpiFinding struct {
	flags   vpiFlags
	corners []vpi.Corner
}

func (f vpiFinding) drawOn(dst draw.Image) {
	overlay.Points(dst, f.corners, func(c vpi.Corner) float64 { return float64(c.Score) })
}

func (f vpiFinding) cells() []string {
	return []string{strconv.Itoa(len(f.corners))}
}

func (f vpiFinding) records(write func(cells ...string)) {
	for _, c := range f.corners {
		write(strconv.Itoa(int(c.X)), strconv.Itoa(int(c.Y)), strconv.Itoa(int(c.Score)))
	}
}

func (f vpiFinding) fill(o *jsonObject) {
	o.add("radius", f.flags.Radius)
	o.add("arc", f.flags.Arc)
	o.add("threshold", f.flags.Threshold)
	o.add("border", f.flags.Border)
	o.add("nonmax", f.flags.Nonmax)
	o.list("corners", len(f.corners), func(i int, o *jsonObject) {
		c := f.corners[i]
		o.add("x", c.X)
		o.add("y", c.Y)
		o.add("score", int(c.Score))
	})
}

func (m *vpiMethod) help() (intro, rest string) {
	return vpiIntro, vpiRest
}

const vpiIntro = `FAST corners as NVIDIA's Vision Programming Interface defines them: on circles of
radius 1, 2 or 3 (-radius), of 8, 12 or 16 pixels, with arcs of any length (-arc).
A pixel is a corner when so many contiguous pixels of the circle are all brighter,
or all darker, than it by a threshold at least (-threshold). Its score is the
largest threshold at which it is one.

Beyond the edges (-border) there may be nothing (limited), so that corners keep the
radius away from them, black pixels (zero), the outermost pixels (clamp), or the
image reversed, with the outermost pixels (reflect) or without (mirror).

Of neighbours with equal scores the first one stays. Corners come row by row and
from left to right, or the strongest first with -strongest.
`

const vpiRest = `The report:

  table  a line for each image: its name, its size in pixels, the number of corners
         and the time in nanoseconds that finding them takes per pixel. That is the
         median of many runs on the image in memory, without a mask. Reading the
         file does not count.
  csv    a header and then a line for each corner: image,x,y,score
  json   an array with an object for each image: image, width, height, roi and
         picture (when there is one), method, radius, arc, threshold, border,
         nonmax and corners, an array of objects with x, y and score

The stronger a corner, the larger is its ring in the picture and the warmer its
color, from blue over green and yellow to red for the strongest of the image.

Examples:

  corners -method vpi photo.jpg
  corners -method vpi -radius 2 -border mirror -threshold 20 photo.jpg
  corners -method vpi -nonmax=false -strongest 1000 -format csv photo.jpg
`
