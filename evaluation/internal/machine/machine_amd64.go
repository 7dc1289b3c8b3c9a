package machine

import "golang.org/x/sys/cpu"

// The minima functions do 24n minima of vectors of bytes, in groups of 12 that
// do not wait for each other. n is at least 1.

//go:noescape
func minimaSSE2(n int)

//go:noescape
func minimaAVX2(n int)

//go:noescape
func minimaAVX512(n int)

// The read functions load the 256n bytes from p on. n is at least 1.

//go:noescape
func readAVX2(p *byte, n int)

//go:noescape
func readAVX512(p *byte, n int)

var (
	haveAVX2   = cpu.X86.HasAVX && cpu.X86.HasAVX2
	haveAVX512 = haveAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW
)

// minima calls the function for vectors of this size in bytes, if the processor has such
// vectors.
func minima(bytes, n int) bool {
	switch {
	case bytes == 16:
		minimaSSE2(n)
	case bytes == 32 && haveAVX2:
		minimaAVX2(n)
	case bytes == 64 && haveAVX512:
		minimaAVX512(n)
	default:
		return false
	}
	return true
}

// read reads as much of buf as can be read at once, by the widest loads.
func read(buf []byte) int {
	n := len(buf) / 256
	switch {
	case n == 0:
	case haveAVX512:
		readAVX512(&buf[0], n)
	case haveAVX2:
		readAVX2(&buf[0], n)
	default:
		return readWords(buf)
	}
	return 256 * n
}
