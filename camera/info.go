package camera

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fastcorners/fast/internal/jsontext"
)

// An Info is a Camera as files hold it. Methods such as [Camera.Resized] return a Camera: whoever
// puts it into an Info sets Width and Height, too.
type Info struct {
	Camera
	// Width and Height are the size of its images in pixels, 0 if it is not known.
	Width, Height int
	// Name is the name of the camera, UTF-8, or empty.
	Name string
}

// Check returns an error that names the first field that is out of range: Width and Height are not
// negative, Name is UTF-8, and the fields of the Camera are those of [Camera.Check].
func (i Info) Check() error {
	switch {
	case i.Width < 0:
		return outOfRange("Info.Width", i.Width, "0 or more")
	case i.Height < 0:
		return outOfRange("Info.Height", i.Height, "0 or more")
	case !utf8.ValidString(i.Name):
		return outOfRange("Info.Name", strconv.Quote(i.Name), "UTF-8")
	}
	return i.Camera.Check()
}

// WriteJSON writes i as JSON: an object with the names of the fields. It fails if [Info.Check] or
// w does.
func (i Info) WriteJSON(w io.Writer) error {
	if err := i.Check(); err != nil {
		return err
	}
	text := fmt.Appendf(nil, "{\n  \"Model\": %q,\n", i.Model.String())
	for k, p := range i.pointers() {
		text = fmt.Appendf(text, "  %q: ", fieldNames[k])
		text = append(strconv.AppendFloat(text, *p, 'g', -1, 64), ",\n"...)
	}
	text = fmt.Appendf(text, "  \"Width\": %d,\n  \"Height\": %d,\n  \"Name\": ", i.Width, i.Height)
	text = append(jsontext.AppendString(text, i.Name), "\n}\n"...)
	_, err := w.Write(text)
	return err
}

// WriteOpenCV writes i as YAML, with the names that OpenCV's programs for calibration use: a
// FileStorage can read it. fisheye_model is 1 for [KannalaBrandt], whose coefficients are for the
// functions of OpenCV's fisheye. It fails as [Info.WriteJSON] does.
func (i Info) WriteOpenCV(w io.Writer) error {
	if err := i.Check(); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("%YAML:1.0\n---\n")
	if i.Name != "" {
		fmt.Fprintf(&b, "camera_name: %q\n", i.Name)
	}
	if i.Width > 0 || i.Height > 0 {
		fmt.Fprintf(&b, "image_width: %d\nimage_height: %d\n", i.Width, i.Height)
	}
	fmt.Fprintf(&b, "fisheye_model: %d\n", i.Model)
	matrix := func(name string, rows, columns int, data ...float64) {
		fmt.Fprintf(&b, "%s: !!opencv-matrix\n   rows: %d\n   cols: %d\n   dt: d\n   data: %s\n", name, rows, columns, list(data))
	}
	matrix("camera_matrix", 3, 3, i.matrix()...)
	coefficients := i.coefficients()
	matrix("distortion_coefficients", len(coefficients), 1, coefficients...)
	_, err := w.Write(b.Bytes())
	return err
}

// WriteROS writes i as the YAML of ROS' camera_info, for images that are not rectified: the
// rectification matrix is the identity. The distortion model is plumb_bob, rational_polynomial or
// equidistant. It fails as [Info.WriteJSON] does.
func (i Info) WriteROS(w io.Writer) error {
	if err := i.Check(); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "image_width: %d\nimage_height: %d\ncamera_name: %q\n", i.Width, i.Height, i.Name)
	matrix := func(name string, rows, columns int, data ...float64) {
		fmt.Fprintf(&b, "%s:\n  rows: %d\n  cols: %d\n  data: %s\n", name, rows, columns, list(data))
	}
	matrix("camera_matrix", 3, 3, i.matrix()...)
	model := plumbBob
	switch {
	case i.Model == KannalaBrandt:
		model = equidistant
	case i.rational():
		model = rationalPolynomial
	}
	fmt.Fprintf(&b, "distortion_model: %s\n", model)
	coefficients := i.coefficients()
	matrix("distortion_coefficients", 1, len(coefficients), coefficients...)
	matrix("rectification_matrix", 3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1)
	matrix("projection_matrix", 3, 4, i.Fx, 0, i.Cx, 0, 0, i.Fy, i.Cy, 0, 0, 0, 1, 0)
	_, err := w.Write(b.Bytes())
	return err
}

// matrix returns the camera matrix, by rows.
func (c *Camera) matrix() []float64 {
	return []float64{c.Fx, 0, c.Cx, 0, c.Fy, c.Cy, 0, 0, 1}
}

// coefficients returns those that OpenCV's functions for the model take.
func (c *Camera) coefficients() []float64 {
	switch {
	case c.Model == KannalaBrandt:
		return []float64{c.K1, c.K2, c.K3, c.K4}
	case c.rational():
		return []float64{c.K1, c.K2, c.P1, c.P2, c.K3, c.K4, c.K5, c.K6}
	}
	return []float64{c.K1, c.K2, c.P1, c.P2, c.K3}
}

// list returns numbers in YAML. Each has 17 digits, which determine it, and a point, without which
// some readers take what has an exponent for a string.
func list(data []float64) string {
	texts := make([]string, len(data))
	for i, v := range data {
		texts[i] = strconv.FormatFloat(v, 'e', 16, 64)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
