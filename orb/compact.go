package orb

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"sync"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/match"
)

// CompactOptions specify which keypoints a Compact finds. The zero value has the defaults.
type CompactOptions struct {
	// FASTThreshold is the threshold of the corners, a difference of gray values, 1 to
	// 254. 0 means 20.
	FASTThreshold int
	// Keypoints is the maximum number of keypoints. It is positive; 0 means 128.
	Keypoints int
}

// A Compact finds keypoints and describes them by 32 bits each, with little work. It is the reduced
// ORB that Chang, Lee and Truong designed for a GPU ("How to write fast code: ORB algorithm",
// course report, 2019). It uses a single scale, does not smooth the image, and takes the first
// corners that it finds, so keypoints crowd at the top of an image. An Extractor finds better ones.
//
// Where the report is silent or contradicts itself, this is the definition:
//
//   - Keypoints are the FAST-9 corners x, y, without suppression, that are at least 10 pixels
//     inside the image: 10 <= x < width-10 and 10 <= y < height-10. The first 128 in raster order
//     are used.
//   - The patch of a keypoint has 10 rows of 10 pixels, from the lowest row up: entry 10*r+c, with
//     r and c from 0 to 9, is the pixel x-4+c, y+4-r. The first 96 entries are used.
//   - The angle is the direction of the vector of two sums over the entries used: of c-4 and of
//     4-r, each times the gray value. An Extractor computes its angle from moments in the same way.
//   - There are 32 tests of two points: the first ones that Rublee et al. learned for patches of 31
//     pixels, with coordinates multiplied by 4/13. The points rotate with the angle like those of
//     an Extractor, all in float32, and are rounded to the nearest integers, half to even. A point
//     x, y is then in column x+4 and row 4-y, each clamped to 0 to 9. Its value is that of this
//     entry, or of entry 95 if the entry is not used.
//   - Bit i of the descriptor is set if the first point of test i is brighter than the
//     second.
//
// Create a Compact with NewCompact. It is safe for concurrent use.
type Compact struct {
	keypoints int
	detector  *fast.Detector
	rotations *rotations
	pool      sync.Pool // of *compactScratch
}

// NewCompact returns a Compact. It fails if an option is out of range. The first call makes a table
// of about 120 KB, which all Compacts share.
func NewCompact(opts CompactOptions) (*Compact, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	detector, err := fast.New(fast.Options{Threshold: uint8(opts.FASTThreshold), ArcLength: 9})
	if err != nil {
		return nil, err
	}
	c := &Compact{keypoints: opts.Keypoints, detector: detector, rotations: sharedRotations()}
	c.pool.New = func() any { return new(compactScratch) }
	return c, nil
}

// setDefaults replaces the fields that are 0 by what they mean.
func (o *CompactOptions) setDefaults() {
	o.FASTThreshold = cmp.Or(o.FASTThreshold, defaultThreshold)
	o.Keypoints = cmp.Or(o.Keypoints, 128)
}

// check returns an error that names the first field that is out of range. All have their
// defaults.
func (o *CompactOptions) check() error {
	fields := option.Fields{Package: "orb", Type: "CompactOptions"}
	switch {
	case o.FASTThreshold < 1 || o.FASTThreshold > maxThreshold:
		return fields.OutOfRange("FASTThreshold", o.FASTThreshold, fmt.Sprintf("1 to %d", maxThreshold))
	case o.Keypoints < 1:
		return fields.OutOfRange("Keypoints", o.Keypoints, "1 or more")
	}
	return nil
}

// Options returns the options of c, with defaults filled in and negative numbers replaced by what
// they stand for.
func (c *Compact) Options() CompactOptions {
	c.check()
	return CompactOptions{FASTThreshold: int(c.detector.Options().Threshold), Keypoints: c.keypoints}
}

// check panics unless NewCompact has made c.
func (c *Compact) check() {
	option.RequireMade(c.detector != nil, "orb", "Compact", "NewCompact")
}

// Extract returns the keypoints of img, in raster order, and a descriptor for each. The
// size of each keypoint is 10, and its response and octave are 0. Extract panics if img is
// nil or malformed.
func (c *Compact) Extract(img *image.Gray) ([]Keypoint, []match.Descriptor32) {
	return c.Append(nil, nil, img)
}

// Append is like Extract but appends to kps and descs. It does not allocate in the steady state if
// both have room.
func (c *Compact) Append(kps []Keypoint, descs []match.Descriptor32, img *image.Gray) ([]Keypoint, []match.Descriptor32) {
	c.check()
	s := c.pool.Get().(*compactScratch)
	plane := newPlane(img)
	s.find(c, plane)
	kps, descs = s.describe(c, kps, descs, plane, img.Rect.Min)
	s.band, s.patchRun.pix = image.Gray{}, nil
	c.pool.Put(s)
	return kps, descs
}

// A compactScratch is the memory for one image. It is reused.
type compactScratch struct {
	band    image.Gray // some rows of the image
	corners []fast.Corner

	// Several keypoints are described at once, so that the processor can work on others
	// while it waits for the angle of one.
	patches [32]patch
	places  places // at an angle that the table lacks

	patchRun      patchRun
	comparisonRun comparisonRun
}

const (
	// compactEdge is the distance from the edges within which there are no keypoints.
	compactEdge = 10
	// bandRows is the number of rows that are searched for corners at once. They are
	// few, since most images have enough corners in the first ones.
	bandRows = 16
	// fastRadius is the radius of the ring of FAST.
	fastRadius = 3
)

// find finds the corners.
func (s *compactScratch) find(c *Compact, img raster.Plane) {
	s.corners = s.corners[:0]
	inside := image.Rect(0, 0, img.W, img.H).Inset(compactEdge)
	if inside.Empty() {
		return
	}
	for band := inside; band.Min.Y < inside.Max.Y && len(s.corners) < c.keypoints; band.Min.Y += bandRows {
		band.Max.Y = min(band.Min.Y+bandRows, inside.Max.Y)
		r := band.Inset(-fastRadius)
		s.band = image.Gray{Pix: img.Pix[r.Min.Y*img.Stride+r.Min.X:], Stride: img.Stride, Rect: r}
		s.corners = c.detector.Append(s.corners, &s.band)
	}
	s.corners = s.corners[:min(len(s.corners), c.keypoints)]
}

// describe appends the keypoints at the corners, and their descriptors. The upper left
// pixel of the image has the coordinates origin.
func (s *compactScratch) describe(c *Compact, kps []Keypoint, descs []match.Descriptor32, img raster.Plane, origin image.Point) ([]Keypoint, []match.Descriptor32) {
	k := table.Best()
	read, compare := &s.patchRun, &s.comparisonRun
	read.stride, read.weights = img.Stride, &patchWeights
	for batch := range slices.Chunk(s.corners, len(s.patches)) {
		n := len(kps)
		kps = slices.Grow(kps, len(batch))[:n+len(batch)]
		for i, corner := range batch {
			read.pix = img.Pix[(int(corner.Y)-patchAbove)*img.Stride+int(corner.X)-patchLeft:]
			read.patch = &s.patches[i]
			k.readPatch(read)
			kps[n+i] = Keypoint{
				X:     float32(corner.X) + float32(origin.X),
				Y:     float32(corner.Y) + float32(origin.Y),
				Size:  patchSide,
				Angle: direction(read.m10, read.m01),
			}
		}
		for i, kp := range kps[n:] {
			compare.patch, compare.places = &s.patches[i], c.rotations.at(kp.Angle)
			if compare.places == nil {
				s.places = placesAt(kp.Angle)
				compare.places = &s.places
			}
			k.comparePatch(compare)
			descs = append(descs, match.Descriptor32(compare.bits))
		}
	}
	return kps, descs
}

const (
	// patchSide is the side of the patch. patchAbove is the number of its rows above the
	// keypoint, and patchLeft the number of columns to the left of it.
	patchSide, patchAbove, patchLeft = 10, 5, 4
	// patchTop is the number of pixels that count of the uppermost row, which is the last
	// one by the definition.
	patchTop = 96 - 9*patchSide
	// patchStride is the distance of the rows in memory.
	patchStride = 16
)

// A patch is the pixels around a keypoint, from the uppermost row on. Any byte is an index
// into it, so no index has to be checked.
type patch [256]uint8

// A patchRun is a patch to read and to take the first moments of. Assembly reads 16 pixels
// of each of its 10 rows. They are in memory of the image, which goes on below the patch.
type patchRun struct {
	pix      []byte // from the first pixel of the patch on
	stride   int
	weights  *[patchSide]momentWeights
	patch    *patch
	m10, m01 int64
}

// momentWeights are the weights of the pixels of a row for both moments.
type momentWeights [2][patchStride]int8

// patchWeights are those of a patch.
var patchWeights = func() (rows [patchSide]momentWeights) {
	for row := range rows {
		for column := range patchSide {
			if row > 0 || column < patchTop {
				rows[row][0][column], rows[row][1][column] = int8(column-patchLeft), int8(row-patchAbove)
			}
		}
	}
	return rows
}()

func readPatchPortable(r *patchRun) {
	var m10, m01 int32
	for i := range r.weights {
		weights, row := &r.weights[i], r.patch[i*patchStride:][:patchSide]
		copy(row, r.pix[i*r.stride:])
		for column, v := range row {
			m10 += int32(weights[0][column]) * int32(v)
			m01 += int32(weights[1][column]) * int32(v)
		}
	}
	r.m10, r.m01 = int64(m10), int64(m01)
}

// compactTests is the number of tests.
const compactTests = 32

// places are the indices into a patch of the pixels that are compared: the first ones of
// all tests, and the second ones.
type places [2][compactTests]uint8

// A comparisonRun is a patch to compare the pixels of.
type comparisonRun struct {
	patch  *patch
	places *places
	bits   uint32 // the descriptor
}

func comparePatchPortable(r *comparisonRun) {
	r.bits = 0
	for i := range compactTests {
		if r.patch[r.places[0][i]] > r.patch[r.places[1][i]] {
			r.bits |= 1 << i
		}
	}
}
