package paper

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImage checks which pixels are black.
func TestImage(t *testing.T) {
	img := White(4, 3)
	Black(img, 1, 1, 2, 2)
	require.Equal(t, []uint8{
		255, 255, 255, 255,
		255, 0, 0, 255,
		255, 0, 0, 255,
	}, img.Pix)
}

// TestPage checks a file with all that there can be.
func TestPage(t *testing.T) {
	p := NewPage(30.5, 20)
	p.Cells(1.0/3, 2, 2.5, func(black func(column, row, n int)) {
		black(0, 0, 3)
		black(1, 2, 1)
	})
	p.Square(5, 6, 7)
	require.Equal(t, `<svg xmlns="http://www.w3.org/2000/svg" width="30.5mm" height="20mm" viewBox="0 0 30.5 20" shape-rendering="crispEdges">
<rect width="30.5" height="20" fill="#fff"/>
<path transform="translate(0.333333 2) scale(2.5)" d="M0 0h3v1h-3zM1 2h1v1h-1z"/>
<rect x="5" y="6" width="7" height="7"/>
</svg>
`, string(p.End()))
}
