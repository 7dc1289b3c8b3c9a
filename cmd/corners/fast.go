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
	asked     *fast.Detector // the same, with scores only if the flags need them
	strongest int            // how many corners to keep at most, or 0
	spread    int            // how many corners to keep at most, or 0
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
	m.opts.Score = m.strongest > 0 || m.spread > 0
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
	return fastFinding{m.opts, m.choose(corners, img.Rect)}
}

// choose returns those of the corners that -strongest and -spread leave.
func (m *fastMethod) choose(corners []fast.Corner, bounds image.Rectangle) []fast.Corner {
	if m.strongest > 0 {
		corners = fast.Strongest(corners, m.strongest)
	}
	if m.spread > 0 {
		corners = fast.Spread(corners, bounds, m.spread)
	}
	return corners
}

func (m *fastMethod) repeater() func(img *image.Gray) {
	var corners []fast.Corner
	return func(img *image.Gray) {
		corners = m.asked.Append(corners[:0], img)
		m.choose(corners, img.Rect)
	}
}

func (m *fastMethod) memory() int64 { return 3 }

// benchKernels returns a contender for each kernel that this processor has, or only for
// that of the flag -kernel.
func benchKernels(fresh func() method) ([]contender, error) {
	if err := fresh().prepare(1); err != nil {
		return nil, err
	}
	var list []contender
	for _, k := range fast.Kernels() {
		m := fresh().(*fastMethod)
		if asked := m.opts.Kernel; asked != fast.Auto && asked != k {
			continue
		}
		m.opts.Kernel = k
		if m.prepare(1) != nil {
			continue // it does not find corners of these arcs
		}
		list = append(list, contender{k.String(), m.repeater()})
	}
	return list, nil
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

func (f fastFinding) fill(o *jsonObject) {
	o.add("kernel", f.opts.Kernel)
	o.add("threshold", f.opts.Threshold)
	o.add("arc", f.opts.ArcLength)
	o.add("nonmax", f.opts.NonmaxSuppression)
	o.list("corners", len(f.corners), func(i int, o *jsonObject) {
		c := f.corners[i]
		o.add("x", c.X)
		o.add("y", c.Y)
		o.add("score", c.Score)
	})
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
         image in memory, without a mask. Reading the file does not count, and
         scores do only with flags that need them.
  csv    a header and then a line for each corner: image,x,y,score
  json   an array with an object for each image: image, width, height, roi and
         picture (when there is one), method, kernel, threshold, arc, nonmax and
         corners, an array of objects with x, y and score

The stronger a corner, the larger is its ring in the picture and the warmer its
color, from blue over green and yellow to red for the strongest of the image.

Examples:

  corners
  corners -threshold 40 -nonmax photo.jpg
  corners -o drawn holiday/ more/*.png
  corners -threshold 10 -spread 500 -workers -1 photo.jpg
  corners -format csv photo.jpg > corners.csv
`
