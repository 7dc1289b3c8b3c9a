package fast

import (
	"slices"
	"sync"
)

// runPixels is how many pixels a run has at most. Assembly cannot be preempted,
// so a call must not take long.
const runPixels = 1 << 14

// A scratch is the memory that a detection works in. It is reused, so that detection
// does not allocate in the steady state.
type scratch struct {
	run  run
	room int // pixels of the largest run

	// The masks of all blocks of a run, where the blocks lie, and which of their pixels
	// can be corners. A run that is a part of a row uses the same part of allowed.
	grid        []uint64
	gridOrigins []uint32
	gridOffsets []int32
	allowed     []uint64
	layout      layout // that of the last three

	// The masks of a run that are not zero. There is room for those of two,
	// because suppression may carry a row of one to the next.
	list        []uint64
	listOrigins []uint32

	packed       []uint32 // the corners of a run
	packedScores []uint8

	scores []byte // all 0 unless dirty
	dirty  bool
	padded []byte // a copy of the pixels of a run
}

// A layout specifies where the blocks of runs lie.
type layout struct {
	block        int    // pixels of a block
	rows, blocks int    // of the largest run
	stride       int    // of the pixels
	width        int    // blocks to a row of the image
	left, right  uint64 // what may be corners in the first one and the last one
}

// newScratch returns a scratch for runs of up to room pixels, which are two blocks at
// least.
func newScratch(room int) *scratch {
	blocks := room / minBlock
	rowCopy := 2*copyMargin + (1+2*radius)*(maxBlock+copyPadding)
	return &scratch{
		room:         room,
		grid:         make([]uint64, blocks+maskSlack),
		gridOrigins:  make([]uint32, blocks+maskSlack),
		gridOffsets:  make([]int32, blocks),
		allowed:      make([]uint64, blocks+maskSlack),
		list:         make([]uint64, 2*blocks+maskSlack),
		listOrigins:  make([]uint32, 2*blocks+maskSlack),
		packed:       make([]uint32, room+packSlack),
		packedScores: make([]uint8, room+packSlack),
		// The longest row needs the most: itself, those carried and the one
		// below, each with a block of zeros.
		scores: make([]byte, (carriedRows+2)*(room+maxBlock)+2*maxBlock),
		padded: make([]byte, room+rowCopy),
	}
}

// scratchPool is a pointer because tests use scratches of their own.
var scratchPool = &sync.Pool{New: func() any { return newScratch(runPixels) }}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release() {
	s.run = run{}
	scratchPool.Put(s)
}

// setLayout describes the blocks of runs.
func (s *scratch) setLayout(l layout) {
	if s.layout == l {
		return
	}
	s.layout = l
	i := 0
	for row := range l.rows {
		for column := 0; column < l.blocks*l.block; column += l.block {
			s.gridOrigins[i] = uint32(carriedRows+row)<<16 | uint32(column)
			s.gridOffsets[i] = int32(row*l.stride + column)
			i++
		}
	}
	s.allowed = resizeMasks(s.allowed, l.rows*l.width)
	for i := range s.allowed {
		s.allowed[i] = allPixels >> (64 - l.block)
	}
	for row := range slices.Chunk(s.allowed, l.width) {
		row[0] &= l.left
		row[l.width-1] &= l.right
	}
}

// resizeMasks returns n masks, of any values, that listMasks can read, in the memory of masks if
// that has room.
func resizeMasks(masks []uint64, n int) []uint64 {
	return slices.Grow(masks[:0], n+maskSlack)[:n]
}
