package calibrate

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/stretchr/testify/require"
)

// What follows hardly comes of an image, but the steps must not rely on that.

// jobOf returns a job that has begun with an image.
func jobOf(t testing.TB, img *image.Gray) *job {
	j := newJob(newFinder(t, FinderOptions{MinCorners: 6}))
	j.begin(raster.NewPlane("calibrate", img))
	j.buckets.reset(img.Rect.Dx(), img.Rect.Dy())
	return j
}

// TestFit checks fits that fail: at the edge of the image, without contrast, and far from a corner.
func TestFit(t *testing.T) {
	img, b := nineBySix(5)
	j := jobOf(t, img)
	l := j.lanes.All()[0]
	lines := func(i, k int) (vector, [2]line) {
		var at [3]vector
		for n, c := range [3]geometry.Point{b.corner(i, k), b.corner(i+1, k), b.corner(i, k+1)} {
			at[n] = vector{c.X, c.Y}
		}
		d1, d2 := at[1].minus(at[0]).unit(), at[2].minus(at[0]).unit()
		return at[0], [2]line{{nx: -d1.y, ny: d1.x}, {nx: -d2.y, ny: d2.x}}
	}
	place, both := lines(4, 2)
	got, ok := l.fit(&j.levels[0], place.plus(vector{0.4, -0.3}), 6, both[0], both[1])
	require.True(t, ok)
	require.Less(t, got.minus(place).length(), 0.1)
	for _, edge := range []vector{{1.4, 50}, {50, 1.4}, {327.6, 50}, {50, 247.6}} {
		_, ok := l.fit(&j.levels[0], edge, 6, both[0], both[1])
		require.False(t, ok, edge)
	}
	black := jobOf(t, image.NewGray(img.Rect))
	_, ok = l.fit(&black.levels[0], place, 6, both[0], both[1])
	require.False(t, ok)
	rng := rand.New(rand.NewPCG(1, 7))
	failed := 0
	for range 200 {
		from := place.plus(vector{8*rng.Float64() - 4, 8*rng.Float64() - 4})
		got, ok := l.fit(&j.levels[0], from, 6, both[0], both[1])
		if !ok {
			failed++
			continue
		}
		require.LessOrEqual(t, max(math.Abs(got.x-from.x), math.Abs(got.y-from.y)), 0.6*6)
	}
	require.Greater(t, failed, 10)
	require.Less(t, failed, 190)
}

// TestFillRounds checks how far a grid is filled: a corner farther in each of 40 rounds, and not
// beyond squares that are too small.
func TestFillRounds(t *testing.T) {
	b := newChessboard(55, 3, geometry.Point{X: 300, Y: 300}, 9, 0.01, 0, 0)
	j := jobOf(t, scene(600, 340, 0.6, 1, ink, 1, b))
	fill := func() int {
		j.crosses = j.crosses[:0]
		j.buckets.reset(600, 340)
		j.lattice.reset()
		for i := range 2 {
			for k := range 2 {
				p := b.corner(i, k)
				turn := int8((i + k + 1) % 2)
				j.addCross(&cross{vector: vector{p.X, p.Y}, contrast: 150, scale: 1, links: noLinks, lattice: j.lattice.number})
				j.lattice.add(corner{cell{int32(i), int32(k)}, int32(len(j.crosses) - 1), turn})
			}
		}
		j.fill()
		return j.lattice.count
	}
	require.Equal(t, 3*(2+mostRounds)-1, fill()) // the third row is a round behind
	for i := 1; i < j.lattice.count; i++ {
		require.Negative(t, j.lattice.corners[i-1].compare(j.lattice.corners[i].cell))
	}

	b = newChessboard(9, 6, geometry.Point{X: 100, Y: 100}, 3.9, 0, 0, 0)
	j = jobOf(t, scene(600, 340, 0.3, 0, ink, 1, b))
	require.Equal(t, 4, fill())
}

// TestInconsistentLinks checks that a link that leads back along the other edges of a cross makes
// no corner.
func TestInconsistentLinks(t *testing.T) {
	j := jobOf(t, image.NewGray(image.Rect(0, 0, 100, 100)))
	for i := range 2 {
		j.addCross(&cross{vector: vector{float64(20 * i), 20}, links: noLinks})
	}
	j.crosses[0].links[0], j.crosses[1].links[2] = 1, 0
	j.growFrom(0)
	require.Equal(t, 1, j.lattice.count)
	j.crosses[1].links = [4]int32{-1, -1, -1, 0}
	j.growFrom(0)
	require.Equal(t, 2, j.lattice.count)
	// Nor does one whose other cross does not lead back, or whose cell is taken.
	j.crosses[1].grown, j.crosses[1].links = false, noLinks
	j.growFrom(0)
	require.Equal(t, 1, j.lattice.count)
	j.crosses[0].links, j.crosses[1].links = [4]int32{1, -1, -1, -1}, [4]int32{-1, -1, 0, 0}
	j.growFrom(0)
	require.Equal(t, 2, j.lattice.count)
	// The last link that leads back counts.
	require.Equal(t, int8(3), j.lattice.corners[1].turn)
}

// TestWorstCases checks that no image takes much longer than its size explains.
func TestWorstCases(t *testing.T) {
	skipUnderRace(t)
	rng := rand.New(rand.NewPCG(1, 8))
	w, h := 900, 700
	if testing.Short() { // as on an emulated processor
		w, h = 225, 175
	}
	for name, value := range map[string]func(x, y int) int{
		"checks of 1":    func(x, y int) int { return (x + y) % 2 * 255 },
		"checks of 5":    func(x, y int) int { return (x/5 + y/5) % 2 * 255 },
		"checks of 7":    func(x, y int) int { return (x/7+y/7)%2*200 + rng.IntN(9) },
		"checks of 12":   func(x, y int) int { return (x/12+y/12)%2*200 + rng.IntN(9) },
		"slanted checks": func(x, y int) int { return ((3*x+y)/25 + (3*y-x+3000)/25) % 2 * 200 },
		"noise":          func(int, int) int { return rng.IntN(256) },
		"black or white": func(int, int) int { return rng.IntN(2) * 255 },
		"waves":          func(x, y int) int { return int(127 + 120*math.Sin(float64(x*y)/700)) },
		"stripes":        func(x, _ int) int { return x / 6 % 2 * 255 },
	} {
		img := image.NewGray(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			img.Pix[i] = uint8(value(i%w, i/w))
		}
		for _, opts := range []FinderOptions{{}, {MinCorners: 6, Threshold: 1, Levels: 5}} {
			f := newFinder(t, opts)
			begin := time.Now()
			f.Find(img)
			took := time.Since(begin)
			t.Log(name, took)
			// It is 0.02 to 0.5 seconds unless others keep the machine busy.
			require.Less(t, took, 20*time.Second, name)
		}
	}
}

// TestEdgesOf checks which rings are those of a cross, by the values of their pixels, clockwise
// from the right.
func TestEdgesOf(t *testing.T) {
	edges := func(values ...uint8) ([4]float64, float64, bool) {
		img := image.NewGray(image.Rect(0, 0, 11, 11))
		for n, p := range ring {
			img.Pix[img.PixOffset(5+p.x, 5+p.y)] = values[n]
		}
		l := level{raster.NewPlane("calibrate", img), 1, 1}
		return edgesOf(&l, 5, 5)
	}
	// ringOf returns four sectors of the given numbers of pixels, the first of them dark.
	ringOf := func(dark, light uint8, sectors ...int) (values []uint8) {
		for k, n := range sectors {
			for range n {
				values = append(values, []uint8{dark, light}[k%2])
			}
		}
		return values
	}
	turns, contrast, ok := edges(ringOf(100, 106, 4, 4, 4, 4)...)
	require.True(t, ok)
	require.Equal(t, 6., contrast)
	require.Equal(t, [4]float64{3.5, 7.5, 11.5, 15.5}, turns)
	// It begins with a change to light, also where a sector ends with the ring's last pixel.
	turns, contrast, ok = edges(ringOf(200, 20, 4, 4, 4, 4)...)
	require.True(t, ok)
	require.Equal(t, 180., contrast)
	require.Equal(t, [4]float64{7.5, 11.5, 15.5, 19.5}, turns)
	// The range of the sums is 23, but for one brighter pixel.
	values := ringOf(100, 105, 4, 4, 4, 4)
	values[5], values[6] = 106, 106
	_, _, ok = edges(values...)
	require.False(t, ok)
	values[5], values[6], values[7] = 106, 106, 106
	_, contrast, ok = edges(values...)
	require.True(t, ok)
	require.Equal(t, 6., contrast)
	// Two or six sectors, none, and lines that are bent by 1 and 2 sixteenths of a turn.
	for _, c := range []struct {
		sectors []int
		ok      bool
	}{
		{[]int{8, 8}, false},
		{[]int{3, 3, 3, 3, 2, 2}, false},
		{[]int{16}, false},
		{[]int{4, 4, 5, 3}, true},
		{[]int{4, 4, 6, 2}, false},
		{[]int{2, 6, 2, 6}, true},
		{[]int{1, 7, 1, 7}, true},
	} {
		_, _, ok := edges(ringOf(30, 200, c.sectors...)...)
		require.Equal(t, c.ok, ok, c.sectors)
	}
	// A dark sector that is too short, between the others.
	values = ringOf(200, 200, 16)
	values[7], values[8], values[9] = 100, 0, 100
	for dark, isCross := range map[uint8]bool{30: false, 0: true} {
		values[0], values[1], values[15] = dark, 200, 200
		if isCross {
			values[1], values[15] = 100, 100
		}
		_, _, ok := edges(values...)
		require.Equal(t, isCross, ok)
	}
}
