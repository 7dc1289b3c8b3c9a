//go:build !purego

package sift

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		double:       doubleNEON,
		halve:        halveNEON,
		rows:         rowsNEON,
		columns:      columnsNEON,
		extrema:      extremaNEON,
		fit:          fitNEON,
		surroundings: surroundingsNEON,
		directions:   directionsNEON,
		patch:        patchNEON,
		cells:        cellsNEON,
		pairs:        addInTurn(cellsNEON),
		cut:          cutNEON,
		normalize:    normalizeNEON,
	}},
}

// doubleNEON replaces the loop of [double].
//
//go:noescape
func doubleNEON(r *doubleRun)

// halveNEON replaces the loop of [halve].
//
//go:noescape
func halveNEON(r *halveRun)

// rowsNEON replaces the loops of [filterRow].
//
//go:noescape
func rowsNEON(r *rowRun)

// columnsNEON replaces the loops of [filterColumns].
//
//go:noescape
func columnsNEON(r *columnRun)

// extremaNEON replaces the loops of [markExtrema].
//
//go:noescape
func extremaNEON(r *extremaRun)

// fitNEON replaces [fitPeak].
//
//go:noescape
func fitNEON(r *fitRun)

// surroundingsNEON replaces the loops of [surroundings].
//
//go:noescape
func surroundingsNEON(r *samplesRun)

// directionsNEON replaces the loop of [addDirections].
//
//go:noescape
func directionsNEON(r *samplesRun)

// patchNEON replaces the loops of [patch].
//
//go:noescape
func patchNEON(r *samplesRun)

// cellsNEON replaces the loop of [addCells].
//
//go:noescape
func cellsNEON(r *samplesRun)

// cutNEON replaces the loops of [cut].
//
//go:noescape
func cutNEON(r *samplesRun)

// normalizeNEON replaces the loops of [normalize].
//
//go:noescape
func normalizeNEON(r *normalizeRun)
