package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/fastcorners/fast"
)

const helpIntro = `Usage: corners [flags] [FILE...]
       corners bench [flags] [FILE...]

Corners finds FAST corners in images, reports them and draws them. Corners bench
measures how fast it does; corners bench -h tells more.

A FILE is a PNG, JPEG, GIF (its first frame), BMP, TIFF, WebP or binary PGM
image, or a directory: then all images in it and below it are taken, by the
ends of their names, except pictures that corners has drawn. Without FILE,
corners takes a photo of its own.

A pixel is a corner when so many contiguous pixels (-arc) of the ring of 16 at
distance 3 around it are all brighter, or all darker, than it by more than a
threshold (-threshold).

Flags, which go before the files:

`

const helpKernels = `
Kernels that this processor can run (those named after a block of pixels, such
as sse2-16x1, take -arc 10 only):

  %s
`

const helpReport = `
Which corners are left:

  The score of a corner is the largest threshold at which it still is one: the
  higher, the stronger. Of all corners, or those that -nonmax leaves, -mask keeps
  some, of these -strongest, and of these -spread, which takes strong ones, too,
  but from everywhere in the image.

  The mask has the size of the images. Corners stay where it is not black or,
  when some of its pixels are transparent, where it is not wholly transparent.

The report:

  table  a line for each image: its name, its size in pixels, the kernel, the
         threshold, the number of corners and the time in nanoseconds that
         finding them takes per pixel. That is the median of many runs on the
         image in memory. Reading the file does not count, and scores do only
         with -nonmax, which needs them.
  csv    a header and then a line for each corner: image,x,y,score
  json   an array with an object for each image: image, width, height, kernel,
         threshold, arc, nonmax, picture (when one was drawn) and corners, an
         array of objects with x, y and score

Corners come row by row and from left to right; 0,0 is the upper left pixel.

The pictures:

  The corners of photo.jpg are drawn in photo-corners.png, those of the
  program's own photo in corners.png. An older picture is replaced, an image
  that is read never: where a name is taken by one, or by the picture of an
  image earlier on the command line, photo-corners-2.png is next.

  The stronger a corner, the larger is its ring and the warmer its color, from
  blue over green and yellow to red for the strongest of the image.

A file that is no image does not stop the others. The exit status is 1 when
anything failed, and 2 for a command line that makes no sense.

Examples:

  corners
  corners -threshold 40 -nonmax photo.jpg
  corners -o drawn holiday/ more/*.png
  corners -threshold 10 -spread 500 -workers -1 photo.jpg
  corners -format csv -no-picture photo.jpg > corners.csv
`

// printHelp writes what corners -h says.
func printHelp(w io.Writer, flags *flag.FlagSet) {
	fmt.Fprint(w, helpIntro)
	flags.SetOutput(w)
	flags.PrintDefaults()
	fmt.Fprintf(w, helpKernels, kernelNames())
	fmt.Fprint(w, helpReport)
}

const benchIntro = `Usage: corners bench [flags] [FILE...]

Corners bench measures how fast each kernel of this processor finds corners
(-arc 10, no scores, one goroutine). A FILE is what corners takes: an image or a
directory. Each image is taken as it is and, unless there are very many, flipped
in three ways. Without FILE, parts of the program's own photo are taken.

The kernels take turns. Each turn goes through all images, and the median of a
kernel's turns counts. Give it many images, such as the frames of a video: few of
them come back so often that the processor learns their branches, and kernels
with many branches (scalar and those named after a block of pixels) look faster
than they are.

Flags, which go before the files:

`

const benchReport = `
The report:

  table  a line for each kernel: its name, the time per pixel in nanoseconds,
         how many million pixels it does in a second and how many pixels in a
         cycle of the core's clock, how many times as fast as scalar it is, and
         a bar as long as it is fast
  csv    a header and then a line for each kernel: kernel, threshold, frames,
         pixels (of all frames), ns_per_pixel, megapixels_per_second,
         pixels_per_cycle, speedup
  json   an array with an object for each kernel, which has the same

The clock is estimated by a chain of multiplications, for amd64 only: elsewhere
there are no pixels per cycle.

A file named bench is ./bench to corners.
`

// printBenchHelp writes what corners bench -h says.
func printBenchHelp(w io.Writer, flags *flag.FlagSet) {
	fmt.Fprint(w, benchIntro)
	flags.SetOutput(w)
	flags.PrintDefaults()
	fmt.Fprint(w, benchReport)
}

// kernelNames lists the kernels that this processor can run.
func kernelNames() string {
	names := []string{fast.Auto.String()}
	for _, k := range fast.Kernels() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
}
