package camera

import "math"

// End returns where the model ends: the radius of the largest disc around the optical axis in which
// it is known to be one to one. For [BrownConrady] that is a distance from the axis at depth 1, and
// 1e30 if there is no end; for [KannalaBrandt] it is an angle to the axis in radians, at most pi.
//
// Models are fitted to what a lens shows within its image. Farther out, many of them fold back: a
// point that moves away from the axis is seen to approach it, so that several points are seen at one
// pixel, which does not happen in a camera. For KannalaBrandt, the model ends where the distance
// from the principal point no longer grows. For BrownConrady, it ends at the smallest distance d at
// which the rate of growth falls to 7*d*hypot(P1, P2), or at which the denominator is 0.
//
// A point at or beyond the end has no projection, and rays lie within it.
func (c Camera) End() float64 {
	c.check()
	return c.end()
}

// end is End without the check.
//
// With BrownConrady, a point at u, v, which is d from the axis, is seen at k*(u, v), where k is the
// factor at d*d, plus what P1 and P2 add. Let growth be the derivative of d*k by d. As long as it
// exceeds 7*d*hypot(P1, P2), the matrix of derivatives is symmetric and positive definite: in the
// direction of u, v and across it, the matrix is
//
//	growth + 6*a   2*b
//	2*b            k + 2*a
//
// where hypot(a, b) is d*hypot(P1, P2), and k, the mean of growth from 0 to d, is at least 3.5 times
// that. And where derivatives are such a matrix, no two points of a disc are seen at one place. This
// holds for a quotient, too, before its denominator is 0.
func (c *Camera) end() float64 {
	if c.Model == KannalaBrandt {
		return min(math.Sqrt(firstRoot(1, float64(3*c.K1), float64(5*c.K2), float64(7*c.K3), float64(9*c.K4))), math.Pi)
	}
	p := float64(7 * math.Sqrt(float64(c.P1*c.P1)+float64(c.P2*c.P2)))
	if !c.rational() {
		return min(firstRoot(1, -p, float64(3*c.K1), 0, float64(5*c.K2), 0, float64(7*c.K3)), far)
	}
	// The growth of the quotient of n and m exceeds p*d where n*m + 2*s*(n'*m - n*m') exceeds
	// p*d*m*m, all polynomials of s = d*d.
	n, m := [4]float64{1, c.K1, c.K2, c.K3}, [4]float64{1, c.K4, c.K5, c.K6}
	var growth [14]float64 // by powers of d
	for i := range n {
		for j := range m {
			growth[2*(i+j)] += float64(float64(n[i]*m[j]) * float64(1+2*i-2*j))
			growth[2*(i+j)+1] -= float64(p * float64(m[i]*m[j]))
		}
	}
	return min(firstRoot(growth[:]...), math.Sqrt(firstRoot(m[:]...)), far)
}

// A bernstein has the coefficients of a polynomial on an interval, in the basis of Bernstein: the
// first and the last are its values at the ends.
type bernstein [14]float64

// firstRoot returns the smallest positive root of a polynomial, up to 13th degree, whose
// coefficients are given, the constant first, which is positive. It returns infinity if there is
// none. The result is never more than the root, and may be less by 2^-51 of the interval from 0 to
// infinity (see below) or where rounding hides that a polynomial just stays positive. It is 0 if a
// coefficient is so large that the computation would overflow.
//
// With x = z/(1-z) and times (1-z)^n, which changes no root, a polynomial in x of degree n becomes
// one in z from 0 to 1, whose coefficients in the basis of Bernstein are the given ones divided by
// binomials. If they have no change of sign, there is no root in the interval; intervals that may
// have one are halved (G. Collins and A. Akritas, "Polynomial real root isolation using Descartes'
// rule of signs", SYMSAC 1976; J. Lane and R. Riesenfeld, "Bounds on a polynomial", BIT 21, 1981).
func firstRoot(coefficients ...float64) float64 {
	n := len(coefficients) - 1
	for n > 0 && coefficients[n] == 0 {
		n--
	}
	var b bernstein
	binomial := 1.0
	negative := false
	for i, a := range coefficients[:n+1] {
		if !(math.Abs(a) < 1e300) {
			return 0
		}
		b[i] = a / binomial
		negative = negative || b[i] < 0
		binomial = binomial * float64(n-i) / float64(i+1)
	}
	if !negative {
		return math.Inf(1)
	}
	z, ok := b.firstRoot(n, 0, 1)
	if !ok {
		return math.Inf(1)
	}
	return z / (1 - z)
}

// firstRoot returns the beginning of the first interval of a width of 2^-51 in which a polynomial of
// degree n with the coefficients b on the interval from low may have a root, or of the first one at
// which it begins with 0 or less. It reports false if there is none.
func (b *bernstein) firstRoot(n int, low, width float64) (z float64, ok bool) {
	if b[0] > 0 && !b.changes(n) {
		return 0, false
	}
	if width < 0x1p-50 || b[0] <= 0 {
		return low, true
	}
	// De Casteljau's algorithm: the coefficients of the first half are the first means of each
	// round, and those of the second half are what is left.
	var first bernstein
	second := *b
	for i := range n + 1 {
		first[i] = second[0]
		for k := range n - i {
			second[k] = (second[k] + second[k+1]) / 2
		}
	}
	width /= 2
	if z, ok = first.firstRoot(n, low, width); ok {
		return z, true
	}
	return second.firstRoot(n, low+width, width)
}

// changes reports whether the first n+1 coefficients, of which the first is positive, have a change
// of sign.
func (b *bernstein) changes(n int) bool {
	for _, v := range b[1 : n+1] {
		if v < 0 {
			return true
		}
	}
	return false
}
