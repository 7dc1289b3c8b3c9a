package calibrate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// goldenCorners is the least number of corners of the boards of goldens.
const goldenCorners = 12

// nearby is by how many pixels a place may differ from that of the prototype, which sums in another
// order.
const nearby = 1e-5

// A goldenBoards is what boards.json has of an image.
type goldenBoards struct {
	File, Kind string
	Responses  []string
	Peaks      []int
	Truth      []goldenBoard
	Found      []goldenBoard

	image *image.Gray
}

type goldenBoard struct {
	Columns, Rows int
	Points        [][2]float64
}

// A goldenSteps is what steps.json has of an image.
type goldenSteps struct {
	File    string
	Crop    *[4]int
	Discs   [][4]int
	Crosses []struct {
		X, Y, Contrast float64
		Level          int
		Directions     [4][2]float64
		Links          [4]int32
	}
	Grids []struct {
		Grown, Filled [][3]int32
		Places        [][2]float64
		Trimmed       [][2]int32
		Corners       []struct {
			Radius        float64
			First, Second string
			Bends         [2]float64
			At, After     [2]float64
		}
	}
	Boards []struct {
		Columns, Rows, Count int
		First, Next, Last    [2]float64
	}

	image *image.Gray
}

// The goldens, or nil in a downloaded module.
type goldens struct {
	boards []goldenBoards
	steps  []goldenSteps
}

// readGoldens returns the goldens. The test is skipped in a downloaded module.
func readGoldens(t testing.TB) *goldens {
	t.Helper()
	imagetest.NeedTestdata(t, "testdata/steps.json")
	return allGoldens()
}

var allGoldens = sync.OnceValue(func() *goldens {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	read := func(name string, list any) {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		must(err)
		must(json.Unmarshal(data, list))
	}
	g := new(goldens)
	read("boards.json", &g.boards)
	read("steps.json", &g.steps)
	images := map[string]*image.Gray{}
	for i := range g.boards {
		b := &g.boards[i]
		file, err := os.Open(filepath.Join("testdata", b.File))
		must(err)
		img, err := png.Decode(file)
		must(err)
		must(file.Close())
		b.image = img.(*image.Gray)
		images[b.File] = b.image
	}
	for i := range g.steps {
		s := &g.steps[i]
		s.image = altered(images[s.File], s.Crop, s.Discs)
	}
	return g
})

// altered returns a part of an image, with discs on it.
func altered(img *image.Gray, crop *[4]int, discs [][4]int) *image.Gray {
	part := img.Rect
	if crop != nil {
		part = image.Rect(crop[0], crop[1], crop[0]+crop[2], crop[1]+crop[3])
	}
	to := image.NewGray(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(to, to.Rect, img, part.Min, draw.Src)
	for _, d := range discs {
		for y := -d[2]; y <= d[2]; y++ {
			for x := -d[2]; x <= d[2]; x++ {
				if x*x+y*y <= d[2]*d[2] {
					to.SetGray(d[0]+x, d[1]+y, color.Gray{Y: uint8(d[3])})
				}
			}
		}
	}
	return to
}

// goldenJob returns a job that has begun with an image.
func goldenJob(t testing.TB, img *image.Gray) *job {
	j := newJob(newFinder(t, FinderOptions{MinCorners: goldenCorners}))
	j.begin(raster.NewPlane("calibrate", img))
	return j
}

func requireNear(t testing.TB, want [2]float64, got vector, message ...any) {
	t.Helper()
	require.InDelta(t, want[0], got.x, nearby, message...)
	require.InDelta(t, want[1], got.y, nearby, message...)
}

// TestGoldenResponses compares the responses of all levels, and the numbers of peaks.
func TestGoldenResponses(t *testing.T) {
	for _, g := range readGoldens(t).boards {
		j := goldenJob(t, g.image)
		require.Len(t, j.levels, len(g.Responses))
		j.findPeaks()
		for k := range j.levels {
			l := &j.levels[k]
			s := searcher{respondRow: j.finder.kernels.responses}
			hash := sha256.New()
			for y := range l.H {
				row := make([]int16, l.W)
				if y >= ringRadius && y < l.H-ringRadius {
					for i := range s.rows {
						s.rows[i] = row
					}
					s.respond(l, y)
				}
				require.NoError(t, binary.Write(hash, binary.LittleEndian, row))
			}
			require.Equal(t, g.Responses[k], hex.EncodeToString(hash.Sum(nil)), "%s, level %d", g.File, k)
			n := 0
			for _, p := range j.peaks {
				if p.level == l {
					n++
				}
			}
			require.Equal(t, g.Peaks[k], n, "%s, level %d", g.File, k)
		}
	}
}

// cellsOf returns corners as steps.json has them, of which the first ones have found crosses.
func cellsOf(corners []corner, crosses int) (cells [][3]int32) {
	for _, c := range corners {
		if int(c.cross) >= crosses {
			c.cross = -1
		}
		cells = append(cells, [3]int32{c.column, c.row, c.cross})
	}
	return cells
}

// TestGoldenSteps compares each step from the crosses to the boards.
func TestGoldenSteps(t *testing.T) {
	all := readGoldens(t).steps
	require.Len(t, all, 48)
	for i := range all {
		t.Run(fmt.Sprint(i, all[i].File), func(t *testing.T) { compareSteps(t, &all[i]) })
	}
}

func compareSteps(t *testing.T, g *goldenSteps) {
	j := goldenJob(t, g.image)
	j.findPeaks()
	j.findCrosses()
	j.link()
	require.Len(t, j.crosses, len(g.Crosses))
	for i, want := range g.Crosses {
		c := &j.crosses[i]
		requireNear(t, [2]float64{want.X, want.Y}, c.vector, i)
		require.Equal(t, want.Contrast, c.contrast)
		require.Equal(t, float64(int(1)<<want.Level), c.scale)
		for k, d := range want.Directions {
			requireNear(t, d, c.directions[k])
		}
		require.Equal(t, want.Links, c.links, i)
	}
	crosses := len(j.crosses)
	j.grow()
	var grids int
	for _, grid := range j.grids {
		if slices.ContainsFunc(j.corners(grid), func(c corner) bool { return j.crosses[c.cross].taken }) {
			continue
		}
		want := &g.Grids[grids]
		grids++
		require.Equal(t, want.Grown, cellsOf(j.corners(grid), crosses))
		j.open(grid)
		j.fill()
		require.Equal(t, want.Filled, cellsOf(j.lattice.corners, crosses))
		for i, c := range j.lattice.corners {
			requireNear(t, want.Places[i], j.crosses[c.cross].vector)
		}
		j.trim()
		var trimmed [][2]int32
		for _, c := range j.lattice.corners {
			trimmed = append(trimmed, [2]int32{c.column, c.row})
		}
		require.Equal(t, want.Trimmed, trimmed)
		j.accept()
		if len(want.Corners) == 0 {
			continue
		}
		j.refine()
		require.Len(t, j.refinements, len(want.Corners))
		endings := [...]string{omitted: "", fitted: "fit", searched: "saddle", stayed: "stays"}
		for i, want := range want.Corners {
			r := &j.refinements[i]
			require.InDelta(t, want.Radius, r.radius, nearby)
			require.Equal(t, want.First, endings[r.ways[0]])
			require.Equal(t, want.Second, endings[r.ways[1]])
			requireNear(t, want.Bends, vector{r.bends[0], r.bends[1]})
			requireNear(t, want.At, r.places[0])
			requireNear(t, want.After, r.places[1])
		}
	}
	require.Len(t, g.Grids, grids)

	boards := j.finder.Find(g.image)
	require.Len(t, boards, len(g.Boards))
	for i, want := range g.Boards {
		b := &boards[i]
		require.Equal(t, [3]int{want.Columns, want.Rows, want.Count}, [3]int{b.Columns, b.Rows, b.Count})
		for k, p := range map[int][2]float64{0: want.First, 1: want.Next, len(b.Corners) - 1: want.Last} {
			requireGolden(t, p, b.Corners[k])
		}
	}
}

// requireGolden compares a corner, which is -1, -1 in goldens if it was not found.
func requireGolden(t testing.TB, want [2]float64, got geometry.Point) {
	t.Helper()
	if want == [2]float64{-1, -1} {
		require.True(t, isMissing(got))
		return
	}
	requireNear(t, want, vector{got.X, got.Y})
}

// TestGoldenBoards compares the boards.
func TestGoldenBoards(t *testing.T) {
	all := readGoldens(t).boards
	require.Len(t, all, 18)
	f := newFinder(t, FinderOptions{MinCorners: goldenCorners})
	for _, g := range all {
		boards := f.Find(g.image)
		require.Len(t, boards, len(g.Found), g.File)
		for i, want := range g.Found {
			b := &boards[i]
			require.Equal(t, [2]int{want.Columns, want.Rows}, [2]int{b.Columns, b.Rows})
			count := 0
			for k, p := range want.Points {
				requireGolden(t, p, b.Corners[k])
				if !isMissing(b.Corners[k]) {
					count++
				}
			}
			require.Equal(t, count, b.Count)
			require.Equal(t, count == len(b.Corners), b.Complete())
		}
		if imagetest.RaceEnabled() {
			break
		}
	}
}
