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

// A scratch is the memory for one image. It is reused.
type scratch struct {
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

func newScratch() *scratch {
	return &scratch{lanes: worker.NewLanes("sift", func() *lane { return new(lane) })}
}

// share calls do for the numbers from 0 to n-1, in as many goroutines as there are to be workers.
func (s *scratch) share(n int, do func(s *scratch, l *lane, i int)) {
	worker.Each(s, &s.lanes, s.extractor.opts.Workers, n, do)
}

// leastBand is the least number of rows of an octave for each worker: it computes some 20 more
// on each side.
const leastBand = 128

// build makes a pyramid of the image, with some of the layers of each octave. If search is set, it
// finds the keypoints, for which it needs all of them, and leaves only the layers that they are in.
func (s *scratch) build(doubled bool, octaves, layers int, search bool) {
	e, p := s.extractor, &s.pyramid
	p.reset(s.image.W, s.image.H, doubled, octaves, layers, search)
	k := table.Best()
	for _, l := range s.lanes.AtLeast(e.opts.Workers) {
		l.reset(k)
		l.scanner.run.limit = math.Nextafter32(e.opts.threshold(), math.MaxFloat32)
	}
	s.search = search
	for s.octave = range octaves {
		planes := p.octave(s.octave)
		s.bands = max(min(e.opts.Workers, planes[0].height/leastBand), 1)
		s.share(s.bands, (*scratch).buildBand)
		if search {
			// A worker does not know the rows beside its own.
			for i := range s.bands - 1 {
				_, end := s.band(i)
				l := s.lanes.All()[0]
				l.scanner.begin(s.octave, planes, end-2, end+2)
				l.scanner.scan(planes[0].height)
			}
			s.candidates = s.candidates[:0]
			for _, l := range s.lanes.All() {
				s.candidates = append(s.candidates, l.scanner.found...)
				l.scanner.found = l.scanner.found[:0]
			}
			s.share(portions(len(s.candidates)), (*scratch).findKeypoints)
		}
	}
}

// band returns the rows of the octave's band i, from begin up to end.
func (s *scratch) band(i int) (begin, end int) {
	height := s.pyramid.octave(s.octave)[0].height
	return i * height / s.bands, (i + 1) * height / s.bands
}

// buildBand makes band i of the octave.
func (s *scratch) buildBand(l *lane, i int) {
	e, planes := s.extractor, s.pyramid.octave(s.octave)
	begin, end := s.band(i)
	src := source{image: &s.image, doubled: s.pyramid.doubled}
	if s.octave > 0 {
		src = source{plane: &s.pyramid.octave(s.octave - 1)[e.opts.Layers]}
	}
	filters := e.filters[0]
	if s.pyramid.doubled {
		filters = e.filters[1]
	}
	var scanner *scanner
	if s.search {
		scanner = &l.scanner
		scanner.begin(s.octave, planes, begin, end)
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
func (s *scratch) detect(img, mask *image.Gray) {
	e := s.extractor
	s.image = newImage(img)
	filter := raster.NewMask("sift", mask, img.Rect)
	doubled := !e.opts.NoDoubling
	s.build(doubled, octavesOf(s.image.W, s.image.H, doubled), e.opts.Layers+3, true)
	s.found = s.found[:0]
	for _, l := range s.lanes.All() {
		for _, k := range l.found {
			s.found = append(s.found, ranked{k, int32(len(s.found))})
		}
	}
	s.found = strongest(sortUnique(s.found), e.opts.Features, &s.responses)
	if doubled {
		for i := range s.found {
			undouble(&s.found[i].Keypoint)
		}
	}
	if mask != nil {
		s.found = slices.DeleteFunc(s.found, func(k ranked) bool {
			return filter.Pix[int(k.Y+0.5)*filter.Stride+int(k.X+0.5)] == 0
		})
	}
}

// findKeypoints adds the keypoints of portion i of the candidates to those found by l.
func (s *scratch) findKeypoints(l *lane, i int) {
	for _, c := range s.candidates[i*portion : min((i+1)*portion, len(s.candidates))] {
		planes := s.pyramid.octave(s.octave)
		p, ok := s.extractor.refine(l.kernels, &l.fit, planes, c)
		if !ok {
			continue
		}
		l.angles = append(l.angles[:0], 0)
		if !s.extractor.opts.Upright {
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
func (s *scratch) load(kps []Keypoint, img *image.Gray) {
	s.image = newImage(img)
	last, layers, doubled := 0, 0, false
	for i, k := range kps {
		octave, layer := Level(k)
		if octave < -1 || octave >= 0 && min(s.image.W, s.image.H)>>octave == 0 || min(s.image.W, s.image.H) == 0 {
			panic(fmt.Sprintf("sift: keypoint %d has octave %d, which an image of %d by %d pixels does not have", i, octave, s.image.W, s.image.H))
		}
		if most := s.extractor.opts.Layers + 2; layer > most {
			panic(fmt.Sprintf("sift: keypoint %d has layer %d, more than %d", i, layer, most))
		}
		doubled = doubled || octave == -1
		last, layers = max(last, octave), max(layers, layer+1)
	}
	s.found = s.found[:0]
	if len(kps) == 0 {
		return
	}
	octaves := last + 1
	if doubled {
		octaves++
	}
	if octaves > 1 {
		layers = max(layers, s.extractor.opts.Layers+1) // the next octave begins with the last of these
	}
	s.build(doubled, octaves, layers, false)
	for i, k := range kps {
		k.X -= float32(img.Rect.Min.X)
		k.Y -= float32(img.Rect.Min.Y)
		s.found = append(s.found, ranked{k, int32(i)})
	}
}

// describe computes the descriptors of the keypoints found.
func (s *scratch) describe(dst []match.Vector) {
	s.setOrder()
	s.described = dst
	s.share(portions(len(s.order)), (*scratch).describePortion)
	s.described = nil
}

// describePortion computes the descriptors of portion i of the keypoints.
func (s *scratch) describePortion(l *lane, i int) {
	order := s.order[i*portion : min((i+1)*portion, len(s.order))]
	for _, i := range order {
		s.describeOne(l, &s.described[i], &s.found[i].Keypoint)
	}
	l.sketcher.finish()
	if s.extractor.opts.Root {
		for _, i := range order {
			rootVector(&s.described[i])
		}
	}
}

// setOrder sets the order of detection, in which neighbors in the pyramid follow each other.
func (s *scratch) setOrder() {
	most := int32(-1)
	for i := range s.found {
		most = max(most, s.found[i].number)
	}
	const missing = -1
	s.order = raster.Resize(s.order, int(most)+1)
	for i := range s.order {
		s.order[i] = missing
	}
	for i := range s.found {
		s.order[s.found[i].number] = int32(i)
	}
	s.order = slices.DeleteFunc(s.order, func(i int32) bool { return i == missing })
}

// describeOne begins the descriptor of a keypoint. There is nothing to describe if its size is
// not positive.
func (s *scratch) describeOne(l *lane, dst *match.Vector, k *Keypoint) {
	octave, layer := Level(*k)
	scale := float32(math.Ldexp(1, -octave))
	if s.pyramid.doubled {
		octave++
	}
	x, y, size := k.X*scale, k.Y*scale, k.Size*scale
	if !finite(x) || !finite(y) || !finite(size) || !finite(k.Angle) || size <= 0 {
		*dst = match.Vector{}
		return
	}
	l.sketcher.free().begin(dst, &s.pyramid.octave(octave)[layer], x, y, degrees.Normalize(k.Angle), size*0.5)
}

// appendKeypoints appends the keypoints found to kps.
func (s *scratch) appendKeypoints(kps []Keypoint, origin image.Point) []Keypoint {
	for i := range s.found {
		k := s.found[i].Keypoint
		k.X += float32(origin.X)
		k.Y += float32(origin.Y)
		kps = append(kps, k)
	}
	return kps
}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release() {
	e := s.extractor
	s.extractor, s.image = nil, raster.Plane{}
	e.pool.Put(s)
}
