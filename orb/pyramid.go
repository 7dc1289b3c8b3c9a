package orb

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/match"
)

// levels returns the scales of the levels and the numbers of keypoints wanted of them,
// which are proportional to their sides or areas.
func levels(opts Options) (scales []float32, quotas []int) {
	f := opts.factor()
	for l := range opts.Levels {
		scales = append(scales, float32(power(f, l-opts.FirstLevel)))
	}
	if opts.areaQuotas {
		return scales, areaQuotas(opts.Features, f, opts.Levels)
	}
	q := float32(1 / f)
	wanted := float32(opts.Features) * (1 - q) / (1 - float32(power(float64(q), opts.Levels)))
	left := opts.Features
	for range opts.Levels - 1 {
		quotas = append(quotas, roundEven(wanted))
		left -= roundEven(wanted)
		wanted *= q
	}
	return scales, append(quotas, max(left, 0))
}

// areaQuotas shares the features among levels, each of which is smaller than the one before
// by a factor. It rounds running sums, so that the quotas add up to the features.
func areaQuotas(features int, factor float64, levels int) []int {
	sums := []float64{0} // sums[l] is that of the areas of l levels, the first of which is 1
	for l := range levels {
		sums = append(sums, sums[l]+power(factor, -2*l))
	}
	quotas := make([]int, levels)
	given := 0
	for l := range quotas {
		next := int(math.RoundToEven(float64(features) * (sums[l+1] / sums[levels])))
		quotas[l] = next - given
		given = next
	}
	return quotas
}

// power returns x to the power of n. Unlike that of math.Pow, the result is the same on
// every platform.
func power(x float64, n int) float64 {
	if n < 0 {
		return 1 / power(x, -n)
	}
	p := 1.0
	for range n {
		p *= x
	}
	return p
}

// roundEven returns the nearest integer, and the even one of two.
func roundEven(v float32) int {
	return int(math.RoundToEven(float64(v)))
}

// A level is one of the pyramid of an image.
type level struct {
	number             int
	img, mask          raster.Plane // the mask is 0 or 255; it has no pixels if all count
	pixels, maskPixels []byte       // their memory, unless it is that of another level
	from               *level       // which img and mask are made of
	limit              uint8        // of pixels of the mask, before it is 0 or 255

	guess     int // of lowest
	lowest    int // the lowest score of the corners
	corners   []fast.Corner
	cells     []uint8 // the least scores of the corners that stay in cells
	sums      [harrisCorners]harrisSums
	responses []float32 // of the corners
	ranked    []uint64  // the ranks of the responses and their indices, sorted
	found     []keypoint
	descs     []match.Descriptor // of found

	kernels   *kernels
	resizer   resizer
	harrisRun harrisRun
}

// A job is the memory of a call, for one image. It is used again for others.
type job struct {
	extractor *Extractor
	workers   int
	original  level // the image, without a number
	levels    []level
	lanes     worker.Lanes[lane]
	bands     []band
	parts     []band // of the keypoints
	work      work

	// The keypoints to describe, in coordinates of the image, whose upper left pixel is
	// origin.
	kps       []Keypoint
	origin    image.Point
	described []described // for each of kps
}

func newJob() *job {
	return &job{lanes: worker.NewLanes("orb", func() *lane { return new(lane) })}
}

// A lane is the memory of a worker. It is still in the caches for the next level.
type lane struct {
	resizer  resizerMemory
	searched image.Gray // the part of a level that is searched for corners
	smoother smoother

	momentRun momentRun
	sampleRun sampleRun
	values    [maxPlaces]byte // that the descriptor of a keypoint compares
}

// A band is rows of a level that a worker makes, or that it searches for corners.
type band struct {
	level      *level
	begin, end int
	corners    []fast.Corner // that were found there
}

// A described is the descriptor of a keypoint, or nil if it was left out, and the angle that
// the descriptor is for.
type described struct {
	desc  *match.Descriptor
	angle float32
}

// workerPixels is the least number of pixels of an image for each worker. To wake another processor
// may take longer than to do what there is to do with fewer.
const workerPixels = 1 << 15

// maxPixels is the largest number of pixels of a level that is larger than the image.
const maxPixels = 1 << 30

// build makes the levels of img that have pixels inside a margin of the given width, and
// those of mask unless that is nil.
func (j *job) build(img, mask *image.Gray, margin int) {
	e := j.extractor
	from := &j.original
	from.img, from.mask = newPlane(img), raster.Plane{}
	if mask := newMask(mask, img.Rect); mask.Pix != nil {
		from.mask = newLevelPlane(&from.maskPixels, mask.W, mask.H)
		for y := range mask.H {
			copy(from.mask.Row(y), mask.Row(y))
		}
		binarize(from.mask.Pix, 0)
	}

	j.workers = worker.For(e.opts.Workers, int64(from.img.W)*int64(from.img.H)/workerPixels)
	k := table.Best()
	j.levels = raster.Resize(j.levels, e.opts.Levels)
	n := 0
	for i := range j.levels {
		l := &j.levels[i]
		inverse := 1 / e.scales[i]
		l.number, l.kernels = i, k
		w, h := float32(from.img.W)*inverse, float32(from.img.H)*inverse
		if i < e.opts.FirstLevel && float64(w)*float64(h) > maxPixels {
			panic(fmt.Sprintf("orb: level %d of an image of %d by %d pixels has more than %d", i, from.img.W, from.img.H, maxPixels))
		}
		l.img.W, l.img.H = roundEven(w), roundEven(h)
		if min(l.img.W, l.img.H) > 2*margin {
			n = i + 1 // later levels are smaller
		}
	}
	j.levels = j.levels[:n]
	for i := range min(n, e.opts.FirstLevel) {
		j.resize(&j.levels[i], from, 0)
	}
	for i := e.opts.FirstLevel; i < n; i++ {
		l := &j.levels[i]
		if i == e.opts.FirstLevel {
			l.img, l.mask = from.img, from.mask
		} else {
			j.resize(l, from, 254)
		}
		from = l
	}
}

// release puts j back. It keeps nothing that belongs to the caller.
func (j *job) release() {
	e := j.extractor
	j.extractor = nil
	j.original.img, j.kps = raster.Plane{}, nil
	for i := range j.levels {
		l := &j.levels[i]
		l.img = raster.Plane{}
		l.harrisRun = harrisRun{}
	}
	for _, l := range j.lanes.All() {
		l.searched, l.momentRun = image.Gray{}, momentRun{}
		l.smoother.release()
	}
	e.pool.Put(j)
}

// newLevelPlane returns a plane of w by h pixels in memory that is grown if it is too
// small. Its rows have room for whole vectors.
func newLevelPlane(memory *[]byte, w, h int) raster.Plane {
	stride := roundUp(w)
	*memory = raster.Resize(*memory, stride*h)
	return raster.Plane{Pix: *memory, Stride: stride, W: w, H: h}
}

// binarize sets the values above the limit to 255, and all others to 0.
func binarize(pix []byte, limit uint8) {
	for i, v := range pix {
		pix[i] = 0
		if v > limit {
			pix[i] = 255
		}
	}
}

// newPlane returns the pixels of img. It panics if img is nil or malformed, as
// raster.NewPlane does, and if its rows overlap: assembly reads beyond the end of a row
// that is not the last one.
func newPlane(img *image.Gray) raster.Plane {
	p := raster.NewPlane("orb", img)
	p.RequireRows("orb", "image")
	return p
}

// newMask is newPlane for the mask of an image with these bounds, which may be nil.
func newMask(mask *image.Gray, bounds image.Rectangle) raster.Plane {
	p := raster.NewMask("orb", mask, bounds)
	p.RequireRows("orb", "mask")
	return p
}

// resizeRows is the least number of rows of a level that a worker makes at a time.
const resizeRows = 32

// resize makes l from another level. The pixels of the mask that are above the limit count.
func (j *job) resize(l, from *level, limit uint8) {
	w, h := l.img.W, l.img.H
	l.img = newLevelPlane(&l.pixels, w, h)
	l.resizer.prepare(image.Pt(w, h), image.Pt(from.img.W, from.img.H), l.kernels)
	l.mask = raster.Plane{}
	if from.mask.Pix != nil {
		l.mask = newLevelPlane(&l.maskPixels, w, h)
	}
	l.from, l.limit = from, limit
	j.bands = appendBands(j.bands[:0], l, 0, h, raster.BandRows(h, j.workers, resizeRows, 1))
	j.number(len(j.bands), (*job).resizeBand)
}

// resizeBand makes the image and the mask of band i.
func (j *job) resizeBand(memory *lane, i int) {
	b := &j.bands[i]
	l := b.level
	l.resizer.apply(&memory.resizer, l.img, l.from.img, b.begin, b.end)
	if l.mask.Pix != nil {
		l.resizer.apply(&memory.resizer, l.mask, l.from.mask, b.begin, b.end)
		binarize(l.mask.Pix[b.begin*l.mask.Stride:b.end*l.mask.Stride], l.limit)
	}
}

// appendBands appends bands of the given number of rows, which together have the rows of l from begin
// up to end.
func appendBands(bands []band, l *level, begin, end, rows int) []band {
	for y := begin; y < end; y += rows {
		n := len(bands)
		bands = slices.Grow(bands, 1)[:n+1] // what was found in a band before leaves its memory
		b := &bands[n]
		b.level, b.begin, b.end = l, y, min(y+rows, end)
	}
	return bands
}
