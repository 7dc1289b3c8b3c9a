package camera

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxFile is the largest size of a file that ReadInfo reads, in bytes.
const maxFile = 1 << 20

// ReadInfo reads the description of a camera from a file of up to 1 MiB. Its keys show of which kind
// it is:
//
//   - JSON that [Info.WriteJSON] has written, with the key Fx. What is missing is 0.
//   - YAML, XML or JSON of an OpenCV FileStorage with camera_matrix and distortion_coefficients, as
//     OpenCV's programs for calibration write it. There are 4, 5, 8, 12 or 14 coefficients; those of
//     the thin prism and of the tilted sensor, from the ninth on, must be 0. fisheye_model tells
//     whether the model is [KannalaBrandt], which has 4.
//   - YAML of ROS' camera_info, which has a distortion_model: plumb_bob, rational_polynomial or
//     equidistant. The rectification is ignored: the camera is that of images that are not rectified.
//     This is the file that ROS' camera_calibration writes, not a printed message with K and D.
//   - A camchain of Kalibr, with cam0: a pinhole whose distortion_model is radtan, equidistant or
//     none. Of several cameras, ReadInfo returns the one with the lowest number.
//
// All of these have integer coordinates at the centers of pixels, as a [Camera] has. An error names
// what is wrong or not supported, such as skew and other models. Of YAML, ReadInfo knows what such
// files use: it fails for anchors, block scalars, and strings of several lines.
func ReadInfo(r io.Reader) (Info, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return Info{}, err
	}
	if len(data) > maxFile {
		return Info{}, errors.New("camera: file of more than 1 MiB")
	}
	info, err := parseInfo(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err == nil {
		err = info.Check()
	}
	if err != nil {
		return Info{}, err
	}
	return info, nil
}

// parseInfo returns the Info of a file, whose fields may be out of range.
func parseInfo(data []byte) (info Info, err error) {
	var f file
	if text := string(data); strings.HasPrefix(strings.TrimSpace(text), "<") {
		f, err = parseXML(text)
	} else {
		f, err = parseYAML(text)
	}
	switch {
	case err != nil:
		return info, err
	case f["Fx"] != nil:
		return f.fields()
	case f.get("camera_matrix") != nil:
		return f.matrices()
	}
	if name := f.firstCam(); name != "" {
		return f.kalibr(name)
	}
	return info, errors.New("camera: a file with none of the keys Fx, camera_matrix and cam0")
}

// The names of distortion models in files.
const (
	plumbBob           = "plumb_bob"
	rationalPolynomial = "rational_polynomial"
	equidistant        = "equidistant"
)

// A file is a mapping of a file, whose values are mappings (file), sequences ([]any) and scalars
// (string).
type file map[string]any

// get returns the value of a key, or nil. OpenCV's programs have written some with capital letters.
func (f file) get(key string) any {
	if v, ok := f[key]; ok {
		return v
	}
	first := ""
	for k := range f {
		if strings.EqualFold(k, key) && (first == "" || k < first) {
			first = k
		}
	}
	if first == "" {
		return nil
	}
	return f[first]
}

// text returns a scalar, or "" if there is none.
func (f file) text(key string) string {
	text, _ := f.get(key).(string)
	return text
}

// size returns a scalar that is a width or a height, or 0 if there is none.
func (f file) size(key string) (int, error) {
	text := f.text(key)
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !isSize(v) {
		return 0, fmt.Errorf("camera: %s is %s, not an integer of 0 or more", key, text)
	}
	return int(v), nil
}

// isSize reports whether v can be a width or a height.
func isSize(v float64) bool { return v >= 0 && v <= math.MaxInt32 && v == math.Trunc(v) }

// numbers returns a sequence of numbers. In XML they are a string.
func (f file) numbers(key string) ([]float64, error) {
	var items []any
	switch v := f.get(key).(type) {
	case nil:
		return nil, fmt.Errorf("camera: a file without %s", key)
	case []any:
		items = v
	case string:
		for _, word := range strings.Fields(v) {
			items = append(items, word)
		}
	default:
		return nil, fmt.Errorf("camera: %s is not a list of numbers", key)
	}
	var numbers []float64
	for _, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("camera: %s is not a list of numbers", key)
		}
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("camera: %s has %q, which is not a number", key, text)
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// mapping returns a value that is a mapping.
func (f file) mapping(key string) (file, error) {
	switch v := f.get(key).(type) {
	case nil:
		return nil, fmt.Errorf("camera: a file without %s", key)
	case file:
		return v, nil
	}
	return nil, fmt.Errorf("camera: %s is not a mapping", key)
}

// elements returns the elements of a matrix.
func (f file) elements(key string) ([]float64, error) {
	m, err := f.mapping(key)
	if err != nil {
		return nil, err
	}
	rows, err := m.size("rows")
	if err != nil {
		return nil, err
	}
	columns, err := m.size("cols")
	if err != nil {
		return nil, err
	}
	data, err := m.numbers("data")
	if err != nil {
		return nil, fmt.Errorf("%w, of %s", err, key)
	}
	if int64(rows)*int64(columns) != int64(len(data)) {
		return nil, fmt.Errorf("camera: %s has %d rows, %d cols and %d numbers", key, rows, columns, len(data))
	}
	return data, nil
}

// fields returns the Info of a file with the names of its fields.
func (f file) fields() (info Info, err error) {
	numbers := info.pointers()
	for _, key := range slices.Sorted(maps.Keys(f)) {
		switch i := slices.Index(fieldNames[:], key); {
		case i >= 0:
			*numbers[i], err = f.number(key)
		case key == "Model":
			err = info.Model.UnmarshalText([]byte(f.text(key)))
		case key == "Width":
			info.Width, err = f.size(key)
		case key == "Height":
			info.Height, err = f.size(key)
		case key == "Name":
			info.Name = f.text(key)
		default:
			err = fmt.Errorf("camera: unknown key %s beside Fx", key)
		}
		if err != nil {
			return info, err
		}
	}
	return info, nil
}

// number returns a scalar that is a number.
func (f file) number(key string) (float64, error) {
	v, err := strconv.ParseFloat(f.text(key), 64)
	if err != nil {
		return 0, fmt.Errorf("camera: %s is %q, which is not a number", key, f.text(key))
	}
	return v, nil
}

// matrices returns the Info of a file of OpenCV or ROS.
func (f file) matrices() (info Info, err error) {
	k, err := f.elements("camera_matrix")
	if err != nil {
		return info, err
	}
	if len(k) != 9 {
		return info, fmt.Errorf("camera: camera_matrix has %d numbers, not 9", len(k))
	}
	if k[1] != 0 {
		return info, fmt.Errorf("camera: camera_matrix has a skew of %v, which is not supported", k[1])
	}
	if [5]float64{k[3], k[6], k[7], k[8]} != [5]float64{0, 0, 0, 1} {
		return info, errors.New("camera: camera_matrix is not fx, 0, cx, 0, fy, cy, 0, 0, 1")
	}
	info.Fx, info.Fy, info.Cx, info.Cy = k[0], k[4], k[2], k[5]
	d, err := f.elements("distortion_coefficients")
	if err != nil {
		return info, err
	}
	var allowed []int // numbers of coefficients
	switch model := f.text("distortion_model"); model {
	case "":
		allowed = []int{4, 5, 8, 12, 14}
		switch fisheye := f.text("fisheye_model"); fisheye {
		case "", "0", "false":
		case "1", "true":
			info.Model = KannalaBrandt
		default:
			return info, fmt.Errorf("camera: fisheye_model is %s, not 0 or 1", fisheye)
		}
	case plumbBob:
		allowed = []int{4, 5}
	case rationalPolynomial:
		allowed = []int{8, 12, 14}
	case equidistant:
		info.Model = KannalaBrandt
	default:
		return info, fmt.Errorf("camera: distortion_model is %s, not one of %s, %s, %s", model, plumbBob, rationalPolynomial, equidistant)
	}
	if info.Model == KannalaBrandt {
		allowed = []int{4}
	}
	if err := info.setCoefficients("distortion_coefficients", d, allowed...); err != nil {
		return info, err
	}
	if info.Width, err = f.size("image_width"); err != nil {
		return info, err
	}
	if info.Height, err = f.size("image_height"); err != nil {
		return info, err
	}
	info.Name = f.text("camera_name")
	return info, nil
}

// setCoefficients sets the distortion coefficients, of which there may be one of several numbers.
func (c *Camera) setCoefficients(key string, d []float64, allowed ...int) error {
	ok := false
	for _, n := range allowed {
		ok = ok || len(d) == n
	}
	if !ok {
		return fmt.Errorf("camera: %s has %d numbers, not %s", key, len(d), alternatives(allowed))
	}
	var all [14]float64
	copy(all[:], d)
	if c.Model == KannalaBrandt {
		c.K1, c.K2, c.K3, c.K4 = all[0], all[1], all[2], all[3]
		return nil
	}
	if [4]float64(all[8:12]) != [4]float64{} {
		return fmt.Errorf("camera: %s has a thin prism, number 9 to 12, which is not supported", key)
	}
	if [2]float64(all[12:]) != [2]float64{} {
		return fmt.Errorf("camera: %s has a tilted sensor, number 13 and 14, which is not supported", key)
	}
	c.K1, c.K2, c.P1, c.P2, c.K3, c.K4, c.K5, c.K6 = all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]
	return nil
}

// alternatives returns numbers in words, such as "4, 5 or 8".
func alternatives(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// firstCam returns the key of a camchain's camera with the lowest number, or "".
func (f file) firstCam() (first string) {
	lowest := uint64(math.MaxUint64)
	for key := range f {
		digits, ok := strings.CutPrefix(key, "cam")
		if n, err := strconv.ParseUint(digits, 10, 32); ok && err == nil && n < lowest {
			first, lowest = key, n
		}
	}
	return first
}

// kalibr returns the Info of a camera of a camchain.
func (f file) kalibr(name string) (info Info, err error) {
	cam, err := f.mapping(name)
	if err != nil {
		return info, err
	}
	info.Name = name
	if model := cam.text("camera_model"); model != "pinhole" {
		return info, fmt.Errorf("camera: camera_model is %q, not pinhole", model)
	}
	k, err := cam.numbers("intrinsics")
	if err != nil {
		return info, err
	}
	if len(k) != 4 {
		return info, fmt.Errorf("camera: intrinsics has %d numbers, not 4", len(k))
	}
	info.Fx, info.Fy, info.Cx, info.Cy = k[0], k[1], k[2], k[3]
	switch model := cam.text("distortion_model"); model {
	case "none":
	case "radtan", equidistant:
		if model == equidistant {
			info.Model = KannalaBrandt
		}
		d, err := cam.numbers("distortion_coeffs")
		if err != nil {
			return info, err
		}
		if err := info.setCoefficients("distortion_coeffs", d, 4); err != nil {
			return info, err
		}
	default:
		return info, fmt.Errorf("camera: distortion_model is %q, not one of radtan, %s, none", model, equidistant)
	}
	if cam.get("resolution") != nil {
		size, err := cam.numbers("resolution")
		if err != nil {
			return info, err
		}
		if len(size) != 2 || !isSize(size[0]) || !isSize(size[1]) {
			return info, errors.New("camera: resolution is not a width and a height")
		}
		info.Width, info.Height = int(size[0]), int(size[1])
	}
	return info, nil
}
