package main

import (
	"image"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/program/choose"
	"github.com/fastcorners/fast/internal/program/cli"
)

// A fastMethod is the method fast.
type fastMethod struct {
	opts      fast.Options
	threshold int
	strongest int            // number of corners to keep, or 0 for all
	spread    int            // number of corners to keep, or 0 for all
	timed     *fast.Detector // with scores only if the flags need them
	detector[fast.Corner]
}

func (m *fastMethod) define(flags *cli.Set) {
	cli.FAST(flags, &m.opts, &m.threshold, &m.strongest, &m.spread)
}

func (m *fastMethod) prepare(workers int) (err error) {
	m.opts.Threshold = uint8(m.threshold)
	m.opts.Workers = workers
	m.opts.Score = m.strongest > 0 || m.spread > 0
	if m.timed, err = fast.New(m.opts); err != nil {
		return err
	}
	m.opts.Kernel = m.timed.Options().Kernel // not Auto
	m.opts.Score = true
	scored, err := fast.New(m.opts)
	m.search = choose.FAST(scored, m.strongest, m.spread)
	m.all, m.reach, m.bytes, m.spare, m.apart = scored.Append, 4, 60, 2, m.opts.NonmaxSuppression
	m.columns = func(c fast.Corner) []any { return []any{c.X, c.Y, c.Score} }
	return err
}

func (m *fastMethod) find(img, mask *image.Gray) finding {
	f := m.detector.find(img, mask)
	f.rows = [][]any{{m.opts.Kernel, m.opts.Threshold, f.count}}
	return f
}

func (m *fastMethod) repeater() func(img *image.Gray) {
	d := detector[fast.Corner]{search: choose.FAST(m.timed, m.strongest, m.spread)}
	return d.repeater()
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
			continue // it does not serve the arc
		}
		list = append(list, contender{k.String(), m.repeater()})
	}
	return list, nil
}

// kernelNames lists the kernels that this processor can run.
func kernelNames() string {
	names := []string{fast.Auto.String()}
	for _, k := range fast.Kernels() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
}

var fastInfo = methodInfo{
	name:    "fast",
	summary: "FAST corners, by the segment test (the default)",
	new:     func() method { return new(fastMethod) },
	things:  "corners",
	titles:  []string{"KERNEL", "THRESHOLD", "CORNERS"},
	columns: []string{"x", "y", "score"},
	members: []string{"kernel", "threshold", "arc", "nonmax"},
	intro: `A pixel is a corner when N contiguous pixels (-arc) of the ring of 16 at distance 3
around it are all brighter, or all darker, than it by more than a threshold
(-threshold). The score of a corner is the largest threshold at which it is still
one: the higher, the stronger.

The flags -nonmax, -mask, -strongest and -spread, in this order, select among the
corners; -spread prefers strong ones, but from all parts of the image. Corners are
in raster order: row by row, from left to right.

Kernels that this processor can run, which all find the same corners (those named
after a block of pixels, such as sse2-16x1, take -arc 10 only):

  ` + kernelNames() + `
`,
	rest: `Scores count only with flags that need them.
` + rings + `
Examples:

  corners
  corners -threshold 40 -nonmax photo.jpg
  corners -o drawn holiday/ more/*.png
  corners -threshold 10 -spread 500 -workers -1 photo.jpg
  corners -format csv photo.jpg > corners.csv
`,
}
