package selection

import (
	"image"
	"math"
	"math/bits"

	"github.com/fastcorners/fast/internal/raster"
)

// A Place is the node of a point, and a number that tells where the point is: at first two
// coordinates of 32 bits, then the cell or the node of a quadtree.
type Place [2]uint64

// The elements of a Place.
const (
	rank   = 0
	number = 1
)

func (p *Place) node() Node { return Node(p[rank]) }

// coordinates returns those of the point.
func (p *Place) coordinates() (x, y int32) {
	return int32(p[number] >> 32), int32(p[number])
}

// position returns the coordinates, which are the bits of float32.
func (p *Place) position() (x, y float32) {
	return math.Float32frombits(uint32(p[number] >> 32)), math.Float32frombits(uint32(p[number]))
}

// Set sets p to that of a point with the given coordinates: those of a pixel, or the bits of
// float32.
func (p *Place) Set(n Node, x, y int32) {
	p[rank], p[number] = uint64(n), uint64(uint32(x))<<32|uint64(uint32(y))
}

// Places returns memory for the places of n points, all of which must be set.
func (s *Selector) Places(n int) []Place {
	s.places = raster.Resize(s.places, n)
	s.sorted = raster.Resize(s.sorted, n)
	return s.places
}

// KeepPerCell keeps up to n points of each cell: the strongest ones and, where there are any whose
// keys are not below the limit, only these. The cells begin at bounds.Min. All points have
// places, which are within the bounds.
func (s *Selector) KeepPerCell(bounds image.Rectangle, cell image.Point, n int, limit uint32) {
	s.setCells(bounds, cell)
	s.sort(rank)
	s.sort(number)
	last, low, left := ^s.places[0][number], uint32(0), 0 // a cell, what counts in it, and how many of these are left
	for i := range s.places {
		p := &s.places[i]
		key, first := p.node().key(), uint32(0)
		if key >= limit {
			first = limit
		}
		if p[number] != last {
			low, left = first, n
		}
		last = p[number]
		s.kept.addIf(p.node().point(), left > 0 && key >= low)
		left--
	}
}

// setCells makes the numbers of places those of cells.
func (s *Selector) setCells(bounds image.Rectangle, cell image.Point) {
	// The bounds are less than 1<<32 wide and high.
	w, h := uint32(min(uint(cell.X), math.MaxUint32)), uint32(min(uint(cell.Y), math.MaxUint32))
	columns := uint64(uint32(bounds.Dx())/w) + 1
	for i := range s.places {
		p := &s.places[i]
		x, y := p.coordinates()
		column := (uint32(x) - uint32(bounds.Min.X)) / w
		row := (uint32(y) - uint32(bounds.Min.Y)) / h
		p[number] = uint64(row)*columns + uint64(column)
	}
}

// KeepApart keeps the points that are not nearer than radius, which is positive, to a stronger one
// that is kept. The coordinates of all points are float32.
func (s *Selector) KeepApart(radius float64) {
	s.sort(rank)
	bounds := s.pixelBounds(radius)
	if !bounds.Empty() {
		s.pixels.Reset(bounds.Dx(), bounds.Dy(), radius)
		for i := range s.places {
			p := &s.places[i]
			x, y := p.position()
			s.kept.addIf(p.node().point(), s.pixels.Add(int(x)-bounds.Min.X, int(y)-bounds.Min.Y))
		}
		return
	}
	s.grid.Reset(radius, len(s.places))
	for i := range s.places {
		p := &s.places[i]
		s.kept.addIf(p.node().point(), s.grid.Add(p.position()))
	}
}

// pixelBounds returns the bounds of the points, if they are pixels and there are few others that
// are not farther from them than the radius: with a bit for each, no more than 64 bytes a point.
// Otherwise it returns an empty rectangle.
func (s *Selector) pixelBounds(radius float64) image.Rectangle {
	const limit = 1 << 24 // float32 has all integers up to this one
	low, high := [2]float32{limit, limit}, [2]float32{-limit, -limit}
	for i := range s.places {
		x, y := s.places[i].position()
		if !(max(x, -x, y, -y) <= limit) || x != float32(int32(x)) || y != float32(int32(y)) {
			return image.Rectangle{}
		}
		low = [2]float32{min(low[0], x), min(low[1], y)}
		high = [2]float32{max(high[0], x), max(high[1], y)}
	}
	w, h := float64(high[0])-float64(low[0])+1, float64(high[1])-float64(low[1])+1
	const rounding = 80 // the bits that a row may have besides, for whole bytes
	if (w+2*min(radius, w)+rounding)*(h+2*min(radius, h)) > 512*float64(len(s.places)) {
		return image.Rectangle{}
	}
	return image.Rect(int(low[0]), int(low[1]), int(high[0])+1, int(high[1])+1)
}

// sort sorts the places by an element, the largest first, and leaves those that are equal in the
// order they have. Points are equal if their keys are.
func (s *Selector) sort(element int) {
	places, sorted := s.places, s.sorted
	first, differ := places[0][element], uint64(0) // the bits in which not all are equal
	for i := range places {
		differ |= places[i][element] ^ first
	}
	if element == rank {
		differ &^= math.MaxUint32
	}
	// Radix sort: a stable sort by each digit, from the lowest to the highest.
	for differ != 0 {
		shift := bits.TrailingZeros64(differ)
		mask := uint64(1)<<min(bits.Len64(differ>>shift), bits.Len(uint(len(places))), 11) - 1
		differ &^= mask << shift
		next := s.next[:mask+1] // where the next place with that digit goes
		clear(next)
		for i := range places {
			next[^places[i][element]>>shift&mask]++
		}
		sum := uint32(0)
		for digit, n := range next {
			next[digit] = sum
			sum += n
		}
		for i := range places {
			end := &next[^places[i][element]>>shift&mask]
			sorted[*end] = places[i]
			*end++
		}
		places, sorted = sorted, places
	}
	s.places, s.sorted = places, sorted
}
