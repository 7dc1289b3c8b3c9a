package fast

import "github.com/fastcorners/fast/internal/cpu"

// stages are the ways in which an instruction set finds the corners of a run, in
// the order in which appendSieve calls them. The functions of portableStages say
// what each of them does; others do the same, and may touch what lies around as
// the constants below allow.
//
// The argument of a stage lives on the heap, so that a call through a function
// value makes nothing escape. Assembly stores into no pointer of a run.
type stages struct {
	needs cpu.Set // every feature that the functions use
	block int     // its pixels side by side, at most maxBlock

	screen   func(*run) // for arcs of 9 to 11
	screen12 func(*run) // for arcs of 12
	compact  func(*run)
	exact    [4]func(*run) // for arcs of 9 to 12
	peaks    func(*run)
	wipe     func(*run)
	pack     func(*run)
}

// How far beyond what they are asked for the stages may read and write.
const (
	// minBlock and maxBlock are how many pixels a block has at least and at
	// most. maxBlock pixels on both sides of a row's blocks are read, and so
	// many scores.
	minBlock = 16
	maxBlock = 64
	// maskSlack is how many masks more than there are compact reads, and writes.
	maskSlack = 8
	// packSlack is how many more positions and scores pack writes.
	packSlack = 64
)

// A run is a stretch of blocks that the stages work on at once, whole rows or a
// part of a long row, and what they find there.
//
// A block is so many pixels side by side. A mask is a set of pixels of a block,
// with bit i for pixel i. A position is a pixel of the run as row<<16 | column,
// and the origin of a mask the position of its bit 0. The first row is number
// carriedRows.
type run struct {
	// The pixel at a position is pix[base+row*stride+column].
	pix          []byte
	base, stride int
	threshold    uint8

	// screen looks at so many rows of so many blocks from pix[first] on. left
	// and right are the pixels of the first and the last block of each row that
	// may be corners.
	first, rows, blocks int
	left, right         uint64
	grid                []uint64 // a mask for each block, row by row

	// compact lists the masks in from that are not zero. That may be the list
	// itself.
	from         []uint64
	fromOrigins  []uint32
	masks        []uint64
	origins      []uint32
	count        int // of the masks
	scores       []byte
	scoreStride  int
	packed       []uint32 // positions of corners
	packedScores []uint8
	corners      int   // how many are packed
	x, y         int32 // of position 0
}

// carriedRows is how many rows of a run lie before the first one that is looked
// at. With suppression these are the last two of the run before: one that is not
// settled yet and the one above it.
const carriedRows = 2
