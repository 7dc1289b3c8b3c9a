package method

import (
	"cmp"
	"fmt"
	"image"
	"image/draw"
	"math"
	"unsafe"

	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/register"
	"github.com/fastcorners/fast/sift"
)

// siftInfo describes method sift.
var siftInfo = Info{
	Name:        "sift",
	Summary:     "SIFT keypoints, found again at other sizes and views",
	New:         func() Method { return new(siftMethod) },
	Packages:    []string{"sift"},
	Things:      "keypoints",
	Titles:      []string{"KEYPOINTS", "OCTAVES"},
	Columns:     []string{"x", "y", "size", "angle", "response", "octave", "layer", "descriptor"},
	Members:     []string{"features", "layers", "contrast", "edge_ratio", "sigma", "doubling", "upright", "root"},
	Ratio:       0.8,
	MaxDistance: "keep only matches with a squared distance of up to `N`; 0 keeps all",
	Intro: `A keypoint is a blob: where the difference of two blurred copies of the image
is an extremum, in place and in size. Its size is the diameter of the blob,
its angle the direction of most gradients around it, and its descriptor of 128
numbers is what corners match compares. Options and results are the same as in
OpenCV's SIFT.

The blurred copies are layers of octaves: octave -1 has the image at twice its
size, unless -doubling=false, octave 0 the image, and each later one half the
size of the one before it. Each octave has the number of layers given by
-layers, plus three. Keypoints are ordered by x, then by y, and at the same
place by size, largest first.

For views that are far apart, more keypoints and RootSIFT are better:
-contrast 0.01 -features 8000 -root. SIFT takes 128 bytes of memory for each
pixel, or 32 without doubling, and more with more layers.
`,
	Rest: `
OCTAVES are the numbers of keypoints of each octave, from -1 on. Sizes are in
pixels of the image, angles in degrees, clockwise from the x axis, and
descriptors are hexadecimal, with two digits for each number. In the picture a
keypoint is a circle with a line in the direction of its angle. Colors go with
the octaves, from blue for the first to red for the last.

Examples:

  corners -method sift photo.jpg
  corners -method sift -features 2000 -format csv photo.jpg
  corners -method sift -doubling=false -upright large.jpg
`,
}

// A siftMethod is the method sift.
type siftMethod struct {
	opts     sift.Options
	contrast float64
	doubling bool
	*sift.Extractor
	all *sift.Extractor // of keypoints before most are left out
}

func (m *siftMethod) Define(flags *cli.Set) {
	cli.SIFT(flags, &m.opts, &m.contrast, &m.doubling)
}

func (m *siftMethod) Prepare(workers int) (err error) {
	m.opts.Contrast = cmp.Or(m.contrast, -1) // 0 means the default
	m.opts.NoDoubling = !m.doubling
	m.opts.Workers = workers
	if m.Extractor, err = sift.New(m.opts); err != nil {
		return err
	}
	all := m.opts
	all.Features, all.Contrast, all.Edge = 0, m.opts.Contrast/2, 1e6
	m.all, err = sift.New(all)
	return err
}

func (m *siftMethod) Limit() limits.Limit { return limits.SIFT }

func (m *siftMethod) Find(img, mask *image.Gray) Finding {
	keypoints, descs := m.Extract(img, mask)
	counts := []int{0}
	for _, k := range keypoints {
		octave, _ := sift.Level(k)
		for len(counts) <= octave+1 {
			counts = append(counts, 0)
		}
		counts[octave+1]++
	}
	return Finding{
		Rows:  [][]any{{len(keypoints), sum(counts)}},
		Count: len(keypoints),
		Record: func(i int) []any {
			k := keypoints[i]
			octave, layer := sift.Level(k)
			return []any{k.X, k.Y, k.Size, k.Angle, k.Response, octave, layer, fmt.Sprintf("%x", descs[i])}
		},
		Draw:  func(dst draw.Image) { overlay.Keypoints(dst, keypoints) },
		Bytes: int64(cap(keypoints))*int64(unsafe.Sizeof(sift.Keypoint{})) + int64(cap(descs))*int64(unsafe.Sizeof(match.Vector{})),
	}
}

func (m *siftMethod) Repeater() func(img *image.Gray) {
	var keypoints []sift.Keypoint
	var descs []match.Vector
	return func(img *image.Gray) { keypoints, descs = m.Append(keypoints[:0], descs[:0], img, nil) }
}

// scale returns how much larger than the image the first octave is.
func (m *siftMethod) scale() int64 {
	if m.doubling {
		return 2
	}
	return 1
}

// planes returns the number of layers of an octave of the pyramid.
func (m *siftMethod) planes() int64 { return int64(m.opts.Layers) + 3 }

// Memory implements Method. The pyramid has numbers of 4 bytes, and all octaves have 4/3 as many
// as the first one.
func (m *siftMethod) Memory() int64 {
	return (m.planes()*4*m.scale()*m.scale()*4 + 2) / 3
}

func (m *siftMethod) Lists(img *image.Gray, worst bool) int64 {
	return m.ListsWith(0, img, worst)
}

// ListsWith implements Matcher. At the worst, which even noise is far from, one of 16 pixels of
// each layer has a keypoint, and more where there is less blur.
func (m *siftMethod) ListsWith(bytes float64, img *image.Gray, worst bool) int64 {
	size := img.Rect.Size()
	found := float64(size.X*size.Y) * float64(m.opts.Layers*int(m.scale()*m.scale())) / 64 * max(1, 2.56/(m.opts.Sigma*m.opts.Sigma))
	if !worst {
		found = float64(countIn(img, 64, func(strip *image.Gray) int { return len(m.all.Detect(strip, nil)) }))
	}
	kept := found
	if m.opts.Features > 0 {
		kept = min(kept, float64(m.opts.Features))
	}
	return m.margins(size) + int64(200*found+(500+bytes)*kept)
}

// margins returns the number of bytes for what fills up the rows of the pyramid, and for the rows
// that each worker holds. A filter has up to eight times as many rows as the deviation of the last
// layer.
func (m *siftMethod) margins(size image.Point) int64 {
	width, height := m.scale()*int64(size.X)+31, m.scale()*int64(size.Y)
	layers := float64(m.opts.Layers)
	taps := int64(8 * m.opts.Sigma * math.Exp2(1+2/layers))
	rows := m.planes()*(taps+16) + 9*int64(m.opts.Layers)
	return 4 * (m.planes()*2*height*31 + int64(m.Options().Workers)*rows*width)
}

func (m *siftMethod) Pairing(opts match.Options) (Pairing, error) {
	matcher, err := match.New[match.Vector](opts)
	if err != nil {
		return Pairing{}, err
	}
	return Pairing{
		Pair:    pairsBy(m.Extract, matcher.Match),
		Options: register.Options{SIFT: &m.opts, Match: matcher.Options()},
	}, nil
}
