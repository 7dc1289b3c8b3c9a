// Package peers compares package fast with the FAST detectors of libCVD and
// OpenCV, as Debian packages them: whether they find the same corners, and how
// long that takes.
//
// The two libraries are not linked. Open compiles a few lines of C++ that call
// them, and loads the result, so that this package builds where they are
// missing.
package peers
