package calibrate

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// TestChessboard checks the squares of drawings, in images and in SVG.
func TestChessboard(t *testing.T) {
	board := Chessboard{5, 4}
	img := board.Draw(7)
	require.Equal(t, image.Rect(0, 0, 6*7+8, 5*7+8), img.Rect)
	for y := range img.Rect.Max.Y {
		for x := range img.Rect.Max.X {
			column, row := int(math.Floor(float64(x-4)/7)), int(math.Floor(float64(y-4)/7))
			black := column >= 0 && row >= 0 && column < 6 && row < 5 && (column+row)%2 == 0
			require.Equal(t, black, img.GrayAt(x, y).Y == 0, "%d, %d", x, y)
			require.Equal(t, !black, img.GrayAt(x, y).Y == 255)
		}
	}
	require.Equal(t, `<svg xmlns="http://www.w3.org/2000/svg" width="125mm" height="125mm" viewBox="0 0 125 125" shape-rendering="crispEdges">
<rect width="125" height="125" fill="#fff"/>
<path transform="translate(12.5 12.5) scale(25)" d="M0 0h1v1h-1zM2 0h1v1h-1zM1 1h1v1h-1zM3 1h1v1h-1zM0 2h1v1h-1zM2 2h1v1h-1zM1 3h1v1h-1zM3 3h1v1h-1z"/>
</svg>
`, string(Chessboard{3, 3}.SVG(25)))
}

// TestChessboardFound checks that a board is found in a photo of its drawing.
func TestChessboardFound(t *testing.T) {
	finder, err := NewFinder(FinderOptions{})
	require.NoError(t, err)
	warper, err := warp.New(warp.Options{})
	require.NoError(t, err)
	seen := image.NewGray(image.Rect(0, 0, 400, 300))
	warper.Gray(seen, Chessboard{9, 6}.Draw(40), warp.Affine{1.2, .2, -20, -.25, 1.15, 60})
	b, err := finder.FindOne(seen)
	require.NoError(t, err)
	require.Equal(t, []int{9, 6, 54}, []int{b.Columns, b.Rows, b.Count})
}

// TestChessboardErrors checks that what is out of range is refused.
func TestChessboardErrors(t *testing.T) {
	require.NoError(t, Chessboard{3, 200}.Check())
	for want, c := range map[string]Chessboard{
		"calibrate: Chessboard.Columns is 2, not 3 to 200": {2, 6},
		"calibrate: Chessboard.Rows is 201, not 3 to 200":  {3, 201},
	} {
		require.EqualError(t, c.Check(), want)
		require.PanicsWithValue(t, want, func() { c.Draw(1) })
		require.PanicsWithValue(t, want, func() { c.SVG(1) })
	}
	require.PanicsWithValue(t, "calibrate: squares of 0 pixels", func() { Chessboard{9, 6}.Draw(0) })
	require.PanicsWithValue(t, "calibrate: square is -1, not a positive finite number", func() { Chessboard{9, 6}.SVG(-1) })
	require.Panics(t, func() { Chessboard{9, 6}.SVG(math.Inf(1)) })
}
