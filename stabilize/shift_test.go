package stabilize

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// shiftByDefinition returns the shift with the largest positive correlation coefficient of what
// overlaps, of the images of means of squares.
func shiftByDefinition(from, to *image.Gray) (shift image.Point, ok bool) {
	size := from.Rect.Size()
	side := 1
	for 64*side < max(size.X, size.Y) {
		side++
	}
	w, h := size.X/side, size.Y/side
	means := func(img *image.Gray) [][]float64 {
		rows := make([][]float64, h)
		for y := range rows {
			for x := range w {
				sum := 0
				for i := range side * side {
					sum += int(img.GrayAt(x*side+i%side, y*side+i/side).Y)
				}
				rows[y] = append(rows[y], float64(sum/(side*side)))
			}
		}
		return rows
	}
	a, b := means(from), means(to)
	best := 0.0
	for dy := -(h / 2); dy <= h/2; dy++ {
		for dx := -(w / 2); dx <= w/2; dx++ {
			var n, u, v, uu, uv, vv float64
			for y := max(0, -dy); y < min(h, h-dy); y++ {
				for x := max(0, -dx); x < min(w, w-dx); x++ {
					p, q := a[y][x], b[y+dy][x+dx]
					n, u, v, uu, uv, vv = n+1, u+p, v+q, uu+p*p, uv+p*q, vv+q*q
				}
			}
			if c := (n*uv - u*v) / math.Sqrt((n*uu-u*u)*(n*vv-v*v)); c > best+1e-12 {
				best, shift, ok = c, image.Pt(dx*side, dy*side), true
			}
		}
	}
	return shift, ok
}

// TestShift compares the shifts that are found with their definition: between parts of an image,
// with and without noise, an image and its negative, and images that are flat.
func TestShift(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	scene := image.NewGray(image.Rect(0, 0, 500, 400))
	for i := range scene.Pix {
		scene.Pix[i] = uint8(r.Uint32())
	}
	var f shiftFinder
	for _, size := range []image.Point{{64, 12}, {20, 15}, {65, 40}, {60, 129}} {
		side := (max(size.X, size.Y) + 63) / 64
		half := image.Pt(size.X/side/2*side, size.Y/side/2*side)
		part := func(shift image.Point, noise int) *image.Gray {
			img := image.NewGray(image.Rectangle{Max: size})
			for y := range size.Y {
				for x := range size.X {
					v := int(scene.GrayAt(x+200-shift.X, y+150-shift.Y).Y) + r.IntN(1+noise)
					img.Pix[y*img.Stride+x] = uint8(min(v, 255))
				}
			}
			return img
		}
		from := part(image.Point{}, 0)
		for _, shift := range []image.Point{{}, half, half.Mul(-1), {half.X, 0}, {0, -half.Y}, {3 * side, -2 * side}, half.Add(image.Pt(side, 0))} {
			for _, noise := range []int{0, 30} {
				to := part(shift, noise)
				want, wantOK := shiftByDefinition(from, to)
				got, ok := f.find(from, to)
				require.Equal(t, wantOK, ok, "%v, %v", size, shift)
				require.Equal(t, want, got, "%v, %v", size, shift)
				if noise == 0 && max(shift.X, -shift.X) <= half.X {
					require.Equal(t, shift, got, "%v", size)
				}
			}
		}
		negative := part(image.Point{}, 0)
		for i := range negative.Pix {
			negative.Pix[i] ^= 255
		}
		want, wantOK := shiftByDefinition(from, negative)
		got, ok := f.find(from, negative)
		require.Equal(t, wantOK, ok, "%v", size)
		require.Equal(t, want, got, "%v", size)
		require.NotEqual(t, image.Point{}, got)

		_, ok = f.find(from, image.NewGray(image.Rectangle{Max: size}))
		require.False(t, ok)
	}
}
