package harris

// fusedPadding is the room in pixels before the first column of a row of sums, and
// fusedRoom that after the last one of a strip.
const (
	fusedPadding = 64
	fusedRoom    = 64
	stripColumns = 640
)

// A sumRun is four rows of an image, of which the middle two become rows of vertical
// sums and differences of Sobel's gradients.
type sumRun struct {
	rows  [4]*byte
	sums  [4]*int16 // the sums and differences of the one row, and of the other
	n     int       // pixels, 32 at least
	ahead [2]*byte  // rows that will be read two steps later
}

// A respondRun is two rows of sums and differences that become two rows of responses.
type respondRun struct {
	room      [24 * 32]byte // for what does not fit registers
	sums      [4]*int16     // where the first block begins
	state     *int16        // of the rows before, for each block
	spans     []span
	constants [2][16]float32
}

// A span is a number of blocks whose responses follow each other.
type span struct {
	out    [2]*float32
	blocks int
}

// A peakRun is two rows of responses to test for maxima of 3 by 3, and the one after
// them.
type peakRun struct {
	rows   [3]*float32
	maxima [4]*float32 // of three neighbours in a row, for the row before and these: two to read, and two to write
	masks  []uint64    // of 32 columns each: of the first row, and of the second in the upper half
	least  []float32   // 16 times the least response, 0 or more; then the highest ones of the first two rows
}
