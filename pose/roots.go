package pose

import "math"

// most is the largest degree of a polynomial.
const most = 10

// A polynomial has coefficients from that of 1 on. Those beyond its degree are 0.
type polynomial [most + 2]float64

// at returns the value and the derivative of a polynomial of degree n at z. The even and the odd
// powers are polynomials of z*z, so that processors compute both at once.
func (p *polynomial) at(n int, z float64) (f, d float64) {
	w := float64(z * z)
	var even, evenD, odd, oddD float64
	for i := n &^ 1; i >= 0; i -= 2 {
		evenD = float64(evenD*w) + even
		even = float64(even*w) + p[i]
		oddD = float64(oddD*w) + odd
		odd = float64(odd*w) + p[i+1]
	}
	return float64(odd*z) + even, float64(2*z*(float64(oddD*z)+evenD)) + odd
}

// A sturm is the chain of Sturm of a polynomial, by the quotients: p[k-1] = (a z + b) p[k] - c
// p[k+1].
type sturm struct {
	a, b, c [most]float64
	last    int // the number of quotients: the degree
	end     float64
}

// make makes the chain of a polynomial of degree n, the leading coefficient of which is not 0. It
// reports false if the polynomial and its derivative have a common factor, or nearly.
func (s *sturm) make(p *polynomial, n int) bool {
	var derivative, rest polynomial
	u, v, w := *p, &derivative, &rest // p[k-1], p[k] and p[k+1]
	size := 0.0
	for i := 1; i <= n; i++ {
		v[i-1] = float64(u[i] * float64(i))
		size = max(size, math.Abs(v[i-1]))
	}
	// Its largest coefficient becomes 1 or -1: the sign of the derivative is what matters.
	inverse := 1 / size
	for i := range n {
		v[i] = float64(v[i] * inverse)
	}
	s.last = n
	upper := &u
	for k := range n {
		// The quotient is linear, as the degree falls by one each time.
		d := n - 1 - k // that of v
		a := upper[d+1] / v[d]
		if d == 0 {
			s.a[k], s.b[k], s.c[k], s.end = a, upper[0]/v[0], 0, v[0]
			return true
		}
		b := (upper[d] - float64(a*v[d-1])) / v[d]
		w[0] = float64(b*v[0]) - upper[0]
		size := math.Abs(w[0])
		for i := 1; i < d; i++ {
			w[i] = float64(b*v[i]) + float64(a*v[i-1]) - upper[i]
			size = max(size, math.Abs(w[i]))
		}
		if !(math.Abs(w[d-1]) > 1e-14*size) || size < 1e-280 {
			return false // two roots are equal
		}
		inverse := 1 / size
		for i := range d {
			w[i] = float64(w[i] * inverse)
		}
		s.a[k], s.b[k], s.c[k] = a, b, size
		upper, v, w = v, w, upper
	}
	return true
}

// changes returns the number of changes of sign at z.
func (s *sturm) changes(z float64) int {
	next, f := 0.0, s.end
	count := uint64(0)
	for k := s.last - 1; k >= 0; k-- {
		before := float64((float64(s.a[k]*z)+s.b[k])*f) - float64(s.c[k]*next)
		count += (math.Float64bits(before) ^ math.Float64bits(f)) >> 63
		next, f = f, before
	}
	return int(count)
}

// ends returns the changes at minus and at plus infinity.
func (s *sturm) ends() (int, int) {
	high := 0
	for _, a := range s.a[:s.last] {
		// Far right p[k] has the sign of a times p[k+1], and far left the other one.
		if a < 0 {
			high++
		}
	}
	return s.last - high, high
}

// realRoots appends the real roots of a polynomial, the coefficients of which begin with that of 1.
// There are none if two are equal.
func realRoots(dst []float64, coefficients []float64) []float64 {
	size := 0.0
	for _, c := range coefficients {
		size = max(size, math.Abs(c))
	}
	if !(size > 0) || size > math.MaxFloat64 {
		return dst
	}
	n := len(coefficients) - 1
	for n > 0 && math.Abs(coefficients[n]) <= 1e-14*size {
		n--
	}
	if n == 0 {
		return dst
	}
	if n == 1 {
		return append(dst, -coefficients[0]/coefficients[1])
	}
	var p polynomial
	copy(p[:], coefficients[:n+1])
	var s sturm
	if !s.make(&p, n) {
		return dst
	}
	left, right := s.ends()
	low, high := s.changes(-1), s.changes(1)
	dst = s.isolate(dst, &p, -1, 1, low, high, 0, false)
	if left == low && right == high {
		return dst
	}
	// Beyond 1, the roots of the polynomial of 1/z.
	var q polynomial
	for i := range n + 1 {
		q[n-i] = p[i]
	}
	const tiny = 1e-9
	dst = s.isolate(dst, &q, -1, -tiny, low, left, 0, true)
	return s.isolate(dst, &q, tiny, 1, right, high, 0, true)
}

// isolate appends the roots between a and b, where the numbers of changes are ca and cb. If
// inverse is set, p is the polynomial of 1/z, a and b are limits of that, and ca and cb are the
// changes at 1/a and 1/b. The interval was halved depth times.
func (s *sturm) isolate(dst []float64, p *polynomial, a, b float64, ca, cb, depth int, inverse bool) []float64 {
	const deepest = 40
	if count := ca - cb; (count < -1 || count > 1) && depth < deepest {
		middle := (a + b) / 2
		z := middle
		if inverse {
			z = 1 / z
		}
		c := s.changes(z)
		dst = s.isolate(dst, p, a, middle, ca, c, depth+1, inverse)
		return s.isolate(dst, p, middle, b, c, cb, depth+1, inverse)
	} else if count&1 == 0 || len(dst) == most {
		return dst
	}
	// The last polynomial of the chain is a number, so that the changes tell the first one's sign.
	negative := (ca&1 > 0) != (s.end < 0)
	if inverse && a < 0 && s.last&1 > 0 {
		negative = !negative // z^n is
	}
	// A root at a limit can be on either side of it by rounding.
	const margin = 1e-10
	z := p.refine(s.last, a-margin, b+margin, negative)
	if inverse {
		z = 1 / z
	}
	return append(dst, z)
}

// refine returns the root of a polynomial of degree n between a and b, by Newton's method within
// a bracket that is halved. negative is whether the polynomial is negative at a.
func (p *polynomial) refine(n int, a, b float64, negative bool) float64 {
	z := (a + b) / 2
	for range 60 {
		f, d := p.at(n, z)
		if (f < 0) == negative {
			a = z
		} else {
			b = z
		}
		next := z - f/d
		if !(next >= a && next <= b) {
			next = (a + b) / 2
		}
		if math.Abs(next-z) <= 1e-9 { // the error is about the square of the step
			return next
		}
		z = next
	}
	return z
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

// cubicRoots returns the real roots of x^3 + b x^2 + c x + d, and their number.
func cubicRoots(b, c, d float64) (roots [3]float64, n int) {
	r := cubicRoot(b, c, d)
	roots[0] = r
	// The others are those of a quadratic polynomial, which rounding changes.
	e := b + r
	y, z, ok := quadratic(1, e, c+float64(r*e))
	if !ok {
		return roots, 1
	}
	for i, x := range [2]float64{y, z} {
		f := float64((float64((x+b)*x)+c)*x) + d
		g := float64((float64(3*x)+float64(2*b))*x) + c
		if step := f / g; math.Abs(step) <= 1e-3 {
			x -= step
		}
		roots[1+i] = x
	}
	return roots, 3
}

// outer returns the largest root of t^3 + p t + q, where q <= 0, by Newton's method from the
// right: it falls steadily, as the function is convex there.
func outer(p, q float64) float64 {
	// The third part of the exponent of q, and 1: as math.Frexp and Ldexp, of numbers that are neither
	// 0 nor tiny.
	e := max(int(math.Float64bits(q)>>52&0x7ff)-1022, -900)
	t := math.Float64frombits(uint64(e/3+1+1023) << 52)
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
		step := t - next
		if !(step > 0) {
			return t
		}
		t = next
		if step <= 1e-9*t { // the error is about the square of the step
			return t
		}
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
