package fast

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// UseScratch makes detections work in scratches for runs of room pixels, or of as
// many as usual if that is 0, until the function that it returns is called. alloc
// returns memory for n bytes of them, aligned to 8 bytes at its end. It is for
// the tests of the other package; nothing else may detect meanwhile.
func UseScratch(room int, alloc func(n int) []byte) (restore func()) {
	if room == 0 {
		room = runPixels
	}
	before := scratchPool
	scratchPool = &sync.Pool{New: func() any {
		s := newScratch(room)
		replace(&s.grid, alloc)
		replace(&s.gridOrigins, alloc)
		replace(&s.gridOffsets, alloc)
		replace(&s.allowed, alloc)
		replace(&s.list, alloc)
		replace(&s.listOrigins, alloc)
		replace(&s.packed, alloc)
		replace(&s.packedScores, alloc)
		replace(&s.scores, alloc)
		replace(&s.padded, alloc)
		return s
	}}
	return func() { scratchPool = before }
}

// replace replaces a buffer by one of the same length in other memory.
func replace[T uint8 | int32 | uint32 | uint64](buffer *[]T, alloc func(n int) []byte) {
	var zero T
	memory := alloc(len(*buffer) * int(unsafe.Sizeof(zero)))
	*buffer = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), len(*buffer))
}

// TestScratch checks what a scratch must be like between two images.
func TestScratch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rounds := 300
	if testing.Short() {
		rounds = 120
	}
	for range rounds {
		k := Kernels()[rng.IntN(len(Kernels()))]
		s := scratchPool.Get().(*scratch)
		require.Equal(t, run{}, s.run, "what belongs to the caller is left")
		if !s.dirty {
			imagetest.RequireSame(t, make([]byte, len(s.scores)), s.scores, "scores are left")
		}
		for i := range s.layout.rows * s.layout.blocks {
			row, column := i/s.layout.blocks, i%s.layout.blocks*s.layout.block
			require.Equal(t, uint32(carriedRows+row)<<16|uint32(column), s.gridOrigins[i])
			require.Equal(t, int32(row*s.layout.stride+column), s.gridOffsets[i])
		}
		scratchPool.Put(s)
		b := blockScratchPool.Get().(*blockScratch)
		require.Equal(t, blockRun{}, b.run, "what belongs to the caller is left")
		blockScratchPool.Put(b)

		p := blackPlane(7+rng.IntN(200), 7+rng.IntN(120))
		for i := range p.Pix {
			p.Pix[i] = byte(rng.IntN(3) * 100)
		}
		appendCorners(nil, p, &Options{
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
		s := sieve{scratch: newScratch(room)}
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
