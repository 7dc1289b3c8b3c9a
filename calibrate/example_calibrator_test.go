package calibrate_test

import (
	"fmt"
	"image"
	"log"
	"math"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// see returns what a camera would see of a chessboard of 9 by 6 corners with squares of 25 mm.
func see(c camera.Camera, p pose.Pose) (v calibrate.View) {
	for k := range 9 * 6 {
		x := pose.Vector{float64(k%9) * 25, float64(k/9) * 25}
		at, _ := c.Project(p.Apply(x))
		at = geometry.Point{X: math.Round(at.X*2) / 2, Y: math.Round(at.Y*2) / 2} // noise
		v.World, v.Image = append(v.World, x), append(v.Image, at)
	}
	return v
}

// poses are those of a board in front of the camera.
var poses = []pose.Pose{
	pose.FromQuaternion(1, 0.25, 0, 0, pose.Vector{-140, -80, 330}),
	pose.FromQuaternion(1, -0.25, 0, 0.1, pose.Vector{-60, -60, 380}),
	pose.FromQuaternion(1, 0, 0.25, 0, pose.Vector{-100, -20, 400}),
	pose.FromQuaternion(1, 0, -0.25, -0.1, pose.Vector{-140, -40, 300}),
	pose.FromQuaternion(1, 0.15, 0.15, 0.3, pose.Vector{-50, -110, 360}),
	pose.FromQuaternion(1, -0.15, 0.1, 0, pose.Vector{-180, -60, 350}),
}

func ExampleCalibrator_Calibrate() {
	webcam := camera.Camera{Fx: 640, Fy: 640, Cx: 322, Cy: 236, K1: -0.1}
	var views []calibrate.View
	for _, p := range poses {
		views = append(views, see(webcam, p))
	}
	calibrator, err := calibrate.New(calibrate.Options{Distortion: 2})
	if err != nil {
		log.Fatal(err)
	}
	c, err := calibrator.Calibrate(image.Pt(640, 480), views)
	if err != nil {
		log.Fatal(err) // ErrFocal: c is complete, but do not trust it
	}
	deviations := c.StandardDeviations()
	fmt.Printf("Fx %.1f ± %.1f pixels, K1 %.2f\n", c.Camera.Fx, deviations[0], c.Camera.K1)
	fmt.Printf("errors of %.2f pixel\n", c.RMS)
	fmt.Printf("in the middle, rays are right to %.2f pixel\n", c.Uncertainty(geometry.Point{X: 320, Y: 240}))
	hint := c.Suggest(9, 6)
	fmt.Printf("another view would help: at %v, %.0f %% of the width\n", hint.At.Pt(), 100*hint.Size)
	// Output:
	// Fx 639.9 ± 0.8 pixels, K1 -0.10
	// errors of 0.20 pixel
	// in the middle, rays are right to 0.02 pixel
	// another view would help: at (480,240), 60 % of the width
}

func ExampleCalibrator_Pair() {
	left := camera.Camera{Fx: 640, Fy: 640, Cx: 322, Cy: 236, K1: -0.1}
	right := camera.Camera{Fx: 650, Fy: 650, Cx: 318, Cy: 241, K1: -0.12}
	between := pose.FromQuaternion(1, 0, 0.02, 0, pose.Vector{-60, 0, 0}) // right is 60 mm to the right
	var views [][2]calibrate.View
	for _, p := range poses {
		views = append(views, [2]calibrate.View{see(left, p), see(right, between.Mul(p))})
	}
	calibrator, err := calibrate.New(calibrate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	pair, err := calibrator.Pair(calibrate.Calibration{Camera: left}, calibrate.Calibration{Camera: right}, views)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the cameras are %.1f ± %.1f mm apart\n", pair.Pose.Center()[0], pair.Shift[0])
	// Output:
	// the cameras are 60.0 ± 0.1 mm apart
}
