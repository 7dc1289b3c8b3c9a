// Package pose estimates how a camera moved between two images, where a camera is relative to known
// points of the world, and the fundamental matrix of two uncalibrated cameras. It also finds points
// in space by triangulation. The pairs of points can come from package match or from tracking, and
// many of them may be wrong. [LeastSquares] takes points that are all right, such as the corners of a
// marker, and a [Refiner] improves several views and the points that they see together. This program
// moves a camera, and finds its motion from what it sees:
//
//	package main
//
//	import (
//		"fmt"
//		"log"
//
//		"github.com/fastcorners/fast/camera"
//		"github.com/fastcorners/fast/geometry"
//		"github.com/fastcorners/fast/pose"
//	)
//
//	func main() {
//		c := camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240}
//		moved := pose.FromQuaternion(1, 0, 0.05, 0, pose.Vector{-1, 0, 0})
//		var a, b []geometry.Point // the same points in two images
//		for i := range 40 {
//			x := pose.Vector{float64(i%8) - 3, float64(i/8) - 2, 8 + float64(i*i%7)}
//			p, _ := c.Project(x)
//			q, _ := c.Project(moved.Apply(x))
//			a, b = append(a, p), append(b, q)
//		}
//		estimator, err := pose.New(pose.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		motion, err := estimator.Relative(c, c, a, b, nil, nil)
//		if err != nil {
//			log.Fatal(err) // the pairs have nothing in common
//		}
//		fmt.Println("camera B is at", motion.Pose.Center())
//		if x, ok := motion.Pose.Triangulate(c, c, a[0], b[0]); ok {
//			fmt.Println("the first point is at", x)
//		}
//	}
//
// An [Estimator] does not guess: if the pairs have nothing in common, or fit many motions, it returns
// an error or sets a flag. The result is the same on every platform, to the bit, and does not depend
// on the order of the pairs. [How poses are estimated] describes the steps and their sources, and how
// to follow a moving camera with a window of views.
//
// # Options by use
//
//   - For a video or two photos of a calibrated camera, Estimator.Relative.
//   - For a marker, a card, a screen or a chessboard, whose points are all found where they are,
//     [LeastSquares]; for points of a target that may be mistaken for others, [Estimator.Absolute].
//     Both return the second pose that a flat target has.
//   - For a camera that keeps moving, Relative once, then Absolute with the points that [Triangulate]
//     finds, and a [Refiner] for a window of the most recent views, which is bundle adjustment.
//   - For uncalibrated cameras, [Estimator.Fundamental].
//   - For noisy keypoints, a larger InlierThreshold.
//
// # Coordinates
//
// The x axis points to the right, y down and z forward. A [Pose] maps points from one frame to
// another: the pose that [Estimator.Absolute] returns, from the world to the camera, and that of
// [Estimator.Relative], from camera A to camera B. Images do not show how far a camera moved, so
// Relative uses the distance between the cameras as its unit.
//
// # Limits
//
// An estimate finds one motion: if there are several, the one with the most pairs wins. A Turn may
// hide a translation whose parallax is below the threshold. Errors are measured in undistorted
// pixels, which differ greatly from the pixels of the sensor beyond about 60 degrees from the axis
// of a lens. Points of a fisheye that are 90 degrees or more from the axis are ignored.
//
// # OpenCV
//
// findEssentialMat and recoverPose are [Estimator.Relative], solvePnPRansac is
// [Estimator.Absolute], solvePnP and solvePnPGeneric are [LeastSquares], solvePnPRefineLM is
// [View.Refine], findFundamentalMat is [Estimator.Fundamental], triangulatePoints is
// [Pose.Triangulate], or [Triangulate] with more views, and computeCorrespondEpilines is
// [Epipolar.Line]. projectPoints is [Pose.Apply] and then Project of package camera, and
// undistortPoints is Rays of that package.
//
// # Speed
//
// The [measurements] compare its times and errors with those of OpenCV 4.6.
//
// [How poses are estimated]: https://github.com/fastcorners/fast/blob/main/docs/pose.md
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/pose.md
package pose
