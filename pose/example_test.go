package pose_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A camera moves to the right and turns by 0.1 around its y axis.
func Example() {
	c := camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}
	truth := pose.FromQuaternion(math.Cos(0.05), 0, math.Sin(0.05), 0, pose.Vector{-1, 0, 0})
	var a, b []geometry.Point
	for i := range 40 {
		x := pose.Vector{float64(i%8) - 3, float64(i/8) - 2, 8 + float64(i*i%7)}
		p, _ := c.Project(x)
		q, _ := c.Project(truth.Apply(x))
		a, b = append(a, p), append(b, q)
	}
	b[7] = geometry.Point{X: 5, Y: 9} // a wrong pair

	e, err := pose.New(pose.Options{})
	if err != nil {
		log.Fatal(err)
	}
	motion, err := e.Relative(c, c, a, b, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	w, _, y, _ := motion.Pose.Quaternion()
	center := motion.Pose.Center()
	fmt.Printf("%d inliers, angle %.3f, camera B at x %.3f, z %.3f\n", motion.Inliers, 2*math.Atan2(y, w), center[0], center[2])
	x, ok := motion.Pose.Triangulate(c, c, a[0], b[0])
	fmt.Printf("%.3f %v\n", x, ok)

	_, err = e.Relative(c, c, a[:4], b[:4], nil, nil)
	fmt.Println(errors.Is(err, pose.ErrPairs), err)
	// Output:
	// 39 inliers, angle 0.100, camera B at x 0.995, z 0.100
	// [-3.000 -2.000 8.000] true
	// true pose: too few pairs
}

// The corners of a marker with sides of 10 cm are found in an image, in clockwise order, with an error of
// about half a pixel.
func ExampleLeastSquares() {
	c := camera.Camera{Fx: 800, Fy: 800, Cx: 640, Cy: 360}
	marker := []pose.Vector{{-0.05, -0.05, 0}, {0.05, -0.05, 0}, {0.05, 0.05, 0}, {-0.05, 0.05, 0}}
	corners := []geometry.Point{{X: 592.7, Y: 237.4}, {X: 796.1, Y: 253.7}, {X: 754.2, Y: 426.6}, {X: 570.2, Y: 421.0}}

	found, err := pose.LeastSquares(c, marker, corners, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	best := found.Minima[0]
	fmt.Printf("the marker is at %.3f, error %.1f pixels\n", best.Pose.T, best.Error)
	fmt.Printf("the other pose has an error of %.1f pixels\n", found.Minima[1].Error)
	fmt.Println("may it be the right one?", found.Ambiguous)
	// Output:
	// the marker is at [0.020 -0.010 0.401], error 0.3 pixels
	// the other pose has an error of 10.4 pixels
	// may it be the right one? false
}

// The pairs are points that optical flow followed.
func ExampleEstimator_Fundamental() {
	var points []flow.Point
	var tracks []flow.Track // of flow.Tracker
	e, err := pose.New(pose.Options{InlierThreshold: 1})
	if err != nil {
		log.Fatal(err)
	}
	a, b := geometry.Tracks(points, tracks)
	inliers := make([]bool, len(a))
	if _, err := e.Fundamental(a, b, nil, inliers); err != nil {
		fmt.Println(err)
	}
	// Output: pose: too few pairs
}

// A camera moves past points, and three of its views are known approximately.
func ExampleRefiner_Refine() {
	c := camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}
	at := func(x, y, z float64) pose.Pose {
		return pose.Pose{R: pose.Identity().R, T: pose.Vector{-x, -y, -z}}
	}
	truth := []pose.Pose{at(0, 0, 0), at(1, 0, 0), at(2, 0, 0.5)}
	views := []pose.View{{Camera: c, Pose: truth[0]}, {Camera: c, Pose: truth[1]}, {Camera: c, Pose: at(2.1, 0.1, 0.4)}}
	var points []pose.Vector
	var observations []pose.Observation
	for i := range 20 {
		x := pose.Vector{float64(i%5) - 1, float64(i/5) - 2, 8 + float64(i*i%7)}
		places := make([]geometry.Point, len(truth))
		for k, p := range truth {
			places[k], _ = c.Project(p.Apply(x))
			observations = append(observations, pose.Observation{View: k, Point: i, At: places[k]})
		}
		x, _ = pose.Triangulate(views, places) // in front of all of them
		points = append(points, x)
	}

	r, err := pose.NewRefiner(pose.RefinerOptions{})
	if err != nil {
		log.Fatal(err)
	}
	refinement, err := r.Refine(views, 2, points, observations, nil) // the first two stay
	if err != nil {
		log.Fatal(err)
	}
	center := views[2].Pose.Center()
	fmt.Printf("errors fell from %.0f to %.3f pixels\n", refinement.Before, refinement.After)
	fmt.Printf("camera at x %.3f, y %.3f, z %.3f\n", center[0], center[1]+1e-9, center[2])
	fmt.Printf("%.3f\n", points[0])
	// Output:
	// errors fell from 2 to 0.000 pixels
	// camera at x 2.000, y 0.000, z 0.500
	// [-1.000 -2.000 8.000]
}
