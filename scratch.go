package fast

import "sync"

// runPixels is how many pixels a run has at most. Assembly cannot be preempted,
// so a call must not take long.
const runPixels = 1 << 14

// A scratch is the memory that a detection needs. It is reused, so that detection
// does not allocate in the long run.
type scratch struct {
	run  run
	room int // pixels of a run at most

	grid        []uint64 // the masks of all blocks of a run
	gridOrigins []uint32
	gridLayout  layout // what these were made for

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

// A layout says where the blocks of a run lie: so many to a row, each of so many
// pixels.
type layout struct{ blocks, pixels int }

// newScratch returns a scratch for runs of up to so many pixels, two blocks at
// least.
func newScratch(room int) *scratch {
	blocks := room / minBlock
	rowCopy := 2*copyMargin + (1+2*radius)*(maxBlock+copyPadding)
	return &scratch{
		room:         room,
		grid:         make([]uint64, blocks+maskSlack),
		gridOrigins:  make([]uint32, blocks+maskSlack),
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

// scratchPool is a variable for tests, which use scratches of their own.
var scratchPool = &sync.Pool{New: func() any { return newScratch(runPixels) }}

// release puts s back. It keeps nothing that belongs to the caller.
func (s *scratch) release() {
	s.run = run{}
	scratchPool.Put(s)
}

// setOrigins makes the origins of the blocks of a run.
func (s *scratch) setOrigins(l layout) {
	if s.gridLayout == l {
		return
	}
	s.gridLayout = l
	for i := range s.gridOrigins {
		s.gridOrigins[i] = uint32(carriedRows+i/l.blocks)<<16 | uint32(i%l.blocks*l.pixels)
	}
}

// listMasks lists those masks of from that are not zero, from place at of the
// list on, and returns how many there are.
func (s *scratch) listMasks(st *stages, at int, from []uint64, origins []uint32) int {
	r := &s.run
	// Slicing panics where there is no room for what is read and written.
	n := len(from) + maskSlack
	r.from, r.fromOrigins = from[:n:n][:len(from)], origins[:n]
	r.masks, r.origins = s.list[at:at+n], s.listOrigins[at:at+n]
	st.compact(r)
	return r.count
}
