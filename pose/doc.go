// Package pose estimates how a camera moved between two images, where a camera is relative to known
// points of the world, and the fundamental matrix of two uncalibrated cameras. It also finds points
// in space by triangulation. The pairs of points can come from package match or from tracking, and
// many of them may be wrong. A [Refiner] improves several views and the points that they see
// together. This program moves a camera, and finds its motion from what it sees:
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
// An [Estimator] does not guess: if the pairs have nothing in common, or fit many motions, it returns an error
// or sets a flag. The result is the same on every platform, to the bit, and does not depend on the
// order of the pairs.
//
// # Options by use
//
//   - For a video or two photos of a calibrated camera, Estimator.Relative.
//   - For a camera that keeps moving, Relative once, then Absolute with the points that Triangulate
//     finds, and a [Refiner] for a window of the most recent views.
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
// # Method
//
// An [Estimator] computes candidates from small random samples of the pairs, and keeps the one that
// best fits the most pairs: RANSAC (M. Fischler and R. Bolles, "Random sample consensus", CACM 24,
// 1981) with the score of MSAC (P. Torr and A. Zisserman, "MLESAC: a new robust estimator with
// application to estimating image geometry", CVIU 78, 2000).
//
//  1. Five pairs determine up to 10 essential matrices (D. Nistér, "An efficient solution to the
//     five-point relative pose problem", PAMI 26, 2004), from which poses follow without a singular
//     value decomposition (B. Horn, "Recovering baseline and orientation from essential matrix",
//     1990). Three points of the world determine up to 4 poses (Y. Ding, J. Yang, V. Larsson, C.
//     Olsson and K. Åström, "Revisiting the P3P problem", CVPR 2023). Seven pairs determine up to 3
//     fundamental matrices (R. Hartley and A. Zisserman, "Multiple View Geometry in Computer
//     Vision", 2004, 11.1.2), of which it keeps those that place all seven points in front of the
//     cameras (O. Chum, T. Werner and J. Matas, "Epipolar geometry estimation via RANSAC benefits
//     from the oriented epipolar constraint", ICPR 2004).
//  2. The error of a pair is Sampson's; for Absolute it is the distance between a point in the
//     image and its projection. A candidate is tested with up to 2048 pairs, and only until it is
//     clear that it is not the best.
//  3. A candidate that is better than all earlier ones is refined by least squares, and further
//     samples are drawn from its inliers (O. Chum, J. Matas and J. Kittler, "Locally optimized
//     RANSAC", DAGM 2003; K. Lebeda, J. Matas and O. Chum, "Fixing the locally optimized RANSAC",
//     BMVC 2012).
//  4. Finally, the best candidate is refined by least squares with weights that decrease with the
//     error, repeated until nothing changes: first with weights for twice the threshold, then for
//     the noise that the inliers show. The earlier best candidates, and candidates from samples of
//     the inliers, are refined in the same way. The result is the one with the most support at the
//     threshold and at half of it combined, since correct pairs have smaller errors than pairs that
//     agree by chance.
//  5. A result is accepted if it has at least MinInliers inliers, and more than random pairs would
//     have in images of that size, in at least that many different places. Between two images, it
//     must also have more than when the same points are paired at random, since points in photos
//     are clustered.
//  6. If a rotation explains all inliers, except for as many as chance and noise explain, the
//     [Motion] is a Turn. If half of them are on a plane, which two motions explain (H.
//     Longuet-Higgins, "The reconstruction of a plane surface from two perspective projections",
//     1986), the other motion is tried as well. Fundamental tries pairs that are not on such a
//     plane (O. Chum, T. Werner and J. Matas, "Two-view geometry estimation unaffected by a
//     dominant plane", CVPR 2005). Three inliers and the result determine a plane, so a few of them
//     are enough to show whether there is one.
//  7. A second motion is also returned if it has at least nine tenths of the support of the best
//     one and differs from it by more than noise. If only noise separates the two, a motion halfway
//     between them has as much support.
//
// # Several views
//
// To follow a moving camera, keep a window of its most recent views: Absolute finds a new view from
// the points known so far, [Triangulate] finds points that several views see, and [Refiner.Refine]
// moves views and points so that they best explain all observations, which is bundle adjustment.
// When a view leaves the window, fix the oldest remaining views, so that the new ones agree with
// the earlier path. Refine needs an approximate solution to start from, and only limits the effect
// of wrong observations: leave out those with large errors, and refine again.
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
// [Estimator.Absolute], findFundamentalMat is [Estimator.Fundamental], triangulatePoints is
// [Pose.Triangulate], or [Triangulate] with more views, and computeCorrespondEpilines is
// [Epipolar.Line]. projectPoints is [Pose.Apply] and then Project of package camera, and
// undistortPoints is Rays of that package.
//
// # Speed
//
// The [measurements] compare its times and errors with those of OpenCV 4.6.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/pose.md
package pose
