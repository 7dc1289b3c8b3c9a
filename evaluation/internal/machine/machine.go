// Package machine measures what the processor and the memory can do at most.
package machine

import (
	"encoding/binary"
	"time"

	"github.com/fastcorners/fast/internal/program/clockrate"
)

// VectorsPerCycle returns how many operations on vectors of this size in bytes the
// core does per cycle, measured with minima of unsigned bytes, or 0 if it has no such
// vectors.
func VectorsPerCycle(bytes int) float64 {
	if !minima(bytes, 1) {
		return 0
	}
	const n = 1 << 14
	return perCycle(func() int {
		minima(bytes, n)
		return 24 * n
	})
}

// ReadPerCycle returns how many bytes of a buffer of this size the core reads
// in a cycle, over and over again.
func ReadPerCycle(size int) float64 {
	buf := make([]byte, size)
	for i := range buf {
		buf[i] = 1 // lets the system provide the memory
	}
	times := 1 + 1<<22/size
	return perCycle(func() int {
		bytes := 0
		for range times {
			bytes += read(buf)
		}
		return bytes
	})
}

// perCycle returns how many of the things that f does it does in a cycle of the
// core. Whatever disturbs f or the chain that tells the clock makes it slower, so
// the fastest of many measurements count.
func perCycle(f func() int) float64 {
	fastest, ghz := 0.0, 0.0 // per ns
	for range 100 {
		start := time.Now()
		n := f()
		elapsed := time.Since(start)
		fastest = max(fastest, float64(n)/float64(elapsed.Nanoseconds()))
		ghz = max(ghz, clockrate.GHz())
	}
	return fastest / ghz
}

// readSum keeps the reads of readWords from being dropped.
var readSum uint64

// readWords is read in portable Go.
func readWords(buf []byte) int {
	sum, n := readSum, 0
	for ; n+32 <= len(buf); n += 32 {
		b := buf[n : n+32]
		sum += binary.LittleEndian.Uint64(b)
		sum += binary.LittleEndian.Uint64(b[8:])
		sum += binary.LittleEndian.Uint64(b[16:])
		sum += binary.LittleEndian.Uint64(b[24:])
	}
	readSum = sum
	return n
}
