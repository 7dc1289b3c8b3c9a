package locate

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Those of portable Go define what the others
// do. Their arguments are on the heap anyway, because arguments of a call through a function
// value escape.
type kernels struct {
	// multiply adds the products of a template with the windows of places. It takes the template as bytes
	// if that is set.
	multiply func(*multiplyRun)
	bytes    bool
	// transformed is the number of products that multiply makes in the time of transforms that
	// package fft estimates as a nanosecond: what says which of them makes all products.
	transformed float64
	// multiplyLow is multiply for products of 32 bits. In its place, fold folds a pair of rows, and
	// multiplyFolds multiplies folded rows. They are nil where multiply is used for all products.
	multiplyLow         func(*multiplyRun)
	fold, multiplyFolds func(*foldRun)
	// slide moves the sums of columns to another row of places. window makes the sums of windows of
	// them.
	slide, window func(*windowRun)
	// accumulate makes the sums of pixels from the beginning of a row, and span adds sums of spans
	// to those of windows.
	accumulate, span func(*spanRun)
	// normalize and differ make the scores of places.
	normalize, differ func(*scoreRun)
	// respond makes the scores of normalize as responses. seek looks for a large one. They are nil
	// where that takes as long as normalize does.
	respond, seek func(*scoreRun)
	// respondLow and seekLow are respond and seek for numbers of 32 bits. They are nil without products of
	// 32 bits.
	respondLow, seekLow func(*lowScoreRun)
	// place makes the sums of one place.
	place func(*placeRun)
	// blocks makes a row of the planes of blocks, and multiplyBlocks their products with the
	// coefficients of a template. multiplyBands does that for blockRows rows of places, if the template has
	// as many rows of blocks; it is nil where that takes as long. stride makes the sums of the squares of a
	// template's blocks, and sumBlocks those of small blocks and of their squares, exactly.
	blocks                        func(*blockRun)
	multiplyBlocks, multiplyBands func(*blockProductRun)
	stride                        func(*strideRun)
	sumBlocks                     func(*blockSumRun)
	// measure makes what bounds need to know of windows.
	measure func(*measureRun)
	// bound makes upper bounds of scores, leastBounds at least. That takes less time than to make all
	// scores for templates whose sides have boundSide pixels at least.
	bound     func(*boundRun)
	boundSide int
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("locate", kernels{
	multiply:    multiply,
	transformed: 65,
	slide:       slide,
	window:      window,
	accumulate:  accumulate,
	span:        addSpans,
	normalize:   normalize,
	differ:      differ,
	place:       place,

	blocks:         blocks,
	multiplyBlocks: multiplyBlocks,
	stride:         stride,
	sumBlocks:      sumBlocks,
	measure:        measure,
	bound:          bound, boundSide: 16,
}, assembly...)
