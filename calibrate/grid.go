package calibrate

import (
	"cmp"
	"slices"
)

// A grid is some of the corners of a job.
type grid struct {
	first, n int
}

// corners returns those of a grid.
func (j *job) corners(g grid) []corner { return j.stored[g.first:][:g.n] }

// store makes a grid of the lattice.
func (j *job) store() grid {
	g := grid{len(j.stored), len(j.lattice.corners)}
	j.stored = append(j.stored, j.lattice.corners...)
	return g
}

// open makes the lattice of a grid.
func (j *job) open(g grid) {
	j.lattice.reset()
	for _, c := range j.corners(g) {
		j.lattice.add(c)
		j.crosses[c.cross].lattice = j.lattice.number
	}
}

// leastGrid is the least number of corners of a grid.
const leastGrid = 4

// grow makes the grids of linked crosses, the largest first.
func (j *job) grow() {
	j.stored, j.grids = j.stored[:0], j.grids[:0]
	l := &j.lattice
	for i := range j.crosses {
		if c := &j.crosses[i]; c.grown || linksOf(c) < 2 {
			continue
		}
		if j.growFrom(int32(i)); l.count < leastGrid {
			continue
		}
		j.prune()
		if j.keepLargest(); l.count >= leastGrid {
			j.grids = append(j.grids, j.store())
		}
	}
	slices.SortStableFunc(j.grids, func(a, b grid) int { return cmp.Compare(b.n, a.n) })
}

// linksOf returns the number of neighbors of a cross.
func linksOf(c *cross) (n int) {
	for _, b := range c.links {
		if b >= 0 {
			n++
		}
	}
	return n
}

// growFrom makes the lattice of the crosses that links lead to from one of them, breadth first.
func (j *job) growFrom(seed int32) {
	l := &j.lattice
	l.reset()
	j.crosses[seed].grown = true
	l.add(corner{cross: seed})
	for i := 0; i < len(l.corners); i++ {
		a := l.corners[i]
		for k, b := range j.crosses[a.cross].links {
			way := (k + int(a.turn)) % 4
			to := a.plus(steps[way])
			if b < 0 || j.crosses[b].grown || l.has(to) {
				continue
			}
			back := -1
			for m, link := range j.crosses[b].links {
				if link == a.cross {
					back = m
				}
			}
			if back < 0 || (back-k)%2 == 0 {
				continue
			}
			j.crosses[b].grown = true
			l.add(corner{to, b, int8((way + 6 - back) % 4)})
		}
	}
	l.sort()
}

// prune removes corners that do not fit their neighbors, and those that hang by a thread, until
// none is left.
func (j *job) prune() {
	l := &j.lattice
	for before := l.count + 1; l.count < before; {
		before = l.count
		l.removeIf(j.unfit)
	}
}

// mostBend is by which part of the distance of its neighbors a corner is off their middle, at most.
const mostBend = 0.15

// unfit reports whether a corner does not fit its neighbors, or hangs by a thread.
func (j *job) unfit(c corner) bool {
	l := &j.lattice
	var beside [4]int32
	n := 0
	for way, s := range steps {
		if beside[way] = l.at(c.plus(s)); beside[way] >= 0 {
			n++
		}
	}
	line := [2]bool{beside[0] >= 0 && beside[2] >= 0, beside[1] >= 0 && beside[3] >= 0}
	if n < 2 || n == 2 && (line[0] || line[1]) && l.count > leastGrid {
		return true
	}
	for axis, both := range line {
		if !both {
			continue
		}
		p, q, at := j.crosses[beside[axis]].vector, j.crosses[beside[axis+2]].vector, j.crosses[c.cross].vector
		if p.plus(q).minus(at.times(2)).length() > 2*mostBend*q.minus(p).length() {
			return true
		}
	}
	return false
}

// square has the places of the corners of a full square, from the first one.
var square = [4]cell{{0, 0}, {1, 0}, {0, 1}, {1, 1}}

// isFull reports whether all corners of the square that begins in a cell are there.
func (l *lattice) isFull(c cell) bool {
	for _, d := range square {
		if !l.has(c.plus(d)) {
			return false
		}
	}
	return true
}

// keepLargest keeps only the corners of the largest set of full squares that are connected by
// edges.
func (j *job) keepLargest() {
	l := &j.lattice
	all := j.cells[:0] // one set after the other
	var best []cell
	visit := func(c cell) {
		if l.isFull(c) && !l.slot(c).full {
			l.slot(c).full = true
			all = append(all, c)
		}
	}
	for _, c := range l.corners {
		first := len(all)
		visit(c.cell)
		for k := first; k < len(all); k++ {
			for _, s := range steps {
				visit(all[k].plus(s))
			}
		}
		if set := all[first:]; len(set) > len(best) {
			best = set
		}
	}
	for _, c := range best {
		for _, d := range square {
			l.slot(c.plus(d)).kept = true
		}
	}
	l.removeIf(func(c corner) bool { return !l.slot(c.cell).kept })
	j.cells = all
}
