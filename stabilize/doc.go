// Package stabilize finds how the camera of a video shakes, and says from where the pixels
// of frames must be taken for it to move smoothly. It takes the luma of frames and returns
// transforms; package warp applies them to frames of any kind.
//
//	s, err := stabilize.New(stabilize.Options{})
//	resample, err := warp.New(warp.Options{Border: border.Replicate})
//	show := func(r stabilize.Result) { // which comes SmoothingRadius frames after its frame
//		resample.YCbCr(out, frames[r.Frame], warp.Of(r.Source))
//	}
//	for _, frame := range frames {
//		if r, ok := s.Push(fast.Gray(frame)); ok {
//			show(r)
//		}
//	}
//	for r, ok := s.Flush(); ok; r, ok = s.Flush() {
//		show(r)
//	}
//
// # Options by use
//
//   - For files, the zero Options: results come SmoothingRadius frames late.
//   - For live video, Online.
//   - For a camera on a tripod or a vehicle, SmoothingRadius 60 or more.
//   - For strong shaking, a MaxZoom of 1.3.
//   - For frames whose edges must not be cut off, a Zoom of 1 and Borders.
//
// OpenCV's videostab has other models of motion, and this package has no results in common with it.
//
// # Method
//
// Corners of Shi and Tomasi, spread over the frame, are found by package harris and followed
// to the next frame and back by package flow. Package geometry finds the transform that most
// of them agree with, the Motion; points of what moves in front of the background do not
// agree, and are dropped. Corners are found again after Options.Interval frames, when half of them
// are lost, or when a frame cannot be followed. Then they are also searched where the shift of
// the whole frame that correlates best takes them, so that fast pans are followed.
//
// The transform is affine if that fits clearly better than a similarity: if a rolling shutter,
// which takes the rows of a frame one after the other, shears the picture. Of a camera that is
// shaken by up to 10 pixels within two frames and takes the rows in 0.8 of the time of a frame,
// 0.43 pixels remain at the median, and 0.51 if it is turned by up to a degree too, where
// similarities leave 1.5 and 1.4; without a rolling shutter it is 0.37. If it is shaken within
// three frames, 0.30 and 0.33 remain, and 0.30 without a rolling shutter. A motion of each row
// would gain no more than these differences, and is not modeled; but shaking that turns back
// within every frame remains for the most part.
//
// The products of motions say where a frame would be if it had been taken from the place of
// a frame around it. The weighted mean of these transforms moves the frame to where it would
// be on a smooth path (the idea of Y. Matsushita, E. Ofek, W. Ge, X. Tang and H.-Y. Shum,
// "Full-frame video stabilization with motion inpainting", IEEE TPAMI 28, 2006). No position is
// summed up over the video, so that nothing drifts, however long it is. The weight of a frame
// at a distance of k frames is (1-(k/(r+1))^2)^3, r being Options.SmoothingRadius, nearly a
// Gaussian with a standard deviation of a third of r. Where frames are missing on one side, at
// the ends of a video or a scene, the weights are those of a line that is fitted to the path,
// and not of a mean, so that a pan goes on.
//
// Corrections are of Options.Kind, as motions are, except for rounding: a mean of rotations has the
// mean of their scales.
//
// With Options.Online the result comes with its frame. The path is then an exponential filter
// of the past that also follows the mean velocity. It lags behind when the camera begins to
// turn, and smooths less.
//
// Where the smooth path would bring an edge of the frame into sight (see Options.Zoom), the path
// that is shown departs from it: by a shift, a rotation and, where they are not enough, a little
// zoom, smoothly, before such frames and after them. Of all departures that keep the edges out of
// sight in a frame and in up to 30 frames after it, those are chosen whose squares have the least
// sum, mostly those of their second and third differences from frame to frame. That is a convex
// problem, as is that of M. Grundmann, V. Kwatra and I. Essa, "Auto-directed video stabilization
// with robust L1 optimal camera paths", CVPR 2011, who take absolute values and a whole video at
// once; it is solved by the method of D. Goldfarb and A. Idnani, "A numerically stable dual method
// for solving strictly convex quadratic programs", Mathematical Programming 27, 1983. With
// Options.MaxZoom the zoom, too, departs from the least one, as much as that makes the path
// smoother.
//
// With Options.Online the 20 frames after a frame are expected where the mean motion would take
// them, without what is unusual in the frame's own correction, which dies away as it did in the
// frames before. The plan keeps what is shown of them 1.5 standard deviations of the corrections
// within the edges if there is room. A camera that starts or stops to move suddenly still shows.
//
// A frame that cannot be followed begins a new path, with the Status Cut. If the frames after
// it agree with those before, up to three frames count as glitches, and the path goes on; it
// does so, too, past frames that are Blank.
//
// # Same results
//
// The results are the same on every platform, to the bit, and for any number of workers: only
// sums, products, quotients and square roots, each rounded to float64, decide them.
//
// # Speed
//
// On one core of a Zen 3 server with AVX2, frames of 1920x1080 take 6.8 ms, warping included, where the
// same written with OpenCV 4.6 takes 6.7 times as long; see the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/stabilize.md
package stabilize
