package main

import (
	"cmp"
	"encoding/hex"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"math"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/overlay"
)

// orbFlags are the flags of method orb, which corners match has, too.
type orbFlags struct {
	Features     int
	Scale        float64
	Levels       int
	Edge         int
	FirstLevel   int
	PointsPerBit int
	Score        enum
	Patch        int
	Threshold    int
}

func (f *orbFlags) define(flags *flag.FlagSet) {
	f.Score.names = orbScores
	flags.IntVar(&f.Features, "features", 500, "find about `N` keypoints, the strongest ones")
	flags.Float64Var(&f.Scale, "scale", 1.2, "make each level smaller by `F`, more than 1")
	flags.IntVar(&f.Levels, "levels", 8, "take `N` levels of different sizes")
	flags.IntVar(&f.Edge, "edge", 31, "find nothing within `N` pixels of the edges")
	flags.IntVar(&f.FirstLevel, "first-level", 0, "take the image as level `N`, and enlarge it for lower ones")
	flags.IntVar(&f.PointsPerBit, "points-per-bit", 2, "compare `N` pixels at once, 2 to 4")
	flags.Var(&f.Score, "score", "rank keypoints by `NAME`: harris or fast")
	flags.IntVar(&f.Patch, "patch", 31, "describe patches of `N` pixels in diameter")
	flags.IntVar(&f.Threshold, "threshold", 20, "ask for FAST corners of threshold `T`, 1 to 254")
}

// memory returns how many bytes a pixel takes while keypoints are found and described. The
// largest level counts.
func (f *orbFlags) memory() int64 {
	return int64(min(8*math.Pow(f.Scale, 2*float64(f.FirstLevel)), math.MaxInt32))
}

// fill adds the flags to an object in JSON.
func (f *orbFlags) fill(o *jsonObject) {
	o.add("features", f.Features)
	o.add("scale", f.Scale)
	o.add("levels", f.Levels)
	o.add("edge", f.Edge)
	o.add("first_level", f.FirstLevel)
	o.add("points_per_bit", f.PointsPerBit)
	o.add("score", f.Score)
	o.add("patch", f.Patch)
	o.add("threshold", f.Threshold)
}

// extractor returns an extractor as the flags say.
func (f *orbFlags) extractor(workers int) (*orb.Extractor, error) {
	// To package orb, 0 means the default.
	err := cmp.Or(
		checkLeast("features", f.Features, 1),
		checkLeast("levels", f.Levels, 1),
		checkLeast("edge", f.Edge, 1),
		checkRange("first-level", f.FirstLevel, 0, f.Levels-1),
		checkRange("points-per-bit", f.PointsPerBit, 2, 4),
		checkLeast("patch", f.Patch, 2),
		checkRange("threshold", f.Threshold, 1, 254),
	)
	if err != nil {
		return nil, err
	}
	if !(f.Scale > 1) { // NaN is not
		return nil, fmt.Errorf("invalid value %v for flag -scale: want more than 1", f.Scale)
	}
	return orb.New(orb.Options{
		Features:      f.Features,
		ScaleFactor:   f.Scale,
		Levels:        f.Levels,
		EdgeThreshold: f.Edge,
		FirstLevel:    f.FirstLevel,
		PointsPerBit:  f.PointsPerBit,
		Score:         orb.Score(f.Score.value),
		PatchSize:     f.Patch,
		FASTThreshold: f.Threshold,
		Workers:       workers,
	})
}

var orbScores = []string{orb.HarrisScore: "harris", orb.FASTScore: "fast"}

// An orbMethod is the method orb.
type orbMethod struct {
	orbFlags
	*orb.Extractor
}

func (m *orbMethod) prepare(workers int) (err error) {
	m.Extractor, err = m.extractor(workers)
	return err
}

func (m *orbMethod) find(img *image.Gray, mask *image.Alpha) finding {
	keypoints, descs := m.Extract(img, grayMask(mask))
	return orbFinding{m.orbFlags, keypoints, descs}
}

func (m *orbMethod) repeater() func(img *image.Gray) {
	var keypoints []orb.Keypoint
	var descs []match.Descriptor
	return func(img *image.Gray) { keypoints, descs = m.Append(keypoints[:0], descs[:0], img, nil) }
}

func (m *orbMethod) titles() (table, csv []string) {
	return []string{"KEYPOINTS", "OCTAVES"},
		[]string{"x", "y", "size", "angle", "response", "octave", "descriptor"}
}

// An orbFinding is the keypoints of an image.
type orbFinding struct {
	flags     orbFlags
	keypoints []orb.Keypoint
	descs     []match.Descriptor
}

func (f orbFinding) drawOn(dst draw.Image) {
	overlay.Keypoints(dst, f.keypoints)
}

func (f orbFinding) cells() []string {
	counts := make([]int, f.flags.Levels)
	for _, k := range f.keypoints {
		counts[k.Octave]++
	}
	octaves := make([]string, len(counts))
	for i, n := range counts {
		octaves[i] = strconv.Itoa(n)
	}
	return []string{strconv.Itoa(len(f.keypoints)), strings.Join(octaves, "+")}
}

func (f orbFinding) records(write func(cells ...string)) {
	for i, k := range f.keypoints {
		write(number(k.X), number(k.Y), number(k.Size), number(k.Angle), number(k.Response),
			strconv.Itoa(int(k.Octave)), hex.EncodeToString(f.descs[i][:]))
	}
}

// number returns v with as many digits as tell it from other numbers.
func number(v float32) string {
	return strconv.FormatFloat(float64(v), 'g', -1, 32)
}

func (f orbFinding) fill(o *jsonObject) {
	f.flags.fill(o)
	o.list("keypoints", len(f.keypoints), func(i int, o *jsonObject) {
		k := f.keypoints[i]
		o.add("x", k.X)
		o.add("y", k.Y)
		o.add("size", k.Size)
		o.add("angle", k.Angle)
		o.add("response", k.Response)
		o.add("octave", k.Octave)
		o.add("descriptor", hex.EncodeToString(f.descs[i][:]))
	})
}

func (m *orbMethod) help() (intro, rest string) {
	return orbIntro, orbRest
}

const orbIntro = `A keypoint is a FAST corner of one of several levels: the image, and smaller and
smaller copies of it. Its size is the diameter of the patch around it, its angle
tells how the patch is turned, and its descriptor of 256 bits is what corners match
compares. Options and results are those of OpenCV's ORB.

The levels share the keypoints out, the largest one gets the most, and there are
some more where several are equally strong. They come level by level, which is to
say octave by octave, the strongest first.
`

const orbRest = `The report:

  table  a line for each image: its name, its size in pixels, the number of
         keypoints, those of each octave from 0 on, and the time in nanoseconds
         that finding and describing them takes per pixel. That is the median of
         many runs on the image in memory, without a mask. Reading the file does
         not count.
  csv    a header and then a line for each keypoint:
         image,x,y,size,angle,response,octave,descriptor
  json   an array with an object for each image: image, width, height, roi and
         picture (when there is one), method, the flags (-first-level as
         first_level) and keypoints, an array of objects with what csv has

Sizes are in pixels of the image, angles in degrees, clockwise from the x axis, and
descriptors are hexadecimal. In the picture a keypoint is a circle with a line in
the direction of its angle. Colors go with the octaves, from blue for the first to
red for the last.

Examples:

  corners -method orb photo.jpg
  corners -method orb -features 2000 -format csv photo.jpg
`
