package sift

import "math"

// The functions of OpenCV's vectors and of the C library, to the last bit.

// coefficients are the numbers of the approximations, for all kernels.
type coefficients struct {
	// The exponential function: 64 over the natural logarithm of 2, the polynomial from the
	// third power down, divided by expScale, and the powers of 2 from 0 to 63/64 times
	// expScale.
	expFactor float32
	expTerms  [4]float32
	powers    [64]float32
	// The arc tangent in degrees: what is added to the divisor, and the odd powers of the
	// polynomial from the seventh down.
	atanLeast float32
	atanTerms [4]float32
}

// approximation is by OpenCV's exp and fastAtan2. expScale is .9670371139572337719e-2.
var approximation = coefficients{
	expFactor: 0x1.715476p+6,
	expTerms:  [4]float32{0x1.6f547ap+2, 0x1.8d76c8p+4, 0x1.1eb5acp+6, 0x1.9da274p+6},
	powers: [64]float32{
		0x1.3ce0f4p-7, 0x1.40544ep-7, 0x1.43d146p-7, 0x1.4757f6p-7, 0x1.4ae87cp-7, 0x1.4e82f2p-7, 0x1.522772p-7, 0x1.55d61ap-7,
		0x1.598f06p-7, 0x1.5d5254p-7, 0x1.61201ep-7, 0x1.64f882p-7, 0x1.68db9ep-7, 0x1.6cc992p-7, 0x1.70c278p-7, 0x1.74c672p-7,
		0x1.78d59ep-7, 0x1.7cf01ap-7, 0x1.811606p-7, 0x1.854782p-7, 0x1.8984bp-7, 0x1.8dcdaep-7, 0x1.9222ap-7, 0x1.9683a4p-7,
		0x1.9af0dcp-7, 0x1.9f6a6cp-7, 0x1.a3f076p-7, 0x1.a8831cp-7, 0x1.ad228p-7, 0x1.b1cec8p-7, 0x1.b68816p-7, 0x1.bb4e9p-7,
		0x1.c0225ap-7, 0x1.c50398p-7, 0x1.c9f272p-7, 0x1.ceef0cp-7, 0x1.d3f98cp-7, 0x1.d91218p-7, 0x1.de38dcp-7, 0x1.e36dfap-7,
		0x1.e8b19cp-7, 0x1.ee03ecp-7, 0x1.f36512p-7, 0x1.f8d536p-7, 0x1.fe5482p-7, 0x1.01f192p-6, 0x1.04c0ap-6, 0x1.079784p-6,
		0x1.0a7652p-6, 0x1.0d5d2p-6, 0x1.104c04p-6, 0x1.134316p-6, 0x1.16426cp-6, 0x1.194a1ep-6, 0x1.1c5a42p-6, 0x1.1f72eep-6,
		0x1.22943ep-6, 0x1.25be46p-6, 0x1.28f122p-6, 0x1.2c2ce8p-6, 0x1.2f71bp-6, 0x1.32bf96p-6, 0x1.3616b2p-6, 0x1.39771ep-6,
	},
	atanLeast: 0x1p-52,
	atanTerms: [4]float32{-0x1.4515b2p+1, 0x1.1d3f7ep+3, -0x1.2aaddcp+4, 0x1.ca44dep+5},
}

// exp32 approximates e to the x, for x from -80 to 80.
func exp32(x float32) float32 {
	c := &approximation
	x = float32(x * c.expFactor)
	whole := round(x)
	x = float32((x - float32(whole)) * (1.0 / 64))
	power := math.Float32frombits(math.Float32bits(c.powers[whole&63]) + uint32(whole>>6)<<23)
	v := x + c.expTerms[0]
	for _, term := range c.expTerms[1:] {
		v = fma32(v, x, term)
	}
	return v * power
}

// atan approximates the angle of a vector in degrees, from 0 to 360.
func atan(y, x float32) float32 {
	c := &approximation
	ax, ay := abs(x), abs(y)
	v := min(ax, ay) / (max(ax, ay) + c.atanLeast)
	square := float32(v * v)
	angle := c.atanTerms[0]
	for _, term := range c.atanTerms[1:] {
		angle = fma32(angle, square, term)
	}
	angle = float32(angle * v)
	if !(ax >= ay) {
		angle = 90 - angle
	}
	if x < 0 {
		angle = 180 - angle
	}
	if y < 0 {
		angle = 360 - angle
	}
	return angle
}

// length returns the length of a vector.
func length(x, y float32) float32 {
	return sqrt(fma32(x, x, float32(y*y)))
}

// abs returns the magnitude of x.
func abs(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
}

// sqrt returns the square root of x. Its first rounding, to float64, does not hurt.
func sqrt(x float32) float32 {
	return float32(math.Sqrt(float64(x)))
}

// round returns the integer nearest to x, the even one of two.
func round(x float32) int {
	return int(math.RoundToEven(float64(x)))
}

// powers32 are the powers of 2 from 0 to 31/32.
var powers32 = [32]float64{
	0x1p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
	0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
	0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
	0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
	0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
	0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f09p+0, 0x1.a5503b23e255dp+0,
	0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
	0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e454p+0,
}

// exp2f returns 2 to the x for x from -100 to 100, with the few wrong roundings of glibc 2.36.
func exp2f(x float32) float32 {
	whole := math.RoundToEven(32 * float64(x))
	rest := float64(x) - whole/32
	k := int(whole)
	power := math.Float64frombits(math.Float64bits(powers32[k&31]) + uint64(k>>5)<<52)
	high := float64(0x1.c6af84b912394p-5*rest) + 0x1.ebfce50fac4f3p-3
	low := float64(0x1.62e42ff0c52d6p-1*rest) + 1
	return float32((float64(high*float64(rest*rest)) + low) * power)
}

// sincosf returns the sine and the cosine of x for x from -100 to 100, with the wrong
// roundings of glibc 2.36, one in a hundred.
func sincosf(x float32) (sin, cos float32) {
	const (
		c1, c2, c3, c4 = -0x1.ffffffd0c621cp-2, 0x1.55553e1068f19p-5, -0x1.6c087e89a359dp-10, 0x1.99343027bf8c3p-16
		s1, s2, s3     = -0x1.555545995a603p-3, 0x1.1107605230bc4p-7, -0x1.994eb3774cf24p-13
	)
	quarters := math.RoundToEven(float64(x) * (2 / math.Pi))
	v := float64(x) - float64(quarters*(math.Pi/2))
	square := float64(v * v)
	cube, fourth := float64(v*square), float64(square*square)
	c := 1 + float64(c1*square) + float64(c2*fourth) + float64(float64(fourth*square)*(c3+float64(c4*square)))
	s := v + float64(s1*cube) + float64(float64(cube*square)*(s2+float64(s3*square)))
	switch int(quarters) & 3 {
	case 1:
		s, c = c, -s
	case 2:
		s, c = -s, -c
	case 3:
		s, c = -c, s
	}
	return float32(s), float32(c)
}
