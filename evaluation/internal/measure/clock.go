package measure

import "github.com/fastcorners/fast/internal/program/clockrate"

// UsualClock returns the median of some estimates by clockrate.GHz.
func UsualClock() float64 {
	list := make([]float64, 51)
	for i := range list {
		list[i] = clockrate.GHz()
	}
	return Median(list)
}
