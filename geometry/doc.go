// Package geometry finds the transform that most pairs of points agree with: a homography, an
// affine transform, a similarity, a rigid transform or a translation. The pairs may be those
// of package match, or points that were tracked, and many of them may be wrong.
//
//	e, err := geometry.New(geometry.Options{Kind: geometry.Affine})
//	a, b, distances := geometry.Pairs(keypointsA, keypointsB, matches)
//	inliers := make([]bool, len(matches))
//	fit, err := e.Estimate(a, b, distances, inliers)
//	q := fit.Transform.Apply(p)
//
// It refuses rather than guesses: where pairs have nothing in common, there is an error. The
// result is the same on every platform, to the bit, and does not depend on the order of the
// pairs.
//
// # Options by use
//
//   - For flat things, and for cameras that only turn, Homography.
//   - For scans, maps and frames of a video, Similarity or Affine: they need fewer pairs.
//   - For motion without a change of scale, Rigid.
//   - For noisy keypoints, a larger InlierThreshold; for fewer false answers, MinInliers.
//   - For a camera that moves through space, package pose.
//
// # Method
//
// An [Estimator] tries transforms that small random samples of pairs determine, and keeps the
// one that fits most others best: RANSAC (M. Fischler and R. Bolles, "Random sample
// consensus", CACM 24, 1981) with the score of MSAC (P. Torr and A. Zisserman, "MLESAC: a new
// robust estimator with application to estimating image geometry", CVIU 78, 2000).
//
//  1. A pair is an inlier if both its points are near to where the transform and its inverse
//     map their partners. Its error is twice the product of the squared distances divided by
//     their sum: the squared distance where the transform keeps sizes, and Sampson's error
//     where it does not. A point behind the camera (W <= 0) does not fit.
//  2. Samples are tested with up to 2048 pairs, twice the threshold, and no more pairs than
//     it takes to see that they are not the best. With distances, half of the samples or more
//     are drawn from the pairs with the smaller ones, an idea of PROSAC (O. Chum and J.
//     Matas, "Matching with PROSAC", CVPR 2005).
//  3. A sample that is better than all before is refined by least squares of its inliers (O.
//     Chum, J. Matas and J. Kittler, "Locally optimized RANSAC", DAGM 2003). The inliers must
//     not all be on a line.
//  4. The best transform is refined with all pairs, first loosely, then at the threshold. If
//     that loses many inliers, samples of them are tried.
//  5. Last, least squares with weights that decrease with the error are repeated until nothing
//     changes (R. Hartley and A. Zisserman, "Multiple View Geometry in Computer Vision", 2004,
//     chapter 4). So the result does not depend on the samples.
//  6. A transform counts if it has MinInliers inliers and one more for each 50 pairs, in as
//     many different places: squares with sides of the threshold. Keypoints come in groups, and
//     many pairs between two groups are only one hint.
//
// # Limits
//
// There is one transform: of several planes or motions the one with the most pairs wins.
// Exchanging a and b gives nearly, but not exactly, the inverse, since the distances of the
// last step are those in B.
//
// # OpenCV
//
// findHomography(a, b, RANSAC, t, mask, maxIters, confidence) is an [Estimator] of a
// [Homography], estimateAffine2D one of [Affine] transforms, and estimateAffinePartial2D one
// of a [Similarity]; nothing there finds [Rigid] transforms. findHomography with method 0 is
// [LeastSquares], and getPerspectiveTransform and getAffineTransform are [Exact].
// perspectiveTransform and transform are [Transform.ApplyAll].
//
// # Speed
//
// A homography of 500 pairs, half of them wrong, takes 0.15 ms on one core of a Zen 4 server with AVX-512,
// a fifth of what OpenCV 4.6 takes with USAC_ACCURATE; see the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/geometry.md
package geometry
