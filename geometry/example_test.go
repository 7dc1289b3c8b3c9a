package geometry_test

import (
	"errors"
	"fmt"
	"image"
	"log"

	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

func Example() {
	e, err := geometry.New(geometry.Options{Kind: geometry.Similarity})
	if err != nil {
		log.Fatal(err)
	}
	a := []geometry.Point{{X: 0, Y: 0}, {X: 90, Y: 0}, {X: 0, Y: 80}, {X: 70, Y: 60}, {X: 30, Y: 10}, {X: 50, Y: 90}, {X: 20, Y: 40}, {X: 60, Y: 30}}
	b := make([]geometry.Point, len(a))
	geometry.Transform{0, -2, 100, 2, 0, 50, 0, 0, 1}.ApplyAll(b, a)
	b[3] = geometry.Point{X: 5, Y: 7} // a wrong pair

	inliers := make([]bool, len(a))
	fit, err := e.Estimate(a, b, nil, inliers)
	if err != nil {
		log.Fatal(err)
	}
	scale, angle, shift, _ := fit.Transform.Similarity()
	fmt.Printf("%d inliers: scale %.1f, angle %.2f, shift %.0f\n", fit.Inliers, scale, angle, shift)
	fmt.Println(inliers)

	_, err = e.Estimate(a[:4], b[:4], nil, nil)
	fmt.Println(errors.Is(err, geometry.ErrPairs), err)
	// Output:
	// 7 inliers: scale 2.0, angle 1.57, shift {100 50}
	// [true true true false true true true true]
	// true geometry: too few pairs
}

// The pairs are the matches of ORB keypoints.
func ExamplePairs() {
	extractor, err := orb.New(orb.Options{})
	if err != nil {
		log.Fatal(err)
	}
	matcher, err := match.New[match.Descriptor](match.Options{CrossCheck: true})
	if err != nil {
		log.Fatal(err)
	}
	e, err := geometry.New(geometry.Options{})
	if err != nil {
		log.Fatal(err)
	}
	left, right := image.NewGray(image.Rect(0, 0, 640, 480)), image.NewGray(image.Rect(0, 0, 640, 480))
	leftKeypoints, leftDescriptors := extractor.Extract(left, nil)
	rightKeypoints, rightDescriptors := extractor.Extract(right, nil)
	matches := matcher.Match(leftDescriptors, rightDescriptors)
	a, b, distances := geometry.Pairs(leftKeypoints, rightKeypoints, matches)
	_, err = e.Estimate(a, b, distances, nil)
	fmt.Println(err) // gray images have no keypoints
	// Output: geometry: too few pairs
}

func ExampleLeastSquares() {
	a := []geometry.Point{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 0, Y: 10}}
	b := []geometry.Point{{X: 5, Y: 1}, {X: 15, Y: 2}, {X: 4, Y: 12}}
	t, ok := geometry.LeastSquares(geometry.Translation, a, b)
	fmt.Printf("%.3f %.3f %t\n", t[2], t[5], ok)
	// Output: 4.667 1.667 true
}

func ExampleTransform_Bounds() {
	quarterTurn := geometry.Transform{0, -1, 0, 1, 0, 0, 0, 0, 1}
	fmt.Println(quarterTurn.Bounds(image.Rect(0, 0, 640, 480)))
	// Output: (-479,0)-(1,640) true
}

// Points that package flow followed to the next frame; one was lost.
func ExampleTracks() {
	points := []flow.Point{{X: 10, Y: 10}, {X: 50, Y: 10}, {X: 10, Y: 40}}
	tracks := []flow.Track{{X: 12, Y: 11, Status: flow.Found}, {X: 52, Y: 11, Status: flow.Found}, {Status: flow.Lost}}
	a, b := geometry.Tracks(points, tracks)
	for i := range a {
		fmt.Println(a[i], b[i])
	}
	// Output:
	// {10 10} {12 11}
	// {50 10} {52 11}
	// {10 40} {NaN NaN}
}

// The points that were found, for least squares, in which every pair counts.
func ExampleFoundTracks() {
	points := []flow.Point{{X: 10, Y: 10}, {X: 50, Y: 10}, {X: 10, Y: 40}}
	tracks := []flow.Track{{X: 12, Y: 11, Status: flow.Found}, {Status: flow.Lost}, {X: 12, Y: 43, Status: flow.Found}}
	a, b, indices := geometry.FoundTracks(points, tracks)
	t, ok := geometry.LeastSquares(geometry.Translation, a, b)
	fmt.Printf("points %v moved by %.1f, %.1f: %t\n", indices, t[2], t[5], ok)
	// Output: points [0 2] moved by 2.0, 2.0: true
}

// Four corners of a sheet of paper in a photo determine where its other points are.
func ExampleExact() {
	sheet := []geometry.Point{{X: 0, Y: 0}, {X: 210, Y: 0}, {X: 210, Y: 297}, {X: 0, Y: 297}}
	photo := []geometry.Point{{X: 100, Y: 50}, {X: 300, Y: 50}, {X: 350, Y: 450}, {X: 50, Y: 450}}
	t, ok := geometry.Exact(geometry.Homography, sheet, photo)
	middle := t.Apply(geometry.Point{X: 105, Y: 148.5})
	fmt.Printf("%.0f %.0f %t\n", middle.X, middle.Y, ok)
	// Output: 200 210 true
}

// The motions of two steps of a video, combined, and the inverse.
func ExampleTransform_Mul() {
	first := geometry.Transform{1, 0, 5, 0, 1, 2, 0, 0, 1}
	second := geometry.Transform{2, 0, 0, 0, 2, 0, 0, 0, 1}
	both := second.Mul(first)
	p := both.Apply(geometry.Point{X: 10, Y: 10})
	fmt.Println(p)
	back, ok := both.Inverse()
	fmt.Println(back.Apply(p), ok)
	// Output:
	// {30 24}
	// {10 10} true
}
