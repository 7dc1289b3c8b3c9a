package orb

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Their arguments live on the heap, so
// that nothing escapes by a call through a function value.
type kernels struct {
	window  int // pixels of a line that share a window of resize; 0 if it needs none
	strip   int // the width of a strip that smooth smooths
	resize  func(*resizeRun)
	harris  func(*harrisRun)
	moments func(*momentRun)
	smooth  func(*smoothRun)
	sample  func(*sampleRun)
	compare func(*sampleRun)
}

// portable are the kernels in Go. They define what the others do, and serve where the
// requirements of assembly, which the comments of the runs tell, are not met.
var portable = kernels{
	strip:   portableStrip,
	resize:  resizePortable,
	harris:  harrisPortable,
	moments: momentsPortable,
	smooth:  smoothPortable,
	sample:  samplePortable,
	compare: comparePortable,
}

// table holds the kernels of this platform.
var table = cpu.NewTable("orb", portable, assembly...)
