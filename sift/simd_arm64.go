//go:build !purego

package sift

import "github.com/fastcorners/fast/internal/cpu"

// The kernels for NEON that sum up gradients replace those of portable Go, in which they take most of
// the time.
var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		double:       double,
		halve:        halve,
		rows:         filterRow,
		columns:      filterColumns,
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

// directionsNEON replaces the loop of [addDirections].
//
//go:noescape
func directionsNEON(r *samples)

// cellsNEON replaces the loop of [addCells].
//
//go:noescape
func cellsNEON(r *samples)
