package calibrate

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// A charucoPrint is a ChArUco board in a scene.
type charucoPrint struct {
	board     tag.Charuco
	pattern   prints.Pattern
	cells     int                // of a square
	transform geometry.Transform // from the pattern to pixels
}

// newCharuco returns a board whose markers have the given number of cells beside them in their squares, at a place
// as that of newChessboard. The unit is a cell.
func newCharuco(board tag.Charuco, beside int, center geometry.Point, square, angle, leanX, leanY float64) charucoPrint {
	drawn := board.Family.Draw(0, 1).Rect.Dx() - 2
	c := charucoPrint{board: board, cells: drawn + 2*beside}
	c.board.Square, c.board.Marker = float64(c.cells), float64(drawn)
	c.pattern = drawnPattern(c.board.Draw(1), max(board.Columns, board.Rows)*c.cells)
	c.transform = placed(&c.pattern, board.Columns*c.cells, board.Rows*c.cells, center, square/float64(c.cells), angle, leanX, leanY)
	return c
}

// drawnPattern returns the pattern of a drawing whose cells have a pixel each, with white cells around. It has the
// given number of cells after the drawing's first ones.
func drawnPattern(drawing *image.Gray, cells int) prints.Pattern {
	return prints.Pattern{First: -3, Last: cells + 2, Cells: cells, White: func(x, y int) bool {
		at := image.Pt(x+1, y+1)
		return !at.In(drawing.Rect) || drawing.GrayAt(at.X, at.Y).Y != 0
	}}
}

// onPattern returns where an inner corner is on the pattern.
func (c *charucoPrint) onPattern(id int) geometry.Point {
	n := c.board.Columns - 1
	return c.pattern.Corner((id%n+1)*c.cells, (id/n+1)*c.cells)
}

// corner returns where it is in the image.
func (c *charucoPrint) corner(id int) geometry.Point { return c.transform.Apply(c.onPattern(id)) }

// corners returns the number of inner corners.
func (c *charucoPrint) corners() int { return (c.board.Columns - 1) * (c.board.Rows - 1) }

// somewhere returns a board at random about the middle of an image that has room for it, and the side of that.
func somewhere(rng *rand.Rand, board tag.Charuco, beside int, square, lean float64) (charucoPrint, int) {
	side := int(square * 1.3 * float64(max(board.Columns, board.Rows)+3))
	center := geometry.Point{X: float64(side)/2 + 2*rng.Float64(), Y: float64(side)/2 + 2*rng.Float64()}
	return newCharuco(board, beside, center, square, 2*math.Pi*rng.Float64(), lean*(2*rng.Float64()-1), lean*(2*rng.Float64()-1)), side
}

// tagsOf returns the markers of a family in an image.
func tagsOf(t testing.TB, img *image.Gray, f tag.Family) []tag.Tag {
	t.Helper()
	d, err := tag.New(tag.Options{Families: []tag.Family{f}})
	require.NoError(t, err)
	return d.Detect(img)
}

// view finds the corners of a board.
func (c *charucoPrint) view(f *Finder, img *image.Gray, board tag.Charuco, tags []tag.Tag) (View, []int, error) {
	world, points, ids, err := f.Charuco(img, board, tags)
	return View{World: world, Image: points}, ids, err
}

// errorsOf compares a View of a board with where its corners are, and returns the sum of squared errors in pixels
// and the largest error.
func errorsOf(t testing.TB, v View, ids []int, c *charucoPrint, corner func(id int) geometry.Point) (sum, worst float64) {
	t.Helper()
	require.Len(t, v.World, len(ids))
	require.Len(t, v.Image, len(ids))
	for i, id := range ids {
		if i > 0 {
			require.Greater(t, id, ids[i-1])
		}
		require.Equal(t, c.board.Corner(id), v.World[i])
		e := distanceOf(corner(id), v.Image[i])
		sum += e * e
		worst = max(worst, e)
	}
	return sum, worst
}

// TestCharuco finds all corners of boards of several families, sizes and layouts, tilted and in noise.
func TestCharuco(t *testing.T) {
	skipUnderRace(t)
	f := newFinder(t, FinderOptions{})
	sum, n := 0.0, 0
	for i, c := range []struct {
		kind                  tag.Kind
		columns, rows, beside int
		square, noise         float64
	}{
		{tag.ArUco4x4, 3, 3, 1, 24, 2},
		{tag.ArUco4x4, 5, 7, 2, 30, 2},
		{tag.ArUco4x4, 8, 6, 1, 32, 6},
		{tag.ArUco5x5, 6, 4, 1, 32, 2},
		{tag.ArUco5x5, 7, 4, 1, 60, 10},
		{tag.ArUco6x6, 5, 6, 2, 34, 2},
		{tag.ArUco7x7, 4, 4, 1, 40, 2},
		{tag.Tag36h11, 5, 4, 2, 34, 2},
		{tag.Tag36h11, 12, 9, 1, 32, 2},
		{tag.Tag25h9, 4, 5, 1, 30, 2},
		{tag.ArUcoMIP36h12, 2, 2, 1, 40, 2},
	} {
		if testing.Short() && c.columns > 10 {
			continue
		}
		for k, legacy := range []bool{false, true} {
			if testing.Short() && k != i%2 {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(i), 5))
			board := tag.Charuco{Family: tag.Family{Kind: c.kind}, First: i, Columns: c.columns, Rows: c.rows, Legacy: legacy}
			p, side := somewhere(rng, board, c.beside, c.square, 0.12)
			s := prints.NewScene(side, side, 120)
			s.Place(p.pattern, p.transform, ink, nil, 2)
			img := s.Pixels(0.6).Gray(c.noise, rng)
			v, ids, err := p.view(f, img, p.board, tagsOf(t, img, board.Family))
			require.NoError(t, err, "%+v", c)
			require.Len(t, ids, p.corners(), "%+v", c)
			squares, worst := errorsOf(t, v, ids, &p, p.corner)
			require.Less(t, worst, 0.05*max(1, c.noise/2), "%+v", c)
			sum += squares
			n += len(ids)
		}
	}
	rms := math.Sqrt(sum / float64(2*n))
	t.Logf("%d corners, rms %.4f", n, rms)
	require.Less(t, rms, 0.015)
}

// TestCharucoLens finds the corners of boards that a lens bends.
func TestCharucoLens(t *testing.T) {
	skipUnderRace(t)
	f := newFinder(t, FinderOptions{})
	boards := uint64(8)
	if testing.Short() {
		boards = 1
	}
	lenses := []struct{ k1, share float64 }{{-0.15, 0.98}, {-0.3, 0.9}, {0.2, 0.98}}
	if testing.Short() {
		lenses = lenses[:1]
	}
	for _, c := range lenses {
		sum, n, all := 0.0, 0, 0
		for seed := range boards {
			rng := rand.New(rand.NewPCG(seed, 8))
			board := tag.Charuco{Family: tag.Family{Kind: tag.ArUco4x4}, Columns: 4 + rng.IntN(5), Rows: 3 + rng.IntN(4)}
			center := geometry.Point{X: 180 + 40*rng.Float64(), Y: 130 + 40*rng.Float64()}
			p := newCharuco(board, 1+int(seed%2), center, 300/float64(board.Columns), 0.4+0.4*rng.Float64(), 0.2*rng.Float64()-0.1, 0.2*rng.Float64()-0.1)
			lens := camera.Camera{Fx: 250, Fy: 250, Cx: 200, Cy: 150, K1: c.k1, K2: 0.4 * c.k1 * c.k1}
			s := prints.NewScene(400, 300, 120)
			s.PlaceBent(p.pattern, p.transform, ink, nil, 3, lens.Undistort)
			img := s.Pixels(0.6).Gray(2, rng)
			corner := func(id int) geometry.Point {
				at := []geometry.Point{p.corner(id)}
				lens.Distort(at, at)
				return at[0]
			}
			tags := tagsOf(t, img, board.Family)
			v, ids, err := p.view(f, img, p.board, tags)
			require.NoError(t, err)
			squares, worst := errorsOf(t, v, ids, &p, corner)
			require.Less(t, worst, 0.15, "%v %d", c.k1, seed)
			sum += squares
			n += len(ids)
			all += p.seenBeside(tags, img, corner)
		}
		rms := math.Sqrt(sum / float64(2*n))
		t.Logf("K1 %v: %d of %d corners, rms %.4f", c.k1, n, all, rms)
		require.Less(t, rms, 0.03)
		require.Greater(t, float64(n), c.share*float64(all))
	}
}

// seenBeside returns the number of corners inside the image beside which a marker is seen.
func (c *charucoPrint) seenBeside(tags []tag.Tag, img *image.Gray, corner func(id int) geometry.Point) int {
	seen := map[image.Point]bool{}
	for _, found := range tags {
		if column, row, ok := c.board.Place(found.ID); ok {
			seen[image.Pt(column, row)] = true
		}
	}
	n := 0
	for id := range c.corners() {
		x, y := id%(c.board.Columns-1), id/(c.board.Columns-1)
		at := corner(id)
		inside := at.X >= 3 && at.Y >= 3 && at.X <= float64(img.Rect.Dx()-4) && at.Y <= float64(img.Rect.Dy()-4)
		if inside && (seen[image.Pt(x, y)] || seen[image.Pt(x+1, y)] || seen[image.Pt(x, y+1)] || seen[image.Pt(x+1, y+1)]) {
			n++
		}
	}
	return n
}

// TestCharucoHidden checks that no corner is more than a pixel off where boards are covered, by half planes or by
// discs at many corners, or are cut off by the edge of the image, and that most of those that are seen are found.
func TestCharucoHidden(t *testing.T) {
	skipUnderRace(t)
	f := newFinder(t, FinderOptions{})
	boards := uint64(150)
	if testing.Short() {
		boards = 18
	}
	names := [3]string{"half planes", "discs", "edges"}
	var seen, found [3]int
	for seed := range boards {
		rng := rand.New(rand.NewPCG(seed, 9))
		way := int(seed % 3)
		square := 24 + 20*rng.Float64()
		board := tag.Charuco{
			Family:  tag.Family{Kind: [4]tag.Kind{tag.ArUco4x4, tag.ArUco6x6, tag.Tag36h11, tag.ArUco5x5}[seed/3%4]},
			Columns: 3 + rng.IntN(5), Rows: 3 + rng.IntN(4), Legacy: seed%5 == 0,
		}
		p, side := somewhere(rng, board, 1+int(seed/12%2), square, 0.2)
		gray := func() float64 { return 10 + 220*rng.Float64() }
		var covers []prints.Cover
		if way == 0 {
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			covers = []prints.Cover{{A: cos, B: sin, C: rng.Float64() - 0.4, Gray: gray()}, {A: float64(seed / 3 % 2), B: float64(1 - seed/3%2), C: rng.Float64(), Gray: gray()}}
		}
		color, noise := ink, 2.0
		switch rng.IntN(4) {
		case 0:
			color = prints.Ink{Black: 10, White: 60}
		case 1:
			noise = 8
		}
		s := prints.NewScene(side, side, 120)
		s.Place(p.pattern, p.transform, color, covers, 2)
		img := s.Pixels(0.5+0.8*rng.Float64()).Gray(noise, rng)
		hidden := map[int]bool{}
		for id := range p.corners() {
			at := p.onPattern(id)
			for _, c := range covers {
				hidden[id] = hidden[id] || c.A*at.X+c.B*at.Y > c.C
			}
		}
		switch way {
		case 1:
			for id := range p.corners() {
				if rng.IntN(3) == 0 {
					hidden[id] = true
					radius := square * (0.1 + 0.25*rng.Float64())
					center := p.corner(id)
					center.X += radius * (rng.Float64() - 0.5)
					center.Y += radius * (rng.Float64() - 0.5)
					disc(img, center, radius, uint8(gray()))
				}
			}
		case 2:
			cut := side / 4
			img = img.SubImage(image.Rect(cut+rng.IntN(side/8), cut, side, side-rng.IntN(side/3))).(*image.Gray)
			for id := range p.corners() {
				at := p.corner(id).Pt()
				hidden[id] = !at.In(img.Rect.Inset(4))
			}
		}
		v, ids, err := p.view(f, img, p.board, tagsOf(t, img, board.Family))
		if err != nil {
			require.ErrorIs(t, err, ErrNoBoard)
			continue
		}
		_, worst := errorsOf(t, v, ids, &p, p.corner)
		require.Less(t, worst, 1.0, "%d", seed)
		found[way] += len(ids)
		seen[way] += p.corners()
		for _, h := range hidden {
			if h {
				seen[way]--
			}
		}
	}
	for way, name := range names {
		t.Logf("%s: %d of %d corners", name, found[way], seen[way])
		require.Greater(t, float64(found[way]), 0.7*float64(seen[way]), name)
	}
}

// disc draws a disc.
func disc(img *image.Gray, center geometry.Point, radius float64, gray uint8) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if math.Hypot(float64(x)-center.X, float64(y)-center.Y) < radius {
				img.Pix[y*img.Stride+x] = gray
			}
		}
	}
}

// uprightBoard returns an image of an upright board, with squares of 32 pixels and a little blur.
func uprightBoard(board tag.Charuco, seed uint64) (*image.Gray, charucoPrint) {
	w, h := 32*board.Columns+60, 32*board.Rows+60
	p := newCharuco(board, 1, geometry.Point{X: float64(w)/2 + 0.3, Y: float64(h)/2 + 0.2}, 32, 0.05, 0.02, 0.03)
	s := prints.NewScene(w, h, 120)
	s.Place(p.pattern, p.transform, ink, nil, 2)
	return s.Pixels(0.6).Gray(2, rand.New(rand.NewPCG(seed, 1))), p
}

// TestCharucoWrong describes boards that are not those in the image: with the other layout, with other numbers of
// columns or rows, other markers or another family.
func TestCharucoWrong(t *testing.T) {
	skipUnderRace(t)
	f := newFinder(t, FinderOptions{})
	for columns := 3; columns <= 9; columns++ {
		for rows := 3; rows <= 6; rows++ {
			for _, legacy := range []bool{false, true} {
				if testing.Short() && (columns+rows)%3 > 0 {
					continue
				}
				img, p := uprightBoard(tag.Charuco{Family: tag.Family{Kind: tag.ArUco4x4}, Columns: columns, Rows: rows, Legacy: legacy}, 1)
				tags := tagsOf(t, img, p.board.Family)
				_, ids, err := p.view(f, img, p.board, tags)
				require.NoError(t, err)
				require.Len(t, ids, p.corners())

				wrong := p.board
				wrong.Legacy = !legacy
				v, ids, err := p.view(f, img, wrong, tags)
				if rows%2 == 0 {
					require.Equal(t, ErrLayout, err, "%+v", wrong)
					require.Zero(t, v)
					require.Nil(t, ids)
				} else {
					require.NoError(t, err)
				}

				for _, d := range []int{-2, -1, 1, 2} {
					wrong := p.board
					wrong.Columns += d
					if wrong.Columns < 2 {
						continue
					}
					_, _, err = p.view(f, img, wrong, tags)
					require.Error(t, err, "%+v instead of %d", wrong, columns)
					require.NotEqual(t, ErrNoBoard, err)

					// With other rows, the markers are where they are, or in the other layout.
					wrong = p.board
					wrong.Rows += d
					if wrong.Rows < 2 {
						continue
					}
					v, ids, err := p.view(f, img, wrong, tags)
					if legacy && d%2 != 0 {
						require.Error(t, err, "%+v instead of %d", wrong, rows)
						continue
					}
					require.NoError(t, err)
					require.Len(t, ids, (columns-1)*(min(rows, wrong.Rows)-1))
					_, worst := errorsOf(t, v, ids, &p, p.corner)
					require.Less(t, worst, 0.1)
				}

				wrong = p.board
				wrong.First = 100
				_, _, err = p.view(f, img, wrong, tags)
				require.Equal(t, ErrNoBoard, err)
				wrong = p.board
				wrong.Family.Kind = tag.ArUco5x5
				_, _, err = p.view(f, img, wrong, tags)
				require.Equal(t, ErrNoBoard, err)
			}
		}
	}
}

// TestCharucoTwo finds two boards with other markers in an image, and none if the markers are the same or mirrored.
func TestCharucoTwo(t *testing.T) {
	f := newFinder(t, FinderOptions{})
	family := tag.Family{Kind: tag.ArUco5x5}
	a := newCharuco(tag.Charuco{Family: family, Columns: 5, Rows: 4}, 1, geometry.Point{X: 130, Y: 130}, 30, 0.3, 0.05, -0.04)
	b := newCharuco(tag.Charuco{Family: family, First: 10, Columns: 4, Rows: 4, Legacy: true}, 1, geometry.Point{X: 370, Y: 120}, 32, 2, 0.02, 0.05)
	c := newCharuco(tag.Charuco{Family: family, Columns: 5, Rows: 4}, 1, geometry.Point{X: 370, Y: 120}, 30, 1, 0.05, 0.04)
	draw := func(boards ...*charucoPrint) *image.Gray {
		s := prints.NewScene(500, 250, 120)
		for _, p := range boards {
			s.Place(p.pattern, p.transform, ink, nil, 2)
		}
		return s.Pixels(0.7).Gray(2, rand.New(rand.NewPCG(1, 1)))
	}
	img := draw(&a, &b)
	tags := tagsOf(t, img, family)
	for _, p := range []*charucoPrint{&a, &b} {
		v, ids, err := p.view(f, img, p.board, tags)
		require.NoError(t, err)
		require.Len(t, ids, p.corners())
		_, worst := errorsOf(t, v, ids, p, p.corner)
		require.Less(t, worst, 0.1)
	}
	img = draw(&a, &c)
	_, _, err := a.view(f, img, a.board, tagsOf(t, img, family))
	require.Equal(t, ErrNoBoard, err)

	img = draw(&a)
	for y := range 250 {
		row := img.Pix[y*img.Stride:][:500]
		for x := range 250 {
			row[x], row[499-x] = row[499-x], row[x]
		}
	}
	_, _, err = a.view(f, img, a.board, tagsOf(t, img, family))
	require.Equal(t, ErrNoBoard, err)
	// Markers that are said to be there, in an image without them.
	v, ids, err := a.view(f, image.NewGray(img.Rect), a.board, tags)
	require.Equal(t, ErrNoBoard, err)
	require.Zero(t, v)
	require.Nil(t, ids)
}

// TestAppendCharuco checks that what is there stays, that images may begin anywhere, that the number of workers
// changes nothing, and panics.
func TestAppendCharuco(t *testing.T) {
	f := newFinder(t, FinderOptions{})
	img, p := uprightBoard(tag.Charuco{Family: tag.Family{Kind: tag.ArUco4x4}, Columns: 8, Rows: 6}, 2)
	tags := tagsOf(t, img, p.board.Family)
	want, wantIDs, err := p.view(f, img, p.board, tags)
	require.NoError(t, err)

	first := View{World: []pose.Vector{{1, 2, 3}}, Image: []geometry.Point{{X: 4, Y: 5}}}
	world, points, ids, err := f.AppendCharuco(first.World, first.Image, []int{6}, img, p.board, tags)
	require.NoError(t, err)
	require.Equal(t, append([]int{6}, wantIDs...), ids)
	require.Equal(t, View{World: append(first.World, want.World...), Image: append(first.Image, want.Image...)}, View{World: world, Image: points})
	wrong := p.board
	wrong.Columns = 10
	world, points, ids, err = f.AppendCharuco(first.World, first.Image, []int{6}, img, wrong, tags)
	require.EqualError(t, err, "calibrate: no board of that size")
	require.ErrorIs(t, err, ErrSize)
	require.Equal(t, first, View{World: world, Image: points})
	require.Equal(t, []int{6}, ids)

	for _, workers := range []int{2, 5} {
		got, ids, err := p.view(newFinder(t, FinderOptions{Workers: workers}), img, p.board, tags)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, wantIDs, ids)
	}

	moved := *img
	moved.Rect = img.Rect.Add(image.Pt(-64, 32))
	got, ids, err := p.view(f, &moved, p.board, tagsOf(t, &moved, p.board.Family))
	require.NoError(t, err)
	require.Equal(t, wantIDs, ids)
	for i, at := range got.Image {
		require.InDelta(t, want.Image[i].X-64, at.X, 1e-4)
		require.InDelta(t, want.Image[i].Y+32, at.Y, 1e-4)
	}

	require.PanicsWithValue(t, "calibrate: nil image", func() { f.Charuco(nil, p.board, tags) })
	for _, img := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "calibrate", func() { p.view(f, img, p.board, tags) })
	}
	for _, img := range imagetest.Empty() {
		_, _, err := p.view(f, img, p.board, tags)
		require.Error(t, err)
	}
	wrong.Rows = 1
	require.PanicsWithValue(t, wrong.Check().Error(), func() { f.Charuco(img, wrong, nil) })
}

// TestCharucoAllocations checks that nothing is allocated in the steady state.
func TestCharucoAllocations(t *testing.T) {
	skipUnderRace(t)
	f := newFinder(t, FinderOptions{})
	img, p := uprightBoard(tag.Charuco{Family: tag.Family{Kind: tag.ArUco4x4}, Columns: 8, Rows: 6}, 2)
	tags := tagsOf(t, img, p.board.Family)
	var v View
	var ids []int
	require.Zero(t, imagetest.Allocs(5, func() {
		v.World, v.Image, ids, _ = f.AppendCharuco(v.World[:0], v.Image[:0], ids[:0], img, p.board, tags)
	}))
	require.Len(t, ids, p.corners())
}
