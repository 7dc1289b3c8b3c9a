package harris

// GoodFeatures returns the Options for the corners of OpenCV's goodFeaturesToTrack with
// these arguments: the most corners, 0 for all; the quality level; and the least
// distance. They are Shi and Tomasi's. With the Measure Harris they are those that
// useHarrisDetector asks for.
func GoodFeatures(maxCorners int, quality, minDistance float64) Options {
	return Options{MaxCorners: maxCorners, Quality: quality, MinDistance: minDistance}
}
