package pose

import "math"

// threePoints appends the poses that see three points in three directions, unit vectors: up to
// 4. The ratios of distances are where two conics meet; a degenerate conic of their pencil is
// two lines, which meet them there, too (Y. Ding, J. Yang, V. Larsson, C. Olsson and K. Astrom,
// "Revisiting the P3P problem", CVPR 2023).
func threePoints(dst []Pose, directions, points *[7]Vector) []Pose {
	y1, y2, y3 := directions[0], directions[1], directions[2]
	x12, x13, x23 := points[0].Sub(points[1]), points[0].Sub(points[2]), points[1].Sub(points[2])
	a12, a13, a23 := x12.Dot(x12), x13.Dot(x13), x23.Dot(x23)
	normal := x12.Cross(x13)
	longest := max(a12, a13, a23)
	if !(normal.Dot(normal) > 1e-12*longest*longest) {
		return dst
	}
	b12, b13, b23 := y1.Dot(y2), y1.Dot(y3), y2.Dot(y3)
	// In p = d1/d3 and q = d2/d3, with a = a12/a23 and b = a13/a23:
	//	p^2 - 2 b12 p q + (1-a) q^2 + 2 a b23 q - a = 0
	//	p^2 - b q^2 - 2 b13 p + 2 b b23 q + 1 - b = 0
	a, b := a12/a23, a13/a23
	// These are conics C and D with few elements: e and f are those of the second and the third
	// column, of C and of D.
	e, f := float64(a*b23), float64(b*b23)
	// The determinant of C + l D, from the cofactors of both.
	c11 := -(float64(a*(1-a)) + float64(e*e))
	c33 := 1 - a - float64(b12*b12)
	d11 := -(float64(b*(1-b)) + float64(f*f))
	d22 := 1 - b - float64(b13*b13)
	mixed := float64(a*b) - float64(2*e*f)
	k0 := c11 + float64(a*b12*b12)
	k1 := c11 + float64(2*b12*b13*e) + float64((1-b)*c33) + mixed
	k2 := d11 + float64(2*b12*b13*f) + float64((1-a)*d22) + mixed
	k3 := d11 + float64(b*b13*b13)
	if k3 == 0 {
		return dst
	}
	l := cubicRoot(k2/k3, k1/k3, k0/k3)
	m13, m23 := float64(-l*b13), e+float64(l*f)
	g, h, ok := lines(&matrix{
		1 + l, -b12, m13,
		-b12, 1 - a - float64(l*b), m23,
		m13, m23, float64(l*(1-b)) - a,
	})
	if !ok {
		return dst
	}
	world := newTriangle(points[0], x12, x13, normal)
	for _, line := range [2]Vector{g, h} {
		var p, q [2]float64
		// The line meets the second conic.
		if math.Abs(line[0]) > math.Abs(line[1]) {
			u, v := -line[1]/line[0], -line[2]/line[0] // p = u q + v
			q[0], q[1], ok = quadratic(float64(u*u)-b, float64(2*u*v)-float64(2*b13*u)+float64(2*b*b23), float64(v*v)-float64(2*b13*v)+1-b)
			p[0], p[1] = float64(u*q[0])+v, float64(u*q[1])+v
		} else {
			u, v := -line[0]/line[1], -line[2]/line[1] // q = u p + v
			p[0], p[1], ok = quadratic(1-float64(b*u*u), float64(-2*b*u*v)-float64(2*b13)+float64(2*b*b23*u), float64(-b*v*v)+float64(2*b*b23*v)+1-b)
			q[0], q[1] = float64(u*p[0])+v, float64(u*p[1])+v
		}
		if !ok {
			continue
		}
		for i := range 2 {
			if !(p[i] > 0 && q[i] > 0) || i == 1 && p[0] == p[1] && q[0] == q[1] {
				continue
			}
			s := float64(q[i]*q[i]) - float64(2*b23*q[i]) + 1
			if !(s > 0) {
				continue
			}
			d3 := math.Sqrt(a23 / s)
			d1, d2 := float64(p[i]*d3), float64(q[i]*d3)
			d1, d2, d3 = distances(d1, d2, d3, a12, a13, a23, b12, b13, b23)
			if !(d1 > 0 && d2 > 0 && d3 > 0) {
				continue
			}
			pose, ok := world.pose(&y1, &y2, &y3, d1, d2, d3)
			if !ok {
				continue
			}
			if dst = append(dst, pose); len(dst) == 4 {
				return dst
			}
		}
	}
	return dst
}

// lines returns the lines of a degenerate conic (J. Richter-Gebert, "Perspectives on projective
// geometry", 2011, 11.1).
func lines(e *matrix) (Vector, Vector, bool) {
	c := e.cofactors()
	k := 0
	for i := range 3 {
		if c[4*i] < c[4*k] {
			k = i
		}
	}
	if !(c[4*k] <= 0) {
		return Vector{}, Vector{}, false
	}
	p := Vector{}
	if root := math.Sqrt(-c[4*k]); root > 0 {
		p = c.column(k).Scale(1 / root)
	}
	s := skew(p)
	largest := 0
	for i := range 9 {
		s[i] += e[i]
		if math.Abs(s[i]) > math.Abs(s[largest]) {
			largest = i
		}
	}
	return s.row(largest / 3), s.column(largest % 3), true
}

// distances makes distances more exact, by two steps of Newton's method.
func distances(d1, d2, d3, a12, a13, a23, b12, b13, b23 float64) (float64, float64, float64) {
	for range 2 {
		r1 := float64(d1*d1) + float64(d2*d2) - float64(2*b12*d1*d2) - a12
		r2 := float64(d1*d1) + float64(d3*d3) - float64(2*b13*d1*d3) - a13
		r3 := float64(d2*d2) + float64(d3*d3) - float64(2*b23*d2*d3) - a23
		// The rows of the matrix of derivatives: (j11, j12, 0), (j21, 0, j23), (0, j32, j33).
		j11, j12 := d1-float64(b12*d2), d2-float64(b12*d1)
		j21, j23 := d1-float64(b13*d3), d3-float64(b13*d1)
		j32, j33 := d2-float64(b23*d3), d3-float64(b23*d2)
		det := -(float64(j11*j23*j32) + float64(j12*j21*j33))
		if det == 0 {
			break
		}
		f := 0.5 / det
		d1 -= float64((float64(-j23*j32*r1) - float64(j12*j33*r2) + float64(j12*j23*r3)) * f)
		d2 -= float64((float64(-j21*j33*r1) + float64(j11*j33*r2) - float64(j11*j23*r3)) * f)
		d3 -= float64((float64(j21*j32*r1) - float64(j11*j32*r2) - float64(j12*j21*r3)) * f)
	}
	return d1, d2, d3
}

// A triangle has three points of the world.
type triangle struct {
	first   Vector
	inverse matrix // of the matrix with the columns first - second, first - third, and their normal
}

// newTriangle returns that with a corner, two differences and their normal.
func newTriangle(first, x12, x13, normal Vector) triangle {
	s := 1 / normal.Dot(normal)
	u, v, w := x13.Cross(normal).Scale(s), normal.Cross(x12).Scale(s), normal.Scale(s)
	return triangle{first, matrix{u[0], u[1], u[2], v[0], v[1], v[2], w[0], w[1], w[2]}}
}

// pose returns the pose that moves the points of the triangle to y1 d1, y2 d2 and y3 d3. It reports
// false if there is none, because these are no such triangle: where directions are the same but for
// rounding errors, so may be the distances.
func (t *triangle) pose(y1, y2, y3 *Vector, d1, d2, d3 float64) (p Pose, ok bool) {
	x, y, z := float64(y1[0]*d1), float64(y1[1]*d1), float64(y1[2]*d1)
	ax, ay, az := x-float64(y2[0]*d2), y-float64(y2[1]*d2), z-float64(y2[2]*d2)
	bx, by, bz := x-float64(y3[0]*d3), y-float64(y3[1]*d3), z-float64(y3[2]*d3)
	cx, cy := float64(ay*bz)-float64(az*by), float64(az*bx)-float64(ax*bz)
	n := &t.inverse
	p.R = orthonormal(&matrix{ // two rows are all it takes
		float64(ax*n[0]) + float64(bx*n[3]) + float64(cx*n[6]),
		float64(ax*n[1]) + float64(bx*n[4]) + float64(cx*n[7]),
		float64(ax*n[2]) + float64(bx*n[5]) + float64(cx*n[8]),
		float64(ay*n[0]) + float64(by*n[3]) + float64(cy*n[6]),
		float64(ay*n[1]) + float64(by*n[4]) + float64(cy*n[7]),
		float64(ay*n[2]) + float64(by*n[5]) + float64(cy*n[8]),
	})
	q := p.R.apply(t.first)
	p.T = Vector{x - q[0], y - q[1], z - q[2]}
	third := Vector{p.R[6], p.R[7], p.R[8]}
	return p, third.Dot(third) > 1-1e-8
}
