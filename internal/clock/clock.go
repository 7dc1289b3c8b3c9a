// Package clock estimates the frequency at which a processor core runs, which
// may be far from the nominal one.
package clock

import (
	"runtime"
	"time"
)

// Known tells whether GHz measures anything on this architecture: whether it is
// known how many cycles a multiplication takes.
const Known = runtime.GOARCH == "amd64"

// multiplyCycles is the latency of a multiplication of 64-bit integers, in
// cycles of the core, on all amd64 processors with AVX2 and many older ones.
const multiplyCycles = 3

// factor is a variable, and holds the result in the end, so that the compiler
// neither merges nor drops the multiplications.
var factor uint64 = 0x9e3779b97f4a7c15

// GHz estimates the clock of the core in GHz, by a chain of multiplications each
// of which needs the result of the one before. It takes about 0.1 ms, and must
// not be called by two goroutines at once.
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
