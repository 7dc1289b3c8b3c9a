package calibrate

import "math"

const (
	// mostRounds is the number of rounds in which a grid is filled, and mostTries how many times a
	// cell is tried.
	mostRounds = 40
	mostTries  = 4
	// leastSide is the least side of a square, in pixels.
	leastSide = 4
	// mostOff is how far from where it is expected a corner may be, in sides of a square.
	mostOff = 0.3
	// leastApart is the least distance of a corner from others, in sides of a square.
	leastApart = 0.5
	// leastSpread is the least difference of light and dark places around a corner.
	leastSpread = 3
	// margin is the distance from the edge of the image, in pixels, within which corners may be
	// missing.
	margin = 6
)

// fill adds corners to the lattice that are missing in it and beside it, as far as the image shows
// them.
func (j *job) fill() {
	l := &j.lattice
	for round := uint8(1); round <= mostRounds; round++ {
		l.sort()
		j.cells = j.cells[:0]
		for _, c := range l.corners {
			for _, s := range steps {
				slot := l.slot(c.plus(s))
				if slot.cross < 0 && slot.round != round {
					slot.round = round
					j.cells = append(j.cells, slot.cell)
				}
			}
		}
		before := l.count
		for _, c := range j.cells {
			if l.slot(c).tries < mostTries && !j.fillCell(c) {
				l.slot(c).tries++
			}
		}
		if l.count == before {
			return
		}
	}
	l.sort()
}

// A prediction is what the corners of a lattice tell of a cell.
type prediction struct {
	vector
	columns, rows vector // from a corner to the next one in its row, and in its column
	contrast      float64
}

// placeOf returns the place of the corner in a cell.
func (j *job) placeOf(c cell) (vector, bool) {
	i := j.lattice.at(c)
	if i < 0 {
		return vector{}, false
	}
	return j.crosses[i].vector, true
}

// predict returns where a corner of the lattice is to be expected. It reports false if there are
// too few others.
func (j *job) predict(c cell) (p prediction, ok bool) {
	var sum vector
	var weights, contrast float64
	add := func(p vector, weight float64) {
		sum = sum.plus(p.times(weight))
		weights += weight
	}
	neighbors := 0
	for way, s := range steps {
		p1, ok1 := j.placeOf(c.plus(s))
		if !ok1 {
			continue
		}
		neighbors++
		contrast += j.crosses[j.lattice.at(c.plus(s))].contrast
		if p2, ok2 := j.placeOf(c.plus(s.times(2))); ok2 {
			if p3, ok3 := j.placeOf(c.plus(s.times(3))); ok3 {
				add(continued(p1, p2, p3), 2)
			} else {
				add(p1.times(2).minus(p2), 1)
			}
		}
		turned := steps[(way+1)%4]
		beside, okBeside := j.placeOf(c.plus(turned))
		both, okBoth := j.placeOf(c.plus(s).plus(turned))
		if okBeside && okBoth {
			add(p1.plus(beside).minus(both), 1)
		}
	}
	for _, s := range steps[:2] {
		before, ok1 := j.placeOf(c.plus(s.back()))
		after, ok2 := j.placeOf(c.plus(s))
		if ok1 && ok2 {
			add(before.plus(after).times(0.5), 4)
		}
	}
	columns, ok1 := j.along(c, steps[0])
	rows, ok2 := j.along(c, steps[1])
	if !ok1 || !ok2 || neighbors == 0 || weights == 0 {
		return p, false
	}
	return prediction{vector{sum.x / weights, sum.y / weights}, columns, rows, contrast / float64(neighbors)}, true
}

// continued returns the place that follows p3, p2 and p1 in a row in perspective, in which
// distances change by a ratio.
func continued(p1, p2, p3 vector) vector {
	a, b := p1.minus(p2), p2.minus(p3)
	q := max(0.6, min(1.6, a.length()/b.length()))
	return vector{
		p1.x + float64(a.x*q) + float64((a.x-float64(b.x*q))*0.5),
		p1.y + float64(a.y*q) + float64((a.y-float64(b.y*q))*0.5),
	}
}

// pairs are where pairs of neighbors may begin, the nearest ones first.
var pairs = [13]cell{{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}, {0, 2}, {0, -2}, {2, 0}, {-2, 0}}

// along returns the vector from a corner near a cell to the next one along a step. It reports false
// if there is no such pair.
func (j *job) along(c, step cell) (vector, bool) {
	for _, d := range pairs {
		middle, ok := j.placeOf(c.plus(d))
		if !ok {
			continue
		}
		if after, ok := j.placeOf(c.plus(d).plus(step)); ok {
			return after.minus(middle), true
		}
		if before, ok := j.placeOf(c.plus(d).plus(step.back())); ok {
			return middle.minus(before), true
		}
	}
	return vector{}, false
}

// fillCell adds the corner of a cell if the image shows it.
func (j *job) fillCell(c cell) bool {
	l, image := &j.lattice, &j.levels[0]
	p, ok := j.predict(c)
	if !ok || p.x < 2 || p.y < 2 || p.x > float64(image.W-3) || p.y > float64(image.H-3) {
		return false
	}
	side := min(p.columns.length(), p.rows.length())
	if side < leastSide {
		return false
	}
	place, found, ok := j.look(&p, side)
	if !ok || place.minus(p.vector).length() > mostOff*side || j.isCrowded(place, leastApart*side) ||
		!j.showsQuadrants(c, place, &p, side) {
		return false
	}
	for way := range steps {
		if l.has(c.plus(steps[way])) && !j.showsEdge(c, place, way) {
			return false
		}
	}
	if found < 0 {
		found = int32(len(j.crosses))
		j.addCross(&cross{vector: place, links: noLinks})
	}
	j.crosses[found].contrast = p.contrast
	j.crosses[found].lattice = l.number
	l.add(corner{c, found, notTurned})
	return true
}

// look returns the cross, or else the place without a known cross and -1, that is where a corner is
// expected.
func (j *job) look(p *prediction, side float64) (place vector, found int32, ok bool) {
	found = -1
	least := mostOff * side
	j.near(p.vector, least, func(i int32, c *cross) bool {
		if c.lattice == j.lattice.number {
			return true
		}
		if d := c.minus(p.vector).length(); d < least || found >= 0 && d == least && i < found {
			found, least = i, d
		}
		return true
	})
	if found >= 0 {
		return j.crosses[found].vector, found, true
	}
	r := max(2, min(side*0.35, 20))
	l := j.levelFor(r)
	x, y, ok := j.lanes.All()[0].saddle(l, l.from(p.x), l.from(p.y), max(2, r*l.inverse), 5)
	return vector{l.to(x), l.to(y)}, -1, ok
}

// isCrowded reports whether a corner of the lattice is less than a distance away from a place.
func (j *job) isCrowded(place vector, distance float64) bool {
	crowded := false
	j.near(place, distance, func(_ int32, c *cross) bool {
		crowded = c.lattice == j.lattice.number && c.minus(place).length() < distance
		return !crowded
	})
	return crowded
}

// quadrantPlaces are where the color of a quadrant is seen, in sides of its square.
var quadrantPlaces = [3]vector{{0.25, 0.25}, {0.3, 0.15}, {0.15, 0.3}}

// showsQuadrants reports whether the four squares around a place have the colors of those around a
// cell: each place in the light ones is lighter than each in the dark ones.
func (j *job) showsQuadrants(c cell, place vector, p *prediction, side float64) bool {
	right, bottom := float64(j.levels[0].W)-0.5, float64(j.levels[0].H)-0.5
	l := j.levelFor(side * 0.25)
	dark, light := math.Inf(-1), math.Inf(1)
	for way, sign := range [4]vector{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		n := 0
		for _, part := range quadrantPlaces {
			at := place.plus(p.columns.times(sign.x * part.x)).plus(p.rows.times(sign.y * part.y))
			if at.x < 0 || at.y < 0 || at.x > right || at.y > bottom {
				continue
			}
			n++
			if v := l.seen(at.x, at.y); j.lattice.lightAfter(c, way) {
				light = min(light, v)
			} else {
				dark = max(dark, v)
			}
		}
		if n == 0 {
			return false
		}
	}
	return light-dark > leastEdgeContrast*p.contrast && light-dark > leastSpread
}

// showsEdge reports whether the image shows the edge from a place, which is to be the corner of a
// cell, to its neighbor, if there is one.
func (j *job) showsEdge(c cell, place vector, way int) bool {
	i := j.lattice.at(c.plus(steps[way]))
	if i < 0 {
		return false
	}
	other := &j.crosses[i]
	return j.isEdge(place, other.vector, j.lattice.lightAfter(c, way), other.contrast, 1)
}

// trim removes outer rows and columns of the lattice that have few corners.
func (j *job) trim() {
	l := &j.lattice
	for len(l.corners) > 0 {
		low, high := l.bounds()
		if !j.trimLine(0, low.row, 1) && !j.trimLine(0, high.row, -1) &&
			!j.trimLine(1, low.column, 1) && !j.trimLine(1, high.column, -1) {
			return
		}
	}
}

// trimLine removes an outer row, with axis 0, or column, with axis 1, unless more of its corners
// have an edge to a neighbor in it than are missing inside the image. It reports whether it did.
// The next line is inward of it.
func (j *job) trimLine(axis int, line, inward int32) bool {
	l := &j.lattice
	lineOf := func(c cell) int32 {
		if axis == 0 {
			return c.row
		}
		return c.column
	}
	outward := steps[1-axis].times(-inward)
	has, lacks := 0, 0
	for _, c := range l.corners {
		switch lineOf(c.cell) {
		case line:
			place := j.crosses[c.cross].vector
			if j.showsEdge(c.cell, place, axis) || j.showsEdge(c.cell, place, axis+2) {
				has++
			}
		case line + inward:
			missing := c.plus(outward)
			if l.has(missing) {
				continue
			}
			if p, ok := j.predict(missing); !ok || j.isInside(p.vector) {
				lacks++
			}
		}
	}
	if has >= 2 && lacks < has {
		return false
	}
	l.removeIf(func(c corner) bool { return lineOf(c.cell) == line })
	return true
}

// isInside reports whether a place is so far inside the image that a corner there would be found.
func (j *job) isInside(p vector) bool {
	image := &j.levels[0]
	return p.x >= margin && p.y >= margin && p.x <= float64(image.W-1-margin) && p.y <= float64(image.H-1-margin)
}
