package harris

// GoodFeatures returns the Options for the corners that OpenCV's goodFeaturesToTrack
// returns for these arguments: the most corners, 0 for all; the quality level, 0 for 0.01;
// and the least distance. They are Shi and Tomasi's; with the Measure Harris they are
// those that useHarrisDetector asks for.
func GoodFeatures(maxCorners int, quality, minDistance float64) Options {
	return Options{MaxCorners: maxCorners, Quality: quality, MinDistance: minDistance}
}

// Separable9 returns the Options for what the papers on the LoCoCo detector compare it
// with: Harris corners with the derivatives of Gaussians of 9 by 9 pixels, a box of the
// same size as window, and suppression within 4 pixels.
func Separable9() Options {
	return separable(9, 1.5)
}

// Separable31 is Separable9 with filters of 31 by 31 pixels.
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
		TopFirst:          true,
	}
}

// IRGPU returns the Options for the corners of the course project "IRGPU: Harris corner
// detector" by Cabasso and Mom: 30 at most, which are the largest responses in squares of
// 25 by 25 pixels and exceed a tenth of the range of responses. Their method dilates the
// responses with that square. For images in color see [Detector.DetectColor].
//
// With a border that is Zero this is the recipe to the letter, and the image's own
// corners are the strongest ones. With one that is Mirror, the outer 6 pixels, what the
// filters reach, are left out.
func IRGPU(border Border) Options {
	o := Options{
		Measure:           DetOverTrace,
		Gradient:          Gaussian,
		GradientSigma:     0.99,
		GradientRadius:    3,
		WindowSigma:       0.99,
		WindowRadius:      3,
		Border:            border,
		Quality:           0.1,
		QualityOfRange:    true,
		SuppressionRadius: 12,
		Margin:            6,
		MaxCorners:        30,
		TopFirst:          true,
	}
	if border == Zero {
		o.Margin = -1
	}
	return o
}
