package main

import (
	"io"

	"github.com/fastcorners/fast/internal/cli"
)

const stabilizeIntro = `Usage: corners stabilize [flags] IN OUT

Corners stabilize takes the shaking out of a video. IN and OUT are files in the
format Y4M, or - for standard input and standard output:

  ffmpeg -i in.mp4 -f yuv4mpegpipe - | corners stabilize - - | ffmpeg -i - out.mp4

Samples have 8 to 16 bits; for more than 8, ffmpeg needs -strict -1 before -f. They
are resampled with all bits; corners are followed on the upper 8 bits of luma.

It follows corners from frame to frame and back, finds the motion that most of them
agree with, smooths the path of the camera, and moves each frame to where it would
have been on the smooth path. A frame that shows something else begins a new path.

The motion (-model) is a similarity: rotation, scale and shift. The others are those
of corners match -model: rigid is for cameras that keep their distance, translation
for those that do not turn either; affine and homography need many corners.

Flags, before or after the files:
`

const stabilizeRest = `
OUT has the size, the chroma and all parameters of IN. Interlaced video is refused:
deinterlace it before, for example with ffmpeg -vf yadif. Frames are enlarged
(-zoom), and corrections limited, so that no edges are seen. With -max-zoom the zoom
glides between both, as large as the path needs it. With -borders there is no limit,
and the pixels at the edges are repeated.

Results come -radius frames after their frames, which wait in memory. With -online
they come at once, but shaking is not removed as well.

The report (-report) has a line for each frame, in csv after a header:

  frame     the number, from 0
  status    followed; cut: a path begins; blank: there is too little to follow;
            glitch: the frame does not belong to those around, which agree
  points    how many corners were followed, forward and back
  inliers   how many of them agree with the motion
  dx, dy    how far the middle of the picture moved, in pixels
  rotation  around the middle, in degrees, from the x axis towards the y axis
  scale     of lengths
  limited   whether the zoom left too little room for the whole correction
  departure how far from the smooth path the middle is shown for that, in pixels;
            also in frames before and after

The picture (-path) shows where the middle of the picture is and how far it is
turned, before and after, and the limits: within the bands around what is before,
no edge of the frame comes into sight, if it is turned as it is after. Red marks are
frames that are limited. The shake reported at the end is the mean change of the
motion from frame to frame.

Corners stabilize reads, follows, resamples and writes at the same time. A stream
that breaks off is an error, and so is a signal; all frames that were read by then
are written, and where there is none, no OUT. A second signal ends it at once,
without OUT, unless it comes within a second of the first: timeout, among others,
sends two.

No output may be the file of IN or of another output, by whatever name. Where an
output is a symbolic link, the file that it leads to is replaced.

Examples:

  corners stabilize shaky.y4m smooth.y4m
  corners stabilize -radius 60 -zoom 1.2 -report r.csv -path p.svg a.y4m b.y4m
  corners stabilize -zoom 1 -max-zoom 1.3 shaky.y4m smooth.y4m
  corners stabilize -online -workers 1 - - <a.y4m >b.y4m

To name a file stabilize, write ./stabilize.
`

// printStabilizeHelp writes what corners stabilize -h says.
func printStabilizeHelp(w io.Writer) {
	printAll(w, stabilizeIntro, cli.New(new(stabilizeFlags).define), stabilizeRest)
}
