package fast

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// UseLanes makes detections work in lanes for runs of room pixels, or of as
// many as usual if that is 0, until the function that it returns is called. alloc
// returns memory for n bytes of them, aligned to 8 bytes at its end. It is for
// the tests of the other package; nothing else may detect meanwhile.
func UseLanes(room int, alloc func(n int) []byte) (restore func()) {
	if room == 0 {
		room = runPixels
	}
	before := lanePool
	lanePool = &sync.Pool{New: func() any {
		l := newLane(room)
		replace(&l.grid, alloc)
		replace(&l.gridOrigins, alloc)
		replace(&l.gridOffsets, alloc)
		replace(&l.allowed, alloc)
		replace(&l.list, alloc)
		replace(&l.listOrigins, alloc)
		replace(&l.packed, alloc)
		replace(&l.packedScores, alloc)
		replace(&l.scores, alloc)
		replace(&l.padded, alloc)
		return l
	}}
	return func() { lanePool = before }
}

// replace replaces a buffer by one of the same length in other memory.
func replace[T uint8 | int32 | uint32 | uint64](buffer *[]T, alloc func(n int) []byte) {
	var zero T
	memory := alloc(len(*buffer) * int(unsafe.Sizeof(zero)))
	*buffer = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(*buffer))
}

// TestLane checks what a lane must be like between two images.
func TestLane(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rounds := 300
	if testing.Short() {
		rounds = 120
	}
	for range rounds {
		k := Kernels()[rng.IntN(len(Kernels()))]
		l := lanePool.Get().(*lane)
		require.Equal(t, sieveRun{}, l.run, "what belongs to the caller is left")
		require.Equal(t, blockRun{}, l.blocks.run, "what belongs to the caller is left")
		if !l.dirty {
			imagetest.RequireSame(t, make([]byte, len(l.scores)), l.scores, "scores are left")
		}
		for i := range l.layout.rows * l.layout.blocks {
			row, column := i/l.layout.blocks, i%l.layout.blocks*l.layout.block
			require.Equal(t, uint32(carriedRows+row)<<16|uint32(column), l.gridOrigins[i])
			require.Equal(t, int32(row*l.layout.stride+column), l.gridOffsets[i])
		}
		lanePool.Put(l)

		p := blackPlane(7+rng.IntN(200), 7+rng.IntN(120))
		for i := range p.Pix {
			p.Pix[i] = byte(rng.IntN(3) * 100)
		}
		search(nil, p, &Options{
			Threshold:         uint8(rng.IntN(3) * 50),
			ArcLength:         10,
			Score:             true,
			NonmaxSuppression: rng.IntN(3) > 0,
			FirstOfEqual:      rng.IntN(2) > 0,
			Kernel:            k,
		})
	}
}

// TestCopyRows checks that copies of runs get as many rows as there is room for.
func TestCopyRows(t *testing.T) {
	for room := 2 * maxBlock; room <= runPixels; room += 48 + room/3 {
		s := sieve{lane: newLane(room)}
		for _, s.stages = range append(assemblyStages(), &portableStages) {
			for blocks := 1; blocks*s.block <= room/8; blocks++ {
				rows := s.copyRows(blocks)
				size := func(rows int) int {
					return copyMargin + (rows+2*radius)*(blocks*s.block+copyPadding) + copyMargin
				}
				require.Positive(t, rows)
				require.LessOrEqual(t, size(rows), len(s.padded), "%d blocks of %d", blocks, s.block)
				require.Greater(t, size(rows+1), len(s.padded), "%d blocks of %d", blocks, s.block)
			}
		}
	}
}
