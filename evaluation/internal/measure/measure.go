// Package measure times ways to do the same work against each other.
package measure

import (
	"image"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/program/clockrate"
)

// Detector returns a function that detects with these options, into the same memory each
// time.
func Detector(opts fast.Options) (func(img *image.Gray), error) {
	d, err := fast.New(opts)
	if err != nil {
		return nil, err
	}
	var corners []fast.Corner
	return func(img *image.Gray) { corners = d.Append(corners[:0], img) }, nil
}

// A Result is what a race measured.
type Result struct {
	Rounds      [][]float64 // nanoseconds for a unit of work, by contender, in each round
	Nanoseconds []float64   // their medians
	// Spread tells, by contender, how much the rounds differ: half of them differ from
	// Nanoseconds by at most this share of it.
	Spread []float64
	GHz    float64 // the clock of the core meanwhile
}

// Ratio returns how many times as long contender i takes as contender j: the median of the ratios
// of a round. Both meet the same in a round, while their medians may be from different ones, of
// which something else slowed some.
func (r Result) Ratio(i, j int) float64 {
	return Median(Ratios(r.Rounds[i], r.Rounds[j]))
}

// Ratios returns the ratios of the elements of two lists.
func Ratios(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i, v := range a {
		list[i] = v / b[i]
	}
	return list
}

// PerCycle returns how many units contender i does in a cycle of the core.
func (r Result) PerCycle(i int) float64 {
	return 1 / (r.Nanoseconds[i] * r.GHz)
}

// Race measures the contenders over the inputs, which together make the given number of
// units of work, such as pixels. In each round every contender does all inputs once, so
// that all meet the same conditions; the result is the median over the rounds. A first
// round, which makes room for what the contenders find, does not count. After each round,
// including the first, it calls done.
func Race[T any](contenders []func(T), inputs []T, units, rounds int, done func()) Result {
	runtime.GC()
	times := make([][]float64, len(contenders))
	var clocks []float64
	for round := range rounds + 1 {
		for i := range contenders {
			// Another one is first each time, and every second time they go backward, since it
			// matters what the one before leaves in the caches.
			if round%2 == 1 {
				i = len(contenders) - i
			}
			i = (i + round) % len(contenders)
			start := time.Now()
			for _, input := range inputs {
				contenders[i](input)
			}
			elapsed := time.Since(start)
			ghz := clockrate.GHz()
			if round > 0 {
				times[i] = append(times[i], float64(elapsed.Nanoseconds())/float64(units))
				clocks = append(clocks, ghz)
			}
		}
		done()
	}
	return newResult(times, clocks)
}

// newResult returns the Result of rounds: what each took, by contender, and the clocks of the core.
func newResult(times [][]float64, clocks []float64) Result {
	r := Result{Rounds: times, GHz: Median(clocks)}
	for _, list := range times {
		median, spread := MedianSpread(list)
		r.Nanoseconds, r.Spread = append(r.Nanoseconds, median), append(r.Spread, spread)
	}
	return r
}

// MedianSpread returns the median of a list, and up to which share of it half of the list differs
// from it.
func MedianSpread(list []float64) (median, spread float64) {
	median = Median(slices.Clone(list))
	var differences []float64
	for _, v := range list {
		differences = append(differences, math.Abs(v-median)/median)
	}
	return median, Median(differences)
}

// Median returns the median of a list, which it sorts: the lower one of two.
func Median(list []float64) float64 {
	slices.Sort(list)
	return list[(len(list)-1)/2]
}
