// Package measure times detectors against each other.
package measure

import (
	"image"
	"runtime"
	"slices"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/clock"
)

// A Contender is a detector that takes part in a race.
type Contender struct {
	Name   string
	Detect func(img *image.Gray)
}

// Detector returns a contender that detects with these options, into memory
// that is there.
func Detector(name string, opts fast.Options) (Contender, error) {
	d, err := fast.New(opts)
	if err != nil {
		return Contender{}, err
	}
	var corners []fast.Corner
	return Contender{name, func(img *image.Gray) { corners = d.Append(corners[:0], img) }}, nil
}

// A Result is what a race measured.
type Result struct {
	Nanoseconds []float64 // for a pixel, by contender
	GHz         float64   // the clock of the core meanwhile
}

// PerCycle returns how many pixels contender i does in a cycle of the core.
func (r Result) PerCycle(i int) float64 {
	return 1 / (r.Nanoseconds[i] * r.GHz)
}

// Race measures the contenders over the frames, which are all of one size. In
// each round every contender goes over all frames once, so that all meet the
// same conditions; it takes the medians over the rounds. A round before them,
// which makes room for the corners, does not count. After each round, that one
// too, it calls done.
func Race(contenders []Contender, frames []*image.Gray, rounds int, done func()) Result {
	pixels := 0
	for _, img := range frames {
		pixels += img.Rect.Dx() * img.Rect.Dy()
	}
	runtime.GC()
	times := make([][]float64, len(contenders))
	var clocks []float64
	for round := range rounds + 1 {
		for i := range contenders {
			// Another one is first each time.
			i := (i + round) % len(contenders)
			start := time.Now()
			for _, img := range frames {
				contenders[i].Detect(img)
			}
			elapsed := time.Since(start)
			ghz := clock.GHz()
			if round > 0 {
				times[i] = append(times[i], float64(elapsed.Nanoseconds())/float64(pixels))
				clocks = append(clocks, ghz)
			}
		}
		done()
	}
	r := Result{GHz: Median(clocks)}
	for _, list := range times {
		r.Nanoseconds = append(r.Nanoseconds, Median(list))
	}
	return r
}

// Median returns the median of a list, which it sorts: the lower one of two.
func Median(list []float64) float64 {
	slices.Sort(list)
	return list[(len(list)-1)/2]
}
