package raster

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewPlane checks planes of whole images, of parts and of empty ones.
func TestNewPlane(t *testing.T) {
	img := image.NewGray(image.Rect(-3, 5, 7, 11))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	p := NewPlane("test", img.SubImage(image.Rect(0, 6, 4, 9)).(*image.Gray))
	require.Equal(t, Plane{p.Pix, 10, 4, 3}, p)
	for y := range 3 {
		require.Equal(t, img.Pix[(1+y)*10+3:][:4], p.Row(y))
	}
	require.Zero(t, NewPlane("test", new(image.Gray)))
	require.Zero(t, NewMask("test", nil, img.Rect))
	require.Equal(t, img.Pix, NewMask("test", img, img.Rect).Pix)
}

// TestPanics checks that what is malformed is told, in the name of the package.
func TestPanics(t *testing.T) {
	pix := make([]byte, 30)
	bounds := image.Rect(0, 0, 10, 3)
	wide := image.Rect(math.MinInt32, 0, math.MaxInt32, 1)
	for want, f := range map[string]func(){
		"nil image":                 func() { NewPlane("test", nil) },
		"negative image stride -10": func() { NewPlane("test", &image.Gray{Pix: pix, Stride: -10, Rect: bounds}) },
		"image has 29 bytes of pixels, too few": func() {
			NewPlane("test", &image.Gray{Pix: pix[:29], Stride: 10, Rect: bounds})
		},
		"image has 6 bytes of pixels, too few": func() {
			NewPlane("test", &image.Gray{Pix: pix[:6], Stride: 1, Rect: image.Rect(0, 0, 5, 3)})
		},
		"image of 65536 by 32768 pixels, more than 2147483647": func() { (&Plane{W: 1 << 16, H: 1 << 15}).RequireSize("test") },
		"sides of more than 31 bits":                           func() { NewPlane("test", &image.Gray{Rect: wide}) },
		"(-1,0)-(2147483647,1) have sides of more than 31 bits": func() {
			NewPlane("test", &image.Gray{Rect: image.Rect(-1, 0, math.MaxInt32, 1)})
		},
		"mask bounds (1,0)-(11,3) differ from image bounds": func() {
			NewMask("test", &image.Gray{Pix: pix, Stride: 10, Rect: bounds.Add(image.Pt(1, 0))}, bounds)
		},
		"mask has 29 bytes of pixels, too few": func() {
			NewMask("test", &image.Gray{Pix: pix[:29], Stride: 10, Rect: bounds}, bounds)
		},
		"mask bounds (0,0)-(10,3) differ from image bounds (0,0)-(10,4)": func() {
			NewMask("test", &image.Gray{Pix: pix, Stride: 10, Rect: bounds}, image.Rect(0, 0, 10, 4))
		},
	} {
		func() {
			defer func() {
				text := fmt.Sprint(recover())
				require.True(t, strings.HasPrefix(text, "test: "), text)
				require.Contains(t, text, want)
			}()
			f()
		}()
	}
	if far := math.MaxInt; far > math.MaxInt32 {
		for _, r := range []image.Rectangle{
			image.Rect(far-1, 0, far, 1), image.Rect(0, far-1, 1, far), image.Rect(-far, 0, 1-far, 1), image.Rect(0, -far, 1, 1-far),
		} {
			require.PanicsWithValue(t, fmt.Sprintf("test: image bounds %v exceed 32 bits", r), func() {
				NewPlane("test", &image.Gray{Pix: pix, Stride: 1, Rect: r})
			})
		}
	}
	require.NotPanics(t, func() { Check("test", "image", bounds, pix, 10, 1) })
	require.NotPanics(t, func() { Check("test", "image", image.Rect(0, 0, 5, 3), pix[:7], 1, 1) })
	require.NotPanics(t, func() { (&Plane{W: math.MaxInt32, H: 1}).RequireSize("test") })
	require.NotPanics(t, func() { Check("test", "image", image.Rect(0, 0, 5, 3), pix, 10, 2) })
}

// TestIsNil checks images that are nil, also with a type.
func TestIsNil(t *testing.T) {
	require.True(t, IsNil(nil))
	require.True(t, IsNil((*image.Gray)(nil)))
	require.False(t, IsNil(new(image.Gray)))
	require.False(t, IsNil(image.Rect(0, 0, 1, 1)))
}

// TestMirror compares Mirror with a row that is reversed again and again.
func TestMirror(t *testing.T) {
	for n := 1; n <= 5; n++ {
		var period []int
		for i := range n {
			period = append(period, i)
		}
		for i := n - 2; i > 0; i-- {
			period = append(period, i)
		}
		row := slices.Repeat(period, 9)
		middle := 4 * len(period)
		for i := -middle; i < middle; i++ {
			require.Equal(t, row[middle+i], Mirror(i, n), "place %d of %d", i, n)
		}
	}
}

// TestResize checks that memory is kept where there is enough of it.
func TestResize(t *testing.T) {
	s := make([]int, 3, 8)
	require.Same(t, &s[0], &Resize(s, 8)[0])
	require.Len(t, Resize(s, 8), 8)
	require.Len(t, Resize(s, 9), 9)
}
