// Package calibration has what corners calibrate is made of: its flags, the targets that images show, the
// views that are chosen among the frames of a video, what is said of the camera, and the files that hold it.
package calibration

import (
	"errors"
	"fmt"
	"image"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/internal/program/cli"
)

// Flags say which target the images show, and which camera is to be found.
type Flags struct {
	targetFlags
	paper      paperFlags
	opts       calibrate.Options
	distortion int
	start      method.Camera
}

func (f *Flags) Define(flags *cli.Set) {
	f.targetFlags.define(flags)
	f.paper.define(flags)
	flags.Named(&f.opts.Model, f.opts.Model.UnmarshalText, "model", "the `MODEL` of the lens: brown-conrady, or kannala-brandt for fisheyes")
	flags.IntIn(&f.distortion, "distortion", -1, cli.From(-1, 8), "find `N` coefficients of distortion; -1: 5, or 4 for fisheyes")
	flags.Named(&f.opts.Fixed, f.opts.Fixed.UnmarshalText, "fix", "keep `FIELDS`: aspect, center, focal or tangential, or several with commas")
	flags.Var(&f.start, "start", "begin with this `CAMERA`, in numbers or a file, and keep what is not found")
	flags.FloatIn(&f.opts.HuberThreshold, "huber", 0, cli.From(0, 1e6), "errors above `PX` pixels count less; 0: all count by their squares")
	flags.BoolVar(&f.opts.Bend, "bend", false, "find how the target is bent, too")
}

// Calibrator returns what finds the camera. The error is that of a flag.
func (f *Flags) Calibrator(flags *cli.Set, workers int) (*calibrate.Calibrator, error) {
	opts := f.opts
	opts.Workers = workers
	switch f.distortion {
	case -1:
	case 0:
		opts.Distortion = -1
	default:
		opts.Distortion = f.distortion
	}
	if flags.IsGiven("start") {
		opts.Start = f.start.Camera
		if !flags.IsGiven("model") {
			opts.Model = opts.Start.Model
		}
	}
	switch {
	case opts.Fixed&calibrate.FixFocal != 0 && opts.Start == camera.Camera{}:
		return nil, errors.New("flag -fix focal needs flag -start")
	case opts.Start != camera.Camera{} && opts.Start.Model != opts.Model:
		return nil, fmt.Errorf("the model of the camera of flag -start is %v, and that of flag -model %v", opts.Start.Model, opts.Model)
	}
	return calibrate.New(opts)
}

// CheckSize returns an error if the camera of the flag -start takes images of another size.
func (f *Flags) CheckSize(size image.Point) error {
	if want := image.Pt(f.start.Width, f.start.Height); want != (image.Point{}) && want != size {
		return fmt.Errorf("calibration: the images have %d by %d pixels, but the file of -start is for %d by %d", size.X, size.Y, want.X, want.Y)
	}
	return nil
}

// Members returns the names of the members of a report in JSON that are flags.
func (f *Flags) Members() []string {
	camera := []string{"distortion", "fix", "huber"}
	if f.april.Columns > 0 {
		return append([]string{"aprilgrid", "size", "gap"}, camera...)
	}
	if f.charuco.Columns > 0 {
		return append([]string{"charuco", "square", "marker", "family", "legacy"}, camera...)
	}
	return append([]string{"square"}, camera...)
}
