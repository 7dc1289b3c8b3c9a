package calibrate

import (
	"math"
	"slices"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

const (
	// leastAlong and leastBack are the least cosines between the line from a cross to its neighbor
	// and the edges of the cross and of the neighbor.
	leastAlong = 0.94
	leastBack  = 0.90
	// nearestScale is the least distance of neighbors, in pixels of the level where they were seen.
	nearestScale = 3.2
	// leastContrast is the least contrast of a neighbor, and of an edge, in parts of a cross's
	// contrast.
	leastContrast     = 0.3
	leastEdgeContrast = 0.25
)

// noLinks are those of a cross without neighbors.
var noLinks = [4]int32{-1, -1, -1, -1}

// bucketSide is the side of a bucket, in pixels.
const bucketSide = 32

// buckets have the crosses in squares of the image. Those outside of the image are in the bucket at
// its edge.
type buckets struct {
	columns, rows int
	heads         []int32 // the first cross in each, or -1. Others follow by their fields.
}

// reset empties the buckets for an image of w by h pixels.
func (b *buckets) reset(w, h int) {
	b.columns, b.rows = (w+bucketSide-1)/bucketSide, (h+bucketSide-1)/bucketSide
	b.heads = raster.Resize(b.heads, b.columns*b.rows)
	for i := range b.heads {
		b.heads[i] = -1
	}
}

// of returns the column and the row of the bucket of a place.
func (b *buckets) of(p vector) (column, row int) {
	return min(max(int(p.x/bucketSide), 0), b.columns-1), min(max(int(p.y/bucketSide), 0), b.rows-1)
}

// addCross appends a cross, which belongs to no grid.
func (j *job) addCross(c *cross) {
	column, row := j.buckets.of(c.vector)
	head := &j.buckets.heads[row*j.buckets.columns+column]
	c.next = *head
	*head = int32(len(j.crosses))
	j.crosses = append(j.crosses, *c)
}

// near calls do with the crosses in the buckets that are less than distance away from p along both
// coordinates, in any order, until it returns false.
func (j *job) near(p vector, distance float64, do func(i int32, c *cross) bool) {
	d := vector{distance, distance}
	left, top := j.buckets.of(p.minus(d))
	right, bottom := j.buckets.of(p.plus(d))
	for row := top; row <= bottom; row++ {
		for column := left; column <= right; column++ {
			for i := j.buckets.heads[row*j.buckets.columns+column]; i >= 0; i = j.crosses[i].next {
				if !do(i, &j.crosses[i]) {
					return
				}
			}
		}
	}
}

// isKnown reports whether a cross of this level, or of a finer one, is where c is.
func (j *job) isKnown(c *cross) bool {
	known := false
	d := 2.5 * c.scale
	j.near(c.vector, d, func(_ int32, other *cross) bool {
		known = math.Abs(other.x-c.x) < d && math.Abs(other.y-c.y) < d
		return !known
	})
	return known
}

// link links each cross to its neighbors.
func (j *job) link() {
	for axis := range j.strips {
		j.strips[axis].fill(j, axis)
	}
	j.wanted = raster.Resize(j.wanted, len(j.crosses))
	workers := worker.For(j.finder.opts.Workers, int64(len(j.crosses))/shareCrosses)
	worker.Each(j, &j.lanes, workers, len(j.crosses), (*job).want)
	for a := range j.crosses {
		c := &j.crosses[a]
		for k, b := range j.wanted[a] {
			if b >= 0 && slices.Contains(j.wanted[b][:], int32(a)) {
				c.links[k] = b
			}
		}
	}
}

// shareCrosses is the number of crosses whose neighbors are worth another worker.
const shareCrosses = 128

// want finds the neighbors that cross i wants.
func (j *job) want(_ *lane, i int) {
	for k := range 4 {
		j.wanted[i][k] = j.neighbor(int32(i), k)
	}
}

// A spot is what the search for neighbors looks at first of a cross.
type spot struct {
	vector
	cross int32
}

// strips have the crosses by rows of buckets, with axis 0, or by columns of them.
type strips struct {
	n, length int     // strips, and the number of buckets of each
	first     []int32 // spot of each bucket, and the end of all
	spots     []spot
}

// fill puts all crosses into strips.
func (s *strips) fill(j *job, axis int) {
	b := &j.buckets
	s.n, s.length = b.rows, b.columns
	perStrip, perBucket := b.columns, 1
	if axis == 1 {
		s.n, s.length = s.length, s.n
		perStrip, perBucket = 1, b.columns
	}
	s.first, s.spots = s.first[:0], s.spots[:0]
	for k := range s.n {
		for i := range s.length {
			s.first = append(s.first, int32(len(s.spots)))
			for c := b.heads[k*perStrip+i*perBucket]; c >= 0; c = j.crosses[c].next {
				s.spots = append(s.spots, spot{j.crosses[c].vector, c})
			}
		}
	}
	s.first = append(s.first, int32(len(s.spots)))
}

// between returns the spots of a strip in the buckets that have places from low to high. There may
// be none.
func (s *strips) between(strip int, low, high float64) []spot {
	if high < 0 || low >= float64(s.length*bucketSide) {
		return nil
	}
	first := strip*s.length + int(max(low, 0)/bucketSide)
	last := strip*s.length + min(int(high/bucketSide), s.length-1)
	return s.spots[s.first[first]:s.first[last+1]]
}

// A sector is the places near a direction. Its sides are a little farther from it than the line to
// a neighbor may be.
const sectorCosine, sectorSine = 0.93, 0.3675595

// neighbor returns the nearest cross along edge k of a cross that has a suitable edge itself, with
// the edge between them seen, or -1. It searches the strips that the edge crosses, from that of the
// cross on.
func (j *job) neighbor(of int32, k int) int32 {
	c := &j.crosses[of]
	// As if the edge crossed rows.
	s, d, at := &j.strips[0], c.directions[k], c.vector
	if math.Abs(d.x) > math.Abs(d.y) {
		s, d, at = &j.strips[1], vector{d.y, d.x}, vector{at.y, at.x}
	}
	step := 1
	if d.y < 0 {
		step = -1
	}
	// How much farther along x the sides of the sector are, farther along y by 1.
	left := (float64(sectorCosine*d.x) - float64(sectorSine*d.y)) / math.Abs(float64(sectorCosine*d.y)+float64(sectorSine*d.x))
	right := (float64(sectorCosine*d.x) + float64(sectorSine*d.y)) / math.Abs(float64(sectorCosine*d.y)-float64(sectorSine*d.x))
	left, right = min(left, right), max(left, right)

	reach := float64(max(j.levels[0].W, j.levels[0].H)) / 3
	nearest, square := int32(-1), float64(reach*reach)
	strip := int(at.y / bucketSide)
	// The distances along y at which the strip begins and ends.
	begin := 0.0
	end := float64((strip+1)*bucketSide) - at.y
	if step < 0 {
		end = bucketSide - end
	}
	for ; strip >= 0 && strip < s.n && float64(begin*begin) <= square; strip += step {
		low, high := float64(left*begin), float64(right*end)
		if left < 0 {
			low = float64(left * end)
		}
		if right < 0 {
			high = float64(right * begin)
		}
		for _, other := range s.between(strip, at.x+low, at.x+high) {
			// Most crosses are too far away, or in another direction.
			v := other.minus(c.vector)
			own, along := v.dot(v), c.directions[k].dot(v)
			if own > square || along < 0 || float64(along*along) < float64(sectorCosine*sectorCosine)*own {
				continue
			}
			if nearer, ok := j.isNeighbor(of, k, other, nearest, square); ok {
				nearest, square = other.cross, nearer
			}
		}
		begin, end = end, end+bucketSide
	}
	return nearest
}

// isNeighbor reports whether a cross may be the neighbor along edge k of another one rather than
// the nearest one so far, the square of whose distance is given, and returns the square of its own.
// Of equals, the first one is nearer.
func (j *job) isNeighbor(of int32, k int, other spot, nearest int32, square float64) (float64, bool) {
	a := &j.crosses[of]
	b := &j.crosses[other.cross]
	d := other.minus(a.vector)
	own, along := d.dot(d), a.directions[k].dot(d)
	if own == square && nearest >= 0 && other.cross > nearest {
		return 0, false
	}
	distance := math.Sqrt(own)
	scale := a.scale
	if b.scale > scale {
		scale = b.scale
	}
	least := nearestScale * scale
	if own > square || along < leastAlong*distance || own < float64(least*least) ||
		b.contrast < leastContrast*a.contrast || a.contrast < leastContrast*b.contrast {
		return 0, false
	}
	// The edge of the other cross has dark on the other side, since it leads back.
	m := (k + 1) % 2
	back := b.directions[m].dot(d) < -leastBack*distance || b.directions[m+2].dot(d) < -leastBack*distance
	return own, back && j.isEdge(a.vector, b.vector, k%2 == 0, min(a.contrast, b.contrast), scale)
}

// isEdge reports whether there is an edge between light and dark all along the line from a to b,
// with light to the right or to the left of it, as seen from a, with a part of the contrast.
func (j *job) isEdge(a, b vector, lightRight bool, contrast, scale float64) bool {
	d := b.minus(a)
	distance := d.length()
	away := clamp(distance*0.2, 1.2, max(1.2, 3*scale))
	right := vector{-d.y / distance, d.x / distance}.times(away)
	if !lightRight {
		right = right.times(-1)
	}
	l := j.levelFor(away)
	for _, t := range [4]float64{0.25, 0.4, 0.6, 0.75} {
		p := vector{a.x + float64(t*d.x), a.y + float64(t*d.y)}
		light, dark := p.plus(right), p.minus(right)
		if l.seen(light.x, light.y)-l.seen(dark.x, dark.y) < leastEdgeContrast*contrast {
			return false
		}
	}
	return true
}

// levelFor returns the level in which to look at places that are a distance in pixels away from an
// edge.
func (j *job) levelFor(away float64) *level {
	for k := range j.levels {
		if l := &j.levels[k]; away <= 8*l.scale {
			return l
		}
	}
	return &j.levels[len(j.levels)-1]
}
