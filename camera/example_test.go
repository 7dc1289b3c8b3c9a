package camera_test

import (
	"fmt"
	"image"
	"os"
	"strings"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
)

// A wide-angle camera sees a point, and the pixel leads back to its direction.
func Example() {
	c := camera.Camera{Fx: 500, Fy: 500, Cx: 319.5, Cy: 239.5, K1: -0.28, K2: 0.07}
	p, ok := c.Project([3]float64{1, 0.5, 2})
	fmt.Printf("%.2f %.2f %v\n", p.X, p.Y, ok)
	x, y, ok := c.Ray(p)
	fmt.Printf("%.4f %.4f %v\n", x, y, ok)

	// The polynomial of another lens folds back 46 degrees from the axis. What is farther out has no
	// projection, although the formula has one.
	folding := camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240, K1: -0.3}
	_, ok = folding.Project([3]float64{1.7, 0, 1})
	fmt.Printf("%.3f %v\n", folding.End(), ok)
	// Output:
	// 549.33 354.42 true
	// 0.5000 0.2500 true
	// 1.054 false
}

// A fisheye sees what is beside and behind it.
func ExampleCamera_Bearing() {
	c := camera.Camera{Model: camera.KannalaBrandt, Fx: 190, Fy: 190, Cx: 319.5, Cy: 239.5}
	p, ok := c.Project([3]float64{1, 0, -0.1})
	fmt.Printf("%.2f %.2f %v\n", p.X, p.Y, ok)
	b, ok := c.Bearing(p)
	fmt.Printf("%.4f %v\n", b, ok)
	_, _, ok = c.Ray(p) // which would have to meet the plane in front of the camera
	fmt.Println(ok)
	// Output:
	// 636.89 239.50 true
	// [0.9950 0.0000 -0.0995] true
	// false
}

// Corners are found in the picture that the camera took; package geometry needs them without its
// distortion.
func ExampleCamera_Undistort() {
	c := camera.Camera{Fx: 800, Fy: 800, Cx: 640, Cy: 360, K1: -0.3, K2: 0.1}
	points := []geometry.Point{{X: 640, Y: 360}, {X: 1200, Y: 360}, {X: 1200, Y: 700}}
	c.Undistort(points, points)
	for _, p := range points {
		fmt.Printf("%.2f %.2f\n", p.X, p.Y)
	}
	c.Distort(points, points)
	fmt.Printf("%.2f %.2f\n", points[2].X, points[2].Y)
	// Output:
	// 640.00 360.00
	// 1306.78 360.00
	// 1345.25 788.19
	// 1200.00 700.00
}

// A data sheet says that a webcam has a diagonal field of view of 78 degrees, and a photo says that
// its lens is like one of 26 mm on 35 mm film.
func ExampleFromFieldOfView() {
	const diagonal = 2202.907 // math.Hypot(1920, 1080)
	webcam := camera.FromFieldOfView(78, diagonal, image.Pt(1920, 1080))
	fmt.Printf("%.0f %.0f %.1f %.1f\n", webcam.Fx, webcam.Fy, webcam.Cx, webcam.Cy)
	phone := camera.From35mm(26, image.Pt(4032, 3024))
	small := phone.Resized(image.Pt(4032, 3024), image.Pt(1008, 756))
	fmt.Printf("%.0f %.0f\n", phone.Fx, small.Fx)
	// Output:
	// 1360 1360 959.5 539.5
	// 3029 757
}

// A file of ROS becomes one of OpenCV.
func ExampleReadInfo() {
	info, err := camera.ReadInfo(strings.NewReader(`image_width: 640
image_height: 480
camera_name: left
camera_matrix: {rows: 3, cols: 3, data: [500, 0, 320, 0, 500, 240, 0, 0, 1]}
distortion_model: equidistant
distortion_coefficients: {rows: 1, cols: 4, data: [0.0625, 0, 0, 0]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Name, info.Model, info.Fx, info.K1)
	if err := info.WriteOpenCV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// left kannala-brandt 500 0.0625
	// %YAML:1.0
	// ---
	// camera_name: "left"
	// image_width: 640
	// image_height: 480
	// fisheye_model: 1
	// camera_matrix: !!opencv-matrix
	//    rows: 3
	//    cols: 3
	//    dt: d
	//    data: [5.0000000000000000e+02, 0.0000000000000000e+00, 3.2000000000000000e+02, 0.0000000000000000e+00, 5.0000000000000000e+02, 2.4000000000000000e+02, 0.0000000000000000e+00, 0.0000000000000000e+00, 1.0000000000000000e+00]
	// distortion_coefficients: !!opencv-matrix
	//    rows: 4
	//    cols: 1
	//    dt: d
	//    data: [6.2500000000000000e-02, 0.0000000000000000e+00, 0.0000000000000000e+00, 0.0000000000000000e+00]
}
