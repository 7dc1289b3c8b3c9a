package flow

import (
	"image"

	"github.com/fastcorners/fast/internal/cpu"
)

// kernels are the functions of an instruction set. Those of portable Go define what the
// others do. Their arguments are on the heap anyway, because arguments of a call through a
// function value escape.
type kernels struct {
	// down makes a level of one of at least wideColumns columns, and narrow of one of fewer, but at
	// least narrowColumns.
	down, narrow func(*downRun)
	// place sets where the windows of a block are, equate makes the equations of their steps, and move
	// makes a step of each that moves and sets where it is then.
	place, equate, move func(*moveRun)
	// windows are the kernels for windows, those for the smallest ones first. What none of
	// them serves is left to portable Go.
	windows []windowKernels
}

// windowKernels are functions that work on windows.
type windowKernels struct {
	// largest is the size of the largest window that the kernels serve. All but those of
	// portable Go, which serve all windows and have none here, have their templates in
	// windowRun.values and do not serve Options.RemoveMean.
	largest image.Point
	// A row of a template has a multiple of align columns. From a window's row, as many
	// bytes more may be read as it has columns more than the window, and over.
	align, over int

	// twoRows is whether the kernels have lateColumns.
	twoRows bool

	// template makes the template. If there is exact, it also sets the tensor, or tells that the sums
	// of tensor might be others, and sets the bounds of the sums of exact.
	template func(*windowRun)

	// tensor adds up the products of the derivatives, and step those of the differences and
	// the derivatives.
	tensor, step func(*windowRun)
	// exact, if there is one, is a faster step, which tells whether the sums are those of
	// step. If they are not, step takes the differences that it has left.
	exact func(*windowRun)
	// stepTwins, if there is one, is step for an argument and its twin. It takes less time
	// than step twice.
	stepTwins func(*windowRun)
	// difference adds up the absolute differences.
	difference func(*windowRun)
}

// serving returns the kernels for what the options ask for.
func (k *kernels) serving(o *Options) *windowKernels {
	for i := range k.windows {
		if w := &k.windows[i]; w.serve(o) {
			return w
		}
	}
	return &portable.windows[0]
}

// serve reports whether the kernels can do what the options ask for.
func (k *windowKernels) serve(o *Options) bool {
	return k.isPortable() || !o.RemoveMean && o.Window.X <= k.largest.X && o.Window.Y <= k.largest.Y
}

// isPortable reports whether the kernels are those of portable Go.
func (k *windowKernels) isPortable() bool {
	return k.largest == image.Point{}
}

var portable = kernels{
	down:   down,
	narrow: down,
	place:  place,
	equate: equate,
	move:   move,
	windows: []windowKernels{{
		align:      8,
		template:   template,
		tensor:     tensor,
		step:       step,
		difference: difference,
	}},
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("flow", portable, assembly...)
