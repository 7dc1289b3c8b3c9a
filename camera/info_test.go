package camera_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fastcorners/fast/camera"
	"github.com/stretchr/testify/require"
)

// What programs for calibration write.
const (
	openCV = `%YAML:1.0
---
calibration_time: "Wed 02 Sep 2026 11:13:09 AM CEST"
nframes: 13
image_width: 640
image_height: 480
board_width: 9
square_size: 2.5000000372529030e-02
aspectRatio: 1.
# flags: +fix_aspectRatio
flags: 2
fisheye_model: 0
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 5.3591573396163199e+02, 0., 3.4228315473308373e+02, 0.,
       5.3590573396163199e+02, 2.3557082909788173e+02, 0., 0., 1. ]
distortion_coefficients: !!opencv-matrix
   rows: 5
   cols: 1
   dt: d
   data: [ -2.6637260909660682e-01, -3.8588898922304653e-02,
       1.7831947042852964e-03, -2.8122100441115472e-04,
       2.3839153080878486e-01 ]
avg_reprojection_error: 3.9259098975581364e-01
per_view_reprojection_errors: !!opencv-matrix
   rows: 3
   cols: 1
   dt: f
   data: [ 1.92965463e-01, 1.18204820e+00, 1.73180386e-01 ]
# a set of 6-tuples (rotation vector + translation vector) for each view
extrinsic_parameters: !!opencv-matrix
   rows: 1
   cols: 6
   dt: d
   data: [ 1.6866673097722978e-01, 2.7567195383689680e-01,
       1.3463666677617407e-02, -7.5217911266918208e-02,
       -1.0895943925991841e-01, 3.9970206949907272e-01 ]
views:
   - { name:"left01.jpg", found:1, corners:[ 1., 2., 3. ] }
   -
      name: "left02.jpg"
      found: 0
...
`
	openCVXML = `<?xml version="1.0"?>
<!-- written by hand -->
<opencv_storage>
<calibration_time>"Wed 02 Sep 2026 11:13:09 AM CEST"</calibration_time>
<image_width>640</image_width>
<image_height>480</image_height>
<Camera_Matrix type_id="opencv-matrix">
  <rows>3</rows>
  <cols>3</cols>
  <dt>d</dt>
  <data>
    5.3591573396163199e+02 0. 3.4228315473308373e+02 0.
    5.3590573396163199e+02 2.3557082909788173e+02 0. 0. 1.</data></Camera_Matrix>
<Distortion_Coefficients type_id="opencv-matrix">
  <rows>5</rows>
  <cols>1</cols>
  <dt>d</dt>
  <data>
    -2.6637260909660682e-01 -3.8588898922304653e-02
    1.7831947042852964e-03 -2.8122100441115472e-04
    2.3839153080878486e-01</data></Distortion_Coefficients>
<images>
  <_>"left01.jpg"</_>
  <_>"left02.jpg"</_></images>
</opencv_storage>
`
	openCVJSON = `{
    "image_width": 640,
    "image_height": 480,
    "camera_matrix": {
        "type_id": "opencv-matrix",
        "rows": 3,
        "cols": 3,
        "dt": "d",
        "data": [ 5.3591573396163199e+02, 0.0, 3.4228315473308373e+02, 0.0,
            5.3590573396163199e+02, 2.3557082909788173e+02, 0.0, 0.0, 1.0 ]
    },
    "distortion_coefficients": {
        "type_id": "opencv-matrix",
        "rows": 1,
        "cols": 5,
        "dt": "d",
        "data": [ -2.6637260909660682e-01, -3.8588898922304653e-02,
            1.7831947042852964e-03, -2.8122100441115472e-04, 2.3839153080878486e-01 ]
    }
}
`
	fisheye = "\ufeff%YAML:1.0\r\n---\r\nfisheye_model: 1\r\ncamera_matrix: !!opencv-matrix\r\n   rows: 3\r\n   cols: 3\r\n   dt: d\r\n" +
		"   data: [ 356., 0., 647., 0., 357., 404., 0., 0., 1. ]\r\ndistortion_coefficients: !!opencv-matrix\r\n" +
		"   rows: 4\r\n   cols: 1\r\n   dt: d\r\n   data: [ -0.05, -2e-4, -.0026, 2.e-04 ]\r\n"

	ros = `image_width: 640
image_height: 488
camera_name: narrow_stereo/left   # of the head
camera_matrix:
  rows: 3
  cols: 3
  data: [438.783367, 0.000000, 305.593336, 0.000000, 437.302876, 243.738352, 0.000000, 0.000000, 1.000000]
distortion_model: plumb_bob
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.361976, 0.110510, 0.001014, 0.000505, 0.000000]
rectification_matrix:
  rows: 3
  cols: 3
  data: [0.999978, 0.002789, -0.006046, -0.002816, 0.999986, -0.004401, 0.006034, 0.004417, 0.999972]
projection_matrix:
  rows: 3
  cols: 4
  data: [393.653800, 0.000000, 322.797939, 0.000000, 0.000000, 393.653800, 241.090902, 0.000000, 0.000000, 0.000000, 1.000000, 0.000000]
`
	kalibr = `cam0:
  cam_overlaps: [1]
  camera_model: pinhole
  distortion_coeffs: [-0.0016509958435871643, 0.02437222940989351, -0.03582816956989852,
    0.019860839087717054]
  distortion_model: equidistant
  intrinsics: [461.487246372674, 460.1113992557959, 356.39105303227853, 231.15719697054647]
  resolution: [752, 480]
  rostopic: /cam0/image_raw
cam1:
  T_cn_cnm1:
  - [0.9999717314190615, -0.007438121416209933, 0.001100323844221122, 0.11002455477268185]
  - [0.00742, 0.99998, -0.0005, -0.0002]
  - [-0.0010, 0.0005, 0.9999, -0.0004]
  - [0.0, 0.0, 0.0, 1.0]
  cam_overlaps: [0]
  camera_model: pinhole
  distortion_coeffs: [0.1, 0.02, 0.001, 0.0002]
  distortion_model: radtan
  intrinsics: [460.0, 459.0, 377.5, 245.0]
  resolution: [752, 480]
  rostopic: /cam1/image_raw
`
)

// leftCamera is that of openCV, and kalibrCamera the first one of kalibr.
var (
	leftCamera = camera.Camera{
		Fx: 5.3591573396163199e+02, Fy: 5.3590573396163199e+02, Cx: 3.4228315473308373e+02, Cy: 2.3557082909788173e+02,
		K1: -2.6637260909660682e-01, K2: -3.8588898922304653e-02, P1: 1.7831947042852964e-03, P2: -2.8122100441115472e-04, K3: 2.3839153080878486e-01,
	}
	kalibrCamera = camera.Camera{
		Model: camera.KannalaBrandt, Fx: 461.487246372674, Fy: 460.1113992557959, Cx: 356.39105303227853, Cy: 231.15719697054647,
		K1: -0.0016509958435871643, K2: 0.02437222940989351, K3: -0.03582816956989852, K4: 0.019860839087717054,
	}
)

// read returns the Info of a text.
func read(text string) (camera.Info, error) { return camera.ReadInfo(strings.NewReader(text)) }

// TestReadInfo reads files of each kind.
func TestReadInfo(t *testing.T) {
	left := camera.Info{Camera: leftCamera, Width: 640, Height: 480}
	pinhole := camera.Camera{Fx: 500, Fy: 501, Cx: 320, Cy: 240}
	rational := camera.Camera{Fx: 500, Fy: 501, Cx: 320, Cy: 240, K1: 1, K2: 2, P1: 3, P2: 4, K3: 5, K4: 6, K5: 7, K6: 8}
	second := kalibr[strings.Index(kalibr, "cam1"):]
	matrices := func(coefficients, rest string) string {
		n := 1 + strings.Count(coefficients, ",")
		return "camera_matrix: {rows: 3, cols: 3, data: [500, 0, 320, 0, 501, 240, 0, 0, 1]}\n" +
			"distortion_coefficients: {rows: 1, cols: " + string(rune('0'+n/10)) + string(rune('0'+n%10)) + ", data: [" + coefficients + "]}\n" + rest
	}
	for name, c := range map[string]struct {
		text string
		want camera.Info
	}{
		"OpenCV, YAML":            {openCV, left},
		"OpenCV, XML":             {openCVXML, left},
		"OpenCV, entities":        {strings.Replace(openCVXML, "<image_width>", `<camera_name a="b" >"a &amp; &lt;b&gt;"</camera_name ><none/><image_width>`, 1), camera.Info{Camera: leftCamera, Width: 640, Height: 480, Name: "a & <b>"}},
		"OpenCV, JSON":            {openCVJSON, left},
		"OpenCV, fisheye":         {fisheye, camera.Info{Camera: camera.Camera{Model: camera.KannalaBrandt, Fx: 356, Fy: 357, Cx: 647, Cy: 404, K1: -.05, K2: -2e-4, K3: -.0026, K4: 2e-4}}},
		"OpenCV, 4 coefficients":  {matrices("0, 0, 0, 0", ""), camera.Info{Camera: pinhole}},
		"OpenCV, 8 coefficients":  {matrices("1, 2, 3, 4, 5, 6, 7, 8", ""), camera.Info{Camera: rational}},
		"OpenCV, 12 coefficients": {matrices("1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0", ""), camera.Info{Camera: rational}},
		"OpenCV, 14 coefficients": {matrices("1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0", "camera_name: 'it''s mine'\n"), camera.Info{Camera: rational, Name: "it's mine"}},
		"OpenCV, the old header":  {strings.Replace(openCV, "---\n", "", 1), left},
		"ROS": {ros, camera.Info{
			Camera: camera.Camera{Fx: 438.783367, Fy: 437.302876, Cx: 305.593336, Cy: 243.738352, K1: -0.361976, K2: 0.110510, P1: 0.001014, P2: 0.000505},
			Width:  640, Height: 488, Name: "narrow_stereo/left",
		}},
		"ROS, rational":          {matrices("1, 2, 3, 4, 5, 6, 7, 8", "distortion_model: rational_polynomial"), camera.Info{Camera: rational}},
		"ROS, equidistant":       {matrices("1, 2, 3, 4", "distortion_model: equidistant"), camera.Info{Camera: camera.Camera{Model: camera.KannalaBrandt, Fx: 500, Fy: 501, Cx: 320, Cy: 240, K1: 1, K2: 2, K3: 3, K4: 4}}},
		"Kalibr":                 {kalibr, camera.Info{Camera: kalibrCamera, Width: 752, Height: 480, Name: "cam0"}},
		"Kalibr, second camera":  {second, camera.Info{Camera: camera.Camera{Fx: 460, Fy: 459, Cx: 377.5, Cy: 245, K1: .1, K2: .02, P1: .001, P2: .0002}, Width: 752, Height: 480, Name: "cam1"}},
		"Kalibr, any order":      {strings.ReplaceAll(second, "cam1:", "cam10:") + kalibr[:strings.Index(kalibr, "cam1:")], camera.Info{Camera: kalibrCamera, Width: 752, Height: 480, Name: "cam0"}},
		"Kalibr, none":           {"cam0: {camera_model: pinhole, distortion_model: none, intrinsics: [500, 501, 320, 240]}", camera.Info{Camera: pinhole, Name: "cam0"}},
		"JSON":                   {`{"Model": "kannala-brandt", "Fx": 500, "Fy": 501, "Cx": 320, "Cy": 240, "K4": 0.5, "Width": 3, "Name": "x"}`, camera.Info{Camera: camera.Camera{Model: camera.KannalaBrandt, Fx: 500, Fy: 501, Cx: 320, Cy: 240, K4: .5}, Width: 3, Name: "x"}},
		"JSON, tabs and escapes": {"{\n\t\"Fx\": 500, \"Fy\": 501.0e0,\n\t\"Cx\":320,\"Cy\" : 240,\n\t\"Name\": \"\\ud83d\\ude00 \\u00e9\\/\\\\ \\\"}\"\n}", camera.Info{Camera: pinhole, Name: "😀 é/\\ \"}"}},
		"JSON, short":            {" \n{\"Fx\": 500, \"Fy\": 501, \"Cx\": 320, \"Cy\": 240}\n", camera.Info{Camera: pinhole}},
	} {
		got, err := read(c.text)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

// TestReadYAML reads what YAML allows in files of cameras.
func TestReadYAML(t *testing.T) {
	want, err := read(ros)
	require.NoError(t, err)
	for name, change := range map[string][2]string{
		"comment":              {"camera_matrix:\n", "camera_matrix: # fx, fy\n# and cx\n\n"},
		"block sequence":       {"data: [-0.361976, 0.110510, 0.001014, 0.000505, 0.000000]", "data:\n    - -0.361976\n    - 0.110510 # K2\n    -   0.001014\n    - \"0.000505\"\n    - 0.000000"},
		"sequence in its key":  {"data: [-0.361976, 0.110510, 0.001014, 0.000505, 0.000000]", "data:\n  - -0.361976\n  - 0.110510\n  - 0.001014\n  - 0.000505\n  - 0.000000"},
		"lines":                {"[-0.361976, 0.110510,", "[\n-0.361976,   # K1\n  0.110510\n ,"},
		"last comma":           {"0.000505, 0.000000]", "0.000505, 0.000000, ]"},
		"quotes":               {"narrow_stereo/left", `"narrow\u005fstereo/left"`},
		"more escapes":         {"narrow_stereo/left", `"narrow\x5fstereo\U0000002fleft"`},
		"single quotes":        {"camera_name: narrow_stereo/left", `'camera_name': 'narrow_stereo/left'`},
		"key in quotes":        {"distortion_model:", `"distortion_model" :`},
		"tags":                 {"distortion_model: plumb_bob", "distortion_model: !!str plumb_bob"},
		"other keys":           {"camera_matrix:", "a: b: c\nurl: http://x.org/#y\nempty:\nlist: []\nmap: {}\nnested:\n- - 1\n  - [2, {3: 4, '5' : \"6\"}]\n- x: 1\n  y:\n    z: 2\n-\n  - 3\ncamera_matrix:"},
		"document":             {"image_width", "%YAML 1.2\n# a camera\n---\nimage_width"},
		"deeper indentation":   {"  rows: 3\n  cols: 3\n  data: [438", "        rows: 3\n        cols: 3\n        data: [438"},
		"end of the document":  {"1.000000, 0.000000]\n", "1.000000, 0.000000]\n...\n"},
		"no line break at end": {"1.000000, 0.000000]\n", "1.000000, 0.000000]"},
	} {
		text := strings.Replace(ros, change[0], change[1], 1)
		require.NotEqual(t, ros, text, name)
		got, err := read(text)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
}

// TestReadErrors checks that errors name what is wrong or not supported.
func TestReadErrors(t *testing.T) {
	change := func(file, from, to string) string {
		text := strings.Replace(file, from, to, 1)
		require.NotEqual(t, file, text, from)
		return text
	}
	deep := strings.Repeat("[", 100)
	for want, text := range map[string]string{
		"camera: line 1: a list or mapping without an end":                                                       "a: {b",
		"camera: line 1: a list or mapping without an end ":                                                      "a: {b:",
		"camera: line 1: a list or mapping without an end  ":                                                     "a: {b: 1",
		"camera: line 1: a list or mapping without an end   ":                                                    "a: [",
		"camera: line 1: a string that does not end in its line  ":                                               "a: {'b",
		"camera: a file with none of the keys Fx, camera_matrix and cam0":                                        "",
		"camera: a file with none of the keys Fx, camera_matrix and cam0 ":                                       "M1: !!opencv-matrix\n   rows: 3\n",
		"camera: a file with none of the keys Fx, camera_matrix and cam0    ":                                    "<opencv_storage/>",
		"camera: a file with none of the keys Fx, camera_matrix and cam0     ":                                   "<opencv_storage>text</opencv_storage>",
		"camera: a file with none of the keys Fx, camera_matrix and cam0  ":                                      "<opencv_storage></opencv_storage>",
		"camera: a file with none of the keys Fx, camera_matrix and cam0   ":                                     "{}",
		"camera: a file without distortion_coefficients":                                                         change(ros, "distortion_coefficients", "coefficients"),
		"camera: a file without data, of camera_matrix":                                                          change(ros, "data: [438", "numbers: [438"),
		"camera: camera_matrix is not a mapping":                                                                 "camera_matrix: 5",
		"camera: camera_matrix has 2 rows, 3 cols and 9 numbers":                                                 change(ros, "rows: 3", "rows: 2"),
		"camera: rows is x, not an integer of 0 or more":                                                         change(ros, "rows: 3", "rows: x"),
		"camera: cols is 3.5, not an integer of 0 or more":                                                       change(ros, "cols: 3", "cols: 3.5"),
		"camera: image_width is -640, not an integer of 0 or more":                                               change(ros, "640", "-640"),
		"camera: image_height is 1e10, not an integer of 0 or more":                                              change(ros, "488", "1e10"),
		"camera: camera_matrix has 4 numbers, not 9":                                                             "camera_matrix: {rows: 2, cols: 2, data: [1, 2, 3, 4]}",
		"camera: camera_matrix has a skew of 0.5, which is not supported":                                        change(ros, "438.783367, 0.000000", "438.783367, 0.5"),
		"camera: camera_matrix is not fx, 0, cx, 0, fy, cy, 0, 0, 1":                                             change(ros, "243.738352, 0.000000, 0.000000, 1", "243.738352, 0.000000, 0.000000, 2"),
		"camera: data has \"many\", which is not a number, of camera_matrix":                                     change(ros, "438.783367", "many"),
		"camera: data has \"1e999\", which is not a number, of camera_matrix":                                    change(ros, "438.783367", "1e999"),
		"camera: data is not a list of numbers, of camera_matrix":                                                change(ros, "438.783367", "[438]"),
		"camera: data is not a list of numbers, of distortion_coefficients":                                      change(ros, "data: [-0.361976, 0.110510, 0.001014, 0.000505, 0.000000]", "data: {a: 1}"),
		"camera: distortion_model is thin_prism_fisheye, not one of plumb_bob, rational_polynomial, equidistant": change(ros, "plumb_bob", "thin_prism_fisheye"),
		"camera: distortion_coefficients has 5 numbers, not 8, 12 or 14":                                         change(ros, "plumb_bob", "rational_polynomial"),
		"camera: distortion_coefficients has 5 numbers, not 4":                                                   change(ros, "plumb_bob", "equidistant"),
		"camera: distortion_coefficients has 5 numbers, not 4 ":                                                  change(openCV, "fisheye_model: 0", "fisheye_model: 1"),
		"camera: fisheye_model is 2, not 0 or 1":                                                                 change(openCV, "fisheye_model: 0", "fisheye_model: 2"),
		"camera: distortion_coefficients has 6 numbers, not 4 or 5":                                              change(change(ros, "cols: 5", "cols: 6"), "0.000505", "0, 0"),
		"camera: distortion_coefficients has a thin prism, number 9 to 12, which is not supported":               change(change(openCV, "2.3839153080878486e-01 ]", "1, 2, 3, 4, 0, 0, 0, 5]"), "rows: 5", "rows: 12"),
		"camera: distortion_coefficients has a tilted sensor, number 13 and 14, which is not supported":          change(change(openCV, "2.3839153080878486e-01 ]", "1, 2, 3, 4, 0, 0, 0, 0, 0, 5]"), "rows: 5", "rows: 14"),
		"camera: Fx is 0, not positive":                                                                          change(ros, "438.783367", "0"),
		"camera: K1 is NaN, not finite":                                                                          change(ros, "-0.361976", "nan"),
		"camera: camera_model is \"omni\", not pinhole":                                                          change(kalibr, "pinhole", "omni"),
		"camera: distortion_model is \"fov\", not one of radtan, equidistant, none":                              change(kalibr, "equidistant", "fov"),
		"camera: distortion_coeffs has 5 numbers, not 4":                                                         change(kalibr, "[-0.00165", "[0, -0.00165"),
		"camera: intrinsics has 5 numbers, not 4":                                                                change(kalibr, "[461", "[1, 461"),
		"camera: a file without intrinsics":                                                                      change(kalibr, "intrinsics", "extrinsics"),
		"camera: a file without distortion_coeffs":                                                               change(kalibr, "distortion_coeffs", "coeffs"),
		"camera: resolution is not a width and a height":                                                         change(kalibr, "[752", "[-752"),
		"camera: resolution is not a list of numbers":                                                            change(kalibr, "resolution: [752, 480]", "resolution: {a: b}"),
		"camera: cam0 is not a mapping":                                                                          "cam0: [1]",
		"camera: a file that is not a mapping":                                                                   "- 1\n- 2\n",
		"camera: line 3: the key a a second time":                                                                "a: 1\nb: 2\na: 3\n",
		"camera: line 1: the key a a second time":                                                                "x: {a: 1, a: 2}\n",
		"camera: line 2: the key <<, which is not supported":                                                     "a: 1\n<<: b\n",
		"camera: line 2: a value that begins with &, which is not supported":                                     "a: 1\nb: &x 3\n",
		"camera: line 1: a value that begins with *, which is not supported":                                     "a: *x\n",
		"camera: line 1: a value that begins with |, which is not supported":                                     "a: |\n  text\n",
		"camera: line 2: no key with a colon":                                                                    "a: 1\nb\n",
		"camera: line 2: no key with a colon ":                                                                   "a:\n  \"b\n",
		"camera: line 2: a line that does not belong to those before":                                            "a: 1\n   b: 2\n",
		"camera: line 3: a line that does not belong to those before":                                            "a:\n   b: 2\n  c: 3\n",
		"camera: line 2: indentation by a tab":                                                                   "a:\n\tb: 2\n",
		"camera: line 3: a second document, which is not supported":                                              "---\na: 1\n---\nb: 2\n",
		"camera: line 3: a second document, which is not supported ":                                             "a: 1\n...\nb: 2\n",
		"camera: line 2: a list or mapping without an end":                                                       "a: [1,\n 2",
		"camera: line 1: \"] 2\" after a value":                                                                  "a: [1] ] 2\n",
		"camera: line 1: \"c\" after a value":                                                                    "a: \"b\" c\n",
		"camera: line 1: \"]\" in a list or mapping":                                                             "a: {b: 1]\n",
		"camera: line 1: a key without a colon: \"b\"":                                                           "a: {b}\n",
		"camera: line 1: \",1]\" in a list or mapping, where a value should be":                                  "a: [,1]\n",
		"camera: line 1: a string that does not end in its line":                                                 "a: \"b\n",
		"camera: line 1: a string that does not end in its line ":                                                "a: [\"b\n",
		"camera: line 1: a string with an escape that is not supported: \"\\u12\"":                               "a: \"\\u12\"\n",
		"camera: line 1: a string with an escape that is not supported: \"\\u12g4\"":                             "a: \"\\u12g4\"\n",
		"camera: line 1: a string with an escape that is not supported: \"\\ud800\\u0041\"":                      "a: \"\\ud800\\u0041\"\n",
		"camera: line 1: a string with an escape that is not supported: \"\\q\"":                                 "a: \"\\q\"\n",
		"camera: line 1: a string with an escape that is not supported: \"\\q\" ":                                "a: [\"\\q\"]\n",
		"camera: a file with more than 64 nested parts":                                                          "a: " + deep,
		"camera: a file with more than 64 nested parts ":                                                         "a:\n" + strings.Repeat("- ", 100) + "b",
		"camera: a file with more than 64 nested parts  ":                                                        "<opencv_storage>" + strings.Repeat("<a>", 100),
		"camera: XML with an element camera, not opencv_storage":                                                 "<camera/>",
		"camera: two elements a":                                                                                 "<opencv_storage><a/><a/></opencv_storage>",
		"camera: an element opencv_storage with elements that have names and others that have none":              "<opencv_storage><a/><_/></opencv_storage>",
		"camera: XML syntax error on line 1: unexpected EOF":                                                     "<opencv_storage><a>",
		"camera: XML syntax error on line 1: unexpected EOF ":                                                    "<opencv_storage><a",
		"camera: XML syntax error on line 1: element <a> closed by </b>":                                         "<opencv_storage><a></b></opencv_storage>",
		"camera: XML syntax error on line 1: unexpected end element </a>":                                        "</a>",
		"camera: XML without an element":                                                                         "<?xml version=\"1.0\"?>",
		"camera: line 1: a list or mapping without an end    ":                                                   "{",
		"camera: unknown key K7 beside Fx":                                                                       `{"Fx": 500, "Fy": 501, "K7": 1}`,
		"camera: Fx is \"wide\", which is not a number":                                                          `{"Fx": "wide"}`,
		"camera: Fx is \"\", which is not a number":                                                              `{"Fx": [500]}`,
		"camera: Width is 3.5, not an integer of 0 or more":                                                      `{"Fx": 500, "Width": 3.5}`,
		"camera: unknown Model \"pinhole\", not one of brown-conrady, kannala-brandt":                            `{"Fx": 500, "Model": "pinhole"}`,
		"camera: Fy is 0, not positive":                                                                          `{"Fx": 500}`,
		"camera: file of more than 1 MiB":                                                                        openCV + strings.Repeat("#", 1<<20),
	} {
		info, err := read(text)
		require.EqualError(t, err, strings.TrimRight(want, " "), "%.200s", text)
		require.Zero(t, info)
	}
	_, err := read(openCV + strings.Repeat("#", 1<<20-len(openCV)))
	require.NoError(t, err)
	broken := errors.New("broken")
	_, err = camera.ReadInfo(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

// writers are the methods that write.
var writers = map[string]func(camera.Info, io.Writer) error{
	"JSON": camera.Info.WriteJSON, "OpenCV": camera.Info.WriteOpenCV, "ROS": camera.Info.WriteROS,
}

// TestWriteInfo checks that reading returns what was written, to the bit, in every format.
func TestWriteInfo(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for i := range 200 {
		info := camera.Info{Camera: randomCamera(rng), Name: []string{"", "left", "narrow_stereo/left", "\"the\" camera: # 1\\\n", "相机"}[i%5]}
		if i%3 > 0 {
			info.Width, info.Height = 1+rng.IntN(4000), 1+rng.IntN(3000)
		}
		if i%7 == 0 {
			info.Cx, info.Cy, info.K1 = -1e-300, math.MaxFloat64, math.Copysign(0, -1)
		}
		for name, write := range writers {
			var b bytes.Buffer
			require.NoError(t, write(info, &b))
			got, err := camera.ReadInfo(&b)
			require.NoError(t, err, "%s: %s", name, b.String())
			require.Equal(t, info, got, name)
		}
	}
}

// TestWritten compares files with those that other programs read.
func TestWritten(t *testing.T) {
	written := func(name string, info camera.Info) string {
		var b strings.Builder
		require.NoError(t, writers[name](info, &b))
		return b.String()
	}
	info := camera.Info{Camera: camera.Camera{Fx: 500, Fy: 500.5, Cx: 319.5, Cy: 239.5, K1: -0.1, K2: 1e-5}, Width: 640, Height: 480, Name: "left"}
	require.Equal(t, `%YAML:1.0
---
camera_name: "left"
image_width: 640
image_height: 480
fisheye_model: 0
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [5.0000000000000000e+02, 0.0000000000000000e+00, 3.1950000000000000e+02, 0.0000000000000000e+00, 5.0050000000000000e+02, 2.3950000000000000e+02, 0.0000000000000000e+00, 0.0000000000000000e+00, 1.0000000000000000e+00]
distortion_coefficients: !!opencv-matrix
   rows: 5
   cols: 1
   dt: d
   data: [-1.0000000000000001e-01, 1.0000000000000001e-05, 0.0000000000000000e+00, 0.0000000000000000e+00, 0.0000000000000000e+00]
`, written("OpenCV", info))
	for _, info := range []camera.Info{info, {Camera: kalibrCamera, Name: "\"a\"\n\x01é😀"}} {
		var decoded camera.Info
		require.NoError(t, json.Unmarshal([]byte(written("JSON", info)), &decoded))
		require.Equal(t, info, decoded)
		text, err := json.Marshal(info)
		require.NoError(t, err)
		again, err := read(string(text))
		require.NoError(t, err)
		require.Equal(t, info, again)
	}
	require.Equal(t, `{
  "Model": "brown-conrady",
  "Fx": 500,
  "Fy": 500.5,
  "Cx": 319.5,
  "Cy": 239.5,
  "K1": -0.1,
  "K2": 1e-05,
  "P1": 0,
  "P2": 0,
  "K3": 0,
  "K4": 0,
  "K5": 0,
  "K6": 0,
  "Width": 640,
  "Height": 480,
  "Name": "left"
}
`, written("JSON", info))
	for model, c := range map[string]camera.Camera{
		"plumb_bob": info.Camera, "rational_polynomial": {Fx: 1, Fy: 1, K6: 1}, "equidistant": {Model: camera.KannalaBrandt, Fx: 1, Fy: 1},
	} {
		text := written("ROS", camera.Info{Camera: c})
		require.Contains(t, text, "image_width: 0\nimage_height: 0\ncamera_name: \"\"\ncamera_matrix:\n  rows: 3\n  cols: 3\n  data: [")
		require.Contains(t, text, "\ndistortion_model: "+model+"\ndistortion_coefficients:\n  rows: 1\n  cols: ")
		require.Contains(t, text, "\nprojection_matrix:\n  rows: 3\n  cols: 4\n  data: [")
	}
}

// TestWriteErrors checks what is not written.
func TestWriteErrors(t *testing.T) {
	good := camera.Camera{Fx: 1, Fy: 1}
	for name, write := range writers {
		var b bytes.Buffer
		require.EqualError(t, write(camera.Info{}, &b), "camera: Fx is 0, not positive", name)
		require.EqualError(t, write(camera.Info{Camera: camera.Camera{Fx: 1, Fy: 1, Cx: math.NaN()}}, &b), "camera: Cx is NaN, not finite", name)
		require.EqualError(t, write(camera.Info{Camera: good, Width: -1}, &b), "camera: Info.Width is -1, not 0 or more", name)
		require.EqualError(t, write(camera.Info{Camera: good, Height: -2}, &b), "camera: Info.Height is -2, not 0 or more", name)
		require.EqualError(t, write(camera.Info{Camera: good, Name: "\xff"}, &b), `camera: Info.Name is "\xff", not UTF-8`, name)
		require.Zero(t, b.Len())
		r, w := io.Pipe()
		r.Close()
		require.ErrorIs(t, write(camera.Info{Camera: good}, w), io.ErrClosedPipe, name)
	}
}
