// Package geometry finds the transform that most pairs of points agree with: a homography, an
// affine transform, a similarity, a rigid transform or a translation. The pairs can come from
// package match or from tracking, and many of them may be wrong. This program finds the similarity
// of 20 pairs, of which one is wrong:
//
//	package main
//
//	import (
//		"fmt"
//		"log"
//
//		"github.com/fastcorners/fast/geometry"
//	)
//
//	func main() {
//		moved := geometry.Transform{2, 0, 9, 0, 2, 5, 0, 0, 1}
//		var a, b []geometry.Point
//		for i := range 20 {
//			p := geometry.Point{X: float64(i%5) * 30, Y: float64(i/5) * 40}
//			a, b = append(a, p), append(b, moved.Apply(p))
//		}
//		b[3] = geometry.Point{X: 5, Y: 7} // a wrong pair
//		estimator, err := geometry.New(geometry.Options{Kind: geometry.Similarity})
//		if err != nil {
//			log.Fatal(err)
//		}
//		inliers := make([]bool, len(a))
//		fit, err := estimator.Estimate(a, b, nil, inliers)
//		if err != nil {
//			log.Fatal(err) // the pairs have nothing in common
//		}
//		fmt.Println(fit.Transform.Apply(geometry.Point{X: 10, Y: 20})) // {29 45}
//		fmt.Println(inliers)                                           // pair 3 is not one
//	}
//
// [Pairs] and [Tracks] make pairs of the results of packages match and flow.
//
// An [Estimator] does not guess: if the pairs have nothing in common, it returns an error. The
// result is the same on every platform, to the bit, and does not depend on the order of the pairs.
//
// # Options by use
//
//   - For flat objects, and for cameras that only turn, Homography.
//   - For scans, maps and frames of a video, Similarity or Affine, which need fewer pairs.
//   - For motion without a change of scale, Rigid.
//   - For noisy keypoints, a larger InlierThreshold; for fewer false results, a larger MinInliers.
//   - For a camera that moves through space, package pose.
//
// # Method
//
// An [Estimator] tries transforms that small random samples of pairs determine, and keeps the one
// that best fits the most pairs: RANSAC (M. Fischler and R. Bolles, "Random sample consensus", CACM
// 24, 1981) with the score of MSAC (P. Torr and A. Zisserman, "MLESAC: a new robust estimator with
// application to estimating image geometry", CVIU 78, 2000).
//
//  1. A pair is an inlier if both of its points are near the positions to which the transform and
//     its inverse map their partners. Its error is twice the product of the squared distances
//     divided by their sum: the squared distance where the transform preserves sizes, and Sampson's
//     error where it does not. A point behind the camera (W <= 0) does not fit.
//  2. Samples are tested at twice the threshold with up to 2048 pairs, and only until it is clear
//     that they are not the best. If there are distances, at least half of the samples are drawn
//     from pairs with small distances, an idea from PROSAC (O. Chum and J. Matas, "Matching with
//     PROSAC", CVPR 2005).
//  3. A sample that is better than all earlier ones is refined by least squares over its inliers
//     (O. Chum, J. Matas and J. Kittler, "Locally optimized RANSAC", DAGM 2003). The inliers must
//     not all be on a line.
//  4. The best transform is refined with all pairs, first loosely, then at the threshold. If
//     that loses many inliers, samples of them are tried.
//  5. Finally, least squares with weights that decrease with the error is repeated until nothing
//     changes (R. Hartley and A. Zisserman, "Multiple View Geometry in Computer Vision", 2004,
//     chapter 4). Therefore the result does not depend on the samples.
//  6. A transform is accepted if it has MinInliers inliers and one more for each 50 pairs, in that
//     many different places: squares whose sides are the threshold. Keypoints come in clusters, and
//     many pairs between two clusters are evidence of only one correspondence.
//
// # Limits
//
// An estimate finds one transform: if there are several planes or motions, the one with the most
// pairs wins. Exchanging a and b gives nearly, but not exactly, the inverse, since the last step
// uses distances in B.
//
// # OpenCV
//
// findHomography(a, b, RANSAC, t, mask, maxIters, confidence) is an [Estimator] of a [Homography],
// estimateAffine2D one of [Affine] transforms, and estimateAffinePartial2D one of a [Similarity];
// OpenCV does not estimate [Rigid] transforms. findHomography with method 0 is [LeastSquares], and
// getPerspectiveTransform and getAffineTransform are [Exact]. perspectiveTransform and transform
// are [Transform.ApplyAll].
//
// # Speed
//
// The [measurements] compare the package with OpenCV 4.6.
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/geometry.md
package geometry
