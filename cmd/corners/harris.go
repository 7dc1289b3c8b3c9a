package main

import (
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"math"
	"strconv"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/overlay"
)

// A harrisMethod is the method harris or shi-tomasi.
type harrisMethod struct {
	measure harris.Measure
	harrisFlags
	*harris.Detector
}

// harrisFlags are the flags of both methods.
type harrisFlags struct {
	MaxCorners int
	Quality    float64
	Distance   float64
	Block      int
	Gradient   enum
	K          float64 // of harris only, and more than 0
}

func (m *harrisMethod) define(flags *flag.FlagSet) {
	m.Gradient.names = harrisGradients
	flags.IntVar(&m.MaxCorners, "corners", 0, "keep only the `N` strongest corners; 0 keeps all")
	flags.Float64Var(&m.Quality, "quality", 0.01, "ask for responses above `Q` times the largest")
	flags.Float64Var(&m.Distance, "distance", 10, "keep corners at least `D` pixels apart; 0 keeps all")
	flags.IntVar(&m.Block, "block", 3, "sum over a window of `N` by N pixels, 1 to 31")
	flags.Var(&m.Gradient, "gradient", "find gradients by `NAME`, such as scharr")
	if m.measure == harris.Harris {
		flags.Float64Var(&m.K, "k", 0.04, "weigh the squared trace by `K`")
	}
}

func (m *harrisMethod) prepare(workers int) error {
	// To package harris, 0 means the default.
	err := cmp.Or(
		checkLeast("corners", m.MaxCorners, 0),
		checkShare("quality", m.Quality),
		checkRange("block", m.Block, 1, 31),
	)
	if err != nil {
		return err
	}
	if !(m.Distance >= 0) || math.IsInf(m.Distance, 1) { // NaN is not
		return fmt.Errorf("invalid value %v for flag -distance: want 0 or more", m.Distance)
	}
	if m.measure == harris.Harris {
		if err := checkShare("k", m.K); err != nil {
			return err
		}
	}
	m.Detector, err = harris.New(harris.Options{
		Measure:     m.measure,
		K:           m.K,
		Gradient:    harris.Gradient(m.Gradient.value),
		BlockSize:   m.Block,
		Quality:     m.Quality,
		MinDistance: m.Distance,
		MaxCorners:  m.MaxCorners,
		Workers:     workers,
	})
	return err
}

var harrisGradients = []string{
	harris.Sobel3:   "sobel3",
	harris.Sobel5:   "sobel5",
	harris.Sobel7:   "sobel7",
	harris.Scharr:   "scharr",
	harris.Gaussian: "gaussian",
}

func (m *harrisMethod) find(img *image.Gray, mask *image.Alpha) finding {
	return harrisFinding{m.harrisFlags, m.Detect(img, grayMask(mask))}
}

func (m *harrisMethod) repeater() func(img *image.Gray) {
	var corners []harris.Corner
	return func(img *image.Gray) { corners = m.Append(corners[:0], img, nil) }
}

func (m *harrisMethod) memory() int64 { return 2 }

func (m *harrisMethod) titles() (table, csv []string) {
	return []string{"CORNERS"}, []string{"x", "y", "response"}
}

// A harrisFinding is the corners of an image.
type harrisFinding struct {
	flags   harrisFlags
	corners []harris.Corner
}

func (f harrisFinding) drawOn(dst draw.Image) {
	// Most responses are a small share of the largest one. Roots spread them.
	overlay.Points(dst, f.corners, func(c harris.Corner) float64 { return math.Sqrt(float64(c.Response)) })
}

func (f harrisFinding) cells() []string {
	return []string{strconv.Itoa(len(f.corners))}
}

func (f harrisFinding) records(write func(cells ...string)) {
	for _, c := range f.corners {
		write(strconv.Itoa(int(c.X)), strconv.Itoa(int(c.Y)), number(c.Response))
	}
}

func (f harrisFinding) fill(o *jsonObject) {
	o.add("max_corners", f.flags.MaxCorners)
	o.add("quality", f.flags.Quality)
	o.add("distance", f.flags.Distance)
	o.add("block", f.flags.Block)
	o.add("gradient", f.flags.Gradient)
	if f.flags.K > 0 {
		o.add("k", f.flags.K)
	}
	o.list("corners", len(f.corners), func(i int, o *jsonObject) {
		c := f.corners[i]
		o.add("x", c.X)
		o.add("y", c.Y)
		o.add("response", c.Response)
	})
}

func (m *harrisMethod) help() (intro, rest string) {
	name, intro := "shi-tomasi", minEigenvalueIntro
	if m.measure == harris.Harris {
		name, intro = "harris", harrisIntro
	}
	return intro + tensorIntro, fmt.Sprintf(harrisRest, name)
}

const (
	minEigenvalueIntro = `The response of a pixel is the smaller eigenvalue of its structure tensor.
`
	harrisIntro = `The response of a pixel is the determinant of its structure tensor minus K times
the square of the trace (-k).
`
)

const tensorIntro = `
The tensor is the matrix of the sums, over a window around the pixel (-block), of
the squares and the product of the gradients in both directions. So the response is
large where gradients point into different directions. The filters that find them
(-gradient) are sobel3, sobel5, sobel7, scharr and gaussian, which has a standard
deviation of 1 pixel.

A pixel is a corner when its response exceeds a share (-quality) of the largest one,
in the image or in what -mask keeps of it, and none that touches it is larger. Of
these, from the strongest to the weakest, -distance keeps each that is not too near
to one kept before, until there are as many as -corners asks for. They come in this
order.

With Sobel's gradients they are those of OpenCV's goodFeaturesToTrack, and of method
harris those with useHarrisDetector.
`

const harrisRest = `The report:

  table  a line for each image: its name, its size in pixels, the number of corners
         and the time in nanoseconds that finding them takes per pixel. That is the
         median of many runs on the image in memory, without a mask. Reading the
         file does not count.
  csv    a header and then a line for each corner: image,x,y,response
  json   an array with an object for each image: image, width, height, roi and
         picture (when there is one), method, the flags (-corners as max_corners)
         and corners, an array of objects with x, y and response

The stronger a corner, the larger is its ring in the picture and the warmer its
color, from blue over green and yellow to red for the strongest of the image.

Examples:

  corners -method %[1]s photo.jpg
  corners -method %[1]s -corners 500 -distance 7 -quality 0.001 photo.jpg
  corners -method %[1]s -distance 0 -format csv photo.jpg
`
