package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/stretchr/testify/require"
)

// requireLinks fails the test unless the wanted neighbors of a job's crosses are those that all
// pairs give.
func requireLinks(t testing.TB, j *job) {
	t.Helper()
	reach := float64(max(j.levels[0].W, j.levels[0].H)) / 3
	for a := range j.crosses {
		want := noLinks
		for k := range want {
			square := reach * reach
			for b := range j.crosses {
				if a == b {
					continue
				}
				if nearer, ok := j.isNeighbor(int32(a), k, spot{j.crosses[b].vector, int32(b)}, want[k], square); ok {
					want[k], square = int32(b), nearer
				}
			}
		}
		require.Equal(t, want, j.wanted[a], "cross %d", a)
	}
}

// requirePeaks fails the test unless a job's peaks are those of the definition, by all responses of
// a level.
func requirePeaks(t testing.TB, j *job) {
	t.Helper()
	peaks := j.peaks
	for k := range j.levels {
		l := &j.levels[k]
		all := oracleResponses(l)
		at := func(x, y int) int {
			if x < 0 || y < 0 || x >= l.W || y >= l.H {
				return 0
			}
			return all[y*l.W+x]
		}
		var want []peak
		for y := range l.H {
			for x := range l.W {
				v := at(x, y)
				is := v >= j.finder.opts.Threshold
				for dy := -2; dy <= 2; dy++ {
					for dx := -2; dx <= 2; dx++ {
						before := dy < 0 || dy == 0 && dx < 0
						is = is && at(x+dx, y+dy) <= v && !(before && at(x+dx, y+dy) == v)
					}
				}
				if is {
					want = append(want, peak{int32(x), int32(y), int16(v)})
				}
			}
		}
		if len(want) > 3000 {
			// By insertion, which is stable.
			var sorted []peak
			for v := int16(2040); v > 0; v-- {
				for _, p := range want {
					if p.response == v {
						sorted = append(sorted, p)
					}
				}
			}
			want = sorted[:3000]
		}
		for _, p := range want {
			require.NotEmpty(t, peaks)
			require.Equal(t, levelPeak{p, l}, peaks[0])
			peaks = peaks[1:]
		}
	}
	require.Empty(t, peaks)
}

// oracleResponses returns the responses of all pixels.
func oracleResponses(l *level) []int {
	all := make([]int, l.W*l.H)
	for y := 5; y < l.H-5; y++ {
		for x := 5; x < l.W-5; x++ {
			pixel := func(dx, dy int) int { return int(l.Pix[(y+dy)*l.Stride+x+dx]) }
			terms := func(first, step int) (sums, differences, total int) {
				for n := first; n < 16; n += step {
					a := pixel(ring[n].x, ring[n].y)
					total += a
					if n < 8 {
						differences += abs(a - pixel(ring[n+8].x, ring[n+8].y))
					}
					if n < 4 {
						sums += abs(a + pixel(ring[n+8].x, ring[n+8].y) - pixel(ring[n+4].x, ring[n+4].y) - pixel(ring[n+12].x, ring[n+12].y))
					}
				}
				return sums, differences, total
			}
			if sums, differences, _ := terms(0, 2); sums > differences {
				sums, differences, total := terms(0, 1)
				beside := pixel(1, 0) + pixel(-1, 0) + pixel(0, 1) + pixel(0, -1)
				all[y*l.W+x] = max(0, sums-differences-abs(total-4*beside))
			}
		}
	}
	return all
}

// TestOracles compares peaks and links with those of the definitions, in images with boards, in
// noise, and in noise that is blurred.
func TestOracles(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for threshold, most := range map[int]int{1: 6, 40: 18, 2000: 2} {
		for _, g := range readGoldens(t).boards[:most] {
			j := newJob(newFinder(t, FinderOptions{Threshold: threshold, Levels: 5, Workers: 2}))
			j.begin(raster.NewPlane("calibrate", g.image))
			j.findPeaks()
			requirePeaks(t, j)
			j.findCrosses()
			j.link()
			requireLinks(t, j)
		}
	}
	for range 3 {
		j := newJob(newFinder(t, FinderOptions{Threshold: 1}))
		j.begin(raster.NewPlane("calibrate", noise(rng, 300+rng.IntN(100), 250+rng.IntN(50))))
		j.findPeaks()
		requirePeaks(t, j)
		j.findCrosses()
		j.link()
		requireLinks(t, j)
		// Any crosses, also equal ones.
		j.buckets.reset(j.levels[0].W, j.levels[0].H)
		j.crosses = j.crosses[:0]
		for range 400 {
			c := cross{contrast: 1e-9, scale: float64(int(1) << rng.IntN(3)), links: noLinks}
			c.vector = vector{float64(rng.IntN(75) * 4), float64(rng.IntN(62) * 4)}
			turn := rng.Float64()
			for k := range c.directions {
				sin, cos := math.Sincos(math.Pi / 2 * (float64(k) + turn*float64(rng.IntN(2))))
				c.directions[k] = vector{cos, sin}
			}
			j.addCross(&c)
		}
		j.link()
		requireLinks(t, j)
		linked := 0
		for i := range j.crosses {
			linked += linksOf(&j.crosses[i])
		}
		require.Greater(t, linked, 20)
	}
}

// TestSaddle checks that where lines meet is found, also near the edge of the image, and that read
// reads what at tells.
func TestSaddle(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	img := noise(rng, 90, 80)
	l := level{raster.NewPlane("calibrate", img), 1, 1}
	e := new(examiner)
	for range 2000 {
		x, y := 1+87*rng.Float64(), 1+77*rng.Float64()
		if rng.IntN(4) == 0 {
			x = math.Floor(x)
		}
		if rng.IntN(4) == 0 {
			y = math.Floor(y)
		}
		m := 1 + rng.IntN(mostWindow)
		e.read(&l, x, y, m)
		for k := range (2*m + 1) * (2*m + 1) {
			require.InDelta(t, l.at(x+float64(k%(2*m+1)-m), y+float64(k/(2*m+1)-m)), e.window[k], 1e-9)
		}
	}
	// The first round in integers.
	for range 500 {
		p := peak{int32(5 + rng.IntN(80)), int32(5 + rng.IntN(70)), 0}
		want := e.sums(&l, float64(p.x), float64(p.y), ringRadius-1)
		require.Equal(t, want, wholeSums(&l, int(p.x), int(p.y)))
		x, y, wantOK := e.saddle(&l, float64(p.x), float64(p.y), ringRadius-1, 3)
		gotX, gotY, ok := e.saddleOfPeak(&l, p)
		require.Equal(t, [2]float64{x, y}, [2]float64{gotX, gotY})
		require.Equal(t, wantOK, ok)
	}
	_, _, ok := e.saddle(&level{raster.NewPlane("calibrate", noise(rng, 2, 80)), 1, 1}, 1, 5, 3, 3)
	require.False(t, ok)
	_, _, ok = e.saddle(&l, math.NaN(), 5, 3, 3)
	require.False(t, ok)
	img, b := nineBySix(4)
	l.Plane = raster.NewPlane("calibrate", img)
	for i := range 9 {
		p := b.corner(i, 3)
		x, y, ok := e.saddle(&l, math.Floor(p.X), math.Floor(p.Y), 5, 20)
		require.True(t, ok)
		require.InDelta(t, p.X, x, 0.2)
		require.InDelta(t, p.Y, y, 0.2)
	}
}

// TestLattice compares a lattice with a map.
func TestLattice(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	l := new(lattice)
	for round := range 20 {
		l.reset()
		want := map[cell]corner{}
		for range 50 * round {
			c := corner{cell{int32(rng.IntN(40) - 20), int32(rng.IntN(40) - 20)}, int32(rng.IntN(100)), int8(rng.IntN(5) - 1)}
			if old, ok := want[c.cell]; ok {
				require.Equal(t, old.cross, l.at(c.cell))
				continue
			}
			require.False(t, l.has(c.cell))
			want[c.cell] = c
			l.add(c)
		}
		l.removeIf(func(c corner) bool { return c.cross%5 == 0 })
		votes := 0
		for at, c := range want {
			if c.cross%5 == 0 {
				delete(want, at)
				require.Equal(t, int32(-1), l.at(at))
				continue
			}
			votes += c.vote()
		}
		require.Equal(t, len(want), l.count)
		require.Equal(t, votes, l.votes)
		l.sort()
		require.Len(t, l.corners, len(want))
		for i, c := range l.corners {
			require.Equal(t, want[c.cell], c)
			require.True(t, i == 0 || l.corners[i-1].compare(c.cell) < 0)
		}
	}
	// The numbers of lattices begin again.
	l.add(corner{cell{100, 100}, 7, 0})
	l.number = math.MaxUint32
	l.reset()
	require.False(t, l.has(cell{100, 100}))
}
