package method

import (
	"cmp"

	"github.com/fastcorners/fast/internal/program/choose"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/vpi"
)

// vpiInfo describes method vpi.
var vpiInfo = Info{
	Name:     "vpi",
	Summary:  "FAST corners on circles of three sizes, as VPI defines them",
	New:      func() Method { return new(vpiMethod) },
	Packages: []string{"vpi", "fast"},
	Things:   "corners",
	Titles:   []string{"CORNERS"},
	Columns:  []string{"x", "y", "score"},
	Members:  []string{"radius", "arc", "threshold", "border", "nonmax"},
	Intro: `FAST corners as NVIDIA's Vision Programming Interface defines them: on circles
of radius 1, 2 or 3 (-radius), of 8, 12 or 16 pixels, with arcs of any length
(-arc). A pixel is a corner when N contiguous pixels of the circle are all
brighter, or all darker, than it by at least a threshold (-threshold). Its
score is the largest threshold at which it is one.

Beyond the edges (-border) there may be nothing (limited), so that corners
keep the radius away from them, black pixels (constant), the outermost pixels
(replicate), or the image reversed, with the outermost pixels (reflect) or
without (reflect101).

Of neighbors with equal scores, the first is kept. Corners are in raster
order: row by row, from left to right. With -strongest, the strongest ones
come first.
`,
	Rest: rings + `
Examples:

  corners -method vpi photo.jpg
  corners -method vpi -radius 2 -border reflect101 -threshold 20 photo.jpg
  corners -method vpi -nonmax=false -strongest 1000 -format csv photo.jpg
`,
}

// A vpiMethod is the method vpi.
type vpiMethod struct {
	opts      vpi.Options
	threshold float64
	nonmax    bool
	strongest int // number of corners to keep, or 0 for all
	detector[vpi.Corner]
}

// vpiArcs are the usual arcs, by the radius.
var vpiArcs = [...]int{1: 5, 2: 7, 3: 9}

func (m *vpiMethod) Define(flags *cli.Set) {
	cli.VPI(flags, &m.opts, &m.threshold, &m.nonmax, &m.strongest)
}

func (m *vpiMethod) Prepare(workers int) error {
	m.opts.ArcLength = cmp.Or(m.opts.ArcLength, vpiArcs[m.opts.CircleRadius])
	m.opts.Threshold = cmp.Or(float32(m.threshold), -1) // 0 means the default
	m.opts.NoSuppression = !m.nonmax
	m.opts.Strongest = m.strongest > 0
	m.opts.Workers = workers
	d, err := vpi.New(m.opts)
	m.search = choose.VPI(d, m.strongest)
	m.all, m.reach, m.bytes, m.spare, m.apart = d.Append, 4, 85, 1, m.nonmax
	if m.opts.Strongest {
		m.bytes += 8
	}
	m.limit = limits.VPI
	m.columns = func(c vpi.Corner) []any { return []any{c.X, c.Y, c.Score} }
	return err
}

func (m *vpiMethod) Memory() int64 { return 3 }
