// Package stabilize measures how the camera of a video shakes, and computes from where to take the
// pixels of each frame so that the camera appears to move smoothly. It takes the luma of frames and
// returns transforms; package warp applies them to frames of any kind. This program stabilizes
// frames that are files:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//		_ "image/jpeg"
//		"image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/border"
//		"github.com/fastcorners/fast/stabilize"
//		"github.com/fastcorners/fast/warp"
//	)
//
//	func main() {
//		stabilizer, err := stabilize.New(stabilize.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		warper, err := warp.New(warp.Options{Border: border.Replicate})
//		if err != nil {
//			log.Fatal(err)
//		}
//		var frames []image.Image
//		write := func(r stabilize.Result) { // is called SmoothingRadius frames late
//			steady := image.NewRGBA(frames[r.Frame].Bounds())
//			warper.Image(steady, frames[r.Frame], warp.Of(r.Source))
//			file, err := os.Create(fmt.Sprintf("steady%04d.png", r.Frame))
//			if err != nil {
//				log.Fatal(err)
//			}
//			if err := png.Encode(file, steady); err != nil {
//				log.Fatal(err)
//			}
//			file.Close()
//		}
//		for _, name := range os.Args[1:] {
//			file, err := os.Open(name)
//			if err != nil {
//				log.Fatal(err)
//			}
//			frame, _, err := image.Decode(file)
//			if err != nil {
//				log.Fatal(err)
//			}
//			file.Close()
//			frames = append(frames, frame)
//			if r, ok := stabilizer.Push(fast.Gray(frame)); ok {
//				write(r)
//			}
//		}
//		for r, ok := stabilizer.Flush(); ok; r, ok = stabilizer.Flush() {
//			write(r)
//		}
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
// # Method
//
// Package harris finds Shi-Tomasi corners all over the frame, and package flow follows them to the
// next frame and back. Package geometry finds the transform that most of them agree with, the
// Motion; points on objects that move in front of the background do not agree and are dropped.
// Corners are detected again after Options.Interval frames, when half of them are lost, or when a
// frame cannot be followed. In the last case, the search for the corners also starts from the shift
// of the whole frame that correlates best, so that fast pans are followed.
//
// The transform is affine if that fits clearly better than a similarity, which is the case if a
// rolling shutter, which reads the rows of a frame one after the other, shears the picture. If a
// camera shakes by up to 10 pixels within two frames and reads its rows in 0.8 of the time of a
// frame, a median of 0.43 pixels remains, or 0.51 if it also rotates by up to a degree;
// similarities leave 1.5 and 1.4. Without a rolling shutter, 0.37 remains. If it shakes within
// three frames, 0.30 and 0.33 remain, and 0.30 without a rolling shutter. Modeling the motion of
// each row could gain no more than these differences, so it is not done; but most of the shaking
// that reverses within every frame remains.
//
// The products of motions determine how a frame would look from the position of each frame around
// it. The weighted mean of these transforms moves the frame to a smooth path (an idea of Y.
// Matsushita, E. Ofek, W. Ge, X. Tang and H.-Y. Shum, "Full-frame video stabilization with motion
// inpainting", IEEE TPAMI 28, 2006). No position is accumulated over the video, so nothing drifts,
// however long the video is. The weight of a frame at a distance of k frames is (1-(k/(r+1))^2)^3,
// where r is Options.SmoothingRadius. That is nearly a Gaussian with a standard deviation of a
// third of r. Where frames are missing on one side, at the ends of a video or a scene, the weights
// fit a line to the path instead of taking a mean, so that a pan continues.
//
// Like motions, corrections are of Options.Kind, except for rounding: the scale of a mean of
// rotations is the mean of their scales.
//
// With Options.Online, each result is returned with its frame. The picture then moves as if a
// spring, with enough friction to keep it from swinging, pulled it back to its uncorrected place,
// relative to the mean motion of past frames. The path lags behind when the camera begins to turn,
// and is less smooth.
//
// Where the smooth path would bring an edge of the frame into view (see Options.Zoom), the path
// that is shown departs from it smoothly, before and after such frames: by a shift, a rotation and,
// if they are not enough, a little zoom. Among the departures that keep the edges out of view in a
// frame and the up to 30 frames after it, the package chooses those with the smallest sum of
// squares, mostly of their second and third differences from frame to frame. This is a convex
// problem, like that of M. Grundmann, V. Kwatra and I. Essa, "Auto-directed video stabilization
// with robust L1 optimal camera paths", CVPR 2011, who minimize absolute values over a whole video
// at once; it is solved by the method of D. Goldfarb and A. Idnani, "A numerically stable dual
// method for solving strictly convex quadratic programs", Mathematical Programming 27, 1983. With
// Options.MaxZoom, the zoom also departs from the smallest one, where that makes the path smoother.
//
// With Options.Online, the 20 frames after a frame are predicted from the mean motion; the unusual
// part of the frame's own correction decays as it did in earlier frames. The plan keeps the
// predicted views inside the edges by 1.5 standard deviations of the corrections, if there is room.
// A camera that suddenly starts or stops moving is still noticeable.
//
// A frame that cannot be followed begins a new path, with the Status Cut. If the frames after it
// agree with those before, up to three frames count as glitches, and the path continues; it also
// continues past frames that are Blank.
//
// # Same results
//
// The results are the same on every platform, to the bit, and for any number of workers: they
// depend only on sums, products, quotients and square roots, each rounded to float64.
//
// # OpenCV
//
// OpenCV's videostab uses different models of motion, so its results differ from those of this
// package.
//
// # Speed
//
// On one core of a Zen 3 server with AVX2, frames of 1920x1080 take 6.8 ms, warping included; the
// same method written with OpenCV 4.6 takes 6.7 times as long; see the [measurements].
//
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/stabilize.md
package stabilize
