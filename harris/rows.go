package harris

// A widenRun is a row of n bytes, 16 at least, to be converted to floats.
type widenRun struct {
	src *byte
	dst *float32
	n   int
}

// A weighRun is a weighted sum of rows: of one, and of the sums, or differences second
// less first, of pairs of others. Rows have room for whole vectors of 16 floats.
type weighRun struct {
	middle, out *float32
	weight      float32
	taps        []weighTap // one at least
	n           int
}

// A weighTap is a pair of rows with its weight.
type weighTap struct {
	first, second *float32
	weight        float32
}

// A rowRun is a row to be made of others, of n floats with room for whole vectors.
type rowRun struct {
	in, out [3]*float32
	n       int
}

// A measureRun is a row of responses to be made of the elements of structure tensors.
type measureRun struct {
	in        [3]*float32
	out       *float32
	n         int
	measure   int
	constants [2][16]float32
}

// A slideDoublesRun is two rows of gradients along x and y, whose products are to be
// added to sums of columns, and subtracted from them.
type slideDoublesRun struct {
	enter, leave [2]*float32
	sums         [3]*float64
	n            int // with room for whole vectors
}

// A boxRun is a row of sums to be made of so many neighbours each.
type boxRun struct {
	in   *float64
	out  *float32
	side int
	n    int // with room for 32
}
