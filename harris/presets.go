package harris

import "github.com/fastcorners/fast/border"

// GoodFeatures returns the Options for the corners that OpenCV's goodFeaturesToTrack finds with
// these arguments: the maximum number of corners, or 0 for all; the quality level, for which 0
// means 0.01; and the minimum distance in pixels. They are Shi-Tomasi corners. For
// useHarrisDetector, set Measure to Harris.
func GoodFeatures(maxCorners int, quality, minDistance float64) Options {
	return Options{MaxCorners: maxCorners, Quality: quality, MinDistance: minDistance}
}

// Separable9 returns the Options for the detector to which the papers on LoCoCo compare theirs:
// Harris corners with Gaussian derivatives of 9 by 9 pixels, a box of the same size as the window,
// and a SuppressionRadius of 4 pixels.
func Separable9() Options {
	return separable(9, 1.5)
}

// Separable31 is like Separable9, but with filters and windows of 31 by 31 pixels.
func Separable31() Options {
	return separable(31, 5)
}

func separable(size int, sigma float64) Options {
	return Options{
		Measure:           Harris,
		Gradient:          Gaussian,
		GradientSigma:     sigma,
		GradientRadius:    size / 2,
		BlockSize:         size,
		SuppressionRadius: 4,
		topFirst:          true,
	}
}

// IRGPU returns the Options for the corners of the course project "IRGPU: Harris corner
// detector" by Cabasso and Mom: at most 30 pixels whose responses are the largest in squares
// of 25 by 25 pixels and exceed a tenth of the range of responses. The project finds them by
// dilating the responses with that square. [Detector.DetectColor] does it for images in color.
//
// With the mode Constant this is exactly the project's method, and the strongest corners are
// those of the image itself. With Reflect101, the outermost 6 pixels, from which the
// filters reach beyond the image, are ignored.
func IRGPU(mode border.Mode) Options {
	o := Options{
		Measure:           DetOverTrace,
		Gradient:          Gaussian,
		GradientSigma:     0.99,
		GradientRadius:    3,
		WindowSigma:       0.99,
		WindowRadius:      3,
		Border:            mode,
		Quality:           0.1,
		qualityOfRange:    true,
		SuppressionRadius: 12,
		Margin:            6,
		MaxCorners:        30,
		topFirst:          true,
	}
	if mode == border.Constant {
		o.Margin = -1
	}
	return o
}
