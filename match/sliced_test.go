package match

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// alike returns n descriptors. Many of them are equal, have few bits set or all, or differ in few
// bits from others.
func alike(rng *rand.Rand, n int) []Descriptor {
	list := make([]Descriptor, n)
	for i := range list {
		d := &list[i]
		switch rng.IntN(8) {
		case 0:
		case 1:
			for k := range d {
				d[k] = 0xff
			}
		case 2, 3, 4:
			for k := range d {
				d[k] = byte(rng.Uint32())
			}
		default:
			*d = list[rng.IntN(i+1)]
		}
		for range rng.IntN(3) {
			bit := rng.IntN(descriptorBits)
			d[bit/8] ^= 1 << (bit % 8)
		}
	}
	return list
}

// TestSliced compares the nearest and the second nearest that sliced descriptors have with those of
// all distances.
func TestSliced(t *testing.T) {
	defer func(queries, trains int) { slicedQueries, slicedTrains = queries, trains }(slicedQueries, slicedTrains)
	slicedQueries, slicedTrains = 1, 1
	rng := rand.New(rand.NewPCG(11, 12))
	sizes := []int{1, 2, 63, 64, 65, 255, 256, 257, 511, 1023, 1024, 1025, 1281, 2300}
	if testing.Short() {
		sizes = []int{1, 65, 257, 1281}
	}
	for _, trains := range sizes {
		query, train := alike(rng, 1+rng.IntN(40)), alike(rng, trains)
		best, second := make([]pair, len(query)), make([]pair, len(query))
		for i := range query {
			best[i], second[i] = noPair, noPair
			for k := range train {
				distance := 0
				for at := range query[i] {
					for differ := query[i][at] ^ train[k][at]; differ != 0; differ &= differ - 1 {
						distance++
					}
				}
				p := pair(distance)<<32 | pair(k)
				second[i] = min(second[i], max(best[i], p))
				best[i] = min(best[i], p)
			}
		}
		for row := range table.Available() {
			if row.Kernels.slice == nil {
				continue
			}
			restore := cpu.Limit(row.Needs)
			m := newMatcher[Descriptor](t, Options{})
			for k := 1; k <= 2; k++ {
				var want []Match
				for i := range query {
					want = append(want, best[i].match(i))
					if k == 2 && second[i] != noPair {
						want = append(want, second[i].match(i))
					}
				}
				require.Equal(t, want, m.KNearest(query, train, k), "%s, %d", row.Name, trains)
			}
			restore()
		}
	}
}

// TestSlice compares the kernels with the portable one: the blocks, the similarities and the lanes
// that they find.
func TestSlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	memory := make([][planes]plane, slicedBlocks)
	for range 200 {
		var want sliceRun
		var list [2 * (descriptorBits + planesAtOnce)]byte
		trains := alike(rng, 1+rng.IntN(slicedBlocks*lanes))
		want.setBlocks(memory, trains)
		want.setQuery(list[:], &alike(rng, 1)[0])
		want.setLimit(rng.IntN(1 << similarityBits))
		for row := range table.Available() {
			if row.Kernels.slice == nil {
				continue
			}
			got := want
			slicePortable(&want)
			row.Kernels.slice(&got)
			require.Equal(t, want.found, got.found, row.Name)
			if got.found < len(got.blocks) {
				require.Equal(t, want.above, got.above, row.Name)
				require.Equal(t, want.similarities, got.similarities, row.Name)
			}
		}
	}
}

// TestTranspose compares bits with those in the other place.
func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	var m, turned [64]uint64
	for i := range m {
		m[i] = rng.Uint64()
	}
	turned = m
	transpose(&turned)
	for i := range m {
		for k := range m {
			require.Equal(t, m[i]>>k&1, turned[k]>>i&1)
		}
	}
}

// TestSetQuery checks that the planes of a query descriptor are listed.
func TestSetQuery(t *testing.T) {
	var r sliceRun
	var memory [2 * (descriptorBits + planesAtOnce)]byte
	for _, d := range alike(rand.New(rand.NewPCG(17, 18)), 100) {
		n := r.setQuery(memory[:], &d)
		want := []byte{}
		for bit := range descriptorBits {
			if d[bit/8]>>(bit%8)&1 != 0 {
				want = binary.LittleEndian.AppendUint16(want, uint16(8*laneWords*bit))
			}
		}
		require.Len(t, want, 2*n)
		for len(want)%(2*planesAtOnce) != 0 {
			want = binary.LittleEndian.AppendUint16(want, uint16(8*laneWords*zeroPlane))
		}
		require.Equal(t, want, r.list)
	}
}
