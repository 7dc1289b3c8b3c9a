package prints

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// checks is a pattern whose cells alternate.
var checks = Pattern{First: -1, Last: 4, Cells: 4, White: func(x, y int) bool { return (x+y)%2 == 0 }}

// TestPlaceUpright checks a pattern whose cells are 3 by 3 pixels.
func TestPlaceUpright(t *testing.T) {
	s := NewScene(24, 24, 77)
	// The quad is from 4.5 to 16.5.
	s.Place(checks, geometry.Transform{6, 0, 10.5, 0, 6, 10.5, 0, 0, 1}, Ink{10, 200}, []Cover{{A: 1, C: .5, Gray: 99}}, 1)
	img := s.Gray(0, nil)
	for y := range 24 {
		for x := range 24 {
			want := uint8(77)
			if x >= 2 && y >= 2 && x < 20 && y < 20 {
				switch {
				case x >= 14: // u > .5
					want = 99
				case ((x-2)/3+(y-2)/3)%2 == 0:
					want = 200
				default:
					want = 10
				}
			}
			require.Equal(t, want, img.GrayAt(x, y).Y, "%d, %d", x, y)
		}
	}
}

// TestPlaceTilted compares a tilted pattern with samples of it.
func TestPlaceTilted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		// Around a center, in a rotation with perspective.
		sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
		to := geometry.Transform{9 * cos, -7 * sin, 15.3, 9 * sin, 7 * cos, 14.8, .1 * rng.Float64(), .1 * rng.Float64(), 1}
		s := NewScene(30, 30, 100)
		s.Place(checks, to, Ink{0, 255}, nil, 64)
		inverse, ok := to.Inverse()
		require.True(t, ok)
		for y := range 30 {
			for x := range 30 {
				const n = 40
				sum := 0.0
				for k := range n * n {
					p := geometry.Point{X: float64(x) - .5 + (float64(k%n)+.5)/n, Y: float64(y) - .5 + (float64(k/n)+.5)/n}
					q := inverse.Apply(p)
					i, j := math.Floor((q.X+1)*2), math.Floor((q.Y+1)*2)
					switch {
					case i < -1 || j < -1 || i > 4 || j > 4:
						sum += 100
					case math.Mod(math.Abs(i+j), 2) == 0:
						sum += 255
					}
				}
				require.InDelta(t, sum/(n*n), s.pix[y*30+x], 6, "%d, %d", x, y)
			}
		}
	}
}

// TestBlur checks that a blur keeps the sum and has its standard deviation.
func TestBlur(t *testing.T) {
	s := NewScene(41, 31, 0)
	s.pix[15*41+20] = 1000
	s.Blur(1.7)
	var sum, square float64
	for i, v := range s.pix {
		sum += v
		square += v * float64((i%41-20)*(i%41-20))
	}
	require.InDelta(t, 1000, sum, 1e-9)
	require.InDelta(t, 1.7, math.Sqrt(square/sum), .01)

	flat := NewScene(3, 2, 50)
	flat.Blur(4)
	for _, v := range flat.pix {
		require.InDelta(t, 50, v, 1e-9)
	}
}
