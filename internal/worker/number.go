package worker

import "runtime"

// Number returns the number of goroutines that an option Workers stands for.
func Number(workers int) int {
	if workers < 0 {
		return runtime.GOMAXPROCS(0)
	}
	return max(workers, 1)
}
