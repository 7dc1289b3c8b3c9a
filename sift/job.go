package sift

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/degrees"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
	"github.com/fastcorners/fast/match"
)

// A job is the memory of a call, for one image. It is used again for others.
type job struct {
	extractor *Extractor
	image     raster.Plane
	pyramid   pyramid
	lanes     worker.Lanes[lane]

	// What the workers share.
	octave     int
	search     bool
	bands      int         // of the octave
	candidates []candidate // of the octave
	described  []match.Vector

	found     []ranked
	order     []int32   // of detection: the indices of found
	responses []float32 // of found, sorted
}

func newJob() *job {
	return &job{lanes: worker.NewLanes("sift", func() *lane { return new(lane) })}
}

// share calls do for the numbers from 0 to n-1, in as many goroutines as there are to be workers.
func (j *job) share(n int, do func(j *job, l *lane, i int)) {
	worker.Each(j, &j.lanes, j.extractor.opts.Workers, n, do)
}

// leastBand is the least number of rows of an octave for each worker: it computes some 20 more
// on each side.
const leastBand = 128

// build makes a pyramid of the image, with some of the layers of each octave. If search is set, it
// finds the keypoints, for which it needs all of them, and leaves only the layers that they are in.
func (j *job) build(doubled bool, octaves, layers int, search bool) {
	e, p := j.extractor, &j.pyramid
	p.reset(j.image.W, j.image.H, doubled, octaves, layers, search)
	k := table.Best()
	for _, l := range j.lanes.AtLeast(e.opts.Workers) {
		l.reset(k)
		l.scanner.run.limit = math.Nextafter32(e.opts.threshold(), math.MaxFloat32)
	}
	j.search = search
	for j.octave = range octaves {
		planes := p.octave(j.octave)
		j.bands = max(min(e.opts.Workers, planes[0].height/leastBand), 1)
		j.share(j.bands, (*job).buildBand)
		if search {
			// A worker does not know the rows beside its own.
			for i := range j.bands - 1 {
				_, end := j.band(i)
				l := j.lanes.All()[0]
				l.scanner.begin(j.octave, planes, end-2, end+2)
				l.scanner.scan(planes[0].height)
			}
			j.candidates = j.candidates[:0]
			for _, l := range j.lanes.All() {
				j.candidates = append(j.candidates, l.scanner.found...)
				l.scanner.found = l.scanner.found[:0]
			}
			j.share(portions(len(j.candidates)), (*job).findKeypoints)
		}
	}
}

// band returns the rows of the octave's band i, from begin up to end.
func (j *job) band(i int) (begin, end int) {
	height := j.pyramid.octave(j.octave)[0].height
	return i * height / j.bands, (i + 1) * height / j.bands
}

// buildBand makes band i of the octave.
func (j *job) buildBand(l *lane, i int) {
	e, planes := j.extractor, j.pyramid.octave(j.octave)
	begin, end := j.band(i)
	src := source{image: &j.image, doubled: j.pyramid.doubled}
	if j.octave > 0 {
		src = source{plane: &j.pyramid.octave(j.octave - 1)[e.opts.Layers]}
	}
	filters := e.filters[0]
	if j.pyramid.doubled {
		filters = e.filters[1]
	}
	var scanner *scanner
	if j.search {
		scanner = &l.scanner
		scanner.begin(j.octave, planes, begin, end)
	}
	l.cascade.run(planes, filters, src, begin, end, scanner)
}

// portion is the number of candidates or keypoints that a worker takes at a time.
const portion = 32

// portions returns the number of portions of n.
func portions(n int) int {
	return (n + portion - 1) / portion
}

// detect finds the keypoints of an image.
func (j *job) detect(img, mask *image.Gray) {
	e := j.extractor
	j.image = newImage(img)
	filter := raster.NewMask("sift", mask, img.Rect)
	doubled := !e.opts.NoDoubling
	j.build(doubled, octavesOf(j.image.W, j.image.H, doubled), e.opts.Layers+3, true)
	j.found = j.found[:0]
	for _, l := range j.lanes.All() {
		for _, k := range l.found {
			j.found = append(j.found, ranked{k, int32(len(j.found))})
		}
	}
	j.found = strongest(sortUnique(j.found), e.opts.Features, &j.responses)
	if doubled {
		for i := range j.found {
			undouble(&j.found[i].Keypoint)
		}
	}
	if mask != nil {
		j.found = slices.DeleteFunc(j.found, func(k ranked) bool {
			return filter.Pix[int(k.Y+0.5)*filter.Stride+int(k.X+0.5)] == 0
		})
	}
}

// findKeypoints adds the keypoints of portion i of the candidates to those found by l.
func (j *job) findKeypoints(l *lane, i int) {
	for _, c := range j.candidates[i*portion : min((i+1)*portion, len(j.candidates))] {
		planes := j.pyramid.octave(j.octave)
		p, ok := j.extractor.refine(l.kernels, &l.fit, planes, c)
		if !ok {
			continue
		}
		l.angles = append(l.angles[:0], 0)
		if !j.extractor.opts.Upright {
			scale := p.size * 0.5 / float32(int(1)<<p.octave)
			l.angles = l.orientations(l.angles[:0], &planes[p.layer], int(p.column), int(p.row), scale)
		}
		for _, angle := range l.angles {
			l.found = append(l.found, Keypoint{X: p.x, Y: p.y, Size: p.size, Angle: angle, Response: p.response, Octave: p.packed})
		}
	}
}

// undouble makes k, of the doubled image, one of the image.
func undouble(k *Keypoint) {
	k.X *= 0.5
	k.Y *= 0.5
	k.Size *= 0.5
	k.Octave = k.Octave&^0xff | (k.Octave-1)&0xff
}

// load takes keypoints to describe, and builds the octaves that they are in, without the layers
// that none of them needs.
func (j *job) load(kps []Keypoint, img *image.Gray) {
	j.image = newImage(img)
	last, layers, doubled := 0, 0, false
	for i, k := range kps {
		octave, layer := Level(k)
		if octave < -1 || octave >= 0 && min(j.image.W, j.image.H)>>octave == 0 || min(j.image.W, j.image.H) == 0 {
			panic(fmt.Sprintf("sift: keypoint %d has octave %d, which an image of %d by %d pixels does not have", i, octave, j.image.W, j.image.H))
		}
		if most := j.extractor.opts.Layers + 2; layer > most {
			panic(fmt.Sprintf("sift: keypoint %d has layer %d, more than %d", i, layer, most))
		}
		doubled = doubled || octave == -1
		last, layers = max(last, octave), max(layers, layer+1)
	}
	j.found = j.found[:0]
	if len(kps) == 0 {
		return
	}
	octaves := last + 1
	if doubled {
		octaves++
	}
	if octaves > 1 {
		layers = max(layers, j.extractor.opts.Layers+1) // the next octave begins with the last of these
	}
	j.build(doubled, octaves, layers, false)
	for i, k := range kps {
		k.X -= float32(img.Rect.Min.X)
		k.Y -= float32(img.Rect.Min.Y)
		j.found = append(j.found, ranked{k, int32(i)})
	}
}

// describe computes the descriptors of the keypoints found.
func (j *job) describe(dst []match.Vector) {
	j.setOrder()
	j.described = dst
	j.share(portions(len(j.order)), (*job).describePortion)
	j.described = nil
}

// describePortion computes the descriptors of portion i of the keypoints.
func (j *job) describePortion(l *lane, i int) {
	order := j.order[i*portion : min((i+1)*portion, len(j.order))]
	for _, i := range order {
		j.describeOne(l, &j.described[i], &j.found[i].Keypoint)
	}
	l.sketcher.finish()
	if j.extractor.opts.Root {
		for _, i := range order {
			rootVector(&j.described[i])
		}
	}
}

// setOrder sets the order of detection, in which neighbors in the pyramid follow each other.
func (j *job) setOrder() {
	most := int32(-1)
	for i := range j.found {
		most = max(most, j.found[i].number)
	}
	const missing = -1
	j.order = raster.Resize(j.order, int(most)+1)
	for i := range j.order {
		j.order[i] = missing
	}
	for i := range j.found {
		j.order[j.found[i].number] = int32(i)
	}
	j.order = slices.DeleteFunc(j.order, func(i int32) bool { return i == missing })
}

// describeOne begins the descriptor of a keypoint. There is nothing to describe if its size is
// not positive.
func (j *job) describeOne(l *lane, dst *match.Vector, k *Keypoint) {
	octave, layer := Level(*k)
	scale := float32(math.Ldexp(1, -octave))
	if j.pyramid.doubled {
		octave++
	}
	x, y, size := k.X*scale, k.Y*scale, k.Size*scale
	if !finite(x) || !finite(y) || !finite(size) || !finite(k.Angle) || size <= 0 {
		*dst = match.Vector{}
		return
	}
	l.sketcher.free().begin(dst, &j.pyramid.octave(octave)[layer], x, y, degrees.Normalize(k.Angle), size*0.5)
}

// appendKeypoints appends the keypoints found to kps.
func (j *job) appendKeypoints(kps []Keypoint, origin image.Point) []Keypoint {
	for i := range j.found {
		k := j.found[i].Keypoint
		k.X += float32(origin.X)
		k.Y += float32(origin.Y)
		kps = append(kps, k)
	}
	return kps
}

// release puts j back. It keeps nothing that belongs to the caller.
func (j *job) release() {
	e := j.extractor
	j.extractor, j.image = nil, raster.Plane{}
	e.pool.Put(j)
}
