// Package pose finds how a camera moved between two images, where it is if some points of the
// world are known, the fundamental matrix of cameras that are not, and points by triangulation.
// The pairs of points may be those of package match, or points that were tracked, and many of
// them may be wrong. A [Refiner] improves several views and the points that they see at once.
//
//	e, err := pose.New(pose.Options{})
//	a, b := geometry.Tracks(points, tracks)
//	motion, err := e.Relative(camera, camera, a, b, nil, inliers)
//	x, ok := motion.Pose.Triangulate(camera, camera, a[i], b[i])
//	fit, err := e.Absolute(camera, world, image, nil, inliers)
//
//	views := []pose.View{{camera, first}, {camera, second}, {camera, third}}
//	x, ok := pose.Triangulate(views, []geometry.Point{a, b, c})
//	r, err := pose.NewRefiner(pose.RefineOptions{})
//	refinement, err := r.Refine(views, 1, world, observations, nil)
//
// It refuses rather than guesses: where pairs have nothing in common, or fit many motions, there
// is an error or a flag. The result is the same on every platform, to the bit, and does not
// depend on the order of the pairs.
//
// # Options by use
//
//   - For a video or two photos of a calibrated camera, Estimator.Relative.
//   - For a camera that goes on, Relative once, then Absolute with the points of Triangulate, and
//     [Refiner] over a window of the last views.
//   - For cameras that are not calibrated, Estimator.Fundamental.
//   - For noisy keypoints, a larger InlierThreshold.
//
// # Coordinates
//
// x is to the right, y down and z forward. A [Pose] maps points of one frame to another: that of
// [Estimator.Absolute] from the world to the camera, that of [Estimator.Relative] from camera A to
// camera B. Images do not tell how far a camera moved, so the unit of Relative is the distance
// between the cameras.
//
// # Method
//
// An [Estimator] tries what small random samples of pairs determine, and keeps what fits most
// others best: RANSAC (M. Fischler and R. Bolles, "Random sample consensus", CACM 24, 1981) with
// the score of MSAC (P. Torr and A. Zisserman, "MLESAC: a new robust estimator with application
// to estimating image geometry", CVIU 78, 2000).
//
//  1. Five pairs determine up to 10 essential matrices (D. Nistér, "An efficient solution to the
//     five-point relative pose problem", PAMI 26, 2004), of which poses are found without a
//     singular value decomposition (B. Horn, "Recovering baseline and orientation from essential
//     matrix", 1990). Three points of the world determine up to 4 poses (Y. Ding, J. Yang, V.
//     Larsson, C. Olsson and K. Åström, "Revisiting the P3P problem", CVPR 2023). Seven pairs
//     determine up to 3 fundamental matrices (R. Hartley and A. Zisserman, "Multiple View
//     Geometry in Computer Vision", 2004, 11.1.2), of which those count that all seven see from
//     the front (O. Chum, T. Werner and J. Matas, "Epipolar geometry estimation via RANSAC
//     benefits from the oriented epipolar constraint", ICPR 2004).
//  2. The error of a pair is Sampson's, or for Absolute the distance from where the point
//     appears. Samples are tested with up to 2048 pairs, and no more than it takes to see that
//     they are not the best.
//  3. A sample that is better than all before is refined by least squares, and samples of its
//     inliers follow (O. Chum, J. Matas and J. Kittler, "Locally optimized RANSAC", DAGM 2003; K.
//     Lebeda, J. Matas and O. Chum, "Fixing the locally optimized RANSAC", BMVC 2012).
//  4. Last, least squares with weights that decrease with the error are repeated until nothing
//     changes, first with those of twice the threshold, then of the noise that the inliers show.
//     So is what else was the best for a time, and what samples of the inliers lead to. The result
//     is what has the most support at the threshold and at half of it together, since right pairs
//     have smaller errors than those that agree by chance.
//  5. A result counts if it has MinInliers inliers and more than random pairs have in images of
//     that size, in as many different places. Between two images it must have more, too, than
//     if the same places are paired at random, since those of photos are in crowds.
//  6. If a rotation explains all inliers but for what chance and noise do, a [Motion] is a Turn. If
//     half are on a plane, which two motions explain (H. Longuet-Higgins, "The reconstruction of a
//     plane surface from two perspective projections", 1986), the other one is tried, too.
//     Fundamental tries pairs off such a plane (O. Chum, T. Werner and J. Matas, "Two-view
//     geometry estimation unaffected by a dominant plane", CVPR 2005). Three inliers and the
//     result determine a plane, so that a few of them show whether there is one.
//  7. A motion with nine tenths of the support of the best one is returned, too, unless both are
//     the same but for noise: then what is half-way between them has as much.
//
// # Several views
//
// A camera that goes on is followed in a window of its last views: Absolute finds a new one from
// the points known so far, [Triangulate] finds points that several views see, and
// [Refiner.Refine] moves views and points to where they explain all observations best, which is
// bundle adjustment. When a view leaves the window, the oldest ones that remain are fixed, so that
// the new ones fit what was before. Refine needs a beginning that is about right, and of wrong
// observations it only limits the harm: leave out those with large errors, and refine again.
//
// # Limits
//
// There is one motion: of several the one with the most pairs wins. A Turn may hide a translation
// whose parallax is below the threshold. Errors count in undistorted pixels, and beyond some 60
// degrees from the axis of a lens these are not what the sensor sees.
//
// # OpenCV
//
// findEssentialMat and recoverPose are [Estimator.Relative], solvePnPRansac is
// [Estimator.Absolute], findFundamentalMat is [Estimator.Fundamental], triangulatePoints is
// [Pose.Triangulate], or [Triangulate] with more views, undistortPoints is [Camera.Rays],
// projectPoints is [Pose.Apply] and [Camera.Project], and computeCorrespondEpilines is
// [Epipolar.Line].
//
// # Speed
//
// How long it takes and how large its errors are, beside OpenCV 4.6: see the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/pose.md
package pose
