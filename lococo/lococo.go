// Package lococo finds corners with the low complexity corner detector, LoCoCo: those of
// Harris and Stephens, or of Shi and Tomasi, whose gradients are differences of boxes.
//
//	detector, err := lococo.New(lococo.Options{MaxCorners: 500})
//	corners := detector.Detect(img, nil)
//
// Boxes stand in for the smoothing of a Gaussian. The sum over a box costs the same
// whatever its size is, so that large kernels, which see past noise and texture, take as
// long as small ones. Where gradients of 3 by 3 pixels will do, package harris is faster.
//
// # What is done
//
// A [Options.Kernel] of 2r+1 pixels makes a gradient of two boxes, r wide and 2r-1 high,
// to the left and to the right of the pixel, whose column they leave out. With h = r-1 and
// p the gray values, 0 to 255,
//
//	gx = sum of p(x+1..x+r, y-h..y+h) - sum of p(x-r..x-1, y-h..y+h)
//	gy = sum of p(x-h..x+h, y+1..y+r) - sum of p(x-h..x+h, y-r..y-1)
//
// The structure tensor of a pixel is the sum of their products over a square window of
// 2q+1 pixels around it:
//
//	A = sum of gx*gx    B = sum of gy*gy    C = sum of gx*gy
//
// A [Measure] makes one number of it, the response, which is large where both of its
// eigenvalues are. It is defined for pixels that are at least r+q away from the edges of
// the image. Corners are the pixels whose response exceeds a threshold and is the largest
// one within a [Options.Radius] in both directions; of equal ones, the first in raster
// order. They are found block by block: only the largest response of a block is compared
// with those around it.
//
// Several [Options.Kernels] are as many searches, each with its own threshold. Responses
// are normalised, so that those of different kernels and windows compare.
//
// [Integral] holds the sums that the papers make boxes of, for other uses. The detector has
// no need of them: its sums slide over the image, which gives the same integers in less
// memory.
//
// # Numbers
//
// All sums are exact integers. Each of A, B and C is rounded to float32 once, and every
// operation from there on is one of float32 whose result is rounded. With T = A+B, f32
// what rounds to float32, and the float64 s = 1/(n*n), where n = (2q+1)*r*(2r-1)*255:
//
//	Harris          ((A*B - C*C) - f32(K)*(T*T)) * f32(s*s)
//	MinEigenvalue   (T - sqrt((A-B)*(A-B) + (C+C)*(C+C))) * f32(s/2)
//	DetOverTrace    ((A*B - C*C) * f32(s)) / (T + f32(1/s))
//
// So results are the same on every platform and for any number of workers.
//
// # Sources
//
//   - P. Mainali, Q. Yang, G. Lafruit, R. Lauwereins and L. Van Gool, "LOCOCO: low
//     complexity corner detector", ICASSP 2010, and P. Mainali, Q. Yang, G. Lafruit, L.
//     Van Gool and R. Lauwereins, "Robust low complexity corner detector", IEEE
//     Transactions on Circuits and Systems for Video Technology 21(4), 2011.
//   - A. Neubeck and L. Van Gool, "Efficient non-maximum suppression", ICPR 2006.
//   - Phull et al., who run it on a GPU: [Phull].
package lococo

import (
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
)

// A Corner is a pixel whose response is the largest around it.
type Corner struct {
	// X and Y are the pixel's coordinates in the image, in pixels.
	X, Y int32
	// Response is how strong the corner is, by the Measure of the Options.
	Response float32
	// DX and DY, from -0.5 to 0.5, are what to add to X and Y for the place of the
	// corner in fractions of pixels. They are 0 unless Options ask for Subpixel.
	DX, DY float32
	// Kernel is the side of the kernel that found the corner, in pixels.
	Kernel int32
}

// Pt returns the coordinates of c's pixel as a point.
func (c Corner) Pt() image.Point {
	return image.Pt(int(c.X), int(c.Y))
}

// A Measure makes a response of a structure tensor. With the larger and the smaller of
// its eigenvalues l and m, det is l*m and tr is l+m.
type Measure uint8

const (
	Harris        Measure = iota // det - K*tr*tr: Harris and Stephens
	MinEigenvalue                // m: Shi and Tomasi, and the KLT tracker
	DetOverTrace                 // det/(tr + 1)
)

// Options say what a Detector finds. Zero stands for the default of each of them.
type Options struct {
	// Kernel is the side of the square that a gradient is made of, in pixels: an odd
	// number from 3 to 63. 0 means 9.
	Kernel int
	// Kernels, if there are any, are several sides in place of Kernel, each with
	// corners of its own.
	Kernels []int
	// Window is the side of the square that the products of gradients are summed over,
	// in pixels: an odd number from 3 to 63. 0 means that of the kernel.
	Window int

	// Measure is what makes responses.
	Measure Measure
	// K is the weight of the squared trace, above 0 and at most 1, for the Measure
	// Harris. 0 means 0.04.
	K float64

	// Quality, from 0 to 1, is the share of the kernel's largest response that the
	// response of a corner exceeds. 0 means 0.01.
	Quality float64
	// MinResponse, if it is not 0, is what the response of a corner exceeds, in place
	// of a share of the largest one. There is no Quality then.
	MinResponse float64
	// Radius is the distance in x and in y, in pixels, up to which a corner has the
	// largest response: 1 to 32. 0 means 4, a square of 9 by 9 pixels.
	Radius int
	// MaxCorners is how many corners are wanted, the strongest ones, of all kernels
	// together. 0 means all.
	MaxCorners int
	// Subpixel asks for the place of the largest response in fractions of pixels: the
	// top of the parabola through the response of the corner and those beside it, in x
	// and in y. Where one of these is not defined the fraction is 0.
	Subpixel bool

	// Workers is the number of goroutines that share an image, the caller's among
	// them. 0 means 1, and a negative number means runtime.GOMAXPROCS(0). Small images
	// get fewer. Images, if there are several, are the better unit.
	Workers int
}

// Phull returns the Options that Phull et al. use on a GPU: a kernel and a window of 9 by 9
// pixels, and suppression in blocks of 9 by 9 pixels, hence a Radius of 8.
func Phull() Options {
	return Options{Kernel: 9, Radius: 8}
}

// Limits of the options.
const (
	maxSide   = 63
	maxRadius = 32
)

// A Detector finds corners as its Options say. It is made by New and safe for
// concurrent use.
type Detector struct {
	opts  Options   // with the defaults
	sizes []size    // of its kernels, ascending
	pool  sync.Pool // of *scratch
}

// New returns a Detector. It fails when an option is out of range.
func New(opts Options) (*Detector, error) {
	if len(opts.Kernels) == 0 {
		setDefault(&opts.Kernel, 9)
	}
	setDefault(&opts.K, 0.04)
	setDefault(&opts.Radius, 4)
	if opts.MinResponse == 0 {
		setDefault(&opts.Quality, 0.01)
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	if opts.Workers < 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	d := &Detector{opts: opts}
	for _, kernel := range opts.kernels() {
		d.sizes = append(d.sizes, newSize(&opts, kernel))
	}
	d.pool.New = func() any { return newScratch(d) }
	return d, nil
}

// setDefault replaces 0 by what it stands for.
func setDefault[T int | float64](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// kernels returns the sides of all kernels, ascending.
func (o *Options) kernels() []int {
	if len(o.Kernels) == 0 {
		return []int{o.Kernel}
	}
	return slices.Sorted(slices.Values(o.Kernels))
}

// check returns an error that names the first option that is out of range.
func (o *Options) check() error {
	switch {
	case len(o.Kernels) > 0 && o.Kernel != 0:
		return fmt.Errorf("lococo: Kernel %d excludes Kernels", o.Kernel)
	case len(o.Kernels) == 0 && !isSide(o.Kernel):
		return fmt.Errorf("lococo: Kernel %d is not an odd number from 3 to %d", o.Kernel, maxSide)
	case o.Window != 0 && !isSide(o.Window):
		return fmt.Errorf("lococo: Window %d is not an odd number from 3 to %d", o.Window, maxSide)
	case o.Measure > DetOverTrace:
		return fmt.Errorf("lococo: unknown Measure %d", o.Measure)
	case !(o.K > 0 && o.K <= 1): // NaN is neither
		return fmt.Errorf("lococo: K %v is not above 0 and at most 1", o.K)
	case !(o.Quality >= 0 && o.Quality <= 1):
		return fmt.Errorf("lococo: Quality %v is not in the range 0 to 1", o.Quality)
	case !(o.MinResponse >= 0 && o.MinResponse <= math.MaxFloat32):
		return fmt.Errorf("lococo: MinResponse %v is not a positive number of 32 bits", o.MinResponse)
	case o.MinResponse > 0 && o.Quality > 0:
		return fmt.Errorf("lococo: MinResponse %v excludes Quality", o.MinResponse)
	case o.Radius < 1 || o.Radius > maxRadius:
		return fmt.Errorf("lococo: Radius %d is not in the range 1 to %d", o.Radius, maxRadius)
	case o.MaxCorners < 0:
		return fmt.Errorf("lococo: MaxCorners %d is negative", o.MaxCorners)
	}
	previous := 0
	for _, kernel := range o.kernels() {
		if !isSide(kernel) {
			return fmt.Errorf("lococo: %d in Kernels is not an odd number from 3 to %d", kernel, maxSide)
		}
		if kernel == previous {
			return fmt.Errorf("lococo: %d is twice in Kernels", kernel)
		}
		previous = kernel
	}
	return nil
}

// isSide reports whether kernels and windows may have this side.
func isSide(n int) bool {
	return n >= 3 && n <= maxSide && n%2 == 1
}

// Detect returns the corners of img, the strongest first; of equal responses, the one of
// the smallest kernel, and then the first in raster order. Where the mask is 0 there are
// none, and responses there do not count for Quality, but those of corners are still the
// largest ones around; mask may be nil. It panics if img or mask is malformed, or if they
// have different bounds. An image without room for a kernel and its window has no corners
// by them.
func (d *Detector) Detect(img, mask *image.Gray) []Corner {
	return d.Append(nil, img, mask)
}

// Append is Detect, appending the corners to dst. With one worker it does not allocate
// in the steady state when dst has room.
func (d *Detector) Append(dst []Corner, img, mask *image.Gray) []Corner {
	check("image", img)
	if mask != nil {
		if mask.Rect != img.Rect {
			panic(fmt.Sprintf("lococo: mask bounds %v are not those of the image, %v", mask.Rect, img.Rect))
		}
		check("mask", mask)
	}
	s := d.pool.Get().(*scratch)
	dst = s.appendCorners(dst, img, mask)
	s.release()
	return dst
}

// Response returns the responses of all pixels of img, row by row. Where they are not
// defined they are 0. With several kernels, those of the smallest kernel come first, then
// those of the next one, and so on. It panics if img is malformed.
func (d *Detector) Response(img *image.Gray) []float32 {
	return d.AppendResponse(nil, img)
}

// AppendResponse is like Response, but appends the responses to dst. With one worker it
// does not allocate in the steady state if dst has room.
func (d *Detector) AppendResponse(dst []float32, img *image.Gray) []float32 {
	check("image", img)
	s := d.pool.Get().(*scratch)
	dst = s.appendResponses(dst, img)
	s.release()
	return dst
}

// maxPixels is how many pixels an image has at most: 32 bits count them.
const maxPixels = math.MaxInt32

// check panics unless img has the pixels that its bounds and stride ask for, and no
// more of them than maxPixels.
func check(name string, img *image.Gray) {
	if img.Rect.Empty() {
		return
	}
	if w, h := raster.Size(img.Rect); w > maxPixels/h {
		panic(fmt.Sprintf("lococo: %s bounds %v have more than %d pixels", name, img.Rect, maxPixels))
	}
	raster.Check("lococo", name, img.Rect, img.Pix, img.Stride, 1)
}
