// Package integral makes integral images, or summed-area tables, of gray images. For each pixel,
// they hold the sum of the pixels above and to the left of it, or of their squares. The sum over a
// rectangle of any size therefore takes four table lookups (F. Crow, "Summed-area tables for
// texture mapping", SIGGRAPH 1984), and the mean and the variance of its pixels a few more
// operations. This program prints which square of 64 by 64 pixels of a photo has the most contrast:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//		_ "image/jpeg"
//		_ "image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/integral"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		gray := fast.Gray(img)
//		sums, squares := integral.New(gray), integral.NewSquares(gray)
//		var best image.Rectangle
//		most := -1.0
//		r := gray.Rect
//		w, h := min(64, r.Dx()), min(64, r.Dy())
//		for y := r.Min.Y; y+h <= r.Max.Y; y++ {
//			for x := r.Min.X; x+w <= r.Max.X; x++ {
//				square := image.Rect(x, y, x+w, y+h)
//				mean := float64(sums.Sum(square)) / float64(w*h)
//				variance := float64(squares.Sum(square))/float64(w*h) - mean*mean
//				if variance > most {
//					best, most = square, variance
//				}
//			}
//		}
//		fmt.Println(best, most)
//	}
//
// A [Sums] is exact for rectangles of up to 16 million pixels, as its Sum documents.
//
// [Into] and [SquaresInto] reuse memory, for the frames of a video. The sums are the same as
// OpenCV's, on every platform. There are SSE2, AVX2 and AVX-512 kernels for sums of pixels; sums of
// squares are computed in Go.
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/peers.md
package integral

import (
	"image"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/raster"
)

// Sums holds the sums of the pixels of an image. The zero Sums is that of an empty image. Its
// methods are safe for concurrent use, except with Into.
type Sums struct {
	bounds image.Rectangle
	stride int      // of the sums
	sums   []uint32 // modulo 2^32, with a row and a column of 0 before those of the image
	run    *sumRun
}

// maxPixels is the maximum number of pixels of a sumRun, since assembly cannot be preempted.
const maxPixels = 1 << 14

// New returns the sums of img. It panics if img is nil or malformed, or has more than
// math.MaxInt32 pixels.
func New(img *image.Gray) *Sums {
	return Into(new(Sums), img)
}

// Into is [New], but stores the sums in dst and returns it. It reuses the memory of dst if that is
// large enough, and panics if dst is nil.
func Into(dst *Sums, img *image.Gray) *Sums {
	p := newPlane(img, dst != nil)
	dst.bounds = img.Rect
	if img.Rect.Empty() {
		return dst
	}
	dst.resize(p.W, p.H)
	clear(dst.sums[:1+p.W])
	if dst.run == nil {
		dst.run = new(sumRun)
	}
	k := table.Best()
	if p.W < minColumns {
		k = &portable
	}
	rows := max(maxPixels/p.W, 1)
	for y := 0; y < p.H; y += rows {
		for x := 0; x < p.W; x += maxPixels {
			begin := min(x, max(p.W-minColumns, 0))
			sums := dst.sums[y*dst.stride+begin:]
			*dst.run = sumRun{
				pixels:      p.Pix[y*p.Stride+begin:],
				pixelStride: p.Stride,
				sums:        sums,
				stride:      dst.stride,
				columns:     min(maxPixels, p.W-begin),
				rows:        min(rows, p.H-y),
				ahead:       cpu.Intel() && cpu.PrefetchW(),
			}
			if begin > 0 {
				dst.run.before = sums[dst.stride] - sums[0]
			}
			k.sumRows(dst.run)
		}
	}
	*dst.run = sumRun{} // keep nothing that belongs to the caller
	return dst
}

// newPlane returns the pixels of img. It panics if there is no destination for their sums, or if img
// is nil, malformed or too large.
func newPlane(img *image.Gray, destination bool) raster.Plane {
	if !destination {
		panic("integral: nil destination")
	}
	p := raster.NewPlane("integral", img)
	p.RequireSize("integral")
	return p
}

// resize makes room for the sums of w by h pixels. Assembly stores whole vectors, which is
// faster if none straddles cache lines. So the sum of the first pixel of a row begins a cache
// line if the memory does, as it does for large images.
func (s *Sums) resize(w, h int) {
	const line = 16 // numbers of 32 bits
	s.stride = 1 + w
	if w >= minColumns {
		s.stride = (s.stride + line - 1) / line * line
	}
	n := h*s.stride + 1 + w
	if cap(s.sums) < n {
		s.sums = make([]uint32, line-1+n)[line-1:]
	}
	s.sums = s.sums[:n]
}

// Bounds returns the bounds of the image.
func (s *Sums) Bounds() image.Rectangle {
	return s.bounds
}

// Sum returns the sum of the pixels of the image that are in r, modulo 2^32. It is exact for up
// to 16,843,009 such pixels, 4,104 by 4,104, whatever the size of the image.
func (s *Sums) Sum(r image.Rectangle) uint32 {
	return sum(s.sums, s.stride, s.bounds, r)
}

// sum returns the sum over a rectangle in the bounds of an image.
func sum[T uint32 | uint64](sums []T, stride int, bounds, r image.Rectangle) T {
	r = r.Intersect(bounds)
	if r.Empty() {
		return 0
	}
	r = r.Sub(bounds.Min)
	above, below := sums[r.Min.Y*stride:], sums[r.Max.Y*stride:]
	return (below[r.Max.X] - below[r.Min.X]) - (above[r.Max.X] - above[r.Min.X])
}
