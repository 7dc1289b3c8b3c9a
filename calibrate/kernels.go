package calibrate

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Those of portable Go define what the others do.
// Their arguments are on the heap anyway, because arguments of a call through a function value
// escape.
type kernels struct {
	// responses computes the responses of a row of pixels.
	responses func(*responseRun)
	// fit computes the sums of a round of a fit.
	fit func(*fitRun)
}

var table = cpu.NewTable("calibrate", kernels{responsesOfRow, fitRound}, assembly...)
