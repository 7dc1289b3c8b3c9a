package measure

import "time"

// multiplyCycles is the latency of a multiplication of 64-bit integers, in
// cycles of the core, on all amd64 processors with AVX2 and many older ones.
const multiplyCycles = 3

// chainEnd keeps the chain of Clock from being dropped.
var chainEnd uint64

// UsualClock returns the median of some estimates by Clock.
func UsualClock() float64 {
	list := make([]float64, 51)
	for i := range list {
		list[i] = Clock()
	}
	return Median(list)
}

// Clock estimates the clock of the core in GHz, by a chain of multiplications
// each of which needs the result of the one before. It takes about 0.1 ms.
func Clock() float64 {
	const steps = 1 << 13
	x, m := chainEnd|1, uint64(time.Now().UnixNano())|1
	start := time.Now()
	for range steps {
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
		x *= m
	}
	elapsed := time.Since(start)
	chainEnd = x
	return multiplyCycles * 16 * steps / float64(elapsed.Nanoseconds())
}
