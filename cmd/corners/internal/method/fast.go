package method

import (
	"image"
	"image/draw"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/program/choose"
	"github.com/fastcorners/fast/internal/program/cli"
)

// fastInfo describes method fast.
var fastInfo = Info{
	Name:    "fast",
	Summary: "FAST corners, by the segment test (the default)",
	New:     func() Method { return new(fastMethod) },
	Things:  "corners",
	Titles:  []string{"KERNEL", "THRESHOLD", "CORNERS"},
	Columns: []string{"x", "y", "score"},
	Members: []string{"kernel", "threshold", "arc", "nonmax"},
	Intro: `A pixel is a corner when N contiguous pixels (-arc) of the ring of 16 at
distance 3 around it are all brighter, or all darker, than it by more than a
threshold (-threshold). The score of a corner is the largest threshold at
which it is still one: the higher, the stronger.

The flags -nonmax, -mask, -strongest and -spread, in this order, select among
the corners; -spread prefers strong ones, but from all parts of the image.
Without -nonmax, -strongest and -spread, the picture shows the corners that
-nonmax -spread 500 would select. Corners are in raster order: row by row,
from left to right.

Kernels that this processor can run, which all find the same corners (those
named after a block of pixels, such as sse2-16x1, take -arc 10 only):

  ` + kernelNames() + `
`,
	Rest: `Scores count only with flags that need them.
` + rings + `
Examples:

  corners
  corners -threshold 40 -nonmax photo.jpg
  corners -o drawn holiday/ more/*.png
  corners -threshold 10 -spread 500 -workers -1 photo.jpg
  corners -format csv photo.jpg > corners.csv
`,
}

// shownCorners is how many corners a picture shows at most if no flag chooses among them. Rings around
// all that there are would cover most of a photo.
const shownCorners = 500

// A fastMethod is the method fast.
type fastMethod struct {
	opts      fast.Options
	threshold int
	strongest int            // number of corners to keep, or 0 for all
	spread    int            // number of corners to keep, or 0 for all
	timed     *fast.Detector // with scores only if the flags need them
	shown     *fast.Detector // of the corners that a picture shows, or nil for those that are found
	detector[fast.Corner]
}

func (m *fastMethod) Define(flags *cli.Set) {
	cli.FAST(flags, &m.opts, &m.threshold, &m.strongest, &m.spread)
}

func (m *fastMethod) Prepare(workers int) (err error) {
	m.opts.Threshold = uint8(m.threshold)
	m.opts.Workers = workers
	m.opts.Score = m.strongest > 0 || m.spread > 0
	if m.timed, err = fast.New(m.opts); err != nil {
		return err
	}
	m.opts.Kernel = m.timed.Options().Kernel // not Auto
	m.opts.Score = true
	scored, err := fast.New(m.opts)
	if err != nil {
		return err
	}
	m.shown = nil
	if !m.opts.NonmaxSuppression && m.strongest == 0 && m.spread == 0 {
		some := m.opts
		some.NonmaxSuppression = true
		if m.shown, err = fast.New(some); err != nil {
			return err
		}
	}
	m.search = choose.FAST(scored, m.strongest, m.spread)
	m.all, m.reach, m.bytes, m.spare, m.apart = scored.Append, 4, 60, 2, m.opts.NonmaxSuppression
	m.columns = func(c fast.Corner) []any { return []any{c.X, c.Y, c.Score} }
	return err
}

func (m *fastMethod) Find(img, mask *image.Gray) Finding {
	f := m.detector.Find(img, mask)
	f.Rows = [][]any{{m.opts.Kernel, m.opts.Threshold, f.Count}}
	if m.shown != nil {
		f.Draw = func(dst draw.Image) { m.draw(dst, choose.FAST(m.shown, 0, shownCorners)(nil, img, mask)) }
	}
	return f
}

func (m *fastMethod) Repeater() func(img *image.Gray) {
	d := detector[fast.Corner]{search: choose.FAST(m.timed, m.strongest, m.spread)}
	return d.Repeater()
}

func (m *fastMethod) Memory() int64 { return 3 }

// kernelNames lists the kernels that this processor can run.
func kernelNames() string {
	names := []string{fast.Auto.String()}
	for _, k := range fast.Kernels() {
		names = append(names, k.String())
	}
	return strings.Join(cli.Wrap(strings.Join(names, ", "), cli.HelpWidth-2), "\n  ")
}
