package method

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/register"
)

// orbInfo describes method orb.
var orbInfo = Info{
	Name:     "orb",
	Summary:  "ORB keypoints, with sizes, angles and descriptors",
	New:      func() Method { return new(orbMethod) },
	Packages: []string{"orb", "fast"},
	Things:   "keypoints",
	Titles:   []string{"KEYPOINTS", "OCTAVES"},
	Columns:  []string{"x", "y", "size", "angle", "response", "octave", "descriptor"},
	Members: []string{
		"features", "scale", "levels", "edge", "first_level", "points_per_bit", "score", "patch", "threshold",
	},
	MaxDistance: "keep only matches that differ by up to `N` bits; 0 keeps all",
	Intro: `A keypoint is a FAST corner of one of several levels: the image, and smaller
and smaller copies of it. Its size is the diameter of the patch around it, its
angle is the rotation of the patch, and corners match compares its descriptor
of 256 bits. Options and results are the same as in OpenCV's ORB.

The keypoints are divided among the levels, most of them on the largest; there
are a few more if several are equally strong. They are ordered by level, which
is the octave, strongest first.
`,
	Rest: `
OCTAVES are the numbers of keypoints of each octave, from 0 on. Sizes are in
pixels of the image, angles in degrees, clockwise from the x axis, and
descriptors are hexadecimal. In the picture a keypoint is a circle with a line
in the direction of its angle. Colors go with the octaves, from blue for the
first to red for the last.

Examples:

  corners -method orb photo.jpg
  corners -method orb -features 2000 -format csv photo.jpg
`,
}

// An orbMethod is the method orb.
type orbMethod struct {
	opts orb.Options
	*orb.Extractor
}

func (m *orbMethod) Define(flags *cli.Set) {
	cli.ORB(flags, &m.opts)
}

func (m *orbMethod) Prepare(workers int) error {
	if err := cli.From(0, float64(m.opts.Levels-1)).Check("first-level", m.opts.FirstLevel); err != nil {
		return err
	}
	m.opts.Workers = workers
	var err error
	m.Extractor, err = orb.New(m.opts)
	return err
}

// Memory implements Method. Most is for the largest level.
func (m *orbMethod) Memory() int64 {
	return int64(min(8*math.Pow(m.opts.ScaleFactor, 2*float64(m.opts.FirstLevel)), math.MaxInt32))
}

func (m *orbMethod) Lists(img *image.Gray, worst bool) int64 {
	return m.ListsWith(0, img, worst)
}

func (m *orbMethod) ListsWith(bytes float64, img *image.Gray, worst bool) int64 {
	d, err := fast.New(fast.Options{Threshold: uint8(m.opts.FASTThreshold), ArcLength: 9, NonmaxSuppression: true})
	if err != nil {
		return 0
	}
	// Each level has about as many corners per pixel as the image.
	levels, share := 0.0, 1/(m.opts.ScaleFactor*m.opts.ScaleFactor)
	for i := range m.opts.Levels {
		levels += math.Pow(share, float64(i-m.opts.FirstLevel))
	}
	n := apart(img)
	if !worst {
		n = countIn(img, 4, func(strip *image.Gray) int { return len(d.Detect(strip)) })
	}
	corners := levels * float64(n)
	return int64(40*corners + (300+bytes)*min(corners, float64(m.opts.Features)))
}

func (m *orbMethod) Limit() limits.Limit { return limits.ORB(&m.opts) }

func (m *orbMethod) Find(img, mask *image.Gray) Finding {
	keypoints, descs := m.Extract(img, mask)
	counts := make([]int, m.opts.Levels)
	for _, k := range keypoints {
		counts[k.Octave]++
	}
	return Finding{
		Rows:  [][]any{{len(keypoints), sum(counts)}},
		Count: len(keypoints),
		Record: func(i int) []any {
			k := keypoints[i]
			return []any{k.X, k.Y, k.Size, k.Angle, k.Response, k.Octave, fmt.Sprintf("%x", descs[i])}
		},
		Draw:  func(dst draw.Image) { overlay.Keypoints(dst, keypoints) },
		Bytes: int64(cap(keypoints))*int64(unsafe.Sizeof(orb.Keypoint{})) + int64(cap(descs))*int64(unsafe.Sizeof(match.Descriptor{})),
	}
}

// sum returns counts with plus signs between them.
func sum(counts []int) string {
	texts := make([]string, len(counts))
	for i, n := range counts {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, "+")
}

func (m *orbMethod) Repeater() func(img *image.Gray) {
	var keypoints []orb.Keypoint
	var descs []match.Descriptor
	return func(img *image.Gray) { keypoints, descs = m.Append(keypoints[:0], descs[:0], img, nil) }
}

func (m *orbMethod) Pairing(opts match.Options) (Pairing, error) {
	opts.Hamming2 = m.opts.PointsPerBit > 2
	matcher, err := match.New[match.Descriptor](opts)
	if err != nil {
		return Pairing{}, err
	}
	return Pairing{
		Pair:    pairsBy(m.Extract, matcher.Match),
		Options: register.Options{ORB: m.Options(), Match: matcher.Options()},
	}, nil
}
