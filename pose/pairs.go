package pose

import (
	"cmp"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/consensus"
	"github.com/fastcorners/fast/internal/raster"
)

// given are the pairs of a call: points of A or of the world, and of B.
type given struct {
	a, b      []geometry.Point
	world     []Vector
	distances []float64 // or nil
}

// Compare compares pairs for the order.
func (g *given) Compare(i, k int) int {
	var c int
	if g.world != nil {
		p, q := &g.world[i], &g.world[k]
		c = cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1]), cmp.Compare(p[2], q[2]))
	} else {
		p, q := g.a[i], g.a[k]
		c = cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y))
	}
	p, q := g.b[i], g.b[k]
	c = cmp.Or(c, cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y))
	if c == 0 && g.distances != nil {
		c = cmp.Compare(g.distances[i], g.distances[k])
	}
	return c
}

// pairs are those of a call that count, in the order in which they are processed.
type pairs struct {
	given
	sorter consensus.Sorter
	n      int // how many there are

	// The rays of all pairs, in the order of the call; of Absolute only those of B.
	raysA, raysB []geometry.Point

	a, b coordinates // in the images; of Absolute only b
}

// begin begins with no pairs.
func (p *pairs) begin(g given) {
	p.given = g
	p.sorter.Begin(len(g.b))
}

// add adds pair i, the Hash of which is that of its coordinates.
func (p *pairs) add(h consensus.Hash, i int) {
	if d := p.distances; d == nil || !math.IsNaN(d[i]) {
		p.sorter.Add(h, i)
	}
}

// sort puts the pairs that were added in order.
func (p *pairs) sort() {
	p.sorter.Sort(&p.given)
	order := p.sorter.Order
	p.n = len(order)
	p.b.set(p.given.b, order)
	if p.world == nil {
		p.a.set(p.given.a, order)
	}
}

// mark sets which pairs of the call are in a set, and lets go of the call's slices.
func (p *pairs) mark(inliers []bool, set []byte) {
	clear(inliers)
	if inliers != nil {
		for k := range members(set) {
			inliers[p.sorter.Order[k]] = true
		}
	}
	p.given = given{}
}

// coordinates are those of points in an image, in the order in which pairs are processed.
type coordinates struct {
	x, y []float64
	box  consensus.Box
}

// set takes the points with the indices of order.
func (c *coordinates) set(points []geometry.Point, order []int) {
	c.x, c.y = raster.Resize(c.x, len(order)), raster.Resize(c.y, len(order))
	c.box = consensus.NewBox()
	for k, i := range order {
		c.x[k], c.y[k] = points[i].X, points[i].Y
		c.box.Add(c.x[k], c.y[k])
	}
}

// side returns the side of the square that is as large as the box.
func (c *coordinates) side() float64 {
	return math.Sqrt(float64((c.box.X1 - c.box.X0) * (c.box.Y1 - c.box.Y0)))
}
