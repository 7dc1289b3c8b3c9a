package fast_test

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

func ExampleStrongest() {
	corners := []fast.Corner{{X: 10, Y: 5, Score: 30}, {X: 40, Y: 5, Score: 90}, {X: 20, Y: 9, Score: 60}}
	corners = fast.Strongest(corners, 2)
	fmt.Println(corners)
	// Output: [{40 5 90} {20 9 60}]
}

func ExampleInMask() {
	// Only the left half of the image matters.
	mask := image.NewGray(image.Rect(0, 0, 64, 48))
	draw.Draw(mask, image.Rect(0, 0, 32, 48), image.White, image.Point{}, draw.Src)

	corners := []fast.Corner{{X: 10, Y: 5}, {X: 40, Y: 5}, {X: 31, Y: 9}, {X: 32, Y: 9}}
	fmt.Println(fast.InMask(corners, mask))
	// Output: [{10 5 0} {31 9 0}]
}

func ExampleSpread() {
	// The left half has strong corners, the right half only a weak one.
	corners := []fast.Corner{
		{X: 10, Y: 5, Score: 80},
		{X: 12, Y: 5, Score: 95},
		{X: 90, Y: 20, Score: 15},
		{X: 11, Y: 41, Score: 90},
	}
	fmt.Println(fast.Spread(corners, image.Rect(0, 0, 100, 50), 2))
	// Output: [{12 5 95} {90 20 15}]
}

func ExamplePerCell() {
	// Detect at the lower of two thresholds, which is for those cells only that
	// have no corners at the higher one.
	detector, err := fast.New(fast.Options{Threshold: 10, Score: true})
	if err != nil {
		panic(err)
	}
	img := image.NewGray(image.Rect(0, 0, 64, 32))
	img.SetGray(10, 10, color.Gray{Y: 200})
	img.SetGray(20, 20, color.Gray{Y: 15}) // in the cell of the one before
	img.SetGray(50, 20, color.Gray{Y: 15})
	corners := detector.Detect(img)
	fmt.Println(fast.PerCell(corners, img.Rect, image.Pt(32, 32), 5, 25))
	// Output: [{10 10 199} {50 20 14}]
}

// scatter returns n corners, or as many as bounds has pixels, in raster order,
// with scores of 0 to maxScore.
func scatter(rng *rand.Rand, bounds image.Rectangle, n, maxScore int) []fast.Corner {
	w, h := bounds.Dx(), bounds.Dy()
	taken := map[image.Point]bool{}
	var corners []fast.Corner
	for range min(n, w*h) {
		p := bounds.Min.Add(image.Pt(rng.IntN(w), rng.IntN(h)))
		for taken[p] {
			p = bounds.Min.Add(image.Pt(rng.IntN(w), rng.IntN(h)))
		}
		taken[p] = true
		corners = append(corners, fast.Corner{X: int32(p.X), Y: int32(p.Y), Score: uint8(rng.IntN(maxScore + 1))})
	}
	sortRaster(corners)
	return corners
}

func sortRaster(corners []fast.Corner) {
	slices.SortStableFunc(corners, func(a, b fast.Corner) int {
		return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
}

// best returns the n highest of the corners with these indices, or all when there
// are fewer; of equal scores the first is higher. The result and the argument are
// indices in ascending order.
func best(corners []fast.Corner, indices []int, n int) []int {
	list := slices.Clone(indices)
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(corners[b].Score, corners[a].Score) })
	list = list[:max(0, min(n, len(list)))]
	slices.Sort(list)
	return list
}

// where returns the indices of the corners that yes says yes to.
func where(corners []fast.Corner, yes func(c fast.Corner) bool) []int {
	var indices []int
	for i, c := range corners {
		if yes(c) {
			indices = append(indices, i)
		}
	}
	return indices
}

// everywhere is yes for where.
func everywhere(fast.Corner) bool { return true }

// selected returns the corners with these indices, in the order they have.
func selected(corners []fast.Corner, indices []int) []fast.Corner {
	var list []fast.Corner
	for _, i := range slices.Sorted(slices.Values(indices)) {
		list = append(list, corners[i])
	}
	return list
}

// naiveStrongest is Strongest by sorting.
func naiveStrongest(corners []fast.Corner, n int) []fast.Corner {
	return selected(corners, best(corners, where(corners, everywhere), n))
}

// filter returns the corners that keep says yes to, in memory of their own.
func filter(corners []fast.Corner, keep func(c fast.Corner) bool) []fast.Corner {
	return slices.DeleteFunc(slices.Clone(corners), func(c fast.Corner) bool { return !keep(c) })
}

// naivePerCell is PerCell, cell by cell.
func naivePerCell(corners []fast.Corner, bounds image.Rectangle, cell image.Point, n int, strong uint8) []fast.Corner {
	var kept []int
	for y := bounds.Min.Y; y < bounds.Max.Y; y += cell.Y {
		for x := bounds.Min.X; x < bounds.Max.X; x += cell.X {
			r := image.Rect(x, y, x+cell.X, y+cell.Y).Intersect(bounds)
			own := where(corners, func(c fast.Corner) bool { return c.Pt().In(r) })
			good := where(corners, func(c fast.Corner) bool { return c.Pt().In(r) && c.Score >= strong })
			if len(good) > 0 {
				own = good
			}
			kept = append(kept, best(corners, own, n)...)
		}
	}
	return selected(corners, kept)
}

// node returns the node of a level of the quadtree over bounds that c lies in.
// A pixel belongs to the node that has its middle; when that is on the border
// of two, to the left or upper one.
func node(c fast.Corner, bounds image.Rectangle, level int) image.Point {
	w, h := bounds.Dx(), bounds.Dy()
	side := func(at, length, other int) int {
		roots := max(1, int(math.Floor(float64(length)/float64(other)+0.5)))
		return ((2*at+1)*roots<<level - 1) / (2 * length)
	}
	return image.Pt(side(int(c.X)-bounds.Min.X, w, h), side(int(c.Y)-bounds.Min.Y, h, w))
}

// nodes returns the indices of the corners in each node of a level that has any.
func nodes(corners []fast.Corner, bounds image.Rectangle, level int) map[image.Point][]int {
	byNode := map[image.Point][]int{}
	for i, c := range corners {
		id := node(c, bounds, level)
		byNode[id] = append(byNode[id], i)
	}
	return byNode
}

// naiveSpread is Spread by maps. No two corners are the same pixel.
func naiveSpread(corners []fast.Corner, bounds image.Rectangle, n int) []fast.Corner {
	corners = filter(corners, func(c fast.Corner) bool { return c.Pt().In(bounds) })
	if n >= len(corners) || n <= 0 {
		return corners[:max(0, min(n, len(corners)))]
	}
	var kept []int
	for level := 0; ; level++ {
		var winners []int
		for _, own := range nodes(corners, bounds, level) {
			winners = append(winners, best(corners, own, 1)...)
		}
		if len(winners) > n {
			others := slices.DeleteFunc(winners, func(i int) bool { return slices.Contains(kept, i) })
			slices.Sort(others)
			return selected(corners, append(kept, best(corners, others, n-len(kept))...))
		}
		kept = winners
	}
}

// A selection is one of the functions with all its arguments but the corners.
type selection struct {
	name       string
	do, byHand func(corners []fast.Corner) []fast.Corner
}

// selections returns the functions with these arguments.
func selections(bounds image.Rectangle, mask *image.Gray, cell image.Point, n int, strong uint8) []selection {
	return []selection{
		{
			name:   fmt.Sprintf("Strongest(%d)", n),
			do:     func(c []fast.Corner) []fast.Corner { return fast.Strongest(c, n) },
			byHand: func(c []fast.Corner) []fast.Corner { return naiveStrongest(c, n) },
		},
		{
			name: fmt.Sprintf("InMask(%v)", mask.Rect),
			do:   func(c []fast.Corner) []fast.Corner { return fast.InMask(c, mask) },
			byHand: func(c []fast.Corner) []fast.Corner {
				return filter(c, func(c fast.Corner) bool {
					return mask.GrayAt(int(c.X), int(c.Y)) != color.Gray{}
				})
			},
		},
		{
			name:   fmt.Sprintf("PerCell(%v, %v, %d, %d)", bounds, cell, n, strong),
			do:     func(c []fast.Corner) []fast.Corner { return fast.PerCell(c, bounds, cell, n, float32(strong)) },
			byHand: func(c []fast.Corner) []fast.Corner { return naivePerCell(c, bounds, cell, n, strong) },
		},
		{
			name:   fmt.Sprintf("Spread(%v, %d)", bounds, n),
			do:     func(c []fast.Corner) []fast.Corner { return fast.Spread(c, bounds, n) },
			byHand: func(c []fast.Corner) []fast.Corner { return naiveSpread(c, bounds, n) },
		},
	}
}

// requireSelects compares the functions with the naive ones, and checks that
// they work in place.
func requireSelects(t *testing.T, corners []fast.Corner, list []selection) {
	t.Helper()
	mark := fast.Corner{X: -1, Y: -2, Score: 7}
	for _, s := range list {
		buf := append(slices.Clone(corners), mark)
		got := s.do(buf[:len(corners)])
		requireCorners(t, s.byHand(corners), got, "%s of %d corners", s.name, len(corners))
		require.Equal(t, mark, buf[len(corners)], "%s: beyond the argument", s.name)
		if len(got) > 0 {
			require.Same(t, &buf[0], &got[0], "%s: not in place", s.name)
		}
	}
}

// TestSelect compares selection with the naive versions, of corners in raster
// order and in any other.
func TestSelect(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	rounds := 400
	if quick() {
		rounds = 60
	}
	for range rounds {
		around := image.Rect(0, 0, 1+rng.IntN(100), 1+rng.IntN(100)).Add(image.Pt(rng.IntN(100)-50, rng.IntN(100)-50))
		if rng.IntN(4) == 0 { // a row or a column
			if rng.IntN(2) == 0 {
				around.Max.X = around.Min.X + 1 + rng.IntN(2)
			} else {
				around.Max.Y = around.Min.Y + 1 + rng.IntN(2)
			}
		}
		corners := scatter(rng, around, rng.IntN(300), []int{0, 1, 5, 255}[rng.IntN(4)])
		if rng.IntN(3) == 0 { // most of them in one place
			dense := around.Intersect(image.Rect(0, 0, 13, 11).Add(around.Min).Add(image.Pt(rng.IntN(50), rng.IntN(50))))
			if !dense.Empty() {
				corners = append(corners, scatter(rng, dense, 100, 255)...)
				sortRaster(corners)
				corners = slices.CompactFunc(corners, func(a, b fast.Corner) bool { return a.Pt() == b.Pt() })
			}
		}
		bounds := around
		if rng.IntN(2) == 0 { // some corners are outside, or some space is empty
			bounds = around.Inset(rng.IntN(20) - 10)
		}
		mask := image.NewGray(around.Inset(-3))
		for i := range mask.Pix {
			mask.Pix[i] = []uint8{0, 0, 1, 128, 255}[rng.IntN(5)]
		}
		mask = mask.SubImage(bounds).(*image.Gray)
		cell := image.Pt(1+rng.IntN(40), 1+rng.IntN(40))
		n := []int{rng.IntN(12), rng.IntN(300), len(corners), len(corners) - 1}[rng.IntN(4)]
		list := selections(bounds, mask, cell, n, uint8(rng.IntN(256)))
		requireSelects(t, corners, list)
		rng.Shuffle(len(corners), func(i, j int) { corners[i], corners[j] = corners[j], corners[i] })
		requireSelects(t, corners, list)
	}
}

// TestSelectEdges checks arguments that ask for nothing, or for everything.
func TestSelectEdges(t *testing.T) {
	bounds := image.Rect(-20, -10, 60, 50)
	corners := scatter(rand.New(rand.NewPCG(1, 1)), bounds, 200, 255)
	mask := image.NewGray(bounds)
	draw.Draw(mask, bounds, image.White, image.Point{}, draw.Src)
	cell := image.Pt(16, 16)

	for _, n := range []int{math.MinInt, -1, 0} {
		for _, s := range selections(bounds, &image.Gray{}, cell, n, 0) {
			got := s.do(slices.Clone(corners))
			require.NotNil(t, got, s.name)
			require.Empty(t, got, s.name)
		}
	}
	for _, n := range []int{200, 201, math.MaxInt} {
		for _, s := range selections(bounds, mask, cell, n, 0) {
			requireCorners(t, corners, s.do(slices.Clone(corners)), "%s", s.name)
		}
	}
	for _, n := range []int{-1, 0, 1, math.MaxInt} {
		for _, s := range selections(bounds, mask, cell, n, 0) {
			require.Nil(t, s.do(nil), s.name)
			require.Empty(t, s.do([]fast.Corner{}), s.name)
		}
	}
	for _, r := range []image.Rectangle{{}, image.Rect(5, 5, 5, 90), {Min: image.Pt(60, 50), Max: image.Pt(-20, -10)}, image.Rect(60, 50, 90, 90)} {
		require.Empty(t, fast.Spread(slices.Clone(corners), r, 100), "%v", r)
		require.Empty(t, fast.PerCell(slices.Clone(corners), r, cell, 100, 0), "%v", r)
	}
	for _, cell := range []image.Point{{}, {X: 0, Y: 1}, {X: 1, Y: 0}, {X: -1, Y: 8}, {X: 8, Y: math.MinInt}} {
		requirePanic(t, func() { fast.PerCell[fast.Corner](nil, bounds, cell, 1, 0) }, "cell %v", cell)
	}
}

// TestInMaskMalformed checks that masks without the pixels that they promise
// panic, and that no corner has been moved by then.
func TestInMaskMalformed(t *testing.T) {
	pix := make([]byte, 1000)
	bounds := image.Rect(0, 0, 10, 10)
	corners := scatter(rand.New(rand.NewPCG(5, 5)), bounds, 50, 255)
	for name, mask := range map[string]*image.Gray{
		"no pixels":       {Stride: 10, Rect: bounds},
		"last row short":  {Pix: pix[:99], Stride: 10, Rect: bounds},
		"SubImage short":  {Pix: pix[:297], Stride: 32, Rect: image.Rect(-4, 5, 6, 15)},
		"negative stride": {Pix: pix, Stride: -10, Rect: bounds},
		"largest stride":  {Pix: pix, Stride: math.MaxInt, Rect: bounds},
		"no stride":       {Pix: pix[:9], Rect: bounds},
		"huge bounds":     {Pix: pix, Stride: 10, Rect: image.Rect(math.MinInt, math.MinInt, math.MaxInt, math.MaxInt)},
		"huge width":      {Pix: pix, Rect: image.Rect(math.MinInt, 0, math.MaxInt, 1)},
	} {
		got := slices.Clone(corners)
		requirePanic(t, func() { fast.InMask(got, mask) }, "%s", name)
		require.Equal(t, corners, got, name)
		requirePanic(t, func() { fast.InMask[fast.Corner](nil, mask) }, "%s", name)
	}
	for i := range pix {
		pix[i] = 1
	}
	for _, mask := range []*image.Gray{
		{Pix: pix[:100], Stride: 10, Rect: bounds},
		{Pix: pix[:10], Rect: bounds},
		{Pix: pix[:10], Rect: image.Rect(0, math.MinInt, 10, math.MaxInt)},
	} {
		requireCorners(t, corners, fast.InMask(slices.Clone(corners), mask), "%v", mask.Rect)
	}
	for _, mask := range []*image.Gray{{}, {Stride: -1}, {Rect: image.Rectangle{Max: image.Pt(-9, -9)}, Stride: -1}} {
		require.Empty(t, fast.InMask(slices.Clone(corners), mask), "%v", mask.Rect)
	}
}

// TestSelectFar checks bounds and cells that numbers just hold.
func TestSelectFar(t *testing.T) {
	const far = math.MaxInt32 - 1
	corners := []fast.Corner{
		{X: math.MinInt32, Y: math.MinInt32, Score: 1},
		{X: far, Y: math.MinInt32, Score: 2},
		{X: 0, Y: 0, Score: 3},
		{X: 1, Y: 0, Score: 4},
		{X: math.MinInt32, Y: far, Score: 5},
		{X: far, Y: far, Score: 6},
	}
	for _, bounds := range []image.Rectangle{
		image.Rect(math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32),
		image.Rect(math.MinInt, math.MinInt, math.MaxInt, math.MaxInt),
	} {
		for n := range 8 {
			got := fast.Spread(slices.Clone(corners), bounds, n)
			require.Len(t, got, min(n, 6))
			if n == 5 {
				requireCorners(t, append(slices.Clone(corners[:2]), corners[3:]...), got, "%v", bounds)
			}
		}
		for _, side := range []int{1 << 20, 1 << 30} {
			one := fast.PerCell(slices.Clone(corners), bounds, image.Pt(side, side), 1, 0)
			requireCorners(t, append(slices.Clone(corners[:2]), corners[3:]...), one, "%v, cell %d", bounds, side)
		}
		for _, cell := range []image.Point{{X: 1, Y: 1}, {X: 1, Y: math.MaxInt}, {X: math.MaxInt, Y: 1}} {
			got := fast.PerCell(slices.Clone(corners), bounds, cell, 9, 0)
			requireCorners(t, corners, got, "%v, cell %v", bounds, cell)
		}
		if side := int64(1) << 32; side <= math.MaxInt {
			for _, cell := range []image.Point{{X: int(side), Y: 1}, {X: 1, Y: int(side)}, {X: int(side + 5), Y: 1}} {
				got := fast.PerCell(slices.Clone(corners), bounds, cell, 1, 0)
				want := []fast.Corner{corners[1], corners[3], corners[5]} // of the three rows
				if cell.X == 1 {
					want = corners[2:] // of the four columns
				}
				requireCorners(t, want, got, "%v, cell %v", bounds, cell)
			}
		}
		largest := fast.PerCell(slices.Clone(corners), bounds, image.Pt(math.MaxInt, math.MaxInt), 1, 0)
		require.Contains(t, largest, corners[5])
	}
	near := filter(corners, func(c fast.Corner) bool { return c.Y == 0 })
	wide := image.Rect(math.MinInt32, 0, math.MaxInt32, 1)
	requireCorners(t, near, fast.PerCell(near, wide, image.Pt(1, 1), 1, 0), "a cell for each pixel")
	require.Len(t, fast.Spread(slices.Clone(corners[2:4]), wide, 1), 1)
}

// TestSpreadFar checks that the pixels of the largest bounds have places of their own: those
// of corners anywhere, of corners that are nearer to each other in one place, and of neighbors
// that are as near as can be told apart.
func TestSpreadFar(t *testing.T) {
	bounds := image.Rect(math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32)
	rng := rand.New(rand.NewPCG(12, 13))
	var anywhere, dense, near []fast.Corner
	for i := range int32(100) {
		anywhere = append(anywhere, fast.Corner{X: int32(rng.Uint32()), Y: int32(rng.Uint32()), Score: uint8(rng.Uint32())})
		dense = append(dense, fast.Corner{X: i % 10 << 16, Y: i / 10 << 16, Score: uint8(rng.Uint32())}, anywhere[i])
		near = append(near, fast.Corner{X: math.MinInt32 + 2*(i%10), Y: math.MaxInt32 - 1 - 2*(i/10)})
	}
	// Trees of the depth for which a half of a number's bits is just enough, and one level more.
	for _, side := range []int{1 << 16, 1<<16 + 1, 1 << 17, 1<<17 + 1} {
		square := image.Rect(0, 0, side, side)
		var corners []fast.Corner
		for i := range int32(60) { // pairs of neighbors
			x, y := int32(rng.IntN(side-1)), int32(rng.IntN(side-1))
			corners = append(corners, fast.Corner{X: x, Y: y, Score: uint8(i)}, fast.Corner{X: x + 1, Y: y + i%2, Score: uint8(3 * i)})
		}
		for n := 1; n < len(corners) && math.MaxInt > math.MaxInt32; n += 7 {
			requireCorners(t, naiveSpread(corners, square, n), fast.Spread(slices.Clone(corners), square, n), "%d of side %d", n, side)
		}
	}
	for i, corners := range [][]fast.Corner{anywhere, dense, near} {
		for n := range len(corners) + 1 {
			got := fast.Spread(slices.Clone(corners), bounds, n)
			require.Len(t, got, n)
			if i < 2 && math.MaxInt > math.MaxInt32 { // naiveSpread computes with int
				requireCorners(t, naiveSpread(corners, bounds, n), got, "%d of %d", n, len(corners))
			}
		}
	}
}

// TestPerCellStrong checks limits that are no scores.
func TestPerCellStrong(t *testing.T) {
	corners := []fast.Corner{{X: 1, Score: 99}, {X: 2, Score: 100}, {X: 3, Score: 255}}
	for _, c := range []struct {
		strong float32
		drops  int // of the first ones
	}{
		{99, 0},
		{99.5, 1},
		{100, 1},
		{100.25, 2},
		{254.5, 2},
		{255, 2},
		// No corner is as strong, so that all count.
		{255.5, 0},
		{256, 0},
		{1e9, 0},
		{float32(math.Inf(1)), 0},
		{-0.5, 0},
		{float32(math.Inf(-1)), 0},
		{float32(math.NaN()), 0},
	} {
		got := fast.PerCell(slices.Clone(corners), image.Rect(0, 0, 9, 9), image.Pt(9, 9), 9, c.strong)
		require.Equal(t, corners[c.drops:], got, "%v", c.strong)
	}
}

// TestPerCellDuplicates checks that corners of the same pixel count each.
func TestPerCellDuplicates(t *testing.T) {
	corners := slices.Repeat([]fast.Corner{{X: 3, Y: 3, Score: 9}, {X: 4, Y: 4, Score: 9}}, 20)
	for n := 1; n <= len(corners); n++ {
		got := fast.PerCell(slices.Clone(corners), image.Rect(0, 0, 9, 9), image.Pt(9, 9), n, 0)
		require.Equal(t, corners[:n], got, "%d", n)
	}
}

// TestSpreadDuplicates checks that corners of the same pixel do no harm.
func TestSpreadDuplicates(t *testing.T) {
	corners := append(slices.Repeat([]fast.Corner{{X: 3, Y: 3, Score: 9}}, 20), fast.Corner{X: 4, Y: 4, Score: 8})
	for n := 1; n < len(corners); n++ {
		got := fast.Spread(slices.Clone(corners), image.Rect(0, 0, 9, 9), n)
		require.Equal(t, append(slices.Clone(corners[:1]), corners[20:]...)[:min(n, 2)], got, "%d", n)
	}
}

// TestSpreadEvenly checks what Spread is for: corners from everywhere, though
// most and the strongest are in one place.
func TestSpreadEvenly(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	bounds := image.Rect(0, 0, 640, 480)
	corners := scatter(rng, bounds, 1000, 50)
	for _, c := range scatter(rng, image.Rect(200, 100, 300, 200), 3000, 50) {
		c.Score += 100
		corners = append(corners, c)
	}
	sortRaster(corners)
	corners = slices.CompactFunc(corners, func(a, b fast.Corner) bool { return a.Pt() == b.Pt() })
	covered := func(list []fast.Corner) int {
		return len(fast.PerCell(slices.Clone(list), bounds, image.Pt(40, 40), 1, 0))
	}
	require.Greater(t, covered(corners), 180) // of 192
	require.Less(t, covered(fast.Strongest(slices.Clone(corners), 400)), 20)
	require.Greater(t, covered(fast.Spread(slices.Clone(corners), bounds, 400)), 175)
}

// TestPerCellRetries proves the law of PerCell: detection at the lower threshold
// gives what detection in every cell at the higher one does, retried at the lower
// one where there was nothing.
func TestPerCellRetries(t *testing.T) {
	const low, high = 8, 25
	img := photo("chelsea_451x300")
	cell := image.Pt(35, 31)
	for _, mode := range modes[1:3] {
		detect := func(threshold uint8, cell image.Rectangle) []fast.Corner {
			// 3 pixels around the cell are of the rings, and one more is of the
			// neighbors that suppression looks at.
			part := img.SubImage(cell.Inset(-4)).(*image.Gray)
			corners := detector(t, in(fast.Options{}, mode, threshold)).Detect(part)
			return filter(corners, func(c fast.Corner) bool { return c.Pt().In(cell) })
		}
		for _, n := range []int{1, 5, math.MaxInt} {
			var want []fast.Corner
			retried, found := 0, 0
			for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += cell.Y {
				for x := img.Rect.Min.X; x < img.Rect.Max.X; x += cell.X {
					r := image.Rect(x, y, x+cell.X, y+cell.Y).Intersect(img.Rect)
					corners := detect(high, r)
					if len(corners) == 0 {
						retried++
						corners = detect(low, r)
						found += len(corners)
					}
					want = append(want, naiveStrongest(corners, n)...)
				}
			}
			sortRaster(want)
			require.Greater(t, retried, 10)
			require.Greater(t, found, 10)
			require.Less(t, retried, 100)

			all := detector(t, in(fast.Options{}, mode, low)).Detect(img)
			requireCorners(t, want, fast.PerCell(all, img.Rect, cell, n, high), "%d per cell, %+v", n, mode)
		}
	}
}

// TestSelectAllocs checks that selection does not allocate in the steady state.
func TestSelectAllocs(t *testing.T) {
	if imagetest.RaceEnabled() {
		t.Skip("the race detector makes sync.Pool drop things")
	}
	bounds := image.Rect(0, 0, 640, 480)
	corners := scatter(rand.New(rand.NewPCG(2, 2)), bounds, 2000, 254)
	mask := image.NewGray(bounds)
	draw.Draw(mask, image.Rect(0, 0, 400, 480), image.White, image.Point{}, draw.Src)
	buf := make([]fast.Corner, len(corners))
	for _, s := range selections(bounds, mask, image.Pt(32, 32), 300, 20) {
		require.Zero(t, imagetest.Allocs(10, func() {
			copy(buf, corners)
			s.do(buf)
		}), s.name)
	}
}

// TestPerCellMemory checks that cells without corners take no memory.
func TestPerCellMemory(t *testing.T) {
	corners := []fast.Corner{{X: -1 << 30, Y: -1 << 30}, {X: 1 << 30, Y: 1 << 30}}
	bounds := image.Rect(math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32)
	const runs = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		corners = fast.PerCell(corners, bounds, image.Pt(1, 1), 1, 0)
	}
	runtime.ReadMemStats(&after)
	require.Len(t, corners, 2)
	require.Less(t, int(after.TotalAlloc-before.TotalAlloc)/runs, 2048)
}

// FuzzSelect compares selection with the naive versions. Each four bytes of data
// are a corner; they are in any order.
func FuzzSelect(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint8(255), uint8(255), uint8(16), uint8(16), int16(3), uint8(20), []byte("Corners come in raster order, row by row."))
	f.Add(uint8(60), uint8(60), uint8(60), uint8(20), uint8(1), uint8(200), int16(7), uint8(100), []byte("Each node of a quadtree has four quarters, and each quarter four of its own."))
	f.Add(uint8(97), uint8(32), uint8(3), uint8(90), uint8(9), uint8(2), int16(2), uint8(0), []byte("aaaabbbbaaabbbbaccccaaaa"))
	f.Add(uint8(32), uint8(32), uint8(90), uint8(1), uint8(5), uint8(5), int16(-1), uint8(255), []byte("ties ties tie! tie? "))
	f.Add(uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), int16(1), uint8(1), []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, x, y, w, h, cellX, cellY uint8, n int16, strong uint8, data []byte) {
		data = data[:min(len(data), 4*500)]
		var corners []fast.Corner
		taken := map[image.Point]bool{}
		for ; len(data) >= 4; data = data[4:] {
			// Some of the columns are far away.
			c := fast.Corner{X: int32(data[0]) + int32(data[1]&3)*100, Y: int32(data[2]), Score: data[3]}
			if !taken[c.Pt()] {
				taken[c.Pt()] = true
				corners = append(corners, c)
			}
		}
		bounds := image.Rect(int(x), int(y), int(x)+2*int(w), int(y)+int(h))
		mask := image.NewGray(bounds.Inset(-2))
		for i := range mask.Pix {
			mask.Pix[i] = uint8(i*i>>3) & 3
		}
		mask = mask.SubImage(bounds).(*image.Gray)
		// Cells of a size that the naive version can go through.
		cell := image.Pt(1+int(cellX), 1+int(cellY))
		for bounds.Dx()*bounds.Dy() > 200*cell.X*cell.Y {
			cell = cell.Mul(2)
		}
		list := selections(bounds, mask, cell, int(n), strong)
		requireSelects(t, corners, list)
		sortRaster(corners)
		requireSelects(t, corners, list)
	})
}

// BenchmarkSelect measures selection out of many corners.
func BenchmarkSelect(b *testing.B) {
	const count, n = 10_000, 1000
	bounds := image.Rect(0, 0, 1241, 376)
	rng := rand.New(rand.NewPCG(1, 2))
	// Many lists, so that the branches of one cannot be learned.
	var lists [][]fast.Corner
	for range 20 {
		lists = append(lists, scatter(rng, bounds, count, 254))
	}
	mask := image.NewGray(bounds)
	for i := range mask.Pix {
		mask.Pix[i] = uint8(i >> 6 & 1)
	}
	buf := make([]fast.Corner, count)
	run := func(op, arguments string, do func(corners []fast.Corner)) {
		b.Run(fmt.Sprintf("op=%s/corners=%d%s", op, count, arguments), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				copy(buf, lists[i%len(lists)])
				do(buf)
			}
		})
	}
	run("none", "", func([]fast.Corner) {})
	for _, n := range []int{1, n, 9000, 9999} {
		run("strongest", fmt.Sprintf("/n=%d", n), func(c []fast.Corner) { fast.Strongest(c, n) })
	}
	run("mask", "", func(c []fast.Corner) { fast.InMask(c, mask) })
	for _, n := range []int{100, n, 5000, 9000, 9999} {
		run("spread", fmt.Sprintf("/n=%d", n), func(c []fast.Corner) { fast.Spread(c, bounds, n) })
	}
	for _, side := range []int{1, 8, 32, 2000} {
		run("percell", fmt.Sprintf("/cell=%d/n=5", side), func(c []fast.Corner) {
			fast.PerCell(c, bounds, image.Pt(side, side), 5, 30)
		})
	}
}
