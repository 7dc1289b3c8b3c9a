package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/marker"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

const tagIntro = `Usage: corners tag [flags] FILE...
       corners tag [flags] VIDEO
       corners tag -draw FAMILY:ID [flags]

Corners tag finds AprilTag and ArUco markers in images, and draws markers for
printing. A FILE is a file or a directory, as for corners, and a VIDEO a file
as for corners stabilize, or - if it is Y4M. The families, with the numbers of
their markers:

  AprilTag  tag36h11 (587), tag25h9 (35), tag16h5 (30), tag36h10 (2320),
            standard41h12 (2115), circle21h7 (38)
  ArUco     aruco4x4, aruco5x5, aruco6x6, aruco7x7 (1000 each),
            aruco-mip36h12 (250), aruco-original (1024)

AprilTag's standard52h13, custom48h12 and circle49h12, whose codes take a
megabyte, are not in this program, but in packages tag/large/standard52h13 and
so on for programs of your own.

aruco4x4:50 is the first 50 of aruco4x4, which is OpenCV's DICT_4X4_50. With
fewer markers, there are fewer false ones, and more wrong bits are corrected.

With -camera (fx,fy,cx,cy and up to k1,k2,p1,p2,k3, or the name of a file of
corners calibrate, OpenCV, ROS or Kalibr), corners tag tells where the markers
are, in the unit of -size.

Flags, before or after the files:
`

const tagRest = `
The report:

  table  a line for each marker, or one with - for an image without any: the
         name of the image, its size, the family, the ID, the center and, with
         -camera, the distance
  csv    a header and then a line for each marker:
         image,family,id,x0,y0,x1,y1,x2,y2,x3,y3,corrected,noise,misfit,hidden
         and, with -camera,
         qw,qx,qy,qz,tx,ty,tz,error,other_qw,other_qx,other_qy,other_qz,
         other_tx,other_ty,other_tz,other_error,ambiguous
  json   an array with an object for each image: image, width, height, roi and
         picture (when there is one), families, the flags border, inverted,
         contrast, correct, samples and, with -camera, size, and tags, an
         array of objects with the other columns of csv

x0,y0 to x3,y3 are the corners of the border, clockwise from the upper left
one of the upright marker; the centers of pixels are whole numbers. corrected
is the number of wrong bits, noise the standard deviation of the corners in
pixels, misfit the share of pixels that are not as drawn, and hidden whether
corners may be wrong because something is in front of the marker.

The pose is the unit quaternion q and the translation t from the marker (x to
the right, y down, z into it, 0 in the middle) to the camera, and error that
of the corners in pixels. The other pose looks nearly the same; where it is
ambiguous, it may be the right one.

The picture photo-tags.png has the outlines of the markers with a dot at the
first corner, the IDs and, with -camera, the axes: x red, y green, z blue.
What corners -method fast -h says about images, memory and pictures applies
here, too.

The report of a video is written while frames are read. Lines of the table and
of csv begin with the number of the frame, from 0, and its time in seconds, in
place of the image; json has a line for each frame, an object: frame, time and
tags. With -o out.mp4 or out.y4m, there is a video with the same drawings. It
keeps what corners stabilize keeps; what that says of ffmpeg, of frames whose
rate varies, and of streams that end early applies here, too.

With -draw, corners tag draws a marker, or with -sheet several with successive
IDs, into a .svg file whose unit is the millimeter, or a .png file with -cell
pixels for each cell; -o names the file. Print it without scaling, and leave
white paper around it.

Examples:

  corners tag photo.jpg
  corners tag -family tag36h11,aruco4x4:50 -format csv photos/
  corners tag -camera camera.yaml -size 0.16 photo.jpg
  corners tag -camera camera.yaml -size 0.16 -o out.mp4 clip.mp4
  corners tag -draw tag36h11:7 -size 160 -o tag.svg
  corners tag -draw aruco5x5:0 -sheet 4x6 -size 30 -gap 10 -o sheet.svg
  corners tag -draw tag36h11:0 -sheet 6x6 -kalibr -size 88 -o aprilgrid.svg

To name a file tag, write ./tag.
`

// printTagHelp writes what corners tag -h says.
func printTagHelp(w io.Writer) {
	printAll(w, tagIntro, new(tagConfig).define(), tagRest)
}

// A tagConfig is what the command line of corners tag asks for.
type tagConfig struct {
	searchConfig
	markers marker.Method
	paper   marker.Paper
	encode  string // arguments for ffmpeg
}

// define returns the flags.
func (cfg *tagConfig) define() *cli.Set {
	return cli.New(cfg.defineSearch, cfg.markers.Define, cfg.paper.Define, func(flags *cli.Set) {
		flags.StringVar(&cfg.encode, "encode", "", "with a video: encode with these `ARGS` of ffmpeg")
	})
}

// runTag finds markers in images or in a video, or draws some.
func runTag(p *program, args []string) error {
	cfg := new(tagConfig)
	if err := cfg.parse(args, p.console.Stdout); err != nil {
		return report.Usage(err)
	}
	if cfg.paper.Wanted() {
		sheet, err := cfg.paper.Drawing(&cfg.markers, cfg.flags)
		if err != nil {
			return report.Usage(err)
		}
		p.begin(cfg.reporting)
		p.console.Say("drawing")
		return saveDrawing(p, sheet, cfg.path, cfg.force)
	}
	p.begin(cfg.reporting)
	p.console.Say("looking for images")
	isVideo := len(cfg.args) == 1 && p.reader.IsVideo(cfg.args[0])
	if err := cfg.checkVideo(isVideo); err != nil {
		return report.Usage(err)
	}
	if isVideo {
		return tagVideo(p, cfg)
	}
	return searchAll(p, cfg.searchConfig)
}

// parse reads the command line of corners tag as parseDetect does that of corners.
func (cfg *tagConfig) parse(args []string, stdout io.Writer) (err error) {
	m := &cfg.markers
	cfg.searchConfig = searchConfig{method: m, searcher: "corners tag", subject: "families", shows: "tags", untimed: true}
	cfg.flags = cfg.define()
	if cfg.args, err = cfg.output.parse(cfg.flags, args, stdout, printTagHelp); err != nil {
		return err
	}
	if err := cfg.paper.Check(cfg.flags, cfg.args); err != nil || cfg.paper.Wanted() {
		return err
	}
	switch {
	case len(cfg.args) == 0:
		return errors.New("corners tag needs an image or more, a video, or flag -draw")
	case strings.EqualFold(filepath.Ext(cfg.path), ".svg"):
		return fmt.Errorf("invalid value %q for flag -o: pictures are PNG: want a directory, or a name that ends in .png", cfg.path)
	}
	if err := m.Check(cfg.flags); err != nil {
		return err
	}
	cfg.suits, cfg.Info = m.CheckSize, m.Info()
	return m.Prepare(cfg.workers)
}
