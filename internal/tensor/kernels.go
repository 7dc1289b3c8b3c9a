package tensor

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap, so
// that nothing escapes by a call through a function value.
type kernels struct {
	columns int // of a block of windows, twice as many as respond needs
	slide   [maxWindow + 1]func(*slideRun)
	halves  [maxWindow + 1]func(*slideRun)
	respond func(*respondRun)
}

// Portable Go has no kernels for windows: packages sum over windows in other ways there,
// which are faster.
var table = cpu.NewTable("tensor", kernels{respond: respond}, assembly...)
