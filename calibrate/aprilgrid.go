package calibrate

import (
	"cmp"
	"image"
	"math"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
)

// AprilGrid returns where the corners of a sheet's markers that are seen in img are on the sheet and in the image,
// and the IDs of their markers, as sheet.Points does, but by another fit: that of a chessboard, to the edges of
// a marker and of the black square at its corner. Where a lens bends the edges of markers, these are several
// times nearer to where they are. Without distortion the difference is small, and in very sharp images of
// boards within about five degrees of upright, those of Points are nearer. Tags that are Hidden count, but
// corners are left out that do not look like that. The markers are in rows from the upper left one, and their corners in the order of those of a tag.Tag. Of the
// options of f, only Workers counts. The first two results are a View.
//
// AprilGrid fails with ErrNoBoard if no corner is found, and with ErrSize if many markers are not where a sheet
// of that size has them. It panics as Find does, if sheet.Check returns an error, and unless the sheet has
// Squares, a positive Gap, and markers with a black border.
func (f *Finder) AprilGrid(img *image.Gray, sheet tag.Sheet, tags []tag.Tag) (world []pose.Vector, points []geometry.Point, ids []int, err error) {
	return f.AppendAprilGrid(nil, nil, nil, img, sheet, tags)
}

// AppendAprilGrid appends what AprilGrid returns to world, points and ids, and returns them. With one worker it does
// not allocate in the steady state if there is room. If it fails, it returns them as they were.
func (f *Finder) AppendAprilGrid(world []pose.Vector, points []geometry.Point, ids []int, img *image.Gray, sheet tag.Sheet, tags []tag.Tag) ([]pose.Vector, []geometry.Point, []int, error) {
	j := f.expect(img)
	defer j.release()
	g := &j.aprilGrid
	g.see(sheet, tags, img.Rect.Min)
	if g.areElsewhere() {
		return world, points, ids, ErrSize
	}
	for row := range g.rows {
		for column := range g.columns {
			m := &g.all[row*g.columns+column]
			if !m.seen || m.strayed && !m.agreed {
				continue
			}
			for _, c := range gridCorners {
				x, y := float64(float64(column)*(sheet.Side+sheet.Gap)), float64(float64(row)*(sheet.Side+sheet.Gap))
				j.addExpected(expected{
					cell:  cell{int32(2*column) + int32(c.X+1)/2, int32(2*row) + int32(c.Y+1)/2},
					sight: g.sight(m, c), id: m.id,
					world: pose.Vector{x + float64(sheet.Side*(c.X+1)/2), y + float64(sheet.Side*(c.Y+1)/2)},
				}, g.reach)
			}
		}
	}
	j.findExpected()
	return j.appendExpected(world, points, ids, img.Rect.Min)
}

// gridCorners are the corners of a marker, in its coordinates.
var gridCorners = [4]geometry.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}}

// An aprilGrid is a sheet of markers, with what they say of where their corners are. Its cells are these corners.
type aprilGrid struct {
	markers
	gap   float64 // in coordinates of a marker
	reach float64 // how far a corner looks like two edges that cross, in gaps
}

// shareOfGap is the radius of a fit, in gaps.
const shareOfGap = 0.9

// see sets the markers, and compares what neighbors say of their corners.
func (g *aprilGrid) see(sheet tag.Sheet, tags []tag.Tag, origin image.Point) {
	if err := sheet.Check(); err != nil {
		panic(err.Error())
	}
	if !sheet.Squares || sheet.Gap == 0 || sheet.Family.White(sheet.First, 0, 0) {
		panic("calibrate: an AprilGrid has Squares, a positive Gap, and markers with a black border")
	}
	g.reset(sheet.Columns, sheet.Rows)
	g.gap = 2 * sheet.Gap / sheet.Side
	cells := 1
	for !sheet.Family.White(sheet.First, cells, 0) {
		cells++
	}
	border := sheet.Side * float64(cmp.Or(sheet.Family.Border, 1)) / float64(cells)
	g.reach = min(shareOfGap, math.Sqrt2*border/sheet.Gap)
	for _, t := range tags {
		hidden := t.Hidden
		t.Hidden = false
		var corners [4]pose.Vector
		var at [4]geometry.Point
		var ids [4]int
		if world, _, _ := sheet.AppendPoints(corners[:0], at[:0], ids[:0], []tag.Tag{t}); len(world) > 0 {
			step := sheet.Side + sheet.Gap
			t.Hidden = hidden
			g.put(int(math.Round(world[0][0]/step)), int(math.Round(world[0][1]/step)), &t, t.Transform, origin)
		}
	}
	g.removeTwice()
	for i := range g.all {
		if column := i % g.columns; column+1 < g.columns {
			g.compare(&g.all[i], &g.all[i+1], geometry.Point{X: 1 + g.gap, Y: -1})
		}
		if i+g.columns < len(g.all) {
			g.compare(&g.all[i], &g.all[i+g.columns], geometry.Point{X: -1, Y: 1 + g.gap})
		}
	}
}

// compare compares what two markers say of the first corner of the second one, which is at a place in coordinates
// of the first one.
func (g *aprilGrid) compare(a, b *marker, at geometry.Point) {
	if a.seen && b.seen {
		s := g.sight(b, gridCorners[0])
		g.count(a, b, a.at(at.X, at.Y).minus(s.place).length()/s.side())
	}
}

// sight returns a corner as its marker sees it.
func (g *aprilGrid) sight(m *marker, c geometry.Point) sight {
	s := sight{place: m.at(c.X, c.Y), slope: -c.X * c.Y}
	s.right = m.at(c.X+float64(c.X*g.gap), c.Y).minus(s.place).times(c.X)
	s.down = m.at(c.X, c.Y+float64(c.Y*g.gap)).minus(s.place).times(c.Y)
	return s
}
