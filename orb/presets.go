package orb

// Tracking returns Options for tracking, SLAM and other pairs of images that differ little in scale:
// keypoints in all parts of the image (Spread and LowThreshold), most of them on the large levels,
// where positions are more accurate: each level has a share of Features in proportion to its area
// instead of its sides, which other Options do not.
func Tracking() Options {
	return Options{Spread: true, LowThreshold: 7, areaQuotas: true}
}
