package fast

import (
	"encoding/binary"
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/cpu"
)

// GrayYUYV returns the luma of packed pixels, the format of most webcams: two bytes for each pixel,
// the first of which is the luma. The format is also called YUY2. A row holds the pixels of bounds
// side by side, and the next row begins stride bytes later in pix. The first pixel is at
// bounds.Min: for a region r of a frame, pass frame[r.Min.Y*stride+2*r.Min.X:] and r.
//
// The luma is copied to dst, which is returned with the given bounds, reusing the memory of dst.Pix
// like [GrayInto]. dst may be the zero image. It must not share memory with pix. The luma of most
// cameras has a limited range, 16 to 235, which [ExpandLuma] expands.
//
// GrayYUYV panics if dst is nil, stride is negative, or pix has fewer bytes than bounds and stride
// require.
func GrayYUYV(dst *image.Gray, pix []byte, stride int, bounds image.Rectangle) *image.Gray {
	return grayPacked(dst, pix, stride, bounds, 0)
}

// GrayUYVY is like [GrayYUYV] for pixels whose second byte is the luma.
func GrayUYVY(dst *image.Gray, pix []byte, stride int, bounds image.Rectangle) *image.Gray {
	return grayPacked(dst, pix, stride, bounds, 8)
}

func grayPacked(dst *image.Gray, pix []byte, stride int, bounds image.Rectangle, shift int) *image.Gray {
	requireDestination(dst)
	k, r := grays.Best(), grayPool.Get().(*grayRun)
	convert(dst, bounds, pix, stride, 2, func(dst, src []byte) {
		r.apply(k.luma, lumaPortable, dst, src, shift)
	})
	grayPool.Put(r)
	return dst
}

// A grayRun is the argument of the kernels that make gray values of pixels of one or two bytes.
type grayRun struct {
	dst, src []byte
	shift    int // that brings luma to the lower byte of a pixel
}

// grayKernels are the functions that an instruction set has for a number of pixels that is a multiple
// of grayPixels. The portable ones define what they do, for any number.
type grayKernels struct {
	luma   func(*grayRun) // of pixels of two bytes
	expand func(*grayRun) // maps luma of a limited range to the full one, also in place
}

const grayPixels = 16

// grays has the kernels for each instruction set.
var grays = cpu.NewTable("fast", grayKernels{luma: lumaPortable, expand: expandPortable}, grayRows...)

var grayPool = sync.Pool{New: func() any { return new(grayRun) }}

// apply makes the gray values of a row by a kernel, and those of the last pixels by portable Go.
func (r *grayRun) apply(kernel, portable func(*grayRun), dst, src []byte, shift int) {
	size := len(src) / max(len(dst), 1) // of a pixel
	// Assembly cannot be preempted, so that a call must not take long.
	for n := 0; len(dst) > 0; dst, src = dst[n:], src[n*size:] {
		do := kernel
		if n = min(len(dst), runPixels) &^ (grayPixels - 1); n == 0 {
			n, do = len(dst), portable
		}
		*r = grayRun{dst[:n], src[:n*size], shift}
		do(r)
	}
	*r = grayRun{}
}

// lumaPortable works on words of four pixels.
func lumaPortable(r *grayRun) {
	dst, src, shift := r.dst, r.src, r.shift&8 // which needs no check
	for ; len(dst) >= 8 && len(src) >= 16; dst, src = dst[8:], src[16:] {
		a, b := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
		binary.LittleEndian.PutUint64(dst, lowBytes(a>>shift)|lowBytes(b>>shift)<<32)
	}
	for x := range dst {
		dst[x] = byte(binary.LittleEndian.Uint16(src[2*x:]) >> shift)
	}
}

// lowBytes returns the lower bytes of the four halves of words in v, side by side.
func lowBytes(v uint64) uint64 {
	v &= 0x00ff_00ff_00ff_00ff
	v = (v | v>>8) & 0x0000_ffff_0000_ffff
	return (v | v>>16) & 0xffff_ffff
}
