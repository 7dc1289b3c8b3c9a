package tag

import "math"

// equations are the normal equations of a round of a fit.
type equations struct {
	// The upper triangle of the matrix, and the right side in the last column. Afterward, of its
	// factor.
	rows     [unknowns][unknowns + 1]float64
	variance float64 // of the residuals
	step     [unknowns]float64
}

// set makes the equations from the sums of a round. The blur changes slowly.
func (e *equations) set(r *fitRun) {
	k := 0
	for i := range e.rows {
		for j := i; j < columns; j++ {
			e.rows[i][j] = sumLanes(&r.products[k])
			k++
		}
		e.rows[i][i] = float64(e.rows[i][i]*(1+1e-6)) + 1e-9
	}
	e.rows[blurAt][blurAt] += 100
	e.variance = sumLanes(&r.squares) / sumLanes(&r.weights)
}

// sumLanes returns the sum, by halves.
func sumLanes(lane *[lanes]float32) float64 {
	var s [lanes]float64
	for i, v := range lane {
		s[i] = float64(v)
	}
	for n := lanes / 2; n > 0; n /= 2 {
		for i := range n {
			s[i] += s[i+n]
		}
	}
	return s[0]
}

// solve computes the step by Cholesky's factors. It reports false if the matrix is not positive.
func (e *equations) solve() bool {
	for i := range e.rows {
		row := &e.rows[i]
		for k := range i {
			above := &e.rows[k]
			l := above[i]
			for j := i; j <= unknowns; j++ {
				row[j] -= float64(l * above[j])
			}
		}
		if !(row[i] > 0) {
			return false
		}
		scale := 1 / math.Sqrt(row[i])
		for j := i; j <= unknowns; j++ {
			row[j] = float64(row[j] * scale)
		}
	}
	for i := unknowns - 1; i >= 0; i-- {
		row := &e.rows[i]
		v := row[unknowns]
		for j := i + 1; j < unknowns; j++ {
			v -= float64(row[j] * e.step[j])
		}
		e.step[i] = v / row[i]
	}
	return true
}

// noise returns the standard deviation of a coordinate of a corner that the residuals explain, in half
// sides. It needs the factor, and the homography of the round.
func (e *equations) noise(h *homography) float64 {
	sum := 0.0
	for _, c := range corners {
		at := h.at(c.X, c.Y)
		w := 1 / h.row(6, c.X, c.Y)
		x, y := float64(c.X*w), float64(c.Y*w)
		sum += e.squares([8]float64{x, y, w, 0, 0, 0, -at.X * x, -at.X * y})
		sum += e.squares([8]float64{0, 0, 0, x, y, w, -at.Y * x, -at.Y * y})
	}
	return math.Sqrt(sum / 8 * e.variance)
}

// squares returns the product of a derivative by the homography, the inverse of the matrix, and the
// derivative again.
func (e *equations) squares(derivative [8]float64) float64 {
	var v [unknowns]float64
	sum := 0.0
	for i := range v {
		if i < len(derivative) {
			v[i] = derivative[i]
		}
		for j := range i {
			v[i] -= float64(e.rows[j][i] * v[j])
		}
		v[i] /= e.rows[i][i]
		sum += float64(v[i] * v[i])
	}
	return sum
}
