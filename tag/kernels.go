package tag

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Those of portable Go define what the others do.
// Their arguments are on the heap anyway, because arguments of a call through a function value
// escape.
type kernels struct {
	// extremes computes the extremes of a row of tiles, and bits its bits.
	extremes func(*tilesRun)
	bits     func(*bitsRun)
	// round computes the sums of a round of a fit.
	round func(*fitRun)
	// sample samples an image at places of a quad.
	sample func(*sampleRun)
}

var table = cpu.NewTable("tag", kernels{extremesOfTiles, bitsOfTiles, fitRound, sampleImage}, assembly...)
