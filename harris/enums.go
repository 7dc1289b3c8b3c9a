package harris

import "github.com/fastcorners/fast/internal/option"

// A Measure specifies how the response is computed from a structure tensor. With the larger and the
// smaller of its eigenvalues l and m, det is l*m and tr is l+m. The zero Measure means the default
// of the Options that contain it.
type Measure uint8

const (
	MinEigenvalue Measure = 1 + iota // m: Shi and Tomasi
	Harris                           // det - K*tr*tr: Harris and Stephens
	Noble                            // 2*det/(tr + 1e-6)
	DetOverTrace                     // det/(tr + 1)
)

var measureNames = option.Enum[Measure]{"default", "min-eigenvalue", "harris", "noble", "det-over-trace"}

// String returns the name of m, such as "min-eigenvalue", or "default" if m is 0.
func (m Measure) String() string { return measureNames.String(m) }

// MarshalText returns the name of m. It fails if m is not a Measure of this package.
func (m Measure) MarshalText() ([]byte, error) { return measureNames.MarshalText(m) }

// UnmarshalText sets m to the Measure named by text. It fails if there is no such Measure.
func (m *Measure) UnmarshalText(text []byte) error { return measureNames.UnmarshalText(m, text) }

// A Gradient is a pair of filters that differentiate an image, one along x and one along
// y. Each smooths the image in the other direction.
type Gradient uint8

const (
	Sobel3   Gradient = iota // [-1 0 1] and [1 2 1]
	Sobel5                   // [-1 -2 0 2 1] and [1 4 6 4 1]
	Sobel7                   // [-1 -4 -5 0 5 4 1] and [1 6 15 20 15 6 1]
	Scharr                   // [-1 0 1] and [3 10 3]
	Gaussian                 // x*exp(-x*x/(2*sigma*sigma)) and exp(-x*x/(2*sigma*sigma))
)

var gradientNames = option.Enum[Gradient]{"sobel3", "sobel5", "sobel7", "scharr", "gaussian"}

// String returns the name of g, such as "sobel3".
func (g Gradient) String() string { return gradientNames.String(g) }

// MarshalText returns the name of g. It fails if g is not a Gradient of this package.
func (g Gradient) MarshalText() ([]byte, error) { return gradientNames.MarshalText(g) }

// UnmarshalText sets g to the Gradient named by text. It fails if there is no such Gradient.
func (g *Gradient) UnmarshalText(text []byte) error { return gradientNames.UnmarshalText(g, text) }
