package tag_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/tagtest"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// TestCharucoDraw compares drawings with those of OpenCV 4.6 by the SHA-256 of the cells, row by row, a byte
// each that is 1 where it is white. In Python they are board.draw((Columns*side, Rows*side), None, 0, 1) of
// cv2.aruco.CharucoBoard_create(Columns, Rows, side, cells, dictionary), where a square has side by side cells.
// That version has no legacy layout. Such a board with an even number of rows is one with another row above,
// without which it begins with the marker First.
func TestCharucoDraw(t *testing.T) {
	for _, c := range []struct {
		kind                         tag.Kind
		columns, rows, first, beside int
		legacy                       bool
		hash                         string
	}{
		{tag.ArUco4x4, 5, 7, 0, 1, false, "7628b83dfb12d2b59d0296e7b1a0887019e18def2707503866776d6aee8f2411"},
		{tag.ArUco4x4, 3, 3, 0, 1, false, "0549595f6ece92a049ec6e5a3e173a59518b5d4b2621ae78968d5a6acb2dfa21"},
		{tag.ArUco4x4, 12, 9, 0, 2, false, "a4ce670b2f1496657c8e4011b7510ef2affd5fd682e5d94eb03b94309e09d4f1"},
		{tag.ArUco4x4, 9, 6, 0, 1, false, "2364a6b69893670c9e25d4be83f7d2f2cc00c84faf33c6999cc748a171dd8247"},
		{tag.ArUco4x4, 8, 6, 4, 1, true, "f91f02e5a7108a6f576864bd5108677cd03d4805efb68a304d3d2302e999bdc5"},
		{tag.ArUco4x4, 5, 4, 2, 2, true, "04277f9b98fbf057038ce3ce19d5d9d11091fa6951e4d329d0e8aca4b42fe0c5"},
		{tag.ArUco4x4, 7, 5, 0, 1, true, "2a18f452ff95b4446d897d9220d0c5688c51562a96bae04d69e0c6d4a75a3573"},
		{tag.ArUco5x5, 5, 7, 0, 1, false, "64c6832c3962006599869e1f89cf97cf355b1da78ca0ba5c743a9a4adda3f177"},
		{tag.ArUco6x6, 5, 7, 0, 1, false, "8e8f4f7df0fca229d26a2894a718e061c035a569b803ac217770a8b37e76b819"},
		{tag.ArUco7x7, 5, 7, 0, 1, false, "1e486016ba7cf2698aa813144a14039f5d6aef7ccbb5360d460f8c28761ed286"},
		{tag.ArUcoOriginal, 5, 7, 0, 1, false, "6483f261564df9d96f3fc046dbb0ab3aa790601fb2b227d5559eed0333b9a9c3"},
		{tag.Tag36h11, 5, 7, 0, 1, false, "bf2328d09d5e693fb2f53ac1a1f68cee2aea46db756e9e93099379cede96a7b7"},
		{tag.Tag36h11, 3, 3, 0, 1, false, "8cd615db17b012a6973c36c289e03f2ddbbd5d9c09fc256c601ff5c84c78fab6"},
		{tag.Tag36h11, 12, 9, 0, 2, false, "fe8db45c756179b1db2b2635c642aa1c07dbd6dd2d260f6ccf69d6742ec5bcac"},
		{tag.Tag36h11, 9, 6, 0, 1, false, "3d83a0c5d7bdaef69e12383218f88d95e1c8a3d52a1a046c845ebd3d08a76a35"},
		{tag.Tag36h11, 8, 6, 4, 1, true, "19f5dd54bc975cfed8835ff2fc0d4080710eee31d46a52e43e12b142e0b4e224"},
		{tag.Tag36h11, 5, 4, 2, 2, true, "72091f9b34926f3df2d1ce7cce843c803bb47e744ebafcf259b680dbc7d32590"},
		{tag.Tag36h11, 7, 5, 0, 1, true, "a830de324ce737ce79fc4209300a8623697ccbcb4dfe7dc945db06d525c83f82"},
		{tag.Tag36h10, 5, 7, 0, 1, false, "35f572636139558bb8eff299371b6602d911d78d9778b96d9977e15f538ed92a"},
		{tag.Tag25h9, 5, 7, 0, 1, false, "cf812d722064963db1adbb3217fcd3150341d60e54597213ca56abb7f8eb8ae8"},
		{tag.Tag16h5, 5, 7, 0, 1, false, "cbedfeeecd4f1a865ec9dfefb25818e89ab75e0892a2d7dcacf7bac81c74507f"},
	} {
		family := tag.Family{Kind: c.kind}
		total := family.Draw(0, 1).Rect.Dx()
		cells := total - 2
		side := cells + 2*c.beside
		board := tag.Charuco{
			Family: family, First: c.first, Columns: c.columns, Rows: c.rows,
			Square: float64(side), Marker: float64(cells), Legacy: c.legacy,
		}
		img := board.Draw(1)
		require.Equal(t, image.Rect(0, 0, c.columns*side+2, c.rows*side+2), img.Rect)
		sum := sha256.New()
		for y := range c.rows * side {
			for x := range c.columns * side {
				sum.Write([]byte{img.GrayAt(x+1, y+1).Y / 255})
			}
		}
		require.Equal(t, c.hash, hex.EncodeToString(sum.Sum(nil)), "%+v", board)
		require.Equal(t, board.Draw(2), tagtest.Paint(t, board.SVG(), 2), "%+v", board)
	}
}

// TestCharucoMargins checks the drawing of a board with data around the borders of markers, and that of one whose
// markers are nearly as large as its squares.
func TestCharucoMargins(t *testing.T) {
	board := tag.Charuco{Family: tag.Family{Kind: tag.Standard41h12}, Columns: 4, Rows: 3, Square: 11, Marker: 5}
	img := board.Draw(2)
	require.Equal(t, image.Rect(0, 0, 2*(4*11+4), 2*(3*11+4)), img.Rect)
	require.Equal(t, img, tagtest.Paint(t, board.SVG(), 2))
	tight := tag.Charuco{Family: tag.Family{Border: 2}, Columns: 2, Rows: 2, Square: 10, Marker: 9.99}
	require.Equal(t, image.Rect(0, 0, 2*12+2, 2*12+2), tight.Draw(1).Rect)
}

// TestCharucoPlace compares Place with what drawings show, and Transform with Place.
func TestCharucoPlace(t *testing.T) {
	for columns := 2; columns < 8; columns++ {
		for rows := 2; rows < 7; rows++ {
			for _, legacy := range []bool{false, true} {
				board := tag.Charuco{
					Family: tag.Family{Kind: tag.ArUco4x4}, First: 5, Columns: columns, Rows: rows, Square: 8, Marker: 6, Legacy: legacy,
				}
				img := board.Draw(1)
				next := 5
				for row := range rows {
					for column := range columns {
						white := (column+row)%2 == 1
						if legacy && rows%2 == 0 {
							white = !white
						}
						require.Equal(t, white, img.GrayAt(1+8*column, 1+8*row).Y == 255)
						if !white {
							continue
						}
						c, r, ok := board.Place(next)
						require.Equal(t, [2]int{column, row}, [2]int{c, r})
						require.True(t, ok)
						next++
					}
				}
				_, _, ok := board.Place(4)
				require.False(t, ok)
				_, _, ok = board.Place(next)
				require.False(t, ok)
			}
		}
	}
}

// TestCharucoTransform checks what markers say of where the board is, upright and upside down.
func TestCharucoTransform(t *testing.T) {
	for _, kind := range []tag.Kind{tag.ArUco5x5, tag.Tag25h9, tag.Tag36h11, tag.ArUcoMIP36h12, tag.Standard41h12} {
		family := tag.Family{Kind: kind, Codes: 30}
		cells := family.Draw(0, 1).Rect.Dx() - 2
		if kind == tag.Standard41h12 {
			cells -= 2
		}
		board := tag.Charuco{Family: family, First: 3, Columns: 5, Rows: 4, Square: 0.04, Marker: 0.04 * float64(cells) / float64(cells+4), Legacy: true}
		require.NoError(t, board.Check())
		family.Codes = 0
		detector, err := tag.New(tag.Options{Families: []tag.Family{family}})
		require.NoError(t, err)
		img := board.Draw(6)
		tags := detector.Detect(img)
		require.Len(t, tags, 10)
		margin := (img.Rect.Dx() - 5*6*(cells+4)) / 2
		for _, m := range tags {
			h, ok := board.Transform(m)
			require.True(t, ok)
			for id := range 4 * 3 {
				at := board.Corner(id)
				require.InDelta(t, 0.04*float64(id%4+1), at[0], 1e-9)
				require.InDelta(t, 0.04*float64(id/4+1), at[1], 1e-9)
				got := h.Apply(geometry.Point{X: at[0], Y: at[1]})
				require.InDelta(t, float64(margin+6*(cells+4)*(id%4+1))-0.5, got.X, 0.5, "%v", kind)
				require.InDelta(t, float64(margin+6*(cells+4)*(id/4+1))-0.5, got.Y, 0.5, "%v", kind)
			}
		}
		other := tags[0]
		other.ID = 13
		_, ok := board.Transform(other)
		require.False(t, ok)
		other = tags[0]
		other.Family.Kind = tag.ArUco4x4
		_, ok = board.Transform(other)
		require.False(t, ok)
	}
}

// TestCharucoPanics checks what the panics of wrong boards say.
func TestCharucoPanics(t *testing.T) {
	good := tag.Charuco{Family: tag.Family{Kind: tag.ArUco4x4, Codes: 50}, Columns: 5, Rows: 7, Square: 0.04, Marker: 0.02}
	for _, c := range []struct {
		change func(c *tag.Charuco)
		text   string
	}{
		{func(c *tag.Charuco) { c.Family.Border = 9 }, "tag: Family.Border is 9, not 0 to 4"},
		{func(c *tag.Charuco) { c.Family.Inverted = true }, "tag: Charuco.Family.Inverted is true, not false"},
		{func(c *tag.Charuco) { c.First = -1 }, "tag: Charuco.First is -1, not 0 to 49"},
		{func(c *tag.Charuco) { c.First = 50 }, "tag: Charuco.First is 50, not 0 to 49"},
		{func(c *tag.Charuco) { c.Columns = 1 }, "tag: Charuco.Columns is 1, not 2 to 50"},
		{func(c *tag.Charuco) { c.Columns = 51 }, "tag: Charuco.Columns is 51, not 2 to 50"},
		{func(c *tag.Charuco) { c.Rows = 1 }, "tag: Charuco.Rows is 1, not at least 2 with all IDs below 50"},
		{func(c *tag.Charuco) { c.First = 34 }, "tag: Charuco.Rows is 7, not at least 2 with all IDs below 50"},
		{func(c *tag.Charuco) { c.Square = 0 }, "tag: Charuco.Square is 0, not a positive number up to 3.4e38"},
		{func(c *tag.Charuco) { c.Marker = 0 }, "tag: Charuco.Marker is 0, not a positive number less than Square"},
		{func(c *tag.Charuco) { c.Marker = 0.04 }, "tag: Charuco.Marker is 0.04, not a positive number less than Square"},
		{
			func(c *tag.Charuco) { c.Family, c.Square = tag.Family{Kind: tag.Standard41h12}, 0.03 },
			"tag: Charuco.Marker is 0.02, not a positive number up to 0.0166667",
		},
	} {
		board := good
		c.change(&board)
		require.EqualError(t, board.Check(), c.text)
		for _, call := range []func(){
			func() { board.Place(0) }, func() { board.Corner(0) }, func() { board.Transform(tag.Tag{}) },
			func() { board.Draw(1) }, func() { board.SVG() },
		} {
			require.PanicsWithValue(t, c.text, call)
		}
	}
	good.First = 33
	require.NoError(t, good.Check())
	require.PanicsWithValue(t, "tag: cells of 0 pixels", func() { good.Draw(0) })
	require.Equal(t, pose.Vector{0.16, 0.24, 0}, good.Corner(23))
	for _, id := range []int{-1, 24} {
		require.PanicsWithValue(t, fmt.Sprintf("tag: corner %d is not in 0 to 23", id), func() { good.Corner(id) })
	}
}
