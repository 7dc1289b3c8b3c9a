package calibrate

import (
	"math"

	"github.com/fastcorners/fast/internal/raster"
)

const (
	// leastAlong and leastBack are the least cosines between the line from a cross to its neighbor and the
	// edges of the cross and of the neighbor.
	leastAlong = 0.94
	leastBack  = 0.90
	// nearest is the least distance of neighbors, in pixels of the level where they were seen.
	nearest = 3.2
	// leastContrast is the least contrast of a neighbor, and of an edge, in parts of a cross's contrast.
	leastContrast     = 0.3
	leastEdgeContrast = 0.25
)

// noLinks are those of a cross without neighbors.
var noLinks = [4]int32{-1, -1, -1, -1}

// bucketSide is the side of a bucket, in pixels.
const bucketSide = 32

// buckets have the crosses in squares of the image. Those outside of the image are in the bucket at its
// edge.
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
	j.wanted = raster.Resize(j.wanted, len(j.crosses))
	for i := range j.crosses {
		j.wanted[i] = j.neighbors(int32(i))
	}
	for a := range j.crosses {
		c := &j.crosses[a]
		for k, b := range j.wanted[a] {
			if b >= 0 && contains(&j.wanted[b], int32(a)) {
				c.links[k] = b
			}
		}
	}
}

func contains(links *[4]int32, cross int32) bool {
	return links[0] == cross || links[1] == cross || links[2] == cross || links[3] == cross
}

// A neighborhood is the neighbors of a cross as far as they are known.
type neighborhood struct {
	of       int32
	nearest  [4]int32   // or -1
	squares  [4]float64 // of their distances
	farthest float64    // the largest square of a distance that there may be
}

// neighbors returns the nearest cross along each edge of a cross that has a suitable edge itself, with the
// edge between them seen, or -1. It searches rings of buckets, from that of the cross outward.
func (j *job) neighbors(of int32) [4]int32 {
	c := &j.crosses[of]
	reach := float64(max(j.levels[0].W, j.levels[0].H)) / 3
	n := neighborhood{of: of, nearest: noLinks, farthest: reach * reach}
	for k := range n.squares {
		n.squares[k] = math.Inf(1)
	}
	b := &j.buckets
	column, row := b.of(c.vector)
	for r := 0; ; r++ {
		left, top, right, bottom := column-r, row-r, column+r, row+r
		if r > 0 {
			// What lies in the ring or beyond is at least so far away.
			inner := max(0, min(c.x-float64((left+1)*bucketSide), float64(right*bucketSide)-c.x,
				c.y-float64((top+1)*bucketSide), float64(bottom*bucketSide)-c.y))
			square := float64(inner * inner)
			if square > min(n.farthest, max(n.squares[0], n.squares[1], n.squares[2], n.squares[3])) {
				return n.nearest
			}
		}
		if left < 0 && top < 0 && right >= b.columns && bottom >= b.rows {
			return n.nearest
		}
		for y := max(top, 0); y <= min(bottom, b.rows-1); y++ {
			step := 1
			if y > top && y < bottom {
				step = max(2*r, 1)
			}
			for x := left; x <= right; x += step {
				if x < 0 || x >= b.columns {
					continue
				}
				for i := b.heads[y*b.columns+x]; i >= 0; i = j.crosses[i].next {
					if i != of {
						j.consider(&n, i)
					}
				}
			}
		}
	}
}

// consider makes a cross a neighbor along the edges where it is nearer than those before. Of equals, the
// first one is the neighbor.
func (j *job) consider(n *neighborhood, i int32) {
	a, b := &j.crosses[n.of], &j.crosses[i]
	d := b.minus(a.vector)
	square := d.dot(d)
	least := nearest * max(a.scale, b.scale)
	if square < float64(least*least) || square > n.farthest ||
		b.contrast < leastContrast*a.contrast || a.contrast < leastContrast*b.contrast {
		return
	}
	distance := math.Sqrt(square)
	for k, direction := range a.directions {
		if square > n.squares[k] || square == n.squares[k] && i > n.nearest[k] || direction.dot(d) < leastAlong*distance {
			continue
		}
		// The edge of the other cross has dark on the other side, since it leads back.
		m := (k + 1) % 2
		if !(b.directions[m].dot(d) < -leastBack*distance || b.directions[m+2].dot(d) < -leastBack*distance) {
			continue
		}
		if j.isEdge(a.vector, b.vector, k%2 == 0, min(a.contrast, b.contrast), max(a.scale, b.scale)) {
			n.nearest[k], n.squares[k] = i, square
		}
	}
}

// isEdge reports whether there is an edge between light and dark all along the line from a to b, with
// light to the right or to the left of it, as seen from a, with a part of the contrast.
func (j *job) isEdge(a, b vector, lightRight bool, contrast, scale float64) bool {
	d := b.minus(a)
	distance := d.length()
	away := max(1.2, min(distance*0.2, 3*scale))
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

// levelFor returns the level in which to look at places that are a distance in pixels away from an edge.
func (j *job) levelFor(away float64) *level {
	for k := range j.levels {
		if l := &j.levels[k]; away <= 8*l.scale {
			return l
		}
	}
	return &j.levels[len(j.levels)-1]
}
