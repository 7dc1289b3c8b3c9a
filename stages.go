package fast

// stages are what an instruction set does to find the corners of a run, in this order.
// The functions of portableStages define what the others do.
//
// Their argument lives on the heap, so that nothing escapes by a call through a
// function value. Assembly stores into no pointer of a run.
type stages struct {
	kernel Kernel // that they are
	block  int    // pixels of a block

	screen   func(*sieveRun) // for arcs of 9 to 11
	screen12 func(*sieveRun) // for arcs of 12
	compact  func(*sieveRun)
	exact    [4]func(*sieveRun) // for arcs of 9 to 12
	peaks    func(*sieveRun)    // with suppression
	wipe     func(*sieveRun)    // likewise
	pack     func(*sieveRun)

	// The last stage, the method widen, is no function value: a dst on the stack would
	// escape by it. This is how many corners its assembly makes at a time, or 0.
	widens int
}

// What the stages may touch besides what they are asked for. Their caller provides
// the room.
const (
	// minBlock and maxBlock are the pixels of the smallest and the largest block.
	// maxBlock pixels before and after the blocks of a row may be read, and as
	// many scores.
	minBlock = 16
	maxBlock = 64
	// maskSlack is how many masks, with their origins, compact may read and write
	// after the last one.
	maskSlack = 8
	// packSlack is how many positions and scores pack may write, and widen read,
	// after the last one.
	packSlack = 64
)

// allPixels is the mask of all pixels of a block of any size.
const allPixels uint64 = 1<<64 - 1

// A sieveRun is the argument of the stages: a run, which is a stretch of blocks that they work on at
// once, whole rows or a part of a long row, and what they find there.
//
// A block is pixels side by side, as many as the stages say. A mask is a set of them: bit
// i is pixel i. A position stands for a pixel of the run, as row<<16 | column, and the
// origin of a mask is the position of its bit 0.
type sieveRun struct {
	// The pixel at a position is pix[base+row*stride+column].
	pix          []byte
	base, stride int
	threshold    uint8 // at most 254

	// screen makes a mask for each block of the grid: the pixels that cannot be
	// corners, and anything beyond the block. Block i begins at
	// pix[first+offsets[i]]. They are rows of blocks side by side, from
	// pix[first] on, the last of which may be cut off.
	first, blocks int
	offsets       []int32
	grid          []uint64

	// allowed, unless it is nil, has a mask for each block: at both ends of the
	// rows some pixels cannot be corners. Either screen or compact sees to it, and
	// until then the grid may have anything for these.
	allowed []uint64

	// compact lists those masks of from that are not zero. Unless allowed is nil
	// from is the grid, and a mask is what is allowed and not in the grid;
	// otherwise from may be the list itself. The other stages work on the list.
	from        []uint64
	fromOrigins []uint32
	masks       []uint64
	origins     []uint32
	count       int // masks in the list

	// exact stores for each pixel of the listed blocks its score and 1, or 0 if
	// it is no corner, unless scores is nil. The place for a position is
	// row*scoreStride+column.
	scores      []byte
	scoreStride int

	// peaks takes this, 0 or 1, from the scores of a pixel's later neighbors, so
	// that the pixel need not exceed them.
	tie uint8

	// pack makes positions of the listed masks, with scores unless packedScores
	// is nil. widen adds x and y to the columns and rows.
	packed       []uint32
	packedScores []uint8
	corners      int // how many are packed
	x, y         int32
}

// carriedRows is the number of the first row that a run tests. With suppression
// the rows before it are the last two of the previous run: one that is not settled yet,
// and the one above it.
const carriedRows = 2
