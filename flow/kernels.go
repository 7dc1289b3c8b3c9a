package flow

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Those of portable Go define what the
// others do. Their arguments are on the heap anyway, because arguments of a call through a
// function value escape.
type kernels struct {
	// down makes a level of the one before it.
	down func(*downRun)
	// template makes the template of a search.
	template func(*search)
	// tensor adds up the products of the derivatives, and step those of the differences and
	// the derivatives.
	tensor, step func(*search)
	// exact is a faster step, which tells whether the sums are those of step. If there is one,
	// step takes the differences that it has left.
	exact func(*search)
	// difference adds up the absolute differences.
	difference func(*search)
	// stepTwins is step for a search and its twin, if there is one. It takes less time than step
	// twice.
	stepTwins func(*search)
	// narrow are those for windows of up to 15 columns, if they are others.
	narrow narrow
	// integers tells that there is exact, and that template sets the sums of the products of
	// the derivatives in integers, too.
	integers bool
	// A row of a template has a multiple of align columns. From a window's row, as many
	// bytes more may be read as it has columns more than the window.
	align int
	// small tells that the kernels are for windows of up to 31 columns and 32 rows, do not
	// serve Options.RemoveMean, and have their templates in search.values.
	small bool
}

// narrow are kernels in place of those of the same names.
type narrow struct{ template, exact, difference func(*search) }

// of returns the kernels for what the options ask for.
func (k kernels) of(o *Options) kernels {
	if k.small && (o.RemoveMean || o.Window.X > 31 || o.Window.Y > 32) {
		return portable
	}
	if n := k.narrow; n.template != nil && o.Window.X <= 15 {
		k.template, k.exact, k.difference = n.template, n.exact, n.difference
	}
	return k
}

// columns returns the number of columns of a template for a window of w columns.
func (k *kernels) columns(w int) int {
	return (w + k.align - 1) / k.align * k.align
}

var portable = kernels{
	down:       down,
	template:   template,
	tensor:     tensor,
	step:       step,
	difference: difference,
	align:      8,
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("flow", portable, assembly...)
