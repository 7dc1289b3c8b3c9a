package calibration

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/overlay"
)

// A Result is a camera that has been found, and what is known of it.
type Result struct {
	calibrate.Calibration
	Images        []Image  // all that have been searched
	Views         []*Image // those of them that count
	Model         string   // of the lens
	Deviations    [12]float64
	Middle, Worst float64        // the uncertainty in pixels
	WorstAt       geometry.Point // where that is
	Halves        *calibrate.Halves
	Hint          calibrate.Hint
}

// Solve finds the camera that has taken images. The error is that of [calibrate.Calibrator.Calibrate],
// without a result unless it is ErrFocal.
func Solve(c *calibrate.Calibrator, images []Image) (*Result, error) {
	r := &Result{Images: images, Views: Choose(images)}
	var views []calibrate.View
	for _, i := range r.Views {
		views = append(views, i.View)
	}
	if len(views) == 0 {
		return r, calibrate.ErrViews
	}
	size := r.Views[0].Size
	var err error
	if r.Calibration, err = c.Calibrate(size, views); err != nil && !errors.Is(err, calibrate.ErrFocal) {
		return r, err
	}
	influence := r.Influence()
	for k, i := range r.Views {
		i.Influence, i.Pose, i.Errors = influence[k], r.Poses[k], r.Errors(k)
		for _, e := range i.Errors {
			i.RMS += e.X*e.X + e.Y*e.Y
		}
		i.RMS = math.Sqrt(i.RMS / float64(len(i.Errors)))
		switch {
		case math.IsInf(i.Influence, 1):
			i.Note = "the other views do not determine the camera"
		case i.isStrong():
			i.Note = "moves the camera: is it right?"
		}
	}
	r.Model = r.Camera.Model.String()
	r.Deviations = r.StandardDeviations()
	r.findUncertainty()
	if !isRational(c) {
		if h, err := c.Halves(size, views); err == nil {
			r.Halves = &h
		}
	}
	r.Hint = r.Suggest(r.Views[0].Columns, r.Views[0].Rows)
	return r, err
}

// Solved reports whether there is a camera.
func (r *Result) Solved() bool { return r.Camera.Fx > 0 }

// isRational reports whether a Calibrator finds the rational model.
func isRational(c *calibrate.Calibrator) bool { return c.Options().Distortion == 8 }

// What deserves a look.
const (
	influential = 5 // an influence above that
	unlike      = 3 // halves that differ by more than that times what is predicted
)

// isStrong reports whether a view moves the camera so much that it deserves a look.
func (i *Image) isStrong() bool { return i.Influence > influential && !math.IsInf(i.Influence, 1) }

// findUncertainty finds the uncertainty in the middle, and the largest one at the places of a grid.
func (r *Result) findUncertainty() {
	const columns, rows = 24, 18
	x, y := float64(r.Size.X-1), float64(r.Size.Y-1)
	r.Middle = r.Uncertainty(geometry.Point{X: x / 2, Y: y / 2})
	r.Worst = math.NaN()
	for j := range rows + 1 {
		for i := range columns + 1 {
			p := geometry.Point{X: math.Round(x * float64(i) / columns), Y: math.Round(y * float64(j) / rows)}
			if u := r.Uncertainty(p); !(u <= r.Worst) && !math.IsNaN(u) {
				r.Worst, r.WorstAt = u, p
			}
		}
	}
}

// A Field is a number of a camera.
type Field struct {
	Name      string
	Value     float64
	Deviation float64 // 0 if it is not found
}

// Fields returns the numbers of the camera, but for coefficients of distortion that it has not.
func (r *Result) Fields() []Field {
	c := &r.Camera
	list := []Field{
		{"Fx", c.Fx, 0},
		{"Fy", c.Fy, 0},
		{"Cx", c.Cx, 0},
		{"Cy", c.Cy, 0},
		{"K1", c.K1, 0},
		{"K2", c.K2, 0},
		{"P1", c.P1, 0},
		{"P2", c.P2, 0},
		{"K3", c.K3, 0},
		{"K4", c.K4, 0},
		{"K5", c.K5, 0},
		{"K6", c.K6, 0},
	}
	for i := range list {
		list[i].Deviation = r.Deviations[i]
	}
	return slices.DeleteFunc(list, func(f Field) bool { return f.Value == 0 && f.Deviation == 0 })
}

// Rows returns the cells of the table, a row for each image: the target, the number of points that are
// seen, their errors and the influence, and a note if there is any.
func (r *Result) Rows() [][]string {
	var rows [][]string
	for k := range r.Images {
		i := &r.Images[k]
		row := []string{"-", "-", "-", "-"}
		if len(i.World) > 0 {
			row[0], row[1] = fmt.Sprintf("%dx%d", i.Columns, i.Rows), fmt.Sprint(len(i.World))
		}
		if i.Errors != nil {
			row[2], row[3] = fmt.Sprintf("%.3f", i.RMS), fmt.Sprintf("%.2f", i.Influence)
		}
		if i.Note != "" {
			row = append(row, i.Note)
		}
		rows = append(rows, row)
	}
	return rows
}

// Verdict returns what there is to say of the camera, in lines. name returns how an image is called.
func (r *Result) Verdict(name func(*Image) string) []string {
	points := 0
	for _, i := range r.Views {
		points += len(i.Errors)
	}
	lines := []string{
		fmt.Sprintf("errors: %.3f px (rms) of %d corners in %s; the noise (sigma) is %.3f px", r.RMS, points, report.Count(len(r.Views), "view", "views"), r.Sigma),
		fmt.Sprintf("uncertainty: %s px in the middle, %s px at worst, at %.0f,%.0f", digits(r.Middle), digits(r.Worst), r.WorstAt.X, r.WorstAt.Y),
	}
	if !r.Converged {
		lines = append(lines, "the search has not converged: views contradict each other, or the model is wrong")
	}
	if r.Beyond > 0 {
		lines = append(lines, fmt.Sprintf("%d corners lie beyond the end of the model: fewer coefficients (-distortion) or another model suits better", r.Beyond))
	}
	if r.Bend != [2]float64{} {
		lines = append(lines, fmt.Sprintf("the middle of the board is above its edges by %s along its rows, and %s along its columns", digits(r.Bend[0]), digits(r.Bend[1])))
	}
	if h := r.Halves; h != nil {
		verdict := "that fits"
		if h.Difference > unlike*h.Predicted {
			verdict = "the model is wrong, or a view"
		}
		lines = append(lines, fmt.Sprintf("the cameras of the even and of the odd views differ by %s px, %s px predicted: %s", digits(h.Difference), digits(h.Predicted), verdict))
	}
	var strong []string
	for _, i := range r.Views {
		if i.isStrong() {
			strong = append(strong, name(i))
		}
	}
	if len(strong) > 0 {
		lines = append(lines, fmt.Sprintf("look at %s, without which the camera would be another one (influence over %d)", strings.Join(strong, ", "), influential))
	}
	if h := r.Hint; h.After < h.Before {
		lines = append(lines, fmt.Sprintf("the next view: the board's middle at %.0f,%.0f, its width %.0f %% of the image's, %s; the mean uncertainty falls from %s to %s px",
			h.At.X, h.At.Y, 100*h.Size, lean(h), digits(h.Before), digits(h.After)))
	}
	return lines
}

// lean says how to hold the board of a hint.
func lean(h calibrate.Hint) string {
	var parts []string
	for _, t := range []struct {
		angle              float64
		positive, negative string
	}{{h.TiltX, "top", "bottom"}, {h.TiltY, "right side", "left side"}} {
		side := t.positive
		if t.angle < 0 {
			side = t.negative
		}
		if t.angle != 0 {
			parts = append(parts, fmt.Sprintf("its %s leaning away by %.0f degrees", side, math.Abs(t.angle)))
		}
	}
	if len(parts) == 0 {
		return "facing the camera"
	}
	return strings.Join(parts, " and ")
}

// digits returns a number with three digits that count.
func digits(v float64) string { return fmt.Sprintf("%.3g", v) }

// errorScale is how many times as long as errors their lines in pictures are.
const errorScale = 20

// Picture returns a picture of the uncertainty in bands, the corners of all views as dots, and lines from
// them in the direction of their errors, 20 times as long.
func (r *Result) Picture() *image.RGBA {
	picture := image.NewRGBA(image.Rectangle{Max: r.Size})
	r.Draw(picture)
	var paths [][]geometry.Point
	for _, v := range r.Views {
		for k, e := range v.Errors {
			p := v.Image[k]
			paths = append(paths, []geometry.Point{p, {X: p.X + errorScale*e.X, Y: p.Y + errorScale*e.Y}})
		}
	}
	overlay.Lines(picture, paths, overlay.Pen{Color: color.RGBA{0x20, 0x60, 0xff, 0xff}})
	return picture
}

// Info returns the camera with a name, as files hold it.
func (r *Result) Info(name string) camera.Info {
	return camera.Info{Camera: r.Camera, Width: r.Size.X, Height: r.Size.Y, Name: strings.ToValidUTF8(name, "_")}
}
