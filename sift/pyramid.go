package sift

import (
	"math/bits"
)

// A plane is a layer of the pyramid. Vectors may begin at any of its pixels, also at the last
// ones: there is room behind it, where the values mean nothing.
type plane struct {
	pix                   []float32 // that at x, y is pix[y*stride+x]
	width, height, stride int
}

// row returns the pixels of row y and those after it up to a multiple of vectorWidth.
func (p *plane) row(y int) []float32 {
	return p.pix[y*p.stride:][:roundUp(p.width)]
}

// roundUp returns the smallest multiple of vectorWidth that is at least n.
func roundUp(n int) int {
	return (n + vectorWidth - 1) &^ (vectorWidth - 1)
}

// strideOf returns the pixels from a row of the given width to the next one. Rows begin at
// distances of an odd number of vectors, so that those of a column do not compete for the
// same lines of the caches.
func strideOf(width int) int {
	return roundUp(width) | vectorWidth
}

// A pyramid has the octaves of an image. Each one has half the size of the one before, and
// consists of layers, each of them blurred more than the one before it.
type pyramid struct {
	doubled bool // the first octave has twice the size of the image
	octaves int
	layers  int // of an octave
	planes  []plane
	mem     []float32 // the planes' pixels
	begins  []int     // where they are
	size    int       // of mem that the planes need
	free    []span    // of mem, of planes that are no longer needed
}

// A span is a part of a pyramid's memory, in pixels.
type span struct{ begin, end int }

// take returns where there is memory for n pixels.
func (p *pyramid) take(n int) int {
	for i := range p.free {
		if f := &p.free[i]; f.end-f.begin >= n {
			f.begin += n
			return f.begin - n
		}
	}
	p.size += n
	return p.size - n
}

// octave returns the layers of an octave.
func (p *pyramid) octave(o int) []plane {
	return p.planes[o*p.layers:][:p.layers]
}

// reset makes p a pyramid of octaves for an image, of any pixels. If brief is set, the layers of an
// octave in which no keypoints are found, the first one and the last two, keep their pixels only
// until the next octave is made, whose layers take their memory.
func (p *pyramid) reset(width, height int, doubled bool, octaves, layers int, brief bool) {
	if doubled {
		width, height = 2*width, 2*height
	}
	p.doubled, p.octaves, p.layers = doubled, octaves, layers
	p.size, p.free = 0, p.free[:0]
	p.begins = p.begins[:0]
	for o := range octaves {
		n := strideOf(width>>o) * (height >> o)
		begins := len(p.begins)
		for range layers {
			p.begins = append(p.begins, p.take(n))
		}
		if brief {
			for _, layer := range [...]int{layers - 2, layers - 1, 0} {
				begin := p.begins[begins+layer]
				p.free = append(p.free, span{begin, begin + n})
			}
		}
	}
	size := p.size + vectorWidth
	if len(p.mem) < size {
		p.mem = nil // lets the collector have it before there are both
		p.mem = make([]float32, size)
	}
	p.planes = p.planes[:0]
	for i, begin := range p.begins {
		w, h := width>>(i/layers), height>>(i/layers)
		n := strideOf(w)*h + vectorWidth
		p.planes = append(p.planes, plane{p.mem[begin:][:n], w, h, strideOf(w)})
	}
}

// octavesOf returns the number of octaves in which keypoints are searched for, in the pyramid
// of an image: one less than the logarithm of the lesser side of the first octave to the base 2,
// rounded to the nearest integer, and another one less unless it is doubled.
func octavesOf(width, height int, doubled bool) int {
	side, less := min(width, height), 2
	if doubled {
		side, less = 2*side, 1
	}
	if side == 0 {
		return 0
	}
	log := bits.Len(uint(side)) - 1
	if uint64(side)*uint64(side) >= 1<<(2*log+1) {
		log++
	}
	return max(log-less, 0)
}

// A doubleRun is the argument of the kernel double, which makes a row of the image in twice
// its size.
type doubleRun struct {
	near, far []byte    // the nearest rows of the image, with a pixel more on both sides, and room for a vector
	dst       []float32 // as long as two vectors divide
}

// double interpolates: the pixels of a row of the doubled image have 9, 3, 3 and 1 sixteenths
// of the four pixels around them.
func double(r *doubleRun) {
	for i := range len(r.dst) / 2 {
		left := 3*int32(r.near[i]) + int32(r.far[i])
		center := 3*int32(r.near[i+1]) + int32(r.far[i+1])
		right := 3*int32(r.near[i+2]) + int32(r.far[i+2])
		r.dst[2*i] = float32(3*center+left) * (1.0 / 16)
		r.dst[2*i+1] = float32(3*center+right) * (1.0 / 16)
	}
}

// A halveRun is the argument of the kernel halve, which makes a row of an octave.
type halveRun struct {
	src, dst []float32 // dst has whole vectors, and src twice as many
}

// halve takes every second pixel.
func halve(r *halveRun) {
	for i := range r.dst {
		r.dst[i] = r.src[2*i]
	}
}
