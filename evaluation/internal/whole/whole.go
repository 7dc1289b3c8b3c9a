// Package whole plans the path of a stabilized video over all of its frames at once, by an
// interior point method. It is the bound for paths that are planned as the video goes on.
package whole

import (
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
)

// A departure is how what is shown of a frame differs from the smooth path: a shift, in pixels, a
// turn, in pixels at unit from the middle, and an enlargement, in pixels there, times stiffness.
const (
	free      = 4
	stiffness = 10
)

// The weights of the squares of departures, and of their second and third differences.
var differences = [...]struct {
	weight float64
	of     []float64
}{
	{1e-5, []float64{1}},
	{1, []float64{1, -2, 1}},
	{10, []float64{1, -3, 3, -1}},
}

const (
	// rounds is how many there are at most. They end when the edges are kept to, and what a
	// round can gain is known, to within enough.
	rounds = 100
	enough = 1e-9
	// share is how much of the way to the nearest bound a round goes, and center how much nearer
	// to the bounds the next one may come.
	share  = .99
	center = .1
)

// A problem is to find the numbers x that have the least 1/2 x*h*x of those with g*x <= limit.
// Those of a frame are together, and have sides of their own.
type problem struct {
	frames int
	h      band
	sides  []side
}

// A side is a linear bound of a frame's numbers.
type side struct {
	frame int
	at    [free]float64
	limit float64
}

// A band is a symmetric matrix that is 0 farther than width from the diagonal, its lower part.
type band struct{ rows [][width + 1]float64 }

const width = 3 * free

// Plan returns where pixels of shown frames come from, for frames that follow each other without
// a cut. It is given where they come from on the smooth path, enlarged by zoom, by affine
// transforms.
func Plan(smooth []geometry.Transform, size image.Point, zoom float64) []geometry.Transform {
	cx, cy := float64(size.X-1)/2, float64(size.Y-1)/2
	unit := math.Sqrt((cx*cx + cy*cy) / 3)
	p := problem{frames: len(smooth)}
	p.h.rows = make([][width + 1]float64, free*len(smooth))
	for _, d := range differences {
		for last := len(d.of) - 1; last < len(smooth); last++ {
			for i, a := range d.of {
				for j, b := range d.of[:i+1] {
					// Of frames last-i and last-j, which is the later one.
					for k := range free {
						p.h.rows[free*(last-j)+k][free*(i-j)] += d.weight * a * b
					}
				}
			}
		}
	}
	for frame, t := range smooth {
		for i := range 4 {
			x, y := float64(i%2*2-1)*cx, float64(i/2*2-1)*cy // of what is shown, enlarged
			q := t.Apply(geometry.Point{X: cx + x, Y: cy + y})
			for axis, place := range [2]float64{q.X - cx, q.Y - cy} {
				edge := []float64{cx, cy}[axis]
				ax, ay := t[3*axis]*zoom, t[3*axis+1]*zoom // by the place before it is enlarged
				s := side{frame, [free]float64{ax, ay, (ay*x - ax*y) / zoom / unit, (ax*x + ay*y) / zoom / (stiffness * unit)}, edge - place}
				p.sides = append(p.sides, s)
				for k := range s.at {
					s.at[k] = -s.at[k]
				}
				s.limit = edge + place
				p.sides = append(p.sides, s)
			}
		}
	}
	x := p.solve()
	var shown []geometry.Transform
	for i, t := range smooth {
		d := x[free*i:]
		turn, grow := d[2]/unit, 1+d[3]/(stiffness*unit)
		departure := geometry.Transform{
			grow, -turn, cx + zoom*d[0] - grow*cx + turn*cy,
			turn, grow, cy + zoom*d[1] - turn*cx - grow*cy,
			0, 0, 1,
		}
		shown = append(shown, t.Mul(departure))
	}
	return shown
}

// solve returns the solution, by Newton's method for the conditions of the optimum, with slack to
// each side and a force from it, whose products go to 0.
func (p *problem) solve() []float64 {
	n := free * p.frames
	x, slope, move := make([]float64, n), make([]float64, n), make([]float64, n)
	slack, force := make([]float64, len(p.sides)), make([]float64, len(p.sides))
	miss, pull := make([]float64, len(p.sides)), make([]float64, len(p.sides))
	for i := range p.sides {
		slack[i], force[i] = 1, 1
	}
	var matrix band
	for range rounds {
		gap, worst := 0., 0.
		p.h.times(slope, x)
		for i, s := range p.sides {
			at := s.of(x)
			miss[i] = at + slack[i] - s.limit
			gap += slack[i] * force[i] / float64(len(p.sides))
			worst = max(worst, math.Abs(miss[i]))
			s.add(slope, force[i])
		}
		for _, v := range slope {
			worst = max(worst, math.Abs(v))
		}
		if gap < enough && worst < enough {
			break
		}
		matrix.rows = append(matrix.rows[:0], p.h.rows...)
		copy(move, slope)
		for i, s := range p.sides {
			w := force[i] / slack[i]
			for k, a := range s.at {
				for l, b := range s.at[:k+1] {
					matrix.rows[free*s.frame+k][k-l] += w * a * b
				}
			}
			// What the force changes by if the numbers stay.
			pull[i] = (center*gap-slack[i]*force[i])/slack[i] + w*miss[i]
			s.add(move, pull[i])
		}
		for i := range move {
			move[i] = -move[i]
		}
		matrix.solve(move)
		// miss becomes what the slack changes by, and pull what the force does.
		step := 1.
		for i, s := range p.sides {
			along := s.of(move)
			pull[i] += force[i] / slack[i] * along
			miss[i] = -miss[i] - along
			if miss[i] < 0 {
				step = min(step, -share*slack[i]/miss[i])
			}
			if pull[i] < 0 {
				step = min(step, -share*force[i]/pull[i])
			}
		}
		for i := range x {
			x[i] += step * move[i]
		}
		for i := range slack {
			slack[i] += step * miss[i]
			force[i] += step * pull[i]
		}
	}
	return x
}

// of returns the sum that is bounded.
func (s *side) of(x []float64) (sum float64) {
	for k, a := range s.at {
		sum += a * x[free*s.frame+k]
	}
	return sum
}

// add adds a force on the side to the slope.
func (s *side) add(slope []float64, force float64) {
	for k, a := range s.at {
		slope[free*s.frame+k] += force * a
	}
}

// times sets y to the product with x.
func (b *band) times(y, x []float64) {
	clear(y)
	for i := range b.rows {
		for d, v := range b.rows[i][:min(i, width)+1] {
			y[i] += v * x[i-d]
			if d > 0 {
				y[i-d] += v * x[i]
			}
		}
	}
}

// solve replaces y by the x with which times gives it. The matrix, which is positive definite,
// becomes its Cholesky factor.
func (b *band) solve(y []float64) {
	for i := range b.rows {
		row := &b.rows[i]
		for d := min(i, width); d >= 0; d-- {
			sum, other := row[d], &b.rows[i-d]
			for k := d + 1; k <= min(i, width); k++ {
				sum -= row[k] * other[k-d]
			}
			if d > 0 {
				row[d] = sum / other[0]
			} else {
				row[0] = math.Sqrt(sum)
			}
		}
		for d := 1; d <= min(i, width); d++ {
			y[i] -= row[d] * y[i-d]
		}
		y[i] /= row[0]
	}
	for i := len(y) - 1; i >= 0; i-- {
		y[i] /= b.rows[i][0]
		for d := 1; d <= min(i, width); d++ {
			y[i-d] -= b.rows[i][d] * y[i]
		}
	}
}
