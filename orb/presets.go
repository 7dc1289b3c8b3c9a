package orb

// Tracking returns Options for tracking, SLAM and other pairs of images that differ little in scale:
// keypoints in all parts of the image (Spread and LowThreshold), most of them on the large levels,
// where positions are more accurate (AreaQuotas).
func Tracking() Options {
	return Options{Spread: true, LowThreshold: 7, AreaQuotas: true}
}
