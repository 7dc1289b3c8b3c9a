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
			largest := largestGradient(side)
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
				rows := newGradients(rng, Padding+width+Padding, height, largest)
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
					want := respondTo(&m, rows[max(y-side+1, 0):y+1], Padding-side/2, side, n)
					imagetest.RequireSame(t, want, got, "%s, side %d, row %d of %d", row.Name, side, y, n)
				}
			}
			w.Release()
		}
		restore()
	}
}

// TestHalves does the same for rows whose halves lie in the halves of vectors.
func TestHalves(t *testing.T) {
	const width, height = 100, 14
	rng := rand.New(rand.NewPCG(3, 4))
	for row := range table.Available() {
		restore := cpu.Limit(row.Needs)
		for side, kernel := range row.Kernels.halves {
			require.Equal(t, row.Name == "avx2", HasHalves())
			if kernel == nil {
				continue
			}
			m := New(Harris, 0.04, 1e-3)
			h := NewHalves(side, &m, width)
			largest := largestGradient(side)
			for i := range 40 {
				n, lead := 33-side+rng.IntN(width-33), side-1+rng.IntN(maxLead-side+2)
				columns := n + lead
				rows := newGradients(rng, columns, height, largest)
				split := h.Start(n, lead)
				require.LessOrEqual(t, 8*split.Vectors, columns)
				require.Equal(t, columns, split.Second+8*split.Vectors)
				halves := make([][2][]int16, height)
				for y := range halves {
					for k := range halves[y] {
						v := make([]int16, HalvesRoom(width))
						for x := range 8 * split.Vectors {
							at := HalvesBefore + x/8*16 + x%8
							v[at], v[at+8] = rows[y][k][x], rows[y][k][split.Second+x]
						}
						halves[y][k] = v
					}
				}
				for y := range halves {
					var leave *[2][]int16
					if y >= side {
						leave = &halves[y-side]
					}
					if (y+i)%5 == 4 {
						h.Slide(&halves[y], leave, nil)
						continue
					}
					got := make([]float32, n+1)
					h.Slide(&halves[y], leave, got[:n])
					want := respondTo(&m, rows[max(y-side+1, 0):y+1], lead-side+1, side, n)
					imagetest.RequireSame(t, append(want, 0), got, "%s, side %d, lead %d, row %d of %d", row.Name, side, lead, y, n)
				}
			}
			h.Release()
		}
		restore()
	}
}

// largestGradient returns the largest gradient that HasWindows allows for a side, or 0.
func largestGradient(side int) int {
	largest := 0
	for g := int64(1); g <= 1<<15 && HasWindows(side, g*g, 0); g++ {
		largest = int(g)
	}
	return largest
}

// newGradients returns rows of gradients. Often all of them are as large as can be: then only the
// sign of one of both is chosen, so that sums of their products are not.
func newGradients(rng *rand.Rand, width, height, largest int) [][2][]int16 {
	random := rng.IntN(2) == 0
	rows := make([][2][]int16, height)
	for y := range rows {
		for i := range rows[y] {
			rows[y][i] = make([]int16, width)
			for x := range rows[y][i] {
				rows[y][i][x] = int16(largest * (1 - 2*((x+y*i)&1)))
				if random {
					rows[y][i][x] = int16(rng.IntN(2*largest+1) - largest)
				}
			}
		}
	}
	return rows
}

// respondTo returns n responses of windows with a side, the first of which begins in column first of
// the rows.
func respondTo(m *Measure, rows [][2][]int16, first, side, n int) []float32 {
	var sums [3][]float32
	for x := range n {
		var a, b, c int64
		for _, row := range rows {
			for i := range side {
				gx, gy := int64(row[0][first+x+i]), int64(row[1][first+x+i])
				a, b, c = a+gx*gx, b+gy*gy, c+gx*gy
			}
		}
		sums[0], sums[1], sums[2] = append(sums[0], float32(a)), append(sums[1], float32(b)), append(sums[2], float32(c))
	}
	responses := make([]float32, n)
	m.Respond(responses, sums[0], sums[1], sums[2])
	return responses
}

// TestRoom requires that rooms begin with a cache line.
func TestRoom(t *testing.T) {
	var list []*Room // which outlive the loop, so that none is on the stack
	for range 3 {
		list = append(list, NewWindows(maxWindow, &Measure{}, 1).run.room, NewHalves(maxWindow, &Measure{}, 1).run.room)
	}
	for _, room := range list {
		require.Zero(t, uintptr(unsafe.Pointer(room))%64)
	}
}
