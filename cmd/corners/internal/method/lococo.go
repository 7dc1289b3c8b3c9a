package method

import (
	"cmp"
	"image"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/lococo"
)

// lococoInfo describes method lococo.
var lococoInfo = Info{
	Name:     "lococo",
	Summary:  "LoCoCo corners, by boxes of any size",
	New:      func() Method { return new(lococoMethod) },
	Packages: []string{"lococo", "tensor", "nms"},
	Things:   "corners",
	Titles:   []string{"CORNERS"},
	Columns:  []string{"x", "y", "response", "kernel_size"},
	Members:  []string{"max_corners", "kernel_sizes", "window", "measure", "k", "quality", "radius", "subpixel"},
	Intro: `Corners by the structure tensor, as method harris finds them, but with
differences of boxes as gradients: right minus left, and below minus above.
Large kernels (-kernel-size, odd, 3 to 63) see past noise and texture, and
take as long as small ones. With several kernels there is a search for each.
Windows (-window) are odd, 3 to 63, too.

The responses (-measure) are harris, whose squared trace -k weighs,
min-eigenvalue, as method shi-tomasi has it, noble, and det-over-trace. A
pixel is a corner when its response exceeds a share (-quality) of the largest
one of its kernel and is the largest within -radius pixels in both directions.
The strongest corners come first.

Coordinates have fractions with -subpixel. The column kernel_size is the side
of the kernel that found the corner.
`,
	Rest: rings + `
Examples:

  corners -method lococo photo.jpg
  corners -method lococo -kernel-size 5,9,17 -subpixel -format csv photo.jpg
`,
}

// A lococoMethod is the method lococo.
type lococoMethod struct {
	opts lococo.Options
	detector[lococo.Corner]
}

func (m *lococoMethod) Define(flags *cli.Set) {
	cli.LoCoCo(flags, &m.opts)
}

func (m *lococoMethod) Prepare(workers int) error {
	m.opts.Measure = cmp.Or(m.opts.Measure, harris.Harris)
	m.opts.Workers = workers
	m.reach, m.bytes, m.apart = 128, 140, true
	m.columns = func(c lococo.Corner) []any {
		return []any{float32(c.X) + c.DX, float32(c.Y) + c.DY, c.Response, c.KernelSize}
	}
	m.roots = true
	m.limit = limits.LoCoCo
	all := m.opts
	all.MaxCorners = 0
	return searching(&m.detector, lococo.New, m.opts, all)
}

// Lists implements Method. At the worst, each kernel finds as many corners.
func (m *lococoMethod) Lists(img *image.Gray, worst bool) int64 {
	n := m.detector.Lists(img, worst)
	if worst {
		n *= int64(max(1, len(m.opts.KernelSizes)))
	}
	return n
}

func (m *lococoMethod) Memory() int64 {
	side := int64(m.opts.SuppressionRadius + 1) // of blocks whose largest responses are kept
	return 6 + 16/(side*side)
}
