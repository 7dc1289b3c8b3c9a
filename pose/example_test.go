package pose_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A camera moves to the right and turns by 0.1 around its y axis.
func ExampleEstimator_Relative() {
	camera := pose.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}
	truth := pose.FromQuaternion(math.Cos(0.05), 0, math.Sin(0.05), 0, pose.Vector{-1, 0, 0})
	var a, b []geometry.Point
	for i := range 40 {
		x := pose.Vector{float64(i%8) - 3, float64(i/8) - 2, 8 + float64(i*i%7)}
		p, _ := camera.Project(x)
		q, _ := camera.Project(truth.Apply(x))
		a, b = append(a, p), append(b, q)
	}
	b[7] = geometry.Point{X: 5, Y: 9} // a wrong pair

	e, err := pose.New(pose.Options{})
	if err != nil {
		log.Fatal(err)
	}
	motion, err := e.Relative(camera, camera, a, b, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	w, _, y, _ := motion.Pose.Quaternion()
	center := motion.Pose.Center()
	fmt.Printf("%d inliers, angle %.3f, camera B at x %.3f, z %.3f\n", motion.Inliers, 2*math.Atan2(y, w), center[0], center[2])
	x, ok := motion.Pose.Triangulate(camera, camera, a[0], b[0])
	fmt.Printf("%.3f %v\n", x, ok)

	_, err = e.Relative(camera, camera, a[:4], b[:4], nil, nil)
	fmt.Println(errors.Is(err, pose.ErrPairs), err)
	// Output:
	// 39 inliers, angle 0.100, camera B at x 0.995, z 0.100
	// [-3.000 -2.000 8.000] true
	// true pose: too few pairs
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
