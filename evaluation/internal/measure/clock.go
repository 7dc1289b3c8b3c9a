package measure

import "github.com/fastcorners/fast/internal/clock"

// UsualClock returns the median of some estimates by clock.GHz.
func UsualClock() float64 {
	list := make([]float64, 51)
	for i := range list {
		list[i] = clock.GHz()
	}
	return Median(list)
}
