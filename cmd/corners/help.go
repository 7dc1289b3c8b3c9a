package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/fastcorners/fast"
)

const helpIntro = `Usage: corners [flags] [FILE...]

Corners finds FAST corners in images, reports them and draws them.

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
The report:

  table  a line for each image: its name, its size in pixels, the kernel, the
         threshold, the number of corners and the time in nanoseconds that
         finding them takes per pixel. That is the median of many runs on the
         image in memory; reading the file does not count.
  csv    a header and then a line for each corner: image,x,y
  json   an array with an object for each image: image, width, height, kernel,
         threshold, arc, nonmax, picture (when one was drawn) and corners, an
         array of objects with x and y

Corners come row by row and from left to right; 0,0 is the upper left pixel.

The pictures:

  The corners of photo.jpg are drawn in photo-corners.png, those of the
  program's own photo in corners.png. An older picture is replaced, an image
  that is read never: where a name is taken by one, or by the picture of an
  image earlier on the command line, photo-corners-2.png is next.

A file that is no image does not stop the others. The exit status is 1 when
anything failed, and 2 for a command line that makes no sense.

Examples:

  corners
  corners -threshold 40 -nonmax photo.jpg
  corners -o drawn holiday/ more/*.png
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

// kernelNames lists the kernels that this processor can run.
func kernelNames() string {
	names := []string{fast.Auto.String()}
	for _, k := range fast.Kernels() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ")
}
