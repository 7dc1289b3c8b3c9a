package pose

import "math"

// A sturm is the chain of Sturm of a polynomial, by the quotients: p[k-1] = (a z + b) p[k] - c
// p[k+1].
type sturm struct {
	degree  int
	p       [11]float64 // coefficients from that of 1
	a, b, c [11]float64
	last    int // the number of quotients
	end     float64
}

// make makes the chain. The leading coefficient is not 0.
func (s *sturm) make(coefficients []float64) bool {
	n := len(coefficients) - 1
	s.degree = n
	copy(s.p[:], coefficients)
	var u, v [11]float64 // p[k-1] and p[k]
	copy(u[:], coefficients)
	for i := 1; i <= n; i++ {
		v[i-1] = float64(u[i] * float64(i))
	}
	du, dv := n, n-1
	s.last = 0
	// Make the derivative as large as its largest coefficient: its sign is what matters.
	scale(v[:dv+1])
	for {
		// The quotient is linear, as the degree falls by one each time but for degenerate
		// cases, that end the chain.
		a := u[du] / v[dv]
		var b float64
		if dv > 0 {
			b = (u[du-1] - float64(a*v[dv-1])) / v[dv]
		} else {
			b = u[du-1] / v[dv]
		}
		k := s.last
		s.a[k], s.b[k] = a, b
		s.last++
		if dv == 0 {
			s.c[k] = 0
			s.end = v[0]
			return true
		}
		var w [11]float64
		for i := range dv {
			below := 0.0
			if i > 0 {
				below = float64(a * v[i-1])
			}
			w[i] = float64(b*v[i]) + below - u[i]
		}
		size := 0.0
		for _, c := range w[:dv] {
			size = max(size, math.Abs(c))
		}
		if !(math.Abs(w[dv-1]) > 1e-14*size) || size < 1e-280 {
			return false // a common factor, or nearly: two roots are equal
		}
		for i := range dv {
			w[i] /= size
		}
		s.c[k] = size
		u, v = v, w
		du, dv = dv, dv-1
	}
}

// scale makes the largest coefficient 1 or -1.
func scale(v []float64) {
	m := 0.0
	for _, c := range v {
		m = max(m, math.Abs(c))
	}
	if m > 0 {
		for i := range v {
			v[i] /= m
		}
	}
}

// changes returns the number of changes of sign at z.
func (s *sturm) changes(z float64) int {
	next, f := 0.0, s.end
	count := 0
	for k := s.last - 1; k >= 0; k-- {
		before := float64((float64(s.a[k]*z)+s.b[k])*f) - float64(s.c[k]*next)
		if (before < 0) != (f < 0) {
			count++
		}
		next, f = f, before
	}
	return count
}

// ends returns the changes at minus and at plus infinity.
func (s *sturm) ends() (int, int) {
	low, high := 0, 0
	for k := s.last - 1; k >= 0; k-- {
		// Far right p[k] has the sign of a times p[k+1], and far left the other one.
		if s.a[k] < 0 {
			high++
		} else {
			low++
		}
	}
	return low, high
}

// at returns the polynomial and its derivative.
func at(p []float64, z float64) (float64, float64) {
	f, d := 0.0, 0.0
	for i := len(p) - 1; i >= 0; i-- {
		d = float64(d*z) + f
		f = float64(f*z) + p[i]
	}
	return f, d
}

// realRoots appends the real roots of a polynomial, the coefficients of which begin with that of 1.
func realRoots(dst []float64, p []float64) []float64 {
	size := 0.0
	for _, c := range p {
		size = max(size, math.Abs(c))
	}
	if !(size > 0) || size > math.MaxFloat64 {
		return dst
	}
	n := len(p) - 1
	for n > 0 && math.Abs(p[n]) <= 1e-14*size {
		n--
	}
	if n == 0 {
		return dst
	}
	p = p[:n+1]
	if n == 1 {
		return append(dst, -p[0]/p[1])
	}
	var s sturm
	if !s.make(p) {
		return dst
	}
	left, right := s.ends()
	low, high := s.changes(-1), s.changes(1)
	dst = isolate(dst, &s, p, -1, 1, low, high, false)
	if left == low && right == high {
		return dst
	}
	// Beyond 1, the roots of the polynomial of 1/z.
	var q [11]float64
	for i, c := range p {
		q[n-i] = c
	}
	const tiny = 1e-9
	dst = isolate(dst, &s, q[:n+1], -1, -tiny, low, left, true)
	return isolate(dst, &s, q[:n+1], tiny, 1, right, high, true)
}

// isolate appends the roots between a and b, where the numbers of changes are ca and cb. If
// inverse is set, p is the polynomial of 1/z, a and b are limits of that, and ca and cb are the
// changes at 1/a and 1/b.
func isolate(dst []float64, s *sturm, p []float64, a, b float64, ca, cb int, inverse bool) []float64 {
	type interval struct {
		a, b   float64
		ca, cb int
		depth  int
	}
	var stack [64]interval
	stack[0] = interval{a, b, ca, cb, 0}
	top := 1
	for top > 0 {
		top--
		i := stack[top]
		count := i.ca - i.cb
		if inverse {
			count = -count
		}
		if count < 0 {
			count = -count
		}
		if count == 0 {
			continue
		}
		if count == 1 || i.depth > 40 {
			z, ok := refine(p, i.a, i.b)
			if !ok {
				continue
			}
			if inverse {
				z = 1 / z
			}
			dst = append(dst, z)
			if len(dst) == 10 {
				return dst
			}
			continue
		}
		middle := (i.a + i.b) / 2
		z := middle
		if inverse {
			z = 1 / z
		}
		c := s.changes(z)
		stack[top] = interval{middle, i.b, c, i.cb, i.depth + 1}
		stack[top+1] = interval{i.a, middle, i.ca, c, i.depth + 1}
		top += 2
	}
	return dst
}

// refine returns the root between a and b, by Newton's method within a bracket that is halved.
func refine(p []float64, a, b float64) (float64, bool) {
	fa, _ := at(p, a)
	fb, _ := at(p, b)
	if (fa < 0) == (fb < 0) {
		if fa == 0 {
			return a, true
		}
		if fb == 0 {
			return b, true
		}
		return 0, false
	}
	z := (a + b) / 2
	for range 60 {
		f, d := at(p, z)
		if (f < 0) == (fa < 0) {
			a = z
		} else {
			b = z
		}
		next := z - f/d
		if !(next > a && next < b) {
			next = (a + b) / 2
		}
		if math.Abs(next-z) <= 1e-9 { // the error is about the square of the step
			return next, true
		}
		z = next
	}
	return z, true
}

// cubicRoot returns a real root of x^3 + b x^2 + c x + d.
func cubicRoot(b, c, d float64) float64 {
	// In t = x + b/3, that is t^3 + p t + q.
	m := b / 3
	p := c - float64(m*b)
	q := float64((float64(2*m*m)-c)*m) + d
	if q > 0 {
		return -outer(p, -q) - m
	}
	return outer(p, q) - m
}

// outer returns the largest root of t^3 + p t + q, where q <= 0, by Newton's method from the
// right: it falls steadily, as the function is convex there.
func outer(p, q float64) float64 {
	_, e := math.Frexp(q)
	t := math.Ldexp(1, max(e, -900)/3+1)
	if p < 0 {
		t = max(t, float64(2*math.Sqrt(-p/3)))
	}
	for float64(t*t*t)+float64(p*t)+q < 0 {
		t = float64(t * 2)
	}
	for range 100 {
		f := float64((float64(t*t)+p)*t) + q
		d := float64(3*t*t) + p
		if !(d > 0) {
			return t
		}
		next := t - f/d
		if !(next < t) {
			return t
		}
		t = next
	}
	return t
}

// quadratic returns the real roots of a x^2 + b x + c.
func quadratic(a, b, c float64) (float64, float64, bool) {
	d := float64(b*b) - float64(4*a*c)
	if !(d >= 0) {
		return 0, 0, false
	}
	s := math.Sqrt(d)
	q := float64(-0.5 * (b + math.Copysign(s, b)))
	if q == 0 {
		if a == 0 {
			return 0, 0, false
		}
		return 0, 0, true
	}
	if a == 0 {
		return c / q, c / q, true
	}
	return q / a, c / q, true
}
