package warp

import (
	"fmt"
	"image"
	"unsafe"

	"github.com/fastcorners/fast/internal/raster"
)

// A plane is the pixels of an image, of one, two or four bytes each.
type plane struct {
	pix    []byte
	stride int
	rect   image.Rectangle
}

// maxCoordinate is the largest coordinate of a source, so that differences of places and
// coordinates are told apart from small ones even where 32 bits overflow.
const maxCoordinate = 1 << 30

// checkPlanes panics unless the pixels of dst can be made of those of src.
func checkPlanes(dst, src plane, size int) {
	dst.check("destination", size)
	src.check("source", size)
	if !dst.rect.Empty() && dst.rect.Dy() > 1 && dst.stride < dst.rect.Dx()*size {
		panic(fmt.Sprintf("warp: destination stride %d for rows of %d bytes", dst.stride, dst.rect.Dx()*size))
	}
	if dst.overlaps(src, size) {
		panic("warp: source and destination share pixels")
	}
}

// checkSource panics unless r are bounds that the source of a warp may have.
func checkSource(r image.Rectangle) {
	switch {
	case r.Empty():
		panic("warp: empty source")
	case r.Dx() > maxSide || r.Dy() > maxSide:
		panic(fmt.Sprintf("warp: source of %d by %d pixels, sides are at most %d", r.Dx(), r.Dy(), maxSide))
	case min(r.Min.X, r.Min.Y) < -maxCoordinate || max(r.Max.X, r.Max.Y) > maxCoordinate:
		panic(fmt.Sprintf("warp: source bounds %v exceed 1<<30", r))
	}
}

// check panics unless p has its pixels.
func (p *plane) check(name string, size int) {
	raster.CheckBounds("warp", name, p.rect)
	raster.Check("warp", name, p.rect, p.pix, p.stride, size)
}

// row returns the pixels of row y, of that number of bytes each, counted from the first one.
func (p *plane) row(y, size int) []byte {
	return p.pix[y*p.stride:][:p.rect.Dx()*size]
}

// used returns the bytes from the first pixel of p to the last one.
func (p *plane) used(size int) []byte {
	if p.rect.Empty() {
		return nil
	}
	return p.pix[:(p.rect.Dy()-1)*p.stride+p.rect.Dx()*size]
}

// overlaps reports whether p and q share pixels. Where their strides differ they are said to if
// one begins before the other one ends.
func (p *plane) overlaps(q plane, size int) bool {
	a, b := p.used(size), q.used(size)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	begin, other := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	if begin >= other+uintptr(len(b)) || other >= begin+uintptr(len(a)) {
		return false
	}
	if p.stride != q.stride || p.stride == 0 {
		return true
	}
	// Both are parts of one image. The first pixel of q is a number of rows below the first
	// one of p and a number of columns right of it, or one row more and columns left of it.
	first, second := *p, q
	if other < begin {
		first, second = q, *p
		begin, other = other, begin
	}
	rows, columns := int(other-begin)/first.stride, int(other-begin)%first.stride
	w, h := first.rect.Dx()*size, first.rect.Dy()
	return rows < h && columns < w || rows+1 < h && columns+second.rect.Dx()*size > first.stride
}
