package pixel_test

import (
	"image"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/pixel"
	"github.com/stretchr/testify/require"
)

// nearest is the coordinate by its definition, in exact arithmetic.
func nearest(v float64) int {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.MaxInt32
	}
	// The floor of (2v+1)/2: Euclidean division rounds down.
	twice := new(big.Rat).SetFloat64(v)
	twice.Add(twice, big.NewRat(1, 2))
	floor := new(big.Int).Div(twice.Num(), twice.Denom())
	if !floor.IsInt64() || floor.Int64() < math.MinInt32 || floor.Int64() > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(floor.Int64())
}

// TestNearest compares places near the middle between two pixels, near the limits of 32 bits,
// and anywhere, with exact arithmetic.
func TestNearest(t *testing.T) {
	places := []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.Copysign(0, -1),
		math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
	}
	for _, v := range []float64{
		0, 0.5, 1, 1.5, 1 << 24, 1<<24 + 0.5, math.MaxInt32 - 0.5, math.MaxInt32, math.MinInt32 - 0.5, math.MinInt32, 1 << 52,
	} {
		for _, v := range []float64{v, -v} {
			places = append(places, v, math.Nextafter(v, math.Inf(1)), math.Nextafter(v, math.Inf(-1)))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		places = append(places, (rng.Float64()-0.5)*math.Exp2(float64(rng.IntN(40))))
	}
	for _, v := range places {
		require.Equal(t, image.Pt(nearest(v), 7), pixel.Nearest(v, 7), "%v", v)
		require.Equal(t, image.Pt(7, nearest(v)), pixel.Nearest(7, v), "%v", v)
	}
}
