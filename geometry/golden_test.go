package geometry

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/fastcorners/fast/internal/consensus"
	"github.com/stretchr/testify/require"
)

// A recipe tells how to make pairs, in integers only, so that they are the same everywhere.
type recipe struct {
	Kind      Kind
	Seed      uint64
	N         int
	Permille  int // how many are right
	Sigma     int // of the noise, in thousandths of a pixel
	Distances bool
}

// pairs are pairs of points, with distances or nil.
type pairs struct {
	a, b      []Point
	distances []float64
}

// make returns the pairs and their checksum. The integers are units of 1/1024 pixel.
func (g *recipe) make() (p pairs, checksum uint32) {
	draw := func(i int) uint64 { return consensus.Mix(g.Seed + uint64(i+1)*consensus.Golden) }
	below := func(i, n int) int {
		return int(draw(i) >> 32 * uint64(n) >> 32)
	}
	t := g.truth()
	add := func(v int) float64 {
		checksum = 31*checksum + uint32(v)
		return float64(v) / 1024
	}
	for i := range g.N {
		o := 16 + 32*i
		noise := func(k int) int {
			sum := int64(-1 << 21)
			for d := range 4 {
				sum += int64(draw(o+k+d) >> 44)
			}
			return floorDiv(sum*int64(g.Sigma)*1774, 1000<<20)
		}
		x, y := below(o, 655360), below(o+1, 491520)
		q := t.Apply(Point{float64(x) / 1024, float64(y) / 1024})
		u, v := int(math.Floor(float64(1024*q.X)+0.5)), int(math.Floor(float64(1024*q.Y)+0.5))
		x, y = x+noise(2), y+noise(6)
		d := 20 + below(o+20, 60)
		if i*g.Permille%1000+g.Permille >= 1000 {
			u, v = u+noise(10), v+noise(14)
		} else {
			u, v = below(o+18, 655360), below(o+19, 491520)
			d = 30 + below(o+20, 70)
		}
		p.a = append(p.a, Point{add(x), add(y)})
		p.b = append(p.b, Point{add(u), add(v)})
		if g.Distances {
			p.distances = append(p.distances, 1024*add(d))
		}
	}
	return p, checksum
}

// truth returns the transform of the right pairs.
func (g *recipe) truth() Transform {
	entry := func(i, k int) float64 {
		draw := consensus.Mix(g.Seed + uint64(i+1)*consensus.Golden)
		return float64(int(draw>>32*uint64(2*k+1)>>32) - k)
	}
	t := Transform{
		1 + entry(0, 400)/1024, entry(1, 400) / 1024, entry(2, 120),
		entry(3, 400) / 1024, 1 + entry(4, 400)/1024, entry(5, 90),
		entry(6, 700) / (1 << 21), entry(7, 700) / (1 << 21), 1,
	}
	if g.Kind != Homography {
		t[6], t[7] = 0, 0
	}
	switch g.Kind {
	case Similarity:
		t[4], t[1] = t[0], -t[3]
	case Rigid:
		scale := math.Sqrt(float64(t[0]*t[0]) + float64(t[3]*t[3]))
		t[0], t[3] = t[0]/scale, t[3]/scale
		t[4], t[1] = t[0], -t[3]
	case Translation:
		t[0], t[1], t[3], t[4] = 1, 0, 0, 1
	}
	return t
}

// floorDiv returns a/b, rounded down.
func floorDiv(a, b int64) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return int(q)
}

// TestGolden checks transforms and numbers of inliers that a prototype in Go of the same
// method found, with several seeds.
func TestGolden(t *testing.T) {
	requireGolden(t, "testdata/golden.json", 44)
}

// TestGoldenRigid checks those that testdata/rigid.py found, which tries all pairs of pairs.
func TestGoldenRigid(t *testing.T) {
	requireGolden(t, "testdata/rigid.json", 12)
}

func requireGolden(t *testing.T, name string, count int) {
	t.Helper()
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	var cases []struct {
		recipe
		Threshold float64
		OK        bool
		Inliers   int
		Transform Transform
		Checksum  uint32
	}
	require.NoError(t, json.Unmarshal(file, &cases))
	require.Len(t, cases, count)
	for i, c := range cases {
		p, checksum := c.make()
		require.Equal(t, c.Checksum, checksum)
		for seed := range uint64(6) {
			e := newEstimator(t, Options{Kind: c.Kind, InlierThreshold: c.Threshold, Seed: seed})
			name := fmt.Sprintf("case %d, %v, %d pairs, seed %d", i, c.Kind, c.N, seed)
			fit, err := e.Estimate(p.a, p.b, p.distances, nil)
			require.Equal(t, c.OK, err == nil, "%s: %v", name, err)
			require.Equal(t, c.Inliers, fit.Inliers, name)
			for k, want := range c.Transform {
				tolerance := 1e-9 * max(1, math.Abs(want))
				if k == 6 || k == 7 {
					tolerance = 1e-12
				}
				require.InDelta(t, want, fit.Transform[k], tolerance, "%s, element %d", name, k)
			}
			if testing.Short() {
				break
			}
		}
	}
}

func newEstimator(t testing.TB, opts Options) *Estimator {
	t.Helper()
	e, err := New(opts)
	require.NoError(t, err)
	return e
}
