package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

const helpIntro = `Usage: corners [-method NAME] [flags] [FILE...]
       corners find [flags] PICTURE SCENE...
       corners match [-method NAME] [flags] A B
       corners register [-method NAME] [flags] A B
       corners track [flags] A B...
       corners stabilize [flags] IN OUT
       corners bench [-method NAME] [flags] [FILE...]

Corners finds corners or keypoints in images and draws them. Find finds pictures in
large ones, match finds the same keypoints in two images, register aligns images,
track follows corners, stabilize steadies a video, and bench measures speeds.

A FILE is a PNG, JPEG, GIF, BMP, TIFF, WebP, PBM, PGM or PPM image, - for standard
input, or a directory: all images in it and below it, except pictures that corners
has drawn. Without a FILE, corners uses a photo of its own.

Methods:
`

const helpEnd = `
corners -method NAME -h describes a method and its flags; corners match -h, or
corners help match, and so on describe the commands.
`

// printHelp writes what corners -h says.
func printHelp(w io.Writer) {
	fmt.Fprint(w, helpIntro)
	for _, m := range methods {
		fmt.Fprintf(w, "  %-12s%s\n", m.name, m.summary)
	}
	printAll(w, "\nFlags of all methods, before or after the files:\n", cli.New(new(config).define), helpEnd)
}

const fileNotes = `
In a directory, corners recognizes images by the extensions of their names. Of a GIF
it reads the first frame, in its place in the picture; the rest is black. JPEG
images are turned according to their Exif orientation. Images of other formats are
used as they are stored. BMP images with run-length encoding (RLE) are not
supported.

Before it decodes an image, corners computes from its size and colors how much
memory decoding, searching and drawing may take, and before it searches, how much
the lists of results may take. More than -memory is an error. When several images
are processed at once, some wait until there is enough memory, and an image may be
searched twice so that its list need not wait for those before it. A file that fails
does not stop the others.

The picture of photo.jpg is photo-corners.png. For standard input it is
stdin-corners.png, and for the program's own photo corners.png. Corners marks the
pictures that it draws, and replaces only these, or any file with -f, but never an
image that it reads or the file of standard output. If the picture is a symbolic
link, the file that it leads to is replaced. If an image that is read or an earlier
picture has the name already, the picture is photo-corners-2.png, and so on.

All arguments after -- are files. The exit status is 1 if anything failed, 2 if the
command line is wrong, and 130 after an interruption, which ends with a report of
what has been done.
`

const methodNotes = `
A mask has the size of the images. It keeps corners where it is not black or, if
some of its pixels are transparent, where it is not fully transparent. A region
(-roi) is searched as if it were the whole image. The upper left pixel of the image
has the coordinates 0,0.

The times in the report are measured while other images are decoded. With -jobs 1
nothing disturbs them.
`

// reportNotes describes the report of a method, by its columns in a table, what it finds,
// the columns in csv, and the flags in JSON.
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

// rings describes how corners are drawn.
const rings = `
The stronger a corner, the larger its ring in the picture and the warmer its color,
from blue through green and yellow to red for the strongest one of the image.
`

// printMethodHelp writes what corners -method NAME -h says.
func printMethodHelp(w io.Writer, m methodInfo) {
	fmt.Fprintf(w, "Usage: corners -method %s [flags] [FILE...]\n\n%s", m.name, m.intro)
	fmt.Fprintf(w, "\nFlags of method %s:\n", m.name)
	printAll(w, cli.New(m.new().define), "\nFlags of all methods:\n", cli.New(new(config).define), methodNotes, fileNotes)
	fmt.Fprintf(w, reportNotes, strings.Join(m.titles, ", "), m.things, strings.Join(m.columns, ","), strings.Join(m.members, ","))
	fmt.Fprint(w, m.rest)
}

const benchIntro = `Usage: corners bench [-method NAME] [flags] [FILE...]

Corners bench measures how fast a method is with each kernel that this processor can
run: the kernels of method fast, or the instruction sets that the other methods use.
One goroutine does the work, with the flags of the method and without a mask. A FILE
is an image or a directory, as for corners. Each image is used as it is and, unless
there are very many, flipped in three ways. Without a FILE, corners bench uses parts
of the program's own photo.

The kernels take turns. Each turn goes through all images, and the median of a
kernel's turns counts. Many images are best, such as the frames of a video: a few
images are repeated so often that the processor learns their branches, and kernels
with many branches (scalar and those named after a block of pixels) look faster than
they are.

Flags, before or after the files:
`

const benchReport = `
The report:

  table  a line for each kernel: its name, the time per pixel in nanoseconds,
         the millions of pixels per second, the pixels per cycle of the core, the
         speed relative to the first kernel, and a bar for the speed
  csv    a header and then a line for each kernel: method, kernel, frames, pixels
         (of all frames), rounds, ns_per_pixel, megapixels_per_second,
         pixels_per_cycle, speedup
  json   an array with an object for each kernel, which has the same members

With -share it is a block of Markdown to paste into an issue: the processor, the
versions, and all methods with their defaults, which takes a few minutes, or the one
that -method names.

The clock rate of the core is estimated by a chain of multiplications, on amd64
only. On other processors there are no pixels per cycle.

Examples:

  corners bench
  corners bench -method orb -features 1000 frames/
  corners bench -share

To name a file bench, write ./bench.
`

// printBenchHelp writes what corners bench -h says.
func printBenchHelp(w io.Writer, m methodInfo) {
	of := fmt.Sprintf("\nFlags of method %s:\n", m.name)
	printAll(w, benchIntro, cli.New(new(benchConfig).define), of, cli.New(m.new().define), benchReport)
}

const matchIntro = `Usage: corners match [-method NAME] [flags] A B

Corners match finds keypoints in the images A and B, and for each keypoint of A the
one of B with the nearest descriptor. With -model it finds, by RANSAC, the transform
from A to B, or the motion of the camera, that most matches agree with.

  orb   the default: binary descriptors, compared by the number of bits that differ
  sift  for views that are far apart, or of different sizes; takes about 20 times as
        long: vectors as descriptors, compared by their Euclidean distance

  homography   any projective map: for images of a plane, and for images from one
               place
  affine       rotation, scale, shear, mirror and shift
  similarity   rotation, scale and shift
  rigid        rotation and shift
  translation  shift
  essential    rotation and translation of a calibrated camera (-camera)
  fundamental  the line of B that each point of A is on, for any two cameras

The inliers of a transform are the matches that it maps to within a distance
(-inlier), in both directions. There must be at least 8, 7, 6, 6 or 5 of them plus
2% of the matches, in as many places, and they must not be on one line.

The inliers of the last two kinds are within the distance of points that agree
exactly, and there must be more of them than among random points. For fundamental,
they must not be on one plane, which a homography explains. For essential, -camera
has the focal lengths and the principal point in pixels, and up to five of OpenCV's
coefficients of distortion: fx,fy,cx,cy,k1,k2,p1,p2,k3, the same for both images. Or
it is the name of a file of OpenCV, ROS or Kalibr for images of their size.

Flags, before or after the images:
`

const matchRest = `
The report:

  table  a line for each image: its name, its size and the number of keypoints;
         then the numbers of matches and inliers, and the matrix, which maps
         columns x, y, 1 of A to multiples of columns of B, or is fundamental, or
         has in four columns the rotation and the translation from the frame of
         the camera of A to that of B: x to the right, y down and z forward
  csv    a header and then a line for each match: query_x,query_y (in A),
         train_x,train_y (in B),distance,inlier
  json   an object with query and train (A and B: image, width, height, keypoints),
         method, the flags (cross-check as cross_check), picture (if one was drawn),
         model (kind, threshold, inliers, matrix, reason if there is none) and
         matches, an array of objects with query and train (index, x, y), distance
         and inlier. An index is the position of the keypoint in the list that
         corners -method NAME prints. A fundamental model also has planar, and
         off_plane, the number of inliers that no homography explains; an essential
         one has pose and other (rotation, quaternion w, x, y, z, and translation,
         of length 1 or 0), turn, planar, ambiguous, and parallax, the number of
         inliers that no rotation explains.

Both are planar if nine tenths of the inliers are on one plane, so that little
determines a fundamental matrix. An essential one may be a turn: a rotation explains
the matches, and there is no translation. It is ambiguous if a second motion, other,
explains nearly as much, which is common if all points are on a plane.

Without -model there are no inliers and no model, and the column inlier is empty.
The distance is the number of bits that differ, or of pairs of bits if
-points-per-bit is not 2. For SIFT, it and -max-distance are squared: the sum of the
squared differences of 128 numbers from 0 to 255. -ratio applies to distances
that are not squared.

The picture A-B-matches.png has both images side by side, with lines between the
keypoints of inliers or, if there is no model, of all matches. With an essential or
a fundamental matrix, it shows up to 8 of the inliers as dots and, in the same color
in the other image, the line on which the matrix puts each of them. What corners
-method orb -h says about images, memory and pictures applies here, too.

Examples:

  corners match left.jpg right.jpg
  corners match left.jpg right.jpg -cross-check=false -ratio 0.8 -o matches.png
  corners match -features 2000 -model homography -format json a.png b.png
  corners match -features 2000 -model essential -camera 600,600,320,240 a.png b.png
  corners match -method sift -features 8000 -contrast 0.01 -root near.jpg far.jpg

To name a file match, write ./match.
`

// printMatchHelp writes what corners match -h says.
func printMatchHelp(w io.Writer, m methodInfo) {
	cfg := matchConfig{methodInfo: m}
	printPairHelp(w, m, matchIntro, cli.New(cfg.define, cfg.defineEpipolar), matchRest)
}

// printPairHelp writes the help of a command that matches two images, with its flags and those of a
// method.
func printPairHelp(w io.Writer, m methodInfo, intro string, flags *cli.Set, rest string) {
	of := fmt.Sprintf("\nFlags of method %s, for keypoints, as for corners -method %s:\n", m.name, m.name)
	printAll(w, intro, flags, of, cli.New(m.new().define), rest)
}

// printAll writes texts and, where one of the parts is a set of flags, a line for each of them.
func printAll(w io.Writer, parts ...any) {
	for _, part := range parts {
		flags, ok := part.(*cli.Set)
		if !ok {
			io.WriteString(w, part.(string))
			continue
		}
		lines := report.NewTable(w)
		flags.Print(lines)
		lines.Flush()
	}
}

const trackIntro = `Usage: corners track [flags] A B...
       corners track [flags] VIDEO

Corners track finds corners in the first image, as corners -method shi-tomasi does,
and follows them from image to image by Lucas-Kanade optical flow. When too few are
left (-refill), it finds new ones away from them. A directory stands for all images
in it, in the order of their names; all must have the same size.

A VIDEO is a file in the format Y4M, of which the upper 8 bits are used, or - for
standard input:

  ffmpeg -i clip.mp4 -f yuv4mpegpipe - | corners track -

A corner is lost when it leaves the image, when there is nothing to follow or, with
-confirm, when following it back does not end where it began.

Flags, before or after the files:
`

const trackRest = `
The report is written while frames are read:

  table  a line for each frame: its number, how many corners were found and lost
         and are new, the median of the distances that they moved, in pixels, the
         time in milliseconds without reading, and the name of the image
  csv    a header and then a line for each corner of each frame:
         frame,track,x,y,error,status
  json   a line for each frame, an object: frame, image (unless it is a video),
         motion and points, an array of objects with the other columns of csv

A track has the same number in all frames. The error is the mean difference of gray
values. The status is new, found, or why a corner was lost, with the x and y at
which the search ended: outside (of the image), flat (too little structure), lost or
unconfirmed.

The responses of new corners (-quality) are compared with the largest one in the
parts of the image where no corner is followed. The luma of a video is not stretched
from its usual range, 16 to 235, so errors are smaller in proportion.

The picture B-tracks.png, or stdin-tracks.png for standard input, shows the last
image with the corners and their paths (-trail). With -every there is one for every
Nth frame, such as stdin-tracks-000120.png. What corners -method
shi-tomasi -h says about images, memory and pictures applies here, too. A stream
that ends early is an error; complete frames have been reported.

Examples:

  corners track a.png b.png c.png
  corners track frames/ -format csv >tracks.csv
  ffmpeg -i a.mp4 -f yuv4mpegpipe - | corners track -corners 200 -every 30 -o out -

To name a file track, write ./track.
`

// printTrackHelp writes what corners track -h says.
func printTrackHelp(w io.Writer) {
	var cfg trackConfig
	printAll(w, trackIntro, cli.New(cfg.trackFlags.define, cfg.output.define), trackRest)
}
