// Package clockrate measures the clock rate of a processor core, which may be far
// from the nominal one.
package clockrate

import (
	"runtime"
	"time"
)

// Known reports whether GHz measures anything on this architecture, which it does
// where the number of cycles of a multiplication is known.
const Known = runtime.GOARCH == "amd64"

// multiplyCycles is the latency of a multiplication of 64-bit integers, in
// cycles of the core, on all amd64 processors with AVX2 and many older ones.
const multiplyCycles = 3

// factor is a variable, and in the end holds the result, so that the compiler
// neither merges nor removes the multiplications.
var factor uint64 = 0x9e3779b97f4a7c15

// GHz returns an estimate of the clock rate of the core in GHz, from the time of a
// chain of multiplications, each of which needs the result of the one before. It
// takes about 0.1 ms, and must not be called by two goroutines at once.
func GHz() float64 {
	const steps = 1 << 13
	x, f := factor, factor
	start := time.Now()
	for range steps {
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
		x *= f
	}
	elapsed := time.Since(start)
	factor = x
	return multiplyCycles * 16 * steps / float64(max(1, elapsed.Nanoseconds()))
}
