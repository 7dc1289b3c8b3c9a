package sift

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/match"
	"github.com/stretchr/testify/require"
)

// TestLibrary compares exp2f and sincosf with those of glibc 2.36, by a hash of the results for
// 8 million arguments from 2^-31 to 32. Short tests take every hundredth.
func TestLibrary(t *testing.T) {
	step, want := uint32(37), uint64(0x2cdcf8b5bc0f5bf2)
	if testing.Short() {
		step, want = 3701, 0x4640e12848141b83
	}
	const offset, prime = 14695981039346656037, 1099511628211 // of FNV-1a
	hash := uint64(offset)
	for bits := uint32(0x30000000); bits < 0x42000000; bits += step {
		x := math.Float32frombits(bits)
		sin, cos := sincosf(x / 4)
		for _, v := range [3]float32{exp2f(x / 3), sin, cos} {
			hash = (hash ^ uint64(math.Float32bits(v))) * prime
		}
	}
	require.Equal(t, want, hash)
}

// TestApproximations checks that exp32 and atan are near what they approximate, and the angles
// of the axes and the diagonals.
func TestApproximations(t *testing.T) {
	for x := float32(-20); x < 20; x += 0.013 {
		require.InEpsilon(t, math.Exp(float64(x)), exp32(x), 1e-6, "%v", x)
	}
	for degree := range 3600 {
		sin, cos := math.Sincos(float64(degree) * math.Pi / 1800)
		require.InDelta(t, float64(degree)/10, atan(float32(77*sin), float32(77*cos)), 0.02, "%v", degree)
	}
	require.Equal(t, []float32{0, 0, 90, 180, 270}, []float32{atan(0, 0), atan(0, 3), atan(3, 0), atan(0, -3), atan(-3, 0)})
}

// TestRoot compares RootSIFT with the roots of the shares in floating point.
func TestRoot(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var vectors, wants []match.Vector
	for round := range 2000 {
		var v, want match.Vector
		limit := 1 + random.IntN(256)
		sum := 0
		for i := range v {
			if random.IntN(64) >= round%65 {
				v[i] = uint8(random.IntN(limit))
			}
			sum += int(v[i])
		}
		for i, b := range v {
			want[i] = uint8(min(math.Round(512*math.Sqrt(float64(b)/float64(max(sum, 1)))), 255))
		}
		vectors, wants = append(vectors, v), append(wants, want)
	}
	vectors, wants = append(vectors, match.Vector{}), append(wants, match.Vector{})
	Root(vectors)
	require.Equal(t, wants, vectors)
}
