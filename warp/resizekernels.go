package warp

// resizeKernels are the functions of an instruction set that make rows of resized images whose pixels
// have the same size. A row has values: its bytes, or its numbers of 16 bits.
type resizeKernels struct {
	half    halfKernel
	boxes   areaKernel // averages boxes of whole pixels
	areas   areaKernel // averages rectangles whose edges count in part
	farther areaKernel // the same of more pixels, and boxes of any size
	linear  []linearKernel
	nearest []nearestKernel
}

// A halfKernel averages 2 by 2 pixels, for rows of at least a block of values.
type halfKernel struct {
	make  func(*halfRun)
	block int
}

// An areaKernel makes what its layout serves.
type areaKernel struct {
	layout
	make func(*areaRun)
}

// A linearKernel makes what its layout serves: across a line of a row, down a row of the destination
// of two lines, and both a row of the destination of two rows of the source.
type linearKernel struct {
	layout
	across, down, both func(*linearRun)
}

// A nearestKernel makes what its layout serves, whose values have size bytes.
type nearestKernel struct {
	layout
	size int
	make func(*nearestRun)
}

// A layout is how a kernel goes through the values of a row: block of them at a time, in vectors that
// have one section or several. The last block ends with the row, and may overlap the one before. The
// values of a section are made of windows of the source, each of which serves the same number of them.
// Without sections there are no windows, and every row of at least a block is served.
type layout struct {
	block    int   // the number of values
	begins   []int // where in a block the values of each section of each vector begin
	sections int   // of a vector
	window   int   // the number of values of the source in a window
	values   int   // that are made of a window
}

// each returns the number of values of a section.
func (l *layout) each() int { return l.block / len(l.begins) }

// total returns the number of values of a row of n, with those that blocks overlap.
func (l *layout) total(n int) int { return (n + l.block - 1) / l.block * l.block }

// serves reports whether l serves a row of n values. The zero layout serves none.
func (l *layout) serves(n int) bool { return l.block > 0 && n >= l.block }

// vectors calls f with the values that the sections of each vector begin with, in a row of n, until f
// reports false. It reports false then, and for a row that l does not serve.
func (l *layout) vectors(n int, f func(begins []int) bool) bool {
	if !l.serves(n) {
		return false
	}
	begins := make([]int, l.sections)
	for block := 0; block < n; block += l.block {
		first := min(block, n-l.block)
		for v := 0; v < len(l.begins); v += l.sections {
			for i := range begins {
				begins[i] = first + l.begins[v+i]
			}
			if !f(begins) {
				return false
			}
		}
	}
	return true
}

// all serves every row.
var all = layout{block: 1}

// portableResize are the functions of portable Go, which define what the others do.
var portableResize = [3]resizeKernels{
	{
		half:    halfKernel{half, 1},
		boxes:   areaKernel{all, boxes},
		areas:   areaKernel{all, area},
		linear:  []linearKernel{{all, across, down, both}},
		nearest: []nearestKernel{{all, 1, nearest}},
	},
	{
		half:    halfKernel{half16, 1},
		boxes:   areaKernel{all, boxes16},
		areas:   areaKernel{all, area16},
		nearest: []nearestKernel{{all, 2, nearest}},
	},
	{
		half:    halfKernel{half, 1},
		boxes:   areaKernel{all, boxes},
		areas:   areaKernel{all, area},
		linear:  []linearKernel{{all, across, down, both}},
		nearest: []nearestKernel{{all, 4, nearest}},
	},
}

// A halfRun is the argument of the kernels that average 2 by 2 pixels.
type halfRun struct {
	// dst are rows of n bytes, and src twice as many rows of twice as many bytes.
	dst, src             []byte
	dstStride, srcStride int
	rows, n              int
	size                 int // the bytes of a pixel
}

// An areaRun is the argument of the kernels that average areas.
type areaRun struct {
	// from is a row of the source, or of the first row of boxes all that follows. size is the bytes of a
	// pixel.
	from []byte
	size int
	// sums are those of the rows before, in the order of the layout. To them is added the sum along the
	// row, times weight. Unless to is empty, that was the last row: to becomes the sums times scale,
	// rounded, and sums the sum along the row times next.
	sums                []float32
	weight, next, scale float32
	to                  []byte

	// The size of boxes, which have only scale and to of the above.
	stride, rows, columns int

	// For portable Go: the part of the source of each pixel, and the weights.
	shares  []share
	weights []float32

	// For the others, in the order of the layout: the first bytes of windows; which bytes of them make
	// the numbers of 32 bits of a vector, each of which has up to four pixels of a value, where 0x80
	// makes 0; and the vectors of the weights of these pixels.
	bases   []int32
	shuffle []uint8
	spread  []float32
	// taps is how many pixels have weights. For farther, rounds tells for each vector how many times four
	// pixels follow one another, and along is memory for the sums along the row.
	taps   int
	rounds []int32
	along  []float32
}

// A linearRun is the argument of the kernels that interpolate.
type linearRun struct {
	// Two rows of the source, of which across takes the upper one, and the row that is made.
	upper, lower, to []byte
	// Lines made of them, in the order of the layout. across makes the upper one.
	upperLine, lowerLine []int16
	// The weights of the rows, in 1/2048.
	above, below int32

	// For portable Go: the bytes that each value is made of.
	columns []blend[int32]

	// For the others, in the order of the layout: the first bytes of windows; which two bytes of them
	// make a value, where 0x80 makes 0; and their weights, over 16 and what is left.
	bases              []int32
	shuffle, high, low []uint8
}

// A nearestRun is the argument of the kernels that take nearest pixels.
type nearestRun struct {
	from, to []byte
	// For portable Go: where in from each pixel, of size bytes, begins.
	columns []int32
	size    int
	// For the others, in the order of the layout: the first bytes of windows, and the number of each
	// value there.
	bases   []int32
	shuffle []uint8
}
