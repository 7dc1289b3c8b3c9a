package flow

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Those of portable Go define what the
// others do. Their arguments are on the heap anyway, because arguments of a call through a
// function value escape.
type kernels struct {
	// down makes a level of the one before it.
	down func(*downRun)
	// template makes the template of a search and sets its tensor and the totals of the
	// derivatives.
	template func(*search)
	// step sets the products of the searches of a round, and sum their totals of the
	// differences.
	step, sum func(*round)
	// difference returns the sum of the absolute differences of a search.
	difference func(*search) float32
	// A row of a template has a multiple of align columns. From a window's row, as many
	// bytes more may be read as it has columns more than the window.
	align int
}

// columns returns the number of columns of a template for a window of w columns.
func (k *kernels) columns(w int) int {
	return (w + k.align - 1) / k.align * k.align
}

var portable = kernels{
	down:       down,
	template:   template,
	step:       step,
	sum:        sum,
	difference: difference,
	align:      1,
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("flow", portable, assembly...)

// A round is searches that make a step.
type round struct {
	searches [block]*search
	n        int
}

func (r *round) add(s *search) {
	r.searches[r.n] = s
	r.n++
}
