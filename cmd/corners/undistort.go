package main

import (
	"errors"
	"io"

	"github.com/fastcorners/fast/cmd/corners/internal/lens"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

const undistortIntro = `Usage: corners undistort -camera CAMERA [flags] FILE...

Corners undistort draws images as a camera without distortion would have taken
them, in which straight lines are straight. A FILE is a file or a directory, as
for corners.

The CAMERA is fx,fy,cx,cy and up to k1,k2,p1,p2,k3 in pixels, or the name of a
file of corners calibrate, OpenCV, ROS or Kalibr, whose images have the size of
the files.

The camera of the pictures has the same focal lengths and the same center, and
sees less or more at the edges. With -whole it sees all that the images show,
which for wide lenses is small in the middle, and for fisheyes that see half
of everything around or more impossible. What the camera has not seen is black.

Flags, before or after the files:
`

const undistortRest = `
The report:

  table  a line for each image: its name, its size, and the focal lengths and
         the center of the camera of the picture, in pixels
  csv    a header and then a line for each image: image,fx,fy,cx,cy
  json   an array with an object for each image: image, width, height, picture
         (when there is one), model, the flag whole, and pinholes, an array of
         one object with the other columns of csv

The picture of photo.jpg is photo-undistorted.png. What corners -method fast -h
says about images, memory and pictures applies here, too.

Examples:

  corners undistort -camera camera.yaml photo.jpg
  corners undistort -camera camera.json -whole -o straight/ photos/
  corners undistort -camera 600,600,320,240,-0.28,0.07 photo.jpg

To name a file undistort, write ./undistort.
`

// printUndistortHelp writes what corners undistort -h says.
func printUndistortHelp(w io.Writer) {
	printAll(w, undistortIntro, cli.New(new(searchConfig).defineWhole, new(lens.Method).Define), undistortRest)
}

// runUndistort draws images without distortion.
func runUndistort(p *program, args []string) error {
	cfg, err := parseUndistort(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	p.begin(cfg.reporting)
	p.console.Say("looking for images")
	return searchAll(p, cfg)
}

// parseUndistort reads the command line of corners undistort as parseDetect does that of corners.
func parseUndistort(args []string, stdout io.Writer) (searchConfig, error) {
	m := new(lens.Method)
	cfg := searchConfig{method: m, searcher: "corners undistort", subject: "model", shows: "undistorted", untimed: true}
	cfg.flags = cli.New(cfg.defineWhole, m.Define)
	var err error
	if cfg.args, err = cfg.output.parse(cfg.flags, args, stdout, printUndistortHelp); err != nil {
		return searchConfig{}, err
	}
	if len(cfg.args) == 0 {
		return searchConfig{}, errors.New("corners undistort needs an image or more")
	}
	if err := m.Check(cfg.flags); err != nil {
		return searchConfig{}, err
	}
	cfg.suits, cfg.Info = m.CheckSize, m.Info()
	return cfg, m.Prepare(cfg.workers)
}
