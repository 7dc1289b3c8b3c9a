// Package peers compares this library with others, as Debian packages them:
// whether they find the same, and how long that takes. Package fast is compared
// with the FAST detectors of libCVD and OpenCV, and packages orb, match, harris, lococo,
// geometry, flow and locate with OpenCV's ORB, its brute-force matcher, its corners of Harris and of
// Shi and Tomasi, which it refines, too, its integral images, its robust estimators, also of
// motions and poses of cameras, its optical flow, and its template matching. Package tag is compared
// with AprilTag and OpenCV's ArUco markers, and package calibrate with OpenCV's corners of chessboards and
// its calibrations, and with mrcal.
//
// The two libraries are not linked. Open compiles some C++ that calls them, and
// loads the result, so that this package builds where they are missing.
package peers
