package warp

import "github.com/fastcorners/fast/internal/cpu"

// kernels are the functions of an instruction set. Those of portable Go define what the others
// do. Their arguments are on the heap anyway, because arguments of a call through a function
// value escape.
type kernels struct {
	// linear and nearest make pixels of one byte, of two, and of four. They are called for at
	// least group pixels.
	linear, nearest [3]func(*sampleRun)
	// turned is linear of four channels for rows that cross many rows of the source.
	turned func(*sampleRun)
	// group is the number of pixels that they make at a time.
	group int
	// project makes places of a homography, scale those of a Map, and unpack those of a
	// FixedMap. scale and unpack are called for at least group places.
	project func(*projectRun)
	scale   func(*scaleRun)
	unpack  func(*unpackRun)
	// resize are those for pixels of one byte, of two, and of four.
	resize [3]resizeKernels
}

// table has the kernels for each instruction set.
var table = cpu.NewTable("warp", kernels{
	linear:  [3]func(*sampleRun){linearGray, linearGray16, linearColor},
	nearest: [3]func(*sampleRun){nearestGray, nearestGray16, nearestColor},
	turned:  linearColor,
	group:   1,
	project: project,
	scale:   scale,
	unpack:  unpack,
	resize:  portableResize,
}, assembly...)

// A sampleRun is the argument of the kernels that make a row of pixels.
type sampleRun struct {
	// pix are the source's pixels, from the first one to the last one.
	pix    []byte
	stride int
	// left and top are the source's first column and row, right and bottom its last ones
	// relative to them, w-1 and h-1.
	left, top, right, bottom int32
	// to are n pixels.
	to []byte
	n  int
	// Pixel i comes from (x0 + x[i]) >> shift, (y0 + y[i]) >> shift, in 1/32 pixel or, for
	// nearest, in pixels.
	x, y   []int32
	x0, y0 int32
	shift  int
	// value is what lies outside, if constant is not 0. Then kernels may set pixels to it
	// that use no other.
	value    [4]byte
	constant int
	// outer has room for n numbers and a group. Kernels append the numbers of pixels that they
	// have not set, because they use pixels outside of the source. The last pixels are made
	// twice if they do not fill a group.
	outer  []int32
	outers int
}

// A projectRun is the argument of project.
type projectRun struct {
	// The place of pixel i is x0 + dx*i, y0 + dy*i over w0 + dw*i, times k.
	x0, y0, w0, dx, dy, dw, k float64
	// x and y are the places of n pixels, a multiple of 16.
	x, y []int32
	n    int
}

// A scaleRun is the argument of scale.
type scaleRun struct {
	// to are n numbers of from times k, rounded.
	from []float32
	to   []int32
	n    int
	k    float32
}

// An unpackRun is the argument of unpack.
type unpackRun struct {
	// x and y are n places, in 1/32 pixel: those of a FixedMap with these numbers.
	xy       []int16
	fraction []uint16
	x, y     []int32
	n        int
}
