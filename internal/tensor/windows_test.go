package tensor

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// TestWindows compares responses with those of sums by brute force, for gradients as large
// as HasWindows allows, with every instruction set that has kernels.
func TestWindows(t *testing.T) {
	const width, height = 70, 14
	rng := rand.New(rand.NewPCG(1, 2))
	for row := range table.Available() {
		restore := cpu.Limit(row.Needs)
		for side := range maxWindow + 1 {
			largest := 0
			for g := int64(1); g <= 1<<15 && HasWindows(side, g*g, 0); g++ {
				largest = int(g)
			}
			if largest == 0 {
				continue
			}
			m := New(Harris, 0.04, 1e-3)
			w := NewWindows(side, &m, width)
			served := w.Serve()
			require.Equal(t, row.Name != cpu.Portable, served)
			if !served {
				continue
			}
			for range 20 {
				n := 1 + rng.IntN(width)
				// Only the sign of one of both is chosen where sums are as large as can be, so
				// that those of their products are not.
				rows := make([][2][]int16, height)
				for y := range rows {
					for i := range rows[y] {
						rows[y][i] = make([]int16, Padding+width+Padding)
						for x := range rows[y][i] {
							rows[y][i][x] = int16(largest * (1 - 2*((x+y*i)&1)))
							if n%2 == 0 {
								rows[y][i][x] = int16(rng.IntN(2*largest+1) - largest)
							}
						}
					}
				}
				w.Start(n)
				for y := range rows {
					var leave *[2][]int16
					if y >= side {
						leave = &rows[y-side]
					}
					got := make([]float32, n)
					if y%5 == 4 {
						w.Slide(&rows[y], leave, nil)
						continue
					}
					w.Slide(&rows[y], leave, got)
					var sums [3][]float32
					for x := range n {
						var a, b, c int64
						for j := max(y-side+1, 0); j <= y; j++ {
							for i := range side {
								at := Padding + x - side/2 + i
								gx, gy := int64(rows[j][0][at]), int64(rows[j][1][at])
								a, b, c = a+gx*gx, b+gy*gy, c+gx*gy
							}
						}
						sums[0], sums[1], sums[2] = append(sums[0], float32(a)), append(sums[1], float32(b)), append(sums[2], float32(c))
					}
					want := make([]float32, n)
					m.Respond(want, sums[0], sums[1], sums[2])
					imagetest.RequireSame(t, want, got, "%s, side %d, row %d of %d", row.Name, side, y, n)
				}
			}
			w.Release()
		}
		restore()
	}
}

// TestRoom requires that rooms begin with a cache line.
func TestRoom(t *testing.T) {
	var list []*Windows // which outlive the loop, so that none is on the stack
	for range 3 {
		list = append(list, NewWindows(maxWindow, &Measure{}, 1))
	}
	for _, w := range list {
		require.Zero(t, uintptr(unsafe.Pointer(w.run.room))%64)
	}
}
