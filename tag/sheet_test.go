package tag_test

import (
	"image"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/tagtest"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// TestDrawPanics checks what the panics of Draw and SVG say.
func TestDrawPanics(t *testing.T) {
	f := tag.Family{Kind: tag.Tag16h5}
	require.PanicsWithValue(t, "tag: ID 30 is not in 0 to 29", func() { f.Draw(30, 1) })
	require.PanicsWithValue(t, "tag: ID -1 is not in 0 to 29", func() { f.SVG(-1, 1) })
	require.PanicsWithValue(t, "tag: cells of 0 pixels", func() { f.Draw(0, 0) })
	require.PanicsWithValue(t, "tag: side is 0, not a positive finite number", func() { f.SVG(0, 0) })
	require.PanicsWithValue(t, "tag: cells of -1 pixels", func() { tag.NewAprilGrid(6, 6, 0.088, 0.0264).Draw(-1) })
}

// TestSheetDraw compares drawings of sheets with those of their markers.
func TestSheetDraw(t *testing.T) {
	for _, s := range []tag.Sheet{
		{Columns: 3, Rows: 2, Side: 8, Gap: 1, First: 5},
		{Columns: 2, Rows: 3, Side: 8, Gap: 3, First: 5, Up: true},
		{Columns: 1, Rows: 1, Side: 8, Gap: 1},
		{Family: tag.Family{Kind: tag.Standard41h12}, Columns: 3, Rows: 1, Side: 5, Gap: 4},
		{Family: tag.Family{Kind: tag.ArUco4x4, Codes: 4}, Columns: 2, Rows: 2, Side: 6, Gap: 2, Squares: true},
		{Family: tag.Family{Kind: tag.ArUco4x4, Inverted: true}, Columns: 2, Rows: 2, Side: 6, Gap: 2},
		tag.NewAprilGrid(2, 3, 10, 3),
	} {
		const cell = 2
		img := s.Draw(cell)
		require.Equal(t, img, tagtest.Paint(t, s.SVG(), cell), "%+v", s)
		seen := map[int]bool{}
		step := int(s.Side+s.Gap) * cell
		edge := (s.Family.Draw(0, 1).Rect.Dx() - int(s.Side)) / 2 * cell
		if s.Squares {
			edge += int(s.Gap) * cell
		}
		require.Equal(t, image.Rect(0, 0, s.Columns*step-int(s.Gap)*cell+2*edge, s.Rows*step-int(s.Gap)*cell+2*edge), img.Rect)
		for row := range s.Rows {
			for column := range s.Columns {
				id := s.First + row*s.Columns + column
				if s.Up {
					id = s.First + (s.Rows-1-row)*s.Columns + column
				}
				seen[id] = true
				for y := range int(s.Side) * cell {
					for x := range int(s.Side) * cell {
						white := s.Family.White(id, x/cell, y/cell)
						require.Equal(t, white, img.GrayAt(edge+column*step+x, edge+row*step+y).Y == 255, "%d: %d,%d", id, x, y)
					}
				}
			}
		}
		require.Len(t, seen, s.Columns*s.Rows)
		if !s.Squares {
			continue
		}
		gap := int(s.Gap) * cell
		for row := range s.Rows + 1 {
			for column := range s.Columns + 1 {
				corner := image.Pt(edge+column*step, edge+row*step) // the lower right one of the square
				for y := corner.Y - gap; y < corner.Y; y++ {
					for x := corner.X - gap; x < corner.X; x++ {
						require.Zero(t, img.GrayAt(x, y).Y)
					}
				}
				if column < s.Columns {
					require.EqualValues(t, 255, img.GrayAt(corner.X, corner.Y-1).Y)
				}
			}
		}
	}
}

// TestSheetGap checks the default of Gap.
func TestSheetGap(t *testing.T) {
	for _, c := range []struct {
		kind tag.Kind
		gap  float64
	}{{tag.Tag36h11, 0.5}, {tag.Standard41h12, 3.2}} {
		s := tag.Sheet{Family: tag.Family{Kind: c.kind}, Columns: 2, Rows: 3, Side: 4}
		same := s
		same.Gap = c.gap
		require.Equal(t, same.Draw(4), s.Draw(4))
		require.Equal(t, same.SVG(), s.SVG())
		tags := []tag.Tag{{ID: 5, Family: s.Family}}
		want, _, _ := same.Points(tags)
		got, _, _ := s.Points(tags)
		require.Equal(t, want, got)
	}
}

// TestSheetPoints checks which points are returned, and where they are.
func TestSheetPoints(t *testing.T) {
	s := tag.Sheet{Family: tag.Family{Kind: tag.ArUco5x5, Codes: 50}, First: 10, Columns: 3, Rows: 2, Side: 0.05, Gap: 0.01}
	family := tag.Family{Kind: tag.ArUco5x5, Codes: 100, Border: 1}
	see := func(id int) tag.Tag {
		f := float64(id)
		return tag.Tag{ID: id, Family: family, Corners: [4]geometry.Point{{X: f}, {X: f, Y: 1}, {X: f, Y: 2}, {X: f, Y: 3}}}
	}
	hidden, other, wide, inverted := see(13), see(10), see(10), see(10)
	hidden.Hidden = true
	other.Family.Kind = tag.ArUco4x4
	wide.Family.Border = 2
	inverted.Family.Inverted = true
	tags := []tag.Tag{see(15), hidden, see(11), other, see(12), see(9), see(16), wide, see(12), inverted}
	world, img, ids := s.Points(tags)
	require.Equal(t, []int{15, 15, 15, 15, 11, 11, 11, 11}, ids)
	for i := range ids {
		require.Equal(t, geometry.Point{X: float64(ids[i]), Y: float64(i % 4)}, img[i])
	}
	want := []pose.Vector{{0.12, 0.06}, {0.17, 0.06}, {0.17, 0.11}, {0.12, 0.11}, {0.06, 0}, {0.11, 0}, {0.11, 0.05}, {0.06, 0.05}}
	require.Len(t, world, len(want))
	for i := range want {
		require.InDeltaSlice(t, want[i][:], world[i][:], 1e-12)
	}

	s.Up = true
	world, img, ids = s.AppendPoints(world[:4], img[:4], ids[:4], tags[2:3])
	require.Equal(t, []int{15, 15, 15, 15, 11, 11, 11, 11}, ids)
	require.Len(t, img, 8)
	require.InDeltaSlice(t, []float64{0.06, 0.06, 0}, world[4][:], 1e-12)

	world, img, ids = s.Points(nil)
	require.Empty(t, world)
	require.Empty(t, img)
	require.Empty(t, ids)
}

// TestSheetPanics checks what the panics of wrong sheets say.
func TestSheetPanics(t *testing.T) {
	good := tag.NewAprilGrid(6, 6, 0.088, 0.0264)
	for _, c := range []struct {
		change func(s *tag.Sheet)
		text   string
	}{
		{func(s *tag.Sheet) { s.Family.Border = 9 }, "tag: Family.Border is 9, not 0 to 4"},
		{func(s *tag.Sheet) { s.First = -1 }, "tag: Sheet.First is -1, not 0 to 586"},
		{func(s *tag.Sheet) { s.First = 587 }, "tag: Sheet.First is 587, not 0 to 586"},
		{func(s *tag.Sheet) { s.Columns = 0 }, "tag: Sheet.Columns is 0, not 1 to 587"},
		{func(s *tag.Sheet) { s.Columns = 588 }, "tag: Sheet.Columns is 588, not 1 to 587"},
		{func(s *tag.Sheet) { s.Rows = 0 }, "tag: Sheet.Rows is 0, not at least 1 with all IDs below 587"},
		{func(s *tag.Sheet) { s.First, s.Rows = 500, 15 }, "tag: Sheet.Rows is 15, not at least 1 with all IDs below 587"},
		{func(s *tag.Sheet) { s.Side = 0 }, "tag: Sheet.Side is 0, not a positive number up to 3.4e38"},
		{func(s *tag.Sheet) { s.Gap = 0.0087 }, "tag: Sheet.Gap is 0.0087, not 0 or 0.0088 to 3.4e38"},
		{func(s *tag.Sheet) { s.Family = tag.Family{Kind: tag.Standard41h12} }, "tag: Sheet.Gap is 0.0264, not 0 or 0.0704 to 3.4e38"},
	} {
		s := good
		c.change(&s)
		require.EqualError(t, s.Check(), c.text)
		for _, call := range []func(){func() { s.Points(nil) }, func() { s.Draw(1) }, func() { s.SVG() }} {
			require.PanicsWithValue(t, c.text, call)
		}
	}
	good.First, good.Rows = 500, 14
	require.NoError(t, good.Check())
}
