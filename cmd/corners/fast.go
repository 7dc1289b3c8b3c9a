package main

import (
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"strconv"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/overlay"
)

// What the flags of method fast and of corners bench have in common.
const (
	defaultThreshold = 25
	thresholdUsage   = "ask for differences above `T` gray levels, 0 to 255"
)

// A fastMethod is the method fast.
type fastMethod struct {
	opts      fast.Options
	threshold int
	detector  *fast.Detector // made of opts, with the kernel that Auto stands for
	asked     *fast.Detector // the same, with scores only if -nonmax needs them
	strongest int            // how many corners to keep at most, or 0
	spread    int            // how many corners to keep at most, or 0
	corners   []fast.Corner  // memory of repeat
}

func (m *fastMethod) define(flags *flag.FlagSet) {
	flags.IntVar(&m.threshold, "threshold", defaultThreshold, thresholdUsage)
	flags.IntVar(&m.opts.ArcLength, "arc", 10, "ask for an arc of `N` contiguous pixels, 9 to 12")
	flags.BoolVar(&m.opts.NonmaxSuppression, "nonmax", false, "keep only corners stronger than all that touch them")
	flags.IntVar(&m.strongest, "strongest", 0, "keep only the `N` strongest corners; 0 keeps all")
	flags.IntVar(&m.spread, "spread", 0, "keep only `N` corners, spread evenly; 0 keeps all")
	flags.TextVar(&m.opts.Kernel, "kernel", fast.Auto, "take the kernel `NAME`, such as scalar")
}

func (m *fastMethod) prepare(workers int) error {
	err := cmp.Or(
		checkRange("threshold", m.threshold, 0, 255),
		checkRange("arc", m.opts.ArcLength, 9, 12),
		checkLeast("strongest", m.strongest, 0),
		checkLeast("spread", m.spread, 0),
	)
	if err != nil {
		return err
	}
	m.opts.Threshold = uint8(m.threshold)
	m.opts.Workers = workers
	if m.asked, err = fast.New(m.opts); err != nil {
		return err
	}
	m.opts.Kernel = m.asked.Kernel()
	m.opts.Score = true
	m.detector, err = fast.New(m.opts)
	return err
}

// find returns those of the corners that the mask, -strongest and -spread
// leave, in this order.
func (m *fastMethod) find(img *image.Gray, mask *image.Alpha) finding {
	corners := m.detector.Detect(img)
	if mask != nil {
		corners = fast.InMask(corners, mask)
	}
	if m.strongest > 0 {
		corners = fast.Strongest(corners, m.strongest)
	}
	if m.spread > 0 {
		corners = fast.Spread(corners, img.Rect, m.spread)
	}
	return fastFinding{m.opts, corners}
}

func (m *fastMethod) repeat(img *image.Gray) {
	m.corners = m.asked.Append(m.corners[:0], img)
}

func (m *fastMethod) titles() (table, csv []string) {
	return []string{"KERNEL", "THRESHOLD", "CORNERS"}, []string{"x", "y", "score"}
}

// A fastFinding is the corners of an image.
type fastFinding struct {
	opts    fast.Options
	corners []fast.Corner
}

func (f fastFinding) drawOn(dst draw.Image) {
	overlay.Corners(dst, f.corners)
}

func (f fastFinding) cells() []string {
	return []string{f.opts.Kernel.String(), strconv.Itoa(int(f.opts.Threshold)), strconv.Itoa(len(f.corners))}
}

func (f fastFinding) records(write func(cells ...string)) {
	for _, c := range f.corners {
		write(strconv.Itoa(int(c.X)), strconv.Itoa(int(c.Y)), strconv.Itoa(int(c.Score)))
	}
}

// A fastObject is an image and its corners in JSON.
type fastObject struct {
	Image     string       `json:"image"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
	Kernel    fast.Kernel  `json:"kernel"`
	Threshold uint8        `json:"threshold"`
	Arc       int          `json:"arc"`
	Nonmax    bool         `json:"nonmax"`
	Picture   string       `json:"picture,omitempty"`
	Corners   []fastCorner `json:"corners"`
}

type fastCorner struct {
	X     int32 `json:"x"`
	Y     int32 `json:"y"`
	Score uint8 `json:"score"`
}

func (f fastFinding) object(res result) any {
	object := fastObject{
		Image:     res.name,
		Width:     res.size.X,
		Height:    res.size.Y,
		Kernel:    f.opts.Kernel,
		Threshold: f.opts.Threshold,
		Arc:       f.opts.ArcLength,
		Nonmax:    f.opts.NonmaxSuppression,
		Picture:   res.picture,
		Corners:   make([]fastCorner, len(f.corners)),
	}
	for i, c := range f.corners {
		object.Corners[i] = fastCorner(c)
	}
	return object
}

func (m *fastMethod) help() (intro, rest string) {
	return fastIntro, fmt.Sprintf(fastRest, kernelNames())
}

// kernelNames lists the kernels that this processor can run.
func kernelNames() string {
	names := []string{fast.Auto.String()}
	for _, k := range fast.Kernels() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
}

const fastIntro = `A pixel is a corner when so many contiguous pixels (-arc) of the ring of 16 at
distance 3 around it are all brighter, or all darker, than it by more than a
threshold (-threshold). The score of a corner is the largest threshold at which it
still is one: the higher, the stronger.

Of all corners, or those that -nonmax leaves, -mask keeps some, of these -strongest,
and of these -spread, which takes strong ones, too, but from everywhere in the
image. They come row by row and from left to right.
`

const fastRest = `Kernels that this processor can run, which all find the same corners (those named
after a block of pixels, such as sse2-16x1, take -arc 10 only):

  %s

The report:

  table  a line for each image: its name, its size in pixels, the kernel, the
         threshold, the number of corners and the time in nanoseconds that
         finding them takes per pixel. That is the median of many runs on the
         image in memory. Reading the file does not count, and scores do only
         with -nonmax, which needs them.
  csv    a header and then a line for each corner: image,x,y,score
  json   an array with an object for each image: image, width, height, kernel,
         threshold, arc, nonmax, picture (when one was drawn) and corners, an
         array of objects with x, y and score

The stronger a corner, the larger is its ring in the picture and the warmer its
color, from blue over green and yellow to red for the strongest of the image.

Examples:

  corners
  corners -threshold 40 -nonmax photo.jpg
  corners -o drawn holiday/ more/*.png
  corners -threshold 10 -spread 500 -workers -1 photo.jpg
  corners -format csv -no-picture photo.jpg > corners.csv
`
