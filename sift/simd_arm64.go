//go:build !purego

package sift

import "github.com/fastcorners/fast/internal/cpu"

// The kernels for NEON replace those of portable Go that take most of the time.
var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		double:       double,
		halve:        halve,
		rows:         rowsNEON,
		columns:      columnsNEON,
		extremes:     extremes,
		candidates:   findCandidates,
		fit:          fitPeak,
		surroundings: surroundings,
		directions:   directionsNEON,
		patch:        patch,
		cells:        cellsNEON,
		normalize:    normalize,
	}},
}

// rowsNEON replaces the loops of [filterRow].
//
//go:noescape
func rowsNEON(r *rowRun)

// columnsNEON replaces the loops of [filterColumns].
//
//go:noescape
func columnsNEON(r *columnRun)

// directionsNEON replaces the loop of [addDirections].
//
//go:noescape
func directionsNEON(r *samples)

// cellsNEON replaces the loop of [addCells].
//
//go:noescape
func cellsNEON(r *samples)
