package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/worker"
)

// Errors of [Calibrator.Calibrate], [Calibrator.Halves] and [Calibrator.Pair].
var (
	// ErrViews means that there are no views, or that a view, which the error names, has fewer than
	// four points.
	ErrViews = errors.New("calibrate: too few views or points")
	// ErrDegenerate means that the views do not determine the camera: that there is one view of a
	// camera without distortion, for instance, or that the points of a view are on a line. If noise
	// hides that, it is ErrFocal.
	ErrDegenerate = errors.New("calibrate: the views do not determine the camera")
	// ErrFocal means that the views hardly determine the focal length, as when all of them are nearly
	// parallel to the image: that its standard deviation exceeds Options.MaxFocalError. The result is
	// complete nevertheless.
	ErrFocal = errors.New("calibrate: the views do not determine the focal length")
)

// Options control how a [Calibrator] works. Zero fields have their default values.
type Options struct {
	// Model is the formula of the distortion. 0 is camera.BrownConrady; camera.KannalaBrandt is for
	// fisheyes.
	Model camera.Model
	// Distortion is the number of distortion coefficients that are found. For camera.BrownConrady
	// it is 1 (K1), 2 (and K2), 4 (and P1 and P2), 5 (and K3, the default), or 8 (and K4 to K6, the
	// rational model). For camera.KannalaBrandt it is 1 to 4, the default. A negative number means
	// none. Coefficients that are not found are those of Start, or 0 without it.
	Distortion int
	// Fixed are the other fields of the camera that are not found. 0 is none.
	Fixed Fixed
	// Start is where the search begins, a camera of the Model. The default, the zero Camera, means
	// that 25 focal lengths are tried, without distortion, and with the center in the middle of the
	// image.
	Start camera.Camera
	// Bend also finds how the board is bent: see [Calibration].Bend. All views must be of the same
	// board then.
	Bend bool
	// HuberThreshold is the error, in pixels, up to which the cost of an error is its square. The cost
	// of larger errors grows only linearly, so that wrong points do little harm. It is positive; 0,
	// the default, means that all costs are squares.
	HuberThreshold float64
	// MaxFocalError is the largest standard deviation of Fx, as a share of Fx, with which Calibrate
	// returns no error. 0 means the default, 0.01, and a negative number that there is no limit.
	MaxFocalError float64
	// Iterations is the maximum number of steps from a start, 1 to 10,000. 0 means the default, 200.
	Iterations int
	// RefineCameras makes Pair refine both cameras, too: the fields that Calibrate finds with these
	// Options. By default they stay as they are.
	RefineCameras bool
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

const maxIterations = 10_000

// setDefaults replaces the fields that are 0 by what they mean, and a negative Distortion by -1.
func (o *Options) setDefaults() {
	coefficients := 5
	if o.Model == camera.KannalaBrandt {
		coefficients = 4
	}
	o.Distortion = max(cmp.Or(o.Distortion, coefficients), -1)
	o.MaxFocalError = cmp.Or(o.MaxFocalError, 0.01)
	o.Iterations = cmp.Or(o.Iterations, 200)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their defaults.
func (o *Options) check() error {
	fields := option.Fields{Package: "calibrate", Type: "Options"}
	if err := option.OneOf(fields, "Model", o.Model, camera.BrownConrady, camera.KannalaBrandt); err != nil {
		return err
	}
	started := o.Start != camera.Camera{}
	switch fisheye := o.Model == camera.KannalaBrandt; {
	case fisheye && (o.Distortion == 0 || o.Distortion > 4):
		return fields.OutOfRange("Distortion", o.Distortion, "1 to 4")
	case !fisheye && o.Distortion >= 0 && distortionFields(o.Model, o.Distortion) == nil:
		return fields.OutOfRange("Distortion", o.Distortion, "1, 2, 4, 5 or 8")
	case o.Fixed&^allFixed != 0:
		return fields.OutOfRange("Fixed", o.Fixed, "some of FixAspect, FixCenter, FixFocal and FixTangential")
	case o.Fixed&FixFocal != 0 && !started:
		return fields.OutOfRange("Fixed", o.Fixed, "without FixFocal unless there is a Start")
	case started && o.Start.Model != o.Model:
		return fields.OutOfRange("Start.Model", o.Start.Model, o.Model.String())
	case started && o.Start.Check() != nil:
		return fmt.Errorf("calibrate: Options.Start: %w", o.Start.Check())
	case !(o.HuberThreshold >= 0 && o.HuberThreshold <= math.MaxFloat64): // NaN is neither
		return fields.OutOfRange("HuberThreshold", o.HuberThreshold, "a finite number from 0")
	case o.MaxFocalError != o.MaxFocalError:
		return fields.OutOfRange("MaxFocalError", o.MaxFocalError, "a number")
	case o.Iterations < 1 || o.Iterations > maxIterations:
		return fields.OutOfRange("Iterations", o.Iterations, fmt.Sprintf("1 to %d", maxIterations))
	}
	return nil
}

// distortionFields returns the indices of the first n distortion coefficients of a model, or nil if
// they cannot be found apart from others.
func distortionFields(m camera.Model, n int) []int {
	if m == camera.KannalaBrandt {
		return []int{fieldK1, fieldK2, fieldK3, fieldK4}[:n]
	}
	switch n {
	case 1, 2, 4, 5, 8:
		return []int{fieldK1, fieldK2, fieldP1, fieldP2, fieldK3, fieldK4, fieldK5, fieldK6}[:n]
	}
	return nil
}

// freedom returns which fields of a camera are found.
func (o *Options) freedom() freedom {
	var free []int
	if o.Fixed&FixFocal == 0 {
		free = append(free, fieldFx)
		if o.Fixed&FixAspect == 0 {
			free = append(free, fieldFy)
		}
	}
	if o.Fixed&FixCenter == 0 {
		free = append(free, fieldCx, fieldCy)
	}
	for _, id := range distortionFields(o.Model, max(o.Distortion, 0)) {
		if o.Fixed&FixTangential == 0 || id != fieldP1 && id != fieldP2 {
			free = append(free, id)
		}
	}
	return freedom{free, o.Fixed&FixAspect != 0}
}

// A Calibrator finds cameras from views of flat targets. Create one with [New]. It is safe for
// concurrent use.
type Calibrator struct {
	made option.Made
	opts Options // with the defaults
}

// New returns a Calibrator. It fails if an option is out of range; the error names the field.
func New(opts Options) (*Calibrator, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	return &Calibrator{made: true, opts: opts}, nil
}

// Options returns the options of c, with defaults filled in.
func (c *Calibrator) Options() Options {
	c.check()
	return c.opts
}

// check panics unless c was made by New.
func (c *Calibrator) check() {
	c.made.Require("calibrate", "Calibrator", "New")
}

// requireSize panics unless an image can have the given size.
func requireSize(size image.Point) {
	if size.X <= 0 || size.Y <= 0 {
		panic(fmt.Sprintf("calibrate: image of %d by %d pixels", size.X, size.Y))
	}
}

// fault returns what is malformed about v, or "".
func (v *View) fault() string {
	if len(v.World) != len(v.Image) {
		return fmt.Sprintf("%d points of the world and %d of the image", len(v.World), len(v.Image))
	}
	if v.Deviations != nil && len(v.Deviations) != len(v.World) {
		return fmt.Sprintf("%d points and %d deviations", len(v.World), len(v.Deviations))
	}
	for i, d := range v.Deviations {
		if !(d > 0 && d <= math.MaxFloat64) {
			return fmt.Sprintf("a deviation %g of point %d, not finite and positive", d, i)
		}
	}
	for i, x := range v.World {
		p := v.Image[i]
		switch finite := x[0]-x[0]+x[1]-x[1]+p.X-p.X+p.Y-p.Y == 0; {
		case !finite:
			return fmt.Sprintf("a coordinate of point %d that is not finite", i)
		case x[2] != 0: // NaN is not
			return fmt.Sprintf("a point %d with z %g, not 0", i, x[2])
		}
	}
	return ""
}

// checkViews panics if a view is malformed, and returns ErrViews if there are too few views or points.
func checkViews(views []View) error {
	for i := range views {
		if fault := views[i].fault(); fault != "" {
			panic(fmt.Sprintf("calibrate: view %d has %s", i, fault))
		}
	}
	if len(views) == 0 {
		return fmt.Errorf("%w: there is no view", ErrViews)
	}
	for i := range views {
		if n := len(views[i].World); n < minPoints {
			return fmt.Errorf("%w: view %d has %d points, not at least %d", ErrViews, i, n, minPoints)
		}
	}
	return nil
}

// minPoints is the least number of points of a view, which determine a pose.
const minPoints = 4
