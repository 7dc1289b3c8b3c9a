package fast

import (
	"slices"
	"sync"
)

// runPixels is how many pixels a run has at most. Assembly cannot be preempted,
// so a call must not take long.
const runPixels = 1 << 14

// A lane is the memory of a worker that searches a plane. It is reused, so that detection does not
// allocate in the steady state. Lanes belong to a pool and not to jobs, so that a processor gets the one
// that is in its cache.
type lane struct {
	run  sieveRun
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

	blocks blockMemory
}

// A layout specifies where the blocks of runs lie.
type layout struct {
	block        int    // pixels of a block
	rows, blocks int    // of the largest run
	stride       int    // of the pixels
	width        int    // blocks to a row of the image
	left, right  uint64 // what may be corners in the first one and the last one
}

// newLane returns a lane for runs of up to room pixels, which are two blocks at least.
func newLane(room int) *lane {
	blocks := room / minBlock
	rowCopy := 2*copyMargin + (1+2*radius)*(maxBlock+copyPadding)
	return &lane{
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

// lanePool is a pointer because tests use lanes of their own.
var lanePool = &sync.Pool{New: func() any { return newLane(runPixels) }}

// release puts l back. It keeps nothing that belongs to the caller.
func (l *lane) release() {
	l.run = sieveRun{}
	lanePool.Put(l)
}

// setLayout describes the blocks of runs.
func (l *lane) setLayout(to layout) {
	if l.layout == to {
		return
	}
	l.layout = to
	i := 0
	for row := range to.rows {
		for column := 0; column < to.blocks*to.block; column += to.block {
			l.gridOrigins[i] = uint32(carriedRows+row)<<16 | uint32(column)
			l.gridOffsets[i] = int32(row*to.stride + column)
			i++
		}
	}
	l.allowed = resizeMasks(l.allowed, to.rows*to.width)
	for i := range l.allowed {
		l.allowed[i] = allPixels >> (64 - to.block)
	}
	for row := range slices.Chunk(l.allowed, to.width) {
		row[0] &= to.left
		row[to.width-1] &= to.right
	}
}

// resizeMasks returns n masks, of any values, that listMasks can read, in the memory of masks if
// that has room.
func resizeMasks(masks []uint64, n int) []uint64 {
	return slices.Grow(masks[:0], n+maskSlack)[:n]
}
