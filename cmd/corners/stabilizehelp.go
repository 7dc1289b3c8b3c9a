package main

import (
	"io"

	"github.com/fastcorners/fast/internal/program/cli"
)

const stabilizeIntro = `Usage: corners stabilize [flags] IN OUT

Corners stabilize removes the shaking from a video:

  corners stabilize in.mp4 out.mp4

It reads and writes Y4M with samples of 8 to 16 bits; - means standard input or
standard output. Samples are resampled with all bits; corners are followed on the
upper 8 bits of luma. Everything else needs ffmpeg and ffprobe in PATH: a file that
does not begin as Y4M is decoded, and OUT is encoded according to its extension, if
it has one other than .y4m.

It follows corners from frame to frame and back, finds the motion that most of them
agree with, smooths the path of the camera, and moves each frame to where it would
have been on the smooth path. A frame that shows something else begins a new path.

The motion (-model) is affine where that fits clearly better than a similarity, as
with rolling shutters, and otherwise a similarity: rotation, scale and shift. The
other kinds are the same as for corners match -model: rigid is for cameras that keep
their distance, translation for cameras that do not turn either; homography needs
many corners.

Flags, before or after the files:
`

const stabilizeRest = `
OUT has the size, the chroma and all parameters of IN. Interlaced video is refused:
deinterlace it before, for example with ffmpeg -vf yadif. Frames are enlarged
(-zoom), and corrections limited, so that no edges are seen. With -max-zoom the zoom
glides between both, as large as the path needs it. With -borders there is no limit,
and the pixels at the edges are repeated.

With ffmpeg, OUT has the rate, the sample aspect, the range, matrix, primaries and
transfer of the colors, and the bits of IN, and its sound, subtitles, chapters and
title. They are copied; what the format of OUT cannot hold is encoded again or left
out, and a message says so. Pixels that Y4M does not have, such as RGB, are
converted, and frames whose rate varies get the mean rate, with a message, too. A
video with a display rotation is rotated. Alpha, covers, data, and HDR information
about the display are lost. The encoder is the one that ffmpeg takes for the format,
with -crf 18; -encode gives arguments instead, separated by spaces. -v shows all
arguments.

With Y4M and pipes, the last ffmpeg takes from the original what Y4M does not have:

  ffmpeg -i in.mp4 -strict -1 -f yuv4mpegpipe - | corners stabilize - - |
  ffmpeg -color_range tv -colorspace bt709 -color_trc bt709 -color_primaries bt709 \
      -i - -i in.mp4 -map 0:v -map 1:a? -c:a copy -crf 18 out.mp4

Take the names of the colors from the output of ffprobe in.mp4.

Results come -radius frames after their frames, which wait in memory. With -online
they come at once, but shaking is not removed as well.

The report (-report) has a line for each frame, in csv after a header:

  frame     the number, from 0
  status    followed; cut: a path begins; blank: there is too little to follow;
            glitch: the frame does not belong to those around, which agree
  points    the number of corners that were followed, forward and back
  inliers   the number of them that agree with the motion
  dx, dy    how far the middle of the picture moved, in pixels
  rotation  around the middle, in degrees, from the x axis toward the y axis
  scale     of lengths
  limited   whether the zoom left too little room for the whole correction
  departure the distance of the middle from the smooth path because of that, in
            pixels; also in frames before and after

The picture (-path) shows the position of the middle of the picture and its
rotation, before and after, and the limits: within the bands around the lines
before, no edge of the frame comes into view, given the rotation after. Red marks
are limited frames. The shake reported at the end is the mean change of the motion
from frame to frame.

Corners stabilize reads, follows, resamples and writes at the same time. A stream
that ends early is an error, and so is a signal; all frames read by then are
written, and if there are none, there is no OUT. A second signal ends it at once,
without OUT, unless it comes within a second of the first: timeout, among others,
sends two.

No output may be the file of IN or of another output, by whatever name. Where an
output is a symbolic link, the file that it leads to is replaced.

Examples:

  corners stabilize -encode "-c:v libx265 -crf 20" shaky.mov smooth.mp4
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
