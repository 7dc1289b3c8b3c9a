package locate

const (
	// blockRows is the number of rows of places whose products are made at a time.
	blockRows = 4
	// group is what the number of places in a row is rounded up to: kernels make that many at a
	// time, and what they make beyond the places is not used.
	group = 16
	// productPixels is the number of products of values with pixels whose sum has 31 bits: each is
	// at most 255*255.
	productPixels = 1 << 15
	// placePixels is the number of pixels of a placeRun. A kernel that adds products of pairs in
	// eight lanes of 31 bits has room for more.
	placePixels = 1 << 17
)

// leastBounds is the least number of bounds that kernels make.
const leastBounds = 16

// padded returns how many numbers a row of n places has.
func padded(n int) int {
	return (n + group - 1) / group * group
}

// seekMargin is more than what rounding makes of the difference of a score and another number.
const seekMargin = 1e-9

// A multiplyRun is the argument of multiply.
type multiplyRun struct {
	// pix begins with the pixel of the first place in the first row. There are rows of them, stride
	// bytes apart. Of each, n + 2*pairs bytes are used, and group more can be read, or with bytes 64 more.
	pix          []byte
	stride, rows int
	// values are those of [Template.products] for these rows: 2*blockRows numbers for each of the
	// pairs of columns. Their products with the pixels of a place sum up to less than 1<<31.
	values []int16
	pairs  int
	// bytes are those of [Template.products] for these rows, in place of values: 4*blockRows numbers for each
	// four columns.
	bytes []int8
	quads int
	// products are n for each of blockRows rows of places, apart numbers apart, to which is added.
	// n is a multiple of group.
	products []int64
	apart, n int
	// lows are those of multiplyLow, whose sums have 31 bits, in place of products.
	lows []int32
	// sums is memory for n numbers.
	sums []int32
}

// A foldRun is the argument of fold and of multiplyFolds.
//
// Two neighboring places have products in common, so that three sums of products make both, each of half of
// the template's pixels, in place of four. With the even pixels e and the odd ones o of the window of the first
// place, and the even values v and the odd ones w of the template, the sums of products are
//
//	v*e + w*o  = (v+w)*o + v*(e-o)
//	v*o + w*e' = (v+w)*o + w*(e'-o)
//
// where e' are the even pixels one farther. The same is true of rows. The fold of a pair of rows has nine
// lists, for each of o, e-o and e'-o of the rows those of o, e-o and e'-o of the columns, and the template has
// nine lists of values likewise.
type foldRun struct {
	// pix begins with the pixel of the first place in three rows, stride bytes apart, of 2*length + 2 pixels.
	// fold sets folded to their fold: lists of length numbers, a multiple of 16.
	pix    []byte
	stride int
	folded []int16
	length int
	// folds are those of rows pairs of rows, one after the other. coefficients are the values of the template:
	// for each list, for each row, quads pairs of them. multiplyFolds adds the products to those of n places, a
	// multiple of group, in two rows, apart numbers apart, and to some more: n is rounded up to a multiple of
	// foldGroup. The length of lists is at least half of that, and 2*quads more.
	folds        []int16
	coefficients []int16
	rows, quads  int
	products     []int32
	apart, n     int
}

// foldGroup is what multiplyFolds rounds the number of places in a row up to.
const foldGroup = 32

// A windowRun is the argument of slide and of window.
type windowRun struct {
	channels int
	// entering and leaving are pixels of columns, of each channel. slide adds the entering ones to
	// columns and subtracts the leaving ones, and it adds and subtracts their squares, those of all
	// channels, in squares, unless that is empty. There are count columns, a multiple of group.
	entering, leaving [3][]byte
	columns           [3][]uint32
	squares           []uint32
	count             int
	// If alone is not 0, there are the squares alone, and their sums.
	alone int32
	// window sets sums and sums2 to the sums of width columns and squares, those from i on for each
	// i of n, a multiple of group. There are n + width columns. If low is not empty, it is set to the
	// lower 32 bits of sums2 instead.
	width, n int
	sums     [3][]int32
	sums2    []int64
	low      []uint32
}

// A spanRun is the argument of accumulate and of span.
type spanRun struct {
	channels int
	// accumulate sets element i of until, of each channel, to the sum of the first i of pix, and
	// that of until2 to the sum of the squares, those of all channels, for each i up to count, a
	// multiple of group. Sums have 32 bits, whatever overflows.
	pix    [3][]byte
	until  [3][]uint32
	until2 []uint32
	count  int
	// span adds to element i of sums and of low, which have 32 bits, those of the pixels of spans i columns
	// farther, for each i of n, a multiple of group. There is a span at least.
	spans []interval
	sums  [3][]int32
	low   []uint32
	n     int
}

// An interval is columns of rows whose sums until there have been made: elements of these from begin to end-1.
type interval struct {
	begin, end int
}

// A scoreRun is the argument of normalize and of differ.
type scoreRun struct {
	// products, sums and sums2 are those of n places, a multiple of group.
	products []int64
	channels int
	sums     [3][]int32
	sums2    []int64
	n        int
	// With the products P, the sums S of each channel and the sums of squares S2, the numerator of
	// a score is factor*P plus the offsets times S, and the variation of a window is factor*S2, less
	// the squares of S if centered is 1. The factor and the offsets have 31 bits.
	factor   int64
	offsets  [3]int64
	centered int64
	// variation is that of the template, not 0. normalize divides the numerator by the root of the
	// product of both variations. scores are 0 where that of the window is 0.
	variation float64
	// sum2 is the sum of squares of the template. differ subtracts the share of sum2 + S2 - 2*the
	// numerator in largest from 1.
	sum2    int64
	largest float64
	scores  []float64
	// respond sets responses, likewise n, to the scores as float32.
	responses []float32
	// seek sets place to that of the first score from there on that is at least threshold, more than 0,
	// or up to group places before it, or to n if there is none. Scores that differ from threshold by less
	// than seekMargin may be taken for either. No score is beyond -1 or 1 by more than rounding, and the
	// numerator of a window without variation is 0.
	threshold float64
	place     int
}

// A lowScoreRun is the argument of respondLow and of seekLow: a scoreRun whose numbers have 32 bits, as have its
// numerators and the variations of its windows.
type lowScoreRun struct {
	products  []int32
	channels  int
	sums      [3][]int32
	sums2     []uint32
	n         int
	factor    int32
	offsets   [3]int32
	centered  int32 // 0, or -1
	variation float64
	responses []float32
	// seekLow compares the squares of numerators, if these are more than 0, with threshold2 times the variations
	// of windows, as floats. A place with a larger one is found.
	threshold2 float32
	place      int
}

// A placeRun is the argument of place.
type placeRun struct {
	// pix begins with the first pixel of a place. There are rows of them, stride bytes apart, and
	// columns of them count, a multiple of 16. Their number is at most placePixels.
	pix           []byte
	stride        int
	rows, columns int
	// values and mask are those of a Template, whose rows are columns and maskStride apart.
	values, mask []int16
	maskStride   int
	// To these are added the products of values with pixels, the pixels of the mask, and their
	// squares.
	product, sum, sum2 int64
}

// A blockRun is the argument of blocks.
type blockRun struct {
	side, shift int
	// columns are the sums of side pixels. There are side more than sums, which are set to those of side
	// columns each: n + side numbers, rounded up to a multiple of group.
	columns, sums []uint32
	// The sums of the first n blocks, a multiple of group, are set in pairs, as [blockPlanes] has them.
	n     int
	pairs []uint32
}

// A blockProductRun is the argument of multiplyBlocks.
type blockProductRun struct {
	// coefficients are those of columns pairs of blocks in each of rows rows. Those of pair i of row j
	// are multiplied with the pairs that lie step*i + down*j farther than the place, which begins pairs.
	coefficients  []int16
	columns, rows int
	pairs         []uint32
	step, down    int
	// products of n places, a multiple of group, are set to the sums, plus more, which may be products.
	products, more []int32
	n              int
	// multiplyBands makes those of blockRows rows of places, down apart. Their products are apart numbers
	// apart, and what is added to them moreApart.
	apart, moreApart int
}

// A strideRun is the argument of stride.
type strideRun struct {
	// entering and leaving are pairs of blocks, of each channel. stride adds the squares of the entering
	// ones to columns and subtracts those of the leaving ones, of count numbers, a multiple of group. They
	// are squares of shifted sums times reciprocal, as [square] has them.
	channels          int
	entering, leaving [3][]uint32
	reciprocal        float32
	columns           []uint32
	count             int
	// Then it sets sums to those of blocks numbers of columns, side columns apart, for each of n
	// places, a multiple of group, or 0. Of all sums there are the lower 32 bits.
	side, blocks int
	sums         []uint32
	n            int
}

// A blockSumRun is the argument of sumBlocks.
type blockSumRun struct {
	// entering and leaving are pairs of blocks, of each channel, whose sums have 15 bits, two of them together.
	// sumBlocks takes of a pair the sums that words has all bits of, those of all or of each first one. It adds the
	// entering ones to columns and subtracts the leaving ones, and it adds and subtracts their squares, those of
	// all channels, in squares. There are count columns, a multiple of group.
	channels          int
	entering, leaving [3][]uint32
	words             uint32
	columns           [3][]uint32
	squares           []uint32
	count             int
	// Then it sets sums and sums2 to those of strides numbers of columns and of squares, step columns apart, for
	// each of n places, a multiple of group, or 0. Of all sums there are the lower 32 bits.
	step, strides int
	sums          [3][]int32
	sums2         []uint32
	n             int
}

// measures are what bounds need to know of windows.
type measures struct {
	// means are the means of the pixels of each channel, rounded to integers. There are lacks only where some
	// pixels of a window are in no whole block, the rest: they are what the sums of the rest are more than that
	// of such means.
	means [3][]uint8
	lacks [3][]float32
	// norms are the squared norms of windows, and rests those of what is left of them without the means of their
	// blocks, or more.
	norms, rests []float32
}

// A measureRun is the argument of measure.
type measureRun struct {
	// sums and sums2 are those of n windows, a multiple of group, inner those of the pixels in whole blocks,
	// if rest is not 0, and squares those of blocks times factor over the pixels of a block, or less. Of sums2
	// and squares there are the lower 32 bits. unit is 2 over factor.
	channels int
	sums     [3][]int32
	sums2    []uint32
	inner    [3][]int32
	squares  []uint32
	factor   int32
	unit     float32
	n        int
	// pixels is the number of pixels of a window in a channel, at most [mostBoundValues], and rest that of
	// those in no whole block. Reciprocals are 1 over them. The mean of a channel, or of its rest, is
	// rounded to an integer.
	pixels, rest               int32
	reciprocal, restReciprocal float32
	// The norm of a window is that of its pixels less their mean, and if raw is not 0, that of the
	// pixels.
	raw int32
	// These are set.
	measures
}

// A boundRun is the argument of bound.
type boundRun struct {
	boundTemplate
	boundRow
	boundResult
}

// A boundTemplate is what bound is given of a template and its formula.
type boundTemplate struct {
	channels int
	rest     int32 // as measureRun has it
	// The numerator is at most scale times the sum of the product and of the means times
	// meanProducts, plus margin, the means times meanOffsets, lacks times restMeans, and q times the norm of
	// what is left of the window without the means of its blocks. If offset is 0, all meanOffsets are.
	scale, margin float32
	meanProducts  [3]int32
	meanOffsets   [3]float32
	offset        int32
	restMeans     [3]float32
	q             float32
	p             float32 // the norm of the template's means
	lost          float32 // how much less the sums of squares of blocks may be, for estimates of scores
	// If largest is 0, a score is the numerator over the window's norm. If not, norms are those of the pixels,
	// and it is 1 less the share of sum2 + the squared norm - 2*(numerator + error times the norm) in largest.
	sum2, largest, error float32
	// Bounds are larger than what is computed by slack. Those that are less than cutoff may be -2 in place of
	// what they are. If skipMeans is not 0, they are less where the square of the numerator without what is
	// left, if that is more than 0, is at most skipNumerator times that of the norm, or where, times skipMeans
	// and with that of what is left, it is at most skipAll times that of the norm.
	slack, cutoff                     float32
	skipNumerator, skipMeans, skipAll float32
}

// A boundRow is what bound is given of a row of places.
type boundRow struct {
	// products are those of blocks. There are n places; the lists have a multiple of group.
	products []int32
	measures
	n int
	// Only places whose bound is more than bar may be the one that is likely to score most.
	bar float32
}

// A boundResult is what bound makes of a row of places.
type boundResult struct {
	// bounds are at least the scores of the places, and most is the largest of them.
	bounds []float32
	most   float32
	// at is the first place whose score is likely to be the largest, and estimate that score. If no bound is more
	// than the bar, at is -1.
	estimate float32
	at       int
}
