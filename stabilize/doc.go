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
// Motion; points on objects that move in front of the background do not agree and are dropped. The
// weighted mean of the transforms to the frames around a frame moves it to a smooth path, and with
// Options.Online, a spring pulls the picture back to its uncorrected place. Where an edge of the
// frame would come into view (see Options.Zoom), the path departs from the smooth one as smoothly
// as possible.
//
// A frame that cannot be followed begins a new path, with the Status Cut. If the frames after it
// agree with those before, up to three frames count as glitches, and the path continues; it also
// continues past frames that are Blank.
//
// [How a video is stabilized] describes the steps, their sources and their limits. The results are
// the same on every platform, to the bit, and for any number of workers: they depend only on sums,
// products, quotients and square roots, each rounded to float64.
//
// # OpenCV
//
// OpenCV's videostab uses different models of motion, so its results differ from those of this
// package.
//
// # Speed
//
// The [measurements] compare the package with the same method written with OpenCV 4.6.
//
// [How a video is stabilized]: https://github.com/fastcorners/fast/blob/main/docs/stabilize.md
// [measurements]: https://github.com/fastcorners/fast/blob/main/evaluation/results/emerald-rapids/stabilize.md
package stabilize
