package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"math"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/overlay"
)

// A lococoMethod is the method lococo.
type lococoMethod struct {
	lococoFlags
	*lococo.Detector
}

// lococoFlags are the flags of the method.
type lococoFlags struct {
	MaxCorners int
	Kernel     sides
	Window     int // 0: that of the kernel
	Measure    enum
	K          float64
	Quality    float64
	Radius     int
	Subpixel   bool
}

func (m *lococoMethod) define(flags *flag.FlagSet) {
	m.Kernel = sides{9}
	m.Measure.names = lococoMeasures
	flags.IntVar(&m.MaxCorners, "corners", 0, "keep only the `N` strongest corners; 0 keeps all")
	flags.Var(&m.Kernel, "kernel", "take kernels of `N` by N pixels, such as 5,9,17")
	flags.IntVar(&m.Window, "window", 0, "sum over `N` by N pixels; 0: as many as the kernel has")
	flags.Var(&m.Measure, "measure", "take responses by `NAME`, such as min-eigenvalue")
	flags.Float64Var(&m.K, "k", 0.04, "weigh the squared trace by `K`, for the measure harris")
	flags.Float64Var(&m.Quality, "quality", 0.01, "ask for responses above `Q` times the largest")
	flags.IntVar(&m.Radius, "radius", 4, "keep the largest response within `N` pixels, 1 to 32")
	flags.BoolVar(&m.Subpixel, "subpixel", false, "place corners in fractions of pixels")
}

func (m *lococoMethod) prepare(workers int) (err error) {
	// To package lococo, 0 means the default.
	err = cmp.Or(
		checkLeast("corners", m.MaxCorners, 0),
		checkShare("k", m.K),
		checkShare("quality", m.Quality),
		checkRange("radius", m.Radius, 1, 32),
	)
	if err != nil {
		return err
	}
	m.Detector, err = lococo.New(lococo.Options{
		Kernels:    m.Kernel,
		Window:     m.Window,
		Measure:    lococo.Measure(m.Measure.value),
		K:          m.K,
		Quality:    m.Quality,
		Radius:     m.Radius,
		MaxCorners: m.MaxCorners,
		Subpixel:   m.Subpixel,
		Workers:    workers,
	})
	return err
}

// Sides are the sides of kernels, a flag.
type sides []int

func (s *sides) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*s)), " ", ","), "[]")
}

func (s *sides) Set(text string) error {
	*s = nil
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return errors.New("want numbers with commas between them")
		}
		*s = append(*s, n)
	}
	return nil
}

var lococoMeasures = []string{
	lococo.Harris:        "harris",
	lococo.MinEigenvalue: "min-eigenvalue",
	lococo.DetOverTrace:  "det-over-trace",
}

func (m *lococoMethod) find(img *image.Gray, mask *image.Alpha) finding {
	return lococoFinding{m.lococoFlags, m.Detect(img, grayMask(mask))}
}

func (m *lococoMethod) repeater() func(img *image.Gray) {
	var corners []lococo.Corner
	return func(img *image.Gray) { corners = m.Append(corners[:0], img, nil) }
}

func (m *lococoMethod) memory() int64 { return 6 }

func (m *lococoMethod) titles() (table, csv []string) {
	return []string{"CORNERS"}, []string{"x", "y", "response", "kernel"}
}

// A lococoFinding is the corners of an image.
type lococoFinding struct {
	flags   lococoFlags
	corners []lococo.Corner
}

func (f lococoFinding) drawOn(dst draw.Image) {
	// Most responses are a small share of the largest one. Roots spread them.
	overlay.Points(dst, f.corners, func(c lococo.Corner) float64 { return math.Sqrt(float64(c.Response)) })
}

func (f lococoFinding) cells() []string {
	return []string{strconv.Itoa(len(f.corners))}
}

func (f lococoFinding) records(write func(cells ...string)) {
	for _, c := range f.corners {
		x, y := place(c)
		write(number(x), number(y), number(c.Response), strconv.Itoa(int(c.Kernel)))
	}
}

func (f lococoFinding) fill(o *jsonObject) {
	o.add("max_corners", f.flags.MaxCorners)
	o.array("kernels", len(f.flags.Kernel), func(i int) { o.text = strconv.AppendInt(o.text, int64(f.flags.Kernel[i]), 10) })
	o.add("window", f.flags.Window)
	o.add("measure", f.flags.Measure)
	o.add("k", f.flags.K)
	o.add("quality", f.flags.Quality)
	o.add("radius", f.flags.Radius)
	o.add("subpixel", f.flags.Subpixel)
	o.list("corners", len(f.corners), func(i int, o *jsonObject) {
		c := f.corners[i]
		x, y := place(c)
		o.add("x", x)
		o.add("y", y)
		o.add("response", c.Response)
		o.add("kernel", c.Kernel)
	})
}

// place returns the place of a corner in fractions of pixels.
func place(c lococo.Corner) (x, y float32) {
	return float32(c.X) + c.DX, float32(c.Y) + c.DY
}

func (m *lococoMethod) help() (intro, rest string) {
	return lococoIntro, lococoRest
}

const lococoIntro = `Corners by the structure tensor, as method harris finds them, whose gradients are
differences of boxes: right minus left, and below minus above. Large kernels
(-kernel, odd, 3 to 63) see past noise and texture, and take as long as small ones.
Several of them are as many searches. Windows (-window) are odd, 3 to 63, too.

The responses (-measure) are harris, whose squared trace -k weighs, min-eigenvalue,
as method shi-tomasi has it, and det-over-trace. A pixel is a corner when its
response exceeds a share (-quality) of the largest one of its kernel and is the
largest within -radius pixels in both directions. The strongest corners come first.
`

const lococoRest = `The report:

  table  a line for each image: its name, its size in pixels, the number of corners
         and the time in nanoseconds that finding them takes per pixel
  csv    a header and then a line for each corner: image,x,y,response,kernel
  json   an array with an object for each image: image, width, height, roi and
         picture (when there is one), method, the flags (-corners as max_corners,
         -kernel as kernels) and corners, an array of objects with x, y, response
         and kernel

Coordinates have fractions with -subpixel. The kernel is the side of that which
found the corner. The stronger a corner, the larger is its ring in the picture and
the warmer its color, from blue over green and yellow to red for the strongest of
the image.

Examples:

  corners -method lococo photo.jpg
  corners -method lococo -kernel 5,9,17 -corners 500 -subpixel -format csv photo.jpg
`
