package calibrate

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
	"github.com/stretchr/testify/require"
)

func newFinder(t testing.TB, opts FinderOptions) *Finder {
	t.Helper()
	f, err := NewFinder(opts)
	require.NoError(t, err)
	return f
}

// isMissing reports whether a corner was not found.
func isMissing(p geometry.Point) bool { return math.IsNaN(p.X) && math.IsNaN(p.Y) }

func TestErrors(t *testing.T) {
	for text, opts := range map[string]FinderOptions{
		"calibrate: FinderOptions.Columns is 2, not 3 to 200, or 0 with the other one":   {Columns: 2, Rows: 9},
		"calibrate: FinderOptions.Columns is 0, not 3 to 200, or 0 with the other one":   {Rows: 9},
		"calibrate: FinderOptions.Columns is 201, not 3 to 200, or 0 with the other one": {Columns: 201, Rows: 9},
		"calibrate: FinderOptions.Rows is 0, not 3 to 200, or 0 with the other one":      {Columns: 9},
		"calibrate: FinderOptions.Rows is -1, not 3 to 200, or 0 with the other one":     {Columns: 9, Rows: -1},
		"calibrate: FinderOptions.MinCorners is 5, not at least 6":                       {MinCorners: 5},
		"calibrate: FinderOptions.Threshold is 2001, not 1 to 2000":                      {Threshold: 2001},
		"calibrate: FinderOptions.Threshold is -1, not 1 to 2000":                        {Threshold: -1},
		"calibrate: FinderOptions.Levels is 6, not 1 to 5":                               {Levels: 6},
		"calibrate: FinderOptions.Levels is -1, not 1 to 5":                              {Levels: -1},
	} {
		_, err := NewFinder(opts)
		require.EqualError(t, err, text)
	}
}

func TestOptions(t *testing.T) {
	require.Equal(t, FinderOptions{MinCorners: 20, Threshold: 40, Levels: 3, Workers: 1}, newFinder(t, FinderOptions{}).Options())
	opts := FinderOptions{Columns: 3, Rows: 200, MinCorners: 6, Threshold: 2000, Levels: 5, MaxBoards: 2, Workers: 3}
	require.Equal(t, opts, newFinder(t, opts).Options())
	require.Zero(t, newFinder(t, FinderOptions{MaxBoards: -1}).Options().MaxBoards)
}

// noise returns an image of random pixels.
func noise(rng *rand.Rand, w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(rng.Uint32())
	}
	return img
}

// TestImages checks images that are malformed, empty, or have no board.
func TestImages(t *testing.T) {
	f := newFinder(t, FinderOptions{MinCorners: 6, Threshold: 1, Levels: 5})
	require.PanicsWithValue(t, "calibrate: nil image", func() { f.Find(nil) })
	require.PanicsWithValue(t, "calibrate: nil image", func() { f.FindOne(nil) })
	for _, img := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "calibrate", func() { f.Find(img) })
	}
	for _, img := range imagetest.Empty() {
		require.Nil(t, f.Find(img))
	}
	rng := rand.New(rand.NewPCG(4, 2))
	for w := range 41 {
		for h := range 41 {
			require.Empty(t, f.Find(noise(rng, w, h)))
		}
	}
	for _, size := range []image.Point{{1, 10000}, {10000, 1}, {10000, 12}, {12, 10000}, {2, 2000}, {2000, 3}} {
		require.Empty(t, f.Find(noise(rng, size.X, size.Y)))
	}
	require.Empty(t, f.Find(image.NewGray(image.Rect(0, 0, 400, 300)))) // all black
	require.PanicsWithValue(t, "calibrate: image stride 399 is less than the width 400", func() {
		f.Find(&image.Gray{Pix: make([]byte, 400*300), Stride: 399, Rect: image.Rect(0, 0, 400, 300)})
	})

	f = newFinder(t, FinderOptions{MinCorners: 12})
	require.Empty(t, f.Find(noise(rng, 640, 480)))
	_, err := f.FindOne(noise(rng, 320, 240))
	require.Equal(t, ErrNoBoard, err)
	for i, img := range imagetest.Frames(t, 320, 240, 12) {
		require.Empty(t, f.Find(img), i)
	}
}

// centered returns a board in the middle of an image that is large enough, and the side of that.
func centered(columns, rows int, square, angle float64) (chessboard, int) {
	side := int(square * 1.45 * float64(max(columns, rows)+3))
	center := geometry.Point{X: float64(side) / 2, Y: float64(side) / 2.02}
	return newChessboard(columns, rows, center, square, angle, 0.04, -0.05), side
}

// TestSizes checks boards of all sizes, upright and turned.
func TestSizes(t *testing.T) {
	sizes := []image.Point{{3, 3}, {4, 3}, {3, 7}, {5, 5}, {9, 6}, {6, 9}, {13, 4}, {10, 10}, {20, 11}, {31, 30}, {50, 50}}
	if testing.Short() {
		sizes = sizes[:7]
	}
	for i, size := range sizes {
		angles, square := []float64{0, 0.3, 0.785, 1.7, 3, 4.6}, 20.
		if size.X > 10 || testing.Short() {
			angles, square = angles[i%len(angles):i%len(angles)+1], 14
		}
		for _, angle := range angles {
			b, side := centered(size.X, size.Y, square, angle)
			img := scene(side, side, 0.8, 1, ink, uint64(i), b)
			told := newFinder(t, FinderOptions{Columns: size.Y, Rows: size.X})
			one, err := told.FindOne(img)
			require.NoError(t, err, "%v %v", size, angle)
			requireBoard(t, &b, &one, 0.12)
			require.Equal(t, []Board{one}, newFinder(t, FinderOptions{MinCorners: 9}).Find(img))
		}
	}
}

// TestManyCorners checks a board with more corners than a level has peaks. Others are found from
// their neighbors, but not all of them.
func TestManyCorners(t *testing.T) {
	if testing.Short() {
		t.Skip("the board is large")
	}
	b, side := centered(60, 60, 14, 0.3)
	boards := newFinder(t, FinderOptions{}).Find(scene(side, side, 0.8, 1, ink, 1, b))
	require.Len(t, boards, 1)
	require.Equal(t, [2]int{60, 60}, [2]int{boards[0].Columns, boards[0].Rows})
	require.Greater(t, boards[0].Count, 3500)
}

// nineBySix returns an image with a board, and where it is.
func nineBySix(seed uint64) (*image.Gray, chessboard) {
	rng := rand.New(rand.NewPCG(seed, 6))
	b := newChessboard(9, 6, geometry.Point{X: 165 + 5*rng.Float64(), Y: 125 + 5*rng.Float64()}, 16+4*rng.Float64(),
		2*math.Pi*rng.Float64(), 0.16*rng.Float64()-0.08, 0.16*rng.Float64()-0.08)
	return scene(330, 250, 0.7, 2, ink, seed, b), b
}

// TestTurned checks that boards in images that are turned by quarter turns, mirrored, or negatives
// are found at the same places.
func TestTurned(t *testing.T) {
	f := newFinder(t, FinderOptions{})
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		img, b := nineBySix(seed)
		w, h := img.Rect.Dx(), img.Rect.Dy()
		found, err := f.FindOne(img)
		require.NoError(t, err)
		requireBoard(t, &b, &found, 0.15)
		for way := range 8 {
			// From the changed image to this one.
			to := func(x, y int) (int, int) {
				if way%2 == 1 {
					x = w - 1 - x
				}
				if way/2%2 == 1 {
					y = h - 1 - y
				}
				return x, y
			}
			size := image.Pt(w, h)
			if way >= 4 {
				size = image.Pt(h, w)
			}
			changed := image.NewGray(image.Rectangle{Max: size})
			for y := range size.Y {
				for x := range size.X {
					u, v := x, y
					if way >= 4 {
						u, v = y, x
					}
					changed.SetGray(x, y, img.GrayAt(to(u, v)))
				}
			}
			for _, negative := range []bool{false, true} {
				if negative {
					for i := range changed.Pix {
						changed.Pix[i] = 255 - changed.Pix[i]
					}
				}
				got, err := f.FindOne(changed)
				require.NoError(t, err)
				require.Equal(t, [3]int{9, 6, 54}, [3]int{got.Columns, got.Rows, got.Count})
				for _, p := range got.Corners {
					if way >= 4 {
						p.X, p.Y = p.Y, p.X
					}
					if way%2 == 1 {
						p.X = float64(w-1) - p.X
					}
					if way/2%2 == 1 {
						p.Y = float64(h-1) - p.Y
					}
					nearest := math.Inf(1)
					for _, q := range found.Corners {
						nearest = min(nearest, distanceOf(p, q))
					}
					require.Less(t, nearest, 0.01, "way %d", way)
				}
				requireRight(t, &got)
			}
		}
	}
}

// requireRight fails the test unless columns are clockwise of rows.
func requireRight(t testing.TB, b *Board) {
	t.Helper()
	for row := range b.Rows - 1 {
		for column := range b.Columns - 1 {
			p, q, r := b.At(column, row), b.At(column+1, row), b.At(column, row+1)
			if !isMissing(p) && !isMissing(q) && !isMissing(r) {
				require.Positive(t, (q.X-p.X)*(r.Y-p.Y)-(q.Y-p.Y)*(r.X-p.X))
			}
		}
	}
}

// TestViews checks that boards in a part of an image have the coordinates of the image.
func TestViews(t *testing.T) {
	f := newFinder(t, FinderOptions{MinCorners: goldenCorners})
	for _, g := range readGoldens(t).boards {
		want := f.Find(g.image)
		for _, origin := range []image.Point{{0, 0}, {5, 3}, {-1001, 2002}} {
			at := image.Rectangle{origin, origin.Add(g.image.Rect.Size())}
			whole := image.NewGray(at.Inset(-7))
			for i := range whole.Pix {
				whole.Pix[i] = uint8(i * i >> 3)
			}
			draw.Draw(whole, at, g.image, image.Point{}, draw.Src)
			got := f.Find(whole.SubImage(at).(*image.Gray))
			require.Len(t, got, len(want))
			for i, b := range want {
				for k, p := range b.Corners {
					if isMissing(p) {
						require.True(t, isMissing(got[i].Corners[k]))
						continue
					}
					require.Equal(t, geometry.Point{X: p.X + float64(origin.X), Y: p.Y + float64(origin.Y)}, got[i].Corners[k])
				}
			}
		}
	}
}

// TestWorkers checks that the number of workers changes nothing.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	images := append(scenes(t, 640, 480, 3), noise(rng, 700, 600), noise(rng, 1200, 900))
	opts := FinderOptions{MinCorners: 6, Threshold: 20}
	one := newFinder(t, opts)
	for i, img := range images {
		want := one.Find(img)
		opts.Workers = 2 + 5*i
		requireSameBoards(t, want, newFinder(t, opts).Find(img))
	}
}

// requireSameBoards compares boards, whose missing corners are not numbers.
func requireSameBoards(t testing.TB, want, got []Board) {
	t.Helper()
	require.Equal(t, fmt.Sprint(want), fmt.Sprint(got))
}

// TestConcurrent checks that goroutines can share a Finder.
func TestConcurrent(t *testing.T) {
	shared := newFinder(t, FinderOptions{Workers: 2})
	images := scenes(t, 400, 300, 4)
	var want []string
	for _, img := range images {
		want = append(want, fmt.Sprint(newFinder(t, FinderOptions{}).Find(img)))
	}
	var wait sync.WaitGroup
	for g := range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range images {
				i = (i + g) % len(images)
				if got := fmt.Sprint(shared.Find(images[i])); want[i] != got {
					t.Errorf("image %d: other boards", i)
				}
			}
		}()
	}
	wait.Wait()
}

// TestAllocations checks that only the boards' corners and their deviations are allocated in the steady state.
func TestAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	f := newFinder(t, FinderOptions{})
	images := append(scenes(t, 640, 480, 6), imagetest.Frames(t, 640, 480, 2)...)
	var boards []Board
	find := func() {
		for _, img := range images {
			boards = f.AppendFind(boards, img)
		}
	}
	find()
	n := len(boards)
	require.NotZero(t, n)
	require.Equal(t, float64(2*n), imagetest.Allocs(5, func() {
		boards = boards[:0]
		find()
	}))
}

// TestReleased checks that nothing of the caller's is kept.
func TestReleased(t *testing.T) {
	f := newFinder(t, FinderOptions{})
	imagetest.RequireReleased(t, func(m imagetest.Memory) {
		img, _ := nineBySix(1)
		imagetest.Watch(m, "pixels", &img.Pix[0])
		boards := f.Find(img)
		imagetest.Watch(m, "boards", &boards[0])
		imagetest.Watch(m, "corners", &boards[0].Corners[0])
	})
}

// TestAppendFind checks that what is there stays.
func TestAppendFind(t *testing.T) {
	f := newFinder(t, FinderOptions{})
	img, _ := nineBySix(2)
	want := f.Find(img)
	require.Len(t, want, 1)
	require.Equal(t, append([]Board{{Count: 77}}, want...), f.AppendFind([]Board{{Count: 77}}, img))
}

// TestFindOne checks what FindOne finds among boards of two sizes, and of one.
func TestFindOne(t *testing.T) {
	a := newChessboard(9, 6, geometry.Point{X: 120, Y: 120}, 17, 0.2, 0.03, 0)
	b := newChessboard(8, 6, geometry.Point{X: 370, Y: 120}, 17, 1.2, 0, 0.03)
	small54 := newChessboard(5, 4, geometry.Point{X: 370, Y: 120}, 17, 1.2, 0, 0.03)
	d := newChessboard(6, 9, geometry.Point{X: 370, Y: 120}, 17, 2.2, 0, 0.03)
	alone := scene(500, 240, 0.7, 2, ink, 1, a)
	other := scene(500, 240, 0.7, 2, ink, 1, b)
	both := scene(500, 240, 0.7, 2, ink, 1, a, b)
	large := scene(500, 240, 0.7, 2, ink, 1, a, small54)
	twice := scene(500, 240, 0.7, 2, ink, 1, a, d)
	small := FinderOptions{MinCorners: 30}
	sized := FinderOptions{Columns: 9, Rows: 6}
	for i, c := range []struct {
		opts  FinderOptions
		img   *image.Gray
		found *chessboard
		err   error
		text  string
	}{
		{FinderOptions{}, alone, &a, nil, ""},
		{FinderOptions{}, both, nil, ErrAmbiguous, "calibrate: more than one board"},
		{FinderOptions{MaxBoards: 1}, both, nil, ErrAmbiguous, "calibrate: more than one board"},
		{FinderOptions{}, large, &a, nil, ""},
		{FinderOptions{}, twice, nil, ErrAmbiguous, "calibrate: more than one board"},
		{small, large, &a, nil, ""},
		{sized, alone, &a, nil, ""},
		{sized, both, &a, nil, ""},
		{sized, twice, nil, ErrAmbiguous, "calibrate: more than one board"},
		{sized, other, nil, ErrSize, "calibrate: no board of that size: found 8 by 6, not 9 by 6"},
		{FinderOptions{Columns: 6, Rows: 8}, both, &b, nil, ""},
		{FinderOptions{Columns: 5, Rows: 4}, large, &small54, nil, ""},
		{FinderOptions{Columns: 7, Rows: 6}, both, nil, ErrSize, "calibrate: no board of that size: found 9 by 6, not 7 by 6"},
		{sized, image.NewGray(image.Rect(0, 0, 300, 200)), nil, ErrNoBoard, "calibrate: no board"},
		{FinderOptions{}, image.NewGray(image.Rect(0, 0, 300, 200)), nil, ErrNoBoard, "calibrate: no board"},
	} {
		got, err := newFinder(t, c.opts).FindOne(c.img)
		require.ErrorIs(t, err, c.err, i)
		if err != nil {
			require.EqualError(t, err, c.text)
			require.Zero(t, got)
			continue
		}
		requireBoard(t, c.found, &got, 0.12)
	}

	require.Len(t, newFinder(t, FinderOptions{}).Find(both), 2)
	most := newFinder(t, FinderOptions{MaxBoards: 1}).Find(both)
	require.Len(t, most, 1)
	requireBoard(t, &a, &most[0], 0.12)
	require.Len(t, newFinder(t, sized).Find(twice), 2)
	require.Len(t, newFinder(t, sized).Find(both), 1)
	require.Empty(t, newFinder(t, sized).Find(other))
}

// TestPartial checks a board of which something hides some corners, and the View of those that are
// seen.
func TestPartial(t *testing.T) {
	img, b := nineBySix(3)
	hidden := b.corner(4, 2)
	for y := -5; y <= 5; y++ {
		for x := -5; x <= 5; x++ {
			img.SetGray(int(hidden.X)+x, int(hidden.Y)+y, color.Gray{Y: 30})
		}
	}
	got, err := newFinder(t, FinderOptions{}).FindOne(img)
	require.NoError(t, err)
	require.Equal(t, [3]int{9, 6, 53}, [3]int{got.Columns, got.Rows, got.Count})
	require.False(t, got.Complete())
	view := got.View(25)
	require.Len(t, view.World, 53)
	require.Len(t, view.Image, 53)
	next := 0
	for k, p := range got.Corners {
		if isMissing(p) {
			// It is the hidden one, counted from either end.
			require.Contains(t, []int{2*9 + 4, 3*9 + 4}, k)
			continue
		}
		require.Equal(t, pose.Vector{float64(25 * (k % 9)), float64(25 * (k / 9)), 0}, view.World[next])
		require.Equal(t, p, view.Image[next])
		next++
	}
	_, err = newFinder(t, FinderOptions{Columns: 9, Rows: 6}).FindOne(img)
	require.EqualError(t, err, "calibrate: no board of that size: found 53 corners of 9 by 6, not 9 by 6")
	require.ErrorIs(t, err, ErrSize)
}

// TestBoard checks the panics of a Board's methods.
func TestBoard(t *testing.T) {
	b := Board{Columns: 2, Rows: 1, Count: 1, Corners: []geometry.Point{{X: math.NaN(), Y: math.NaN()}, {X: 3, Y: 4}}}
	require.Equal(t, geometry.Point{X: 3, Y: 4}, b.At(1, 0))
	require.Equal(t, View{World: []pose.Vector{{0.5, 0, 0}}, Image: []geometry.Point{{X: 3, Y: 4}}}, b.View(0.5))
	b.Deviations = []float64{math.NaN(), 0.2}
	require.Equal(t, []float64{0.2}, b.View(0.5).Deviations)
	for _, c := range []image.Point{{2, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		require.PanicsWithValue(t, fmt.Sprintf("calibrate: corner %d, %d of a board of 2 by 1", c.X, c.Y), func() { b.At(c.X, c.Y) })
	}
	for _, square := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		require.PanicsWithValue(t, fmt.Sprintf("calibrate: squares of %v", square), func() { b.View(square) })
	}
}

// TestRendered checks how exact corners are: of many boards, with noise and blur, all are found,
// none far from where it is, and deviations tell how far.
func TestRendered(t *testing.T) {
	boards := 20
	switch {
	case imagetest.RaceEnabled():
		boards = 1 // a scene takes a second
	case testing.Short():
		boards = 2
	}
	for _, c := range []struct {
		name              string
		ink               prints.Ink
		blur, noise, most float64 // the largest root mean square of the errors
	}{
		{"plain", prints.Ink{Black: 40, White: 210}, 1, 2, 0.02},
		{"dark", prints.Ink{Black: 8, White: 35}, 1, 2, 0.12},
		{"noisy", prints.Ink{Black: 40, White: 210}, 1, 10, 0.1},
		{"sharp", prints.Ink{Black: 40, White: 210}, 0.5, 2, 0.02},
		{"blurred", prints.Ink{Black: 40, White: 210}, 2, 2, 0.05},
		{"unsharp", prints.Ink{Black: 40, White: 210}, 3, 2, 0.2},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		sum, told, n := 0.0, 0.0, 0
		for i := range boards {
			columns, rows := 4+rng.IntN(8), 3+rng.IntN(6)
			square := 11 + 14*rng.Float64()
			b := newChessboard(columns, rows, geometry.Point{X: 310 + 20*rng.Float64(), Y: 230 + 20*rng.Float64()}, square,
				2*math.Pi*rng.Float64(), 0.2*rng.Float64()-0.1, 0.2*rng.Float64()-0.1)
			s := prints.NewScene(640, 480, c.ink.White*0.7)
			s.Place(b.pattern, b.transform, c.ink, nil, 3)
			img := s.Pixels(c.blur).Gray(c.noise, rng)
			got, err := newFinder(t, FinderOptions{Columns: columns, Rows: rows}).FindOne(img)
			require.NoError(t, err, "%s %d", c.name, i)
			requireBoard(t, &b, &got, 1)
			for k, p := range got.Corners {
				nearest := math.Inf(1)
				for j := range rows {
					for i := range columns {
						nearest = min(nearest, distanceOf(p, b.corner(i, j)))
					}
				}
				d := got.Deviations[k]
				require.Less(t, nearest, 8*d, c.name)
				sum += nearest * nearest
				told += d * d
				n++
			}
		}
		rms, deviation := math.Sqrt(sum/float64(2*n)), math.Sqrt(told/float64(n))
		t.Logf("%s: rms %.4f, told %.4f", c.name, rms, deviation)
		require.Less(t, rms, c.most, c.name)
		require.Less(t, rms, 1.3*deviation, c.name)
		require.Less(t, deviation, 2*rms, c.name)
	}
}
