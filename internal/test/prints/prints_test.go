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

// TestChessboard checks the colors and the corners of a board.
func TestChessboard(t *testing.T) {
	board := Chessboard(4, 3)
	rows := []string{"wwwwwww", "wbwbwbw", "wwbwbww", "wbwbwbw", "wwbwbww", "wwwwwww", "wwwwwww"}
	for j := board.First; j <= board.Last; j++ {
		for i := board.First; i <= board.Last; i++ {
			require.Equal(t, rows[j+1][i+1] == 'w', board.White(i, j), "%d, %d", i, j)
		}
	}
	require.Equal(t, geometry.Point{X: -1, Y: -1}, board.Corner(0, 0))
	require.InDelta(t, 1, board.Corner(5, 0).X, 1e-12)
	require.InDelta(t, -.2, board.Corner(5, 2).Y, 1e-12)
}

// TestPlaceUpright checks a pattern whose cells are 3 by 3 pixels.
func TestPlaceUpright(t *testing.T) {
	s := NewScene(24, 24, 77)
	// The quad is from 4.5 to 16.5.
	s.Place(checks, geometry.Transform{6, 0, 10.5, 0, 6, 10.5, 0, 0, 1}, Ink{10, 200}, []Cover{{A: 1, C: .5, Gray: 99}}, 1)
	img := s.Pixels(0).Gray(0, nil)
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

// TestPlaceBent compares a pattern behind a lens that bends nothing with one in front of it, and checks where one is
// that is moved.
func TestPlaceBent(t *testing.T) {
	transform := geometry.Transform{6, 1, 10.7, -1, 6, 10.4, 0.02, 0.01, 1}
	covers := []Cover{{A: 1, C: .5, Gray: 99}}
	want, got := NewScene(24, 20, 77), NewScene(24, 20, 77)
	want.Place(checks, transform, Ink{10, 200}, covers, 8)
	got.PlaceBent(checks, transform, Ink{10, 200}, covers, 8, func(dst, src []geometry.Point) { copy(dst, src) })
	require.InDeltaSlice(t, want.Pixels(.5).pix, got.Pixels(.5).pix, 2)

	moved := NewScene(24, 20, 77)
	moved.PlaceBent(checks, transform, Ink{10, 200}, covers, 8, func(dst, src []geometry.Point) {
		for i, p := range src {
			dst[i] = geometry.Point{X: p.X + 2, Y: p.Y - 1}
		}
	})
	for y := 1; y < 20; y++ {
		require.InDeltaSlice(t, got.pix[(y-1)*fine*24*fine:][2*fine:24*fine], moved.pix[y*fine*24*fine:][:22*fine], 1e-9)
	}
}

// TestPlaceTilted compares tilted patterns with samples of them: with some perspective, and so steep that the
// horizon is in the image.
func TestPlaceTilted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 10 {
		// Around a center, in a rotation with perspective.
		sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
		lean := [2]float64{.1 * rng.Float64(), .1 * rng.Float64()}
		narrow := 7.0
		if i >= 5 {
			lean = [2]float64{.1, []float64{-.42, .42}[i%2]}
			narrow = 3
		}
		to := geometry.Transform{
			9*cos + 15.3*lean[0], -narrow*sin + 15.3*lean[1], 15.3,
			9*sin + 14.8*lean[0], narrow*cos + 14.8*lean[1], 14.8,
			lean[0], lean[1], 1,
		}
		s := NewScene(30, 30, 100)
		s.Place(checks, to, Ink{0, 255}, nil, 16)
		seen := s.Pixels(0)
		inverse, ok := to.Inverse()
		require.True(t, ok)
		behind := 0
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
					if lean[0]*q.X+lean[1]*q.Y+1 < 0 {
						behind++
					}
				}
				require.InDelta(t, sum/(n*n), seen.pix[y*30+x], 6, "%d, %d", x, y)
			}
		}
		require.Equal(t, i >= 5, behind > 0)
	}
}

// TestPixels compares blurred edges with integrals: the mean over a pixel's square of an edge that a Gaussian
// blurs.
func TestPixels(t *testing.T) {
	const blur = .6
	// The integral of the Gaussian's from minus infinity.
	ramp := func(x float64) float64 {
		s := x / blur
		return blur * (s*(1+math.Erf(s/math.Sqrt2))/2 + math.Exp(-s*s/2)/math.Sqrt(2*math.Pi))
	}
	for i := range 40 {
		at := 9 + float64(i)/40
		edge := Pattern{First: 0, Last: 0, Cells: 1, White: func(x, y int) bool { return true }}
		for k, to := range []geometry.Transform{{20, 0, at + 20, 0, 50, 10, 0, 0, 1}, {0, 50, 10, 20, 0, at + 20, 0, 0, 1}} {
			s := NewScene(20, 20, 0)
			s.Place(edge, to, Ink{White: 255}, nil, 100)
			seen := s.Pixels(blur)
			for x := range 20 {
				want := 255 * (ramp(float64(x)+.5-at) - ramp(float64(x)-.5-at))
				index := 20*10 + x
				if k > 0 {
					index = 20*x + 10
				}
				require.InDelta(t, want, seen.pix[index], .75, "%v %v", at, x) // a blur of pixels is off by 15
			}
		}
	}
}

// TestPixelsAtEdges checks that a blur keeps the sum and has its standard deviation, and mirrors the scene at
// its edges.
func TestPixelsAtEdges(t *testing.T) {
	s := NewScene(41, 31, 0)
	for i := range fine * fine {
		s.row(15*fine + i/fine)[20*fine+i%fine] = 1000
	}
	var sum, square float64
	for i, v := range s.Pixels(1.7).pix {
		sum += v
		square += v * float64((i%41-20)*(i%41-20))
	}
	require.InDelta(t, 1000, sum, 1e-9)
	require.InDelta(t, math.Sqrt(1.7*1.7+2*(fine*fine-1.)/(12*fine*fine)), math.Sqrt(square/sum), .01)

	for _, v := range NewScene(3, 2, 50).Pixels(4).pix {
		require.InDelta(t, 50, v, 1e-9)
	}
	s = NewScene(2, 1, 0)
	for i := range fine {
		for k := range fine {
			s.row(i)[k] = 100
		}
	}
	pix := s.Pixels(.3).pix
	require.InDelta(t, 100, pix[0]+pix[1], 1e-9)
	require.Greater(t, pix[0], 85.)
}
