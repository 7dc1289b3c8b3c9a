package sift

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/match"
)

// A scratch is the memory for one image. It is reused.
type scratch struct {
	extractor *Extractor
	image     raster.Plane
	pyramid   pyramid
	lanes     []*lane

	found     []ranked
	order     []int32   // of detection: the indices of found
	responses []float32 // of found, sorted
}

// build makes a pyramid of the image, and looks for extrema in it if search is set.
func (s *scratch) build(doubled bool, octaves int, search bool) {
	e, p := s.extractor, &s.pyramid
	p.reset(s.image.W, s.image.H, doubled, octaves, e.opts.Layers+3)
	if len(s.lanes) == 0 {
		s.lanes = append(s.lanes, new(lane))
	}
	l := s.lanes[0]
	l.reset(table.Best())
	l.scanner.threshold = float32(math.Floor(0.5 * e.opts.Contrast / float64(e.opts.Layers) * 255))
	filters := e.filters[0]
	if doubled {
		filters = e.filters[1]
	}
	for o := range octaves {
		planes := p.octave(o)
		src := source{image: &s.image, doubled: doubled}
		if o > 0 {
			src = source{plane: &p.octave(o - 1)[e.opts.Layers]}
		}
		var sc *scanner
		if search {
			sc = &l.scanner
			sc.begin(o, planes, 0, planes[0].height)
		}
		l.cascade.run(planes, filters, src, 0, planes[0].height, sc)
	}
}

// detect finds the keypoints of an image.
func (s *scratch) detect(img, mask *image.Gray) {
	e := s.extractor
	s.image = newImage(img)
	filter := raster.NewMask("sift", mask, img.Rect)
	doubled := !e.opts.NoDoubling
	s.build(doubled, octavesOf(s.image.W, s.image.H, doubled), true)
	s.found = s.found[:0]
	l := s.lanes[0]
	for _, c := range l.scanner.found {
		planes := s.pyramid.octave(int(c.octave))
		if p, ok := e.refine(l.kernels, &l.fit, planes, c); ok {
			s.orient(l, planes, p)
		}
	}
	s.found = strongest(sortUnique(s.found), e.opts.Features, &s.responses)
	if doubled {
		for i := range s.found {
			s.found[i].halve()
		}
	}
	if mask != nil {
		n := 0
		for _, k := range s.found {
			if filter.Pix[int(k.Y+0.5)*filter.Stride+int(k.X+0.5)] != 0 {
				s.found[n] = k
				n++
			}
		}
		s.found = s.found[:n]
	}
}

// orient adds the keypoints of a peak to those found.
func (s *scratch) orient(l *lane, planes []plane, p peak) {
	k := ranked{Keypoint{X: p.x, Y: p.y, Size: p.size, Response: p.response, Octave: p.packed}, 0}
	l.angles = append(l.angles[:0], 0)
	if !s.extractor.opts.Upright {
		scale := p.size * 0.5 / float32(int(1)<<p.octave)
		l.angles = l.orientations(l.angles[:0], &planes[p.layer], int(p.column), int(p.row), scale)
	}
	for _, k.Angle = range l.angles {
		k.number = int32(len(s.found))
		s.found = append(s.found, k)
	}
}

// halve makes k, of the doubled image, one of the image.
func (k *Keypoint) halve() {
	k.X *= 0.5
	k.Y *= 0.5
	k.Size *= 0.5
	k.Octave = k.Octave&^0xff | (k.Octave-1)&0xff
}

// load takes keypoints to describe, and builds the octaves that they are in.
func (s *scratch) load(kps []Keypoint, img *image.Gray) {
	s.image = newImage(img)
	last, doubled := 0, false
	for i, k := range kps {
		octave, layer := k.Level()
		if octave < -1 || octave >= 0 && min(s.image.W, s.image.H)>>octave == 0 || min(s.image.W, s.image.H) == 0 {
			panic(fmt.Sprintf("sift: keypoint %d has octave %d, which an image of %d by %d pixels does not have", i, octave, s.image.W, s.image.H))
		}
		if most := s.extractor.opts.Layers + 2; layer > most {
			panic(fmt.Sprintf("sift: keypoint %d has layer %d, more than %d", i, layer, most))
		}
		doubled = doubled || octave == -1
		last = max(last, octave)
	}
	s.found = s.found[:0]
	if len(kps) == 0 {
		return
	}
	octaves := last + 1
	if doubled {
		octaves++
	}
	s.build(doubled, octaves, false)
	for i, k := range kps {
		k.X -= float32(img.Rect.Min.X)
		k.Y -= float32(img.Rect.Min.Y)
		s.found = append(s.found, ranked{k, int32(i)})
	}
}

// describe computes the descriptors of the keypoints found.
func (s *scratch) describe(dst []match.Vector) {
	s.setOrder()
	l := s.lanes
	for _, i := range s.order {
		s.describeOne(l[0], &dst[i], &s.found[i].Keypoint)
	}
}

// setOrder sets the order of detection, in which neighbors in the pyramid follow each other.
func (s *scratch) setOrder() {
	most := int32(-1)
	for i := range s.found {
		most = max(most, s.found[i].number)
	}
	s.order = raster.Resize(s.order, int(most)+1)
	for i := range s.order {
		s.order[i] = -1
	}
	for i := range s.found {
		s.order[s.found[i].number] = int32(i)
	}
	n := 0
	for _, i := range s.order {
		if i >= 0 {
			s.order[n] = i
			n++
		}
	}
	s.order = s.order[:n]
}

// describeOne computes the descriptor of a keypoint.
func (s *scratch) describeOne(l *lane, dst *match.Vector, k *Keypoint) {
	if !finite(k.X) || !finite(k.Y) || !finite(k.Size) || !finite(k.Angle) {
		*dst = match.Vector{}
		return
	}
	octave, layer := k.Level()
	scale := float32(math.Ldexp(1, -octave))
	if s.pyramid.doubled {
		octave++
	}
	x, y, size := k.X*scale, k.Y*scale, k.Size*scale
	l.describe(dst, &s.pyramid.octave(octave)[layer], x, y, turn(k.Angle), size*0.5)
	if s.extractor.opts.Root {
		rootVector(dst)
	}
}

// turn returns the angle of the same direction between 0 and 360 degrees.
func turn(angle float32) float32 {
	if angle >= 0 && angle <= 360 {
		return angle
	}
	rest := math.Mod(float64(angle), 360)
	if rest < 0 {
		rest += 360
	}
	return float32(rest)
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
