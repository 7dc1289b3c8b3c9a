package main

import (
	"fmt"
	"io"
	"strings"
)

const helpIntro = `Usage: corners [-method NAME] [flags] [FILE...]
       corners match [flags] A B
       corners bench [-method NAME] [flags] [FILE...]

Corners finds corners or keypoints in images, reports them and draws them.
Corners match finds the same keypoints in two images, and corners bench measures
how fast the methods are.

A FILE is a PNG, JPEG, GIF, BMP, TIFF, WebP, PBM, PGM or PPM image, - for standard
input, or a directory: all images in it and below it, except pictures that corners
has drawn. Without FILE, corners takes a photo of its own.

Methods:
`

const helpEnd = `
corners -method NAME -h tells all of a method, and its flags; corners match -h and
corners bench -h tell more, too.
`

// printHelp writes what corners -h says.
func printHelp(w io.Writer) {
	fmt.Fprint(w, helpIntro)
	for _, m := range methods {
		fmt.Fprintf(w, "  %-12s%s\n", m.name, m.summary)
	}
	fmt.Fprint(w, "\nFlags of all methods, before or after the files:\n")
	newFlagSet(new(config).define).print(w)
	fmt.Fprint(w, helpEnd)
}

const fileNotes = `
In directories, images are found by the ends of their names. Of a GIF the first
frame is taken, where it lies in the picture; the rest is black. JPEG images are
turned as their Exif orientation says, as other programs show them; those of other
formats are taken as they are stored.

Before an image is decoded, its size and colors tell how much memory that, the
search and the picture may take. To need more than -memory is an error, and of
several images at once some wait for others. A file that fails does not stop the
others.

The picture of photo.jpg is photo-corners.png, that of standard input
stdin-corners.png, and that of the program's own photo corners.png. A picture that
corners has drawn, which it knows by a note inside, is replaced, another file with
-f only, and an image that is read never: where a name is taken by one, or by the
picture of an image earlier on the command line, photo-corners-2.png is next.

All that comes after -- is a file. The exit status is 1 when anything failed, 2 for
a command line that makes no sense and 130 after an interruption, which ends with
the report of what is done by then.
`

const methodNotes = `
A mask has the size of the images. It keeps what is where it is not black or, when
some of its pixels are transparent, where it is not wholly transparent. A region
(-roi) is searched as if it were the whole image. Of coordinates, 0,0 is the upper
left pixel of the image.

Times of the report are measured while other images are decoded. With -jobs 1
nothing disturbs them.
`

// reportNotes say what the report of a method is: its columns in a table, what it finds, its
// columns in csv, and its members in JSON.
const reportNotes = `
The report:

  table  a line for each image: its name, its size in pixels,
         %[1]s and the time per pixel in nanoseconds
  csv    a header and then a line for each of the %[2]s:
         image,%[3]s
  json   an array with an object for each image: image, width, height, roi and
         picture (when there is one), method, %[2]s (an array of objects with
         the other columns of csv), and these flags:
         %[4]s

The time is the median of many runs on the image in memory, without a mask. Reading
the file does not count.
`

// rings say how corners are drawn.
const rings = `
The stronger a corner, the larger is its ring in the picture and the warmer its
color, from blue over green and yellow to red for the strongest of the image.
`

// printMethodHelp writes what corners -method NAME -h says.
func printMethodHelp(w io.Writer, m methodInfo) {
	fmt.Fprintf(w, "Usage: corners -method %s [flags] [FILE...]\n\n%s", m.name, m.intro)
	fmt.Fprintf(w, "\nFlags of method %s:\n", m.name)
	newFlagSet(m.new().define).print(w)
	fmt.Fprint(w, "\nFlags of all methods:\n")
	newFlagSet(new(config).define).print(w)
	fmt.Fprint(w, methodNotes, fileNotes)
	fmt.Fprintf(w, reportNotes, strings.Join(m.titles, ", "), m.things, strings.Join(m.columns, ","), strings.Join(m.members, ","))
	fmt.Fprint(w, m.rest)
}

const benchIntro = `Usage: corners bench [-method NAME] [flags] [FILE...]

Corners bench measures how fast a method is: each kernel of method fast that this
processor has, or each of the instruction sets that the others use. One goroutine
does the work, as the flags of the method ask for, and without a mask. A FILE is
what corners takes: an image or a directory. Each image is taken as it is and,
unless there are very many, flipped in three ways. Without FILE, parts of the
program's own photo are taken.

The kernels take turns. Each turn goes through all images, and the median of a
kernel's turns counts. Give it many images, such as the frames of a video: few of
them come back so often that the processor learns their branches, and kernels
with many branches (scalar and those named after a block of pixels) look faster
than they are.

Flags, before or after the files:
`

const benchReport = `
The report:

  table  a line for each kernel: its name, the time per pixel in nanoseconds,
         how many million pixels it does in a second and how many pixels in a
         cycle of the core's clock, how many times as fast as the first one it
         is, and a bar as long as it is fast
  csv    a header and then a line for each kernel: method, kernel, frames, pixels
         (of all frames), rounds, ns_per_pixel, megapixels_per_second,
         pixels_per_cycle, speedup
  json   an array with an object for each kernel, which has the same

The clock is estimated by a chain of multiplications, for amd64 only: elsewhere
there are no pixels per cycle.

Examples:

  corners bench
  corners bench -method orb -features 1000 frames/

A file named bench is ./bench to corners.
`

// printBenchHelp writes what corners bench -h says.
func printBenchHelp(w io.Writer, m methodInfo) {
	fmt.Fprint(w, benchIntro)
	newFlagSet(new(benchConfig).define).print(w)
	fmt.Fprintf(w, "\nFlags of method %s:\n", m.name)
	newFlagSet(m.new().define).print(w)
	fmt.Fprint(w, benchReport)
}

const matchIntro = `Usage: corners match [flags] A B

Corners match finds ORB keypoints in the images A and B, and for each of A the one
of B whose descriptor differs in the fewest bits. With -homography it finds the
projective map from A to B that most matches agree with, by RANSAC: there is one for
images of a plane, or from one place. Its inliers are the matches that it maps to
within a distance (-inlier), in both directions. Maps that have fewer of these than
8 and 2 % of the matches do not count, nor those whose inliers are on a line.

Flags, before or after the images:
`

const matchMiddle = `
Flags for keypoints, which are those of corners -method orb:
`

const matchRest = `
The report:

  table  a line for each image: its name, its size and the number of keypoints;
         then the numbers of matches and inliers and the matrix, which maps columns
         x, y, 1 of A to multiples of those of B
  csv    a header and then a line for each match: query_x,query_y (in A),
         train_x,train_y (in B),distance,inlier
  json   an object with query and train (A and B: image, width, height, keypoints),
         the flags (cross-check as cross_check), picture (when one was drawn),
         homography (threshold, inliers, matrix) and matches, an array of objects
         with query and train (index, x, y), distance and inlier. An index is that
         of the keypoints which corners -method orb lists.

Inliers and homography need -homography; without it the column inlier is empty. The
distance is the number of bits that differ, or of pairs of bits if -points-per-bit
is not 2.

The picture A-B-matches.png has both images side by side, with lines between the
keypoints of inliers or, where there is no homography, of all matches. What corners
-method orb -h says about images, memory and pictures is so here, too.

Examples:

  corners match left.jpg right.jpg
  corners match left.jpg right.jpg -cross-check=false -ratio 0.8 -o matches.png
  corners match -features 2000 -homography -format json a.png b.png

A file named match is ./match to corners.
`

// printMatchHelp writes what corners match -h says.
func printMatchHelp(w io.Writer) {
	var cfg matchConfig
	fmt.Fprint(w, matchIntro)
	newFlagSet(cfg.matchFlags.define, cfg.output.define).print(w)
	fmt.Fprint(w, matchMiddle)
	newFlagSet(cfg.orbFlags.define).print(w)
	fmt.Fprint(w, matchRest)
}
