package geometry

import "math"

// least is the least size of twice the area of a triangle, or of the square of a distance,
// that a transform is determined by.
const least = 1e-12

// exact returns the transform through as many pairs as determine one of the kind. It reports
// false if these do not, or if no camera sees a plane so. factor is the scale of translations
// and rigid transforms. That of a rigid transform is the one with the least squares.
func exact(kind Kind, a, b *[4]Point, factor float64) (t Transform, ok bool) {
	switch kind {
	case Homography:
		return exactHomography(a, b)
	case Affine:
		return exactAffine(a, b)
	case Similarity:
		return exactSimilarity(a, b)
	case Rigid:
		if t, ok = exactSimilarity(a, b); ok {
			t.rescale(Point{float64((a[0].X + a[1].X) / 2), float64((a[0].Y + a[1].Y) / 2)}, factor)
		}
		return t, ok
	}
	return Transform{
		factor, 0, b[0].X - float64(factor*a[0].X),
		0, factor, b[0].Y - float64(factor*a[0].Y),
		0, 0, 1,
	}, true
}

// rescale gives a similarity another scale, so that it maps center to where it did.
func (t *Transform) rescale(center Point, scale float64) {
	p, q := t[0], t[3]
	factor := scale / math.Sqrt(squared(p, q))
	p, q = float64(p*factor), float64(q*factor)
	dp, dq := p-t[0], q-t[3]
	*t = Transform{
		p, -q, t[2] - (float64(dp*center.X) - float64(dq*center.Y)),
		q, p, t[5] - (float64(dq*center.X) + float64(dp*center.Y)),
		0, 0, 1,
	}
}

// exactSimilarity divides the differences as complex numbers.
func exactSimilarity(a, b *[4]Point) (Transform, bool) {
	x, y := a[1].X-a[0].X, a[1].Y-a[0].Y
	u, v := b[1].X-b[0].X, b[1].Y-b[0].Y
	square := squared(x, y)
	if !(square >= least && squared(u, v) >= least) {
		return Transform{}, false
	}
	p := (float64(u*x) + float64(v*y)) / square
	q := (float64(v*x) - float64(u*y)) / square
	return Transform{
		p, -q, b[0].X - (float64(p*a[0].X) - float64(q*a[0].Y)),
		q, p, b[0].Y - (float64(q*a[0].X) + float64(p*a[0].Y)),
		0, 0, 1,
	}, true
}

// exactAffine is Cramer's rule.
func exactAffine(a, b *[4]Point) (Transform, bool) {
	d := area(a[0], a[1], a[2])
	if !(math.Abs(d) >= least && math.Abs(area(b[0], b[1], b[2])) >= least) {
		return Transform{}, false
	}
	x1, y1, x2, y2 := a[1].X-a[0].X, a[1].Y-a[0].Y, a[2].X-a[0].X, a[2].Y-a[0].Y
	row := func(v0, v1, v2 float64) (p, q, r float64) {
		v1, v2 = v1-v0, v2-v0
		p = (float64(v1*y2) - float64(v2*y1)) / d
		q = (float64(x1*v2) - float64(x2*v1)) / d
		return p, q, v0 - (float64(p*a[0].X) + float64(q*a[0].Y))
	}
	t := Transform{8: 1}
	t[0], t[1], t[2] = row(b[0].X, b[1].X, b[2].X)
	t[3], t[4], t[5] = row(b[0].Y, b[1].Y, b[2].Y)
	return t, true
}

// area returns twice the signed area of a triangle.
func area(p, q, r Point) float64 {
	return float64((q.X-p.X)*(r.Y-p.Y)) - float64((q.Y-p.Y)*(r.X-p.X))
}

// exactHomography maps the triangle of three points to that of their partners, with weights
// for the corners by which the fourth point fits, too. W is positive at all four points. It
// fails for a quadrangle that is twisted: some of its triangles are mirrored, and others are
// not.
func exactHomography(a, b *[4]Point) (Transform, bool) {
	// Twice the areas of the triangle of the first three points, and of those with the fourth
	// one in place of each.
	var d, f [4]float64
	mirrored := false
	for i, t := range [4][3]int{{0, 1, 2}, {3, 1, 2}, {0, 3, 2}, {0, 1, 3}} {
		d[i], f[i] = area(a[t[0]], a[t[1]], a[t[2]]), area(b[t[0]], b[t[1]], b[t[2]])
		differ := (d[i] > 0) != (f[i] > 0)
		if i == 0 {
			mirrored = differ
		}
		if differ != mirrored || !(math.Abs(d[i]) >= least && math.Abs(f[i]) >= least) {
			return Transform{}, false
		}
	}
	sign := math.Copysign(1, d[0])
	var t Transform
	for n := range 3 {
		// The row of the adjugate of the matrix of the three points of A, times the weight.
		p, q := a[(n+1)%3], a[(n+2)%3]
		r := float64(sign * math.Abs(f[n+1]/d[n+1]))
		row := [3]float64{
			float64((p.Y - q.Y) * r),
			float64((q.X - p.X) * r),
			float64((float64(p.X*q.Y) - float64(p.Y*q.X)) * r),
		}
		for k, v := range row {
			t[k] += float64(b[n].X * v)
			t[3+k] += float64(b[n].Y * v)
			t[6+k] += v
		}
	}
	return t, true
}
