// Package calibrate finds chessboards in images, to a few hundredths of a pixel, and measures
// cameras with them. This program takes photos of a board, all of one size, and writes the camera:
//
//	package main
//
//	import (
//		"errors"
//		"fmt"
//		"image"
//		_ "image/jpeg"
//		_ "image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/calibrate"
//		"github.com/fastcorners/fast/camera"
//	)
//
//	func main() {
//		finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
//		check(err)
//		calibrator, err := calibrate.New(calibrate.Options{})
//		check(err)
//		var size image.Point
//		var views []calibrate.View
//		for _, name := range os.Args[1:] {
//			f, err := os.Open(name)
//			check(err)
//			img, _, err := image.Decode(f)
//			check(err)
//			f.Close()
//			board, err := finder.FindOne(fast.Gray(img))
//			if err != nil {
//				fmt.Println(name, err)
//				continue
//			}
//			size = img.Bounds().Size()
//			views = append(views, board.View(25)) // squares of 25 mm
//		}
//		c, err := calibrator.Calibrate(size, views)
//		if !errors.Is(err, calibrate.ErrFocal) {
//			check(err)
//		}
//		fmt.Println("errors in pixels", c.RMS, "verdict", err)
//		halves, err := calibrator.Halves(size, views)
//		fmt.Printf("%+v %v\n", halves, err)
//		fmt.Println("influence of the views", c.Influence())
//		fmt.Printf("a view that would help %+v\n", c.Suggest(9, 6))
//		out, err := os.Create("camera.yaml")
//		check(err)
//		check(camera.Info{Camera: c.Camera, Width: size.X, Height: size.Y}.WriteOpenCV(out))
//		check(out.Close())
//	}
//
//	func check(err error) {
//		if err != nil {
//			log.Fatal(err)
//		}
//	}
//
// A [Finder] finds the inner corners of chessboards, of any number and size. Each [Board] that it
// finds has the corners row by row; [Board.View] pairs them with their places on the board.
// [Finder.Charuco] and [Finder.AprilGrid] find those of boards with markers, which package tag finds
// first. A [Calibrator] finds the camera from several views, and where it was in each of them. Views
// of other flat targets are as good.
//
// # Boards
//
// A board of a known size needs no options: Columns and Rows of [FinderOptions] only refuse others.
// Corners that are hidden, or cut off by the edge of the image, are NaN in a Board; the others are as
// good. For pairs of cameras, the first corner must be the same one in both images: it is next to a
// dark square, if one side of the board has an even number of corners and the other one an odd
// number. Of the ends of other boards, it is at the upper left one.
//
// A [Chessboard] draws boards to print. Squares should be larger than 7 pixels in images. Boards that
// touch may become one. Drawings whose edges are upright and perfectly sharp may not be found.
//
// # Boards with markers
//
// [Finder.Charuco] and [Finder.AprilGrid] find corners of boards with markers, after package tag has
// found these: those of a [tag.Charuco], which are OpenCV's, and of what [tag.NewAprilGrid] returns,
// which are Kalibr's. Markers tell which corners are seen, so parts of boards are good for pairs of
// cameras, too.
//
// # How boards are found
//
// A ring of 16 pixels, in the image and in halves of it, responds to places where two dark and two
// light sectors meet, after ChESS by S. Bennett and J. Lasenby (CVIU 118, 2014). Such crosses are
// linked if they lead to each other along an edge that is seen. Links become grids, in which missing
// corners are predicted from those around them.
//
// Then the image of two crossing edges, which may be bent, is fitted to the pixels around each corner
// by least squares. Results are the same on every platform and for any number of workers.
//
// # How cameras are found
//
// Like Z. Zhang (PAMI 22, 2000), [Calibrator.Calibrate] minimizes the sum of squared distances
// between corners and projections, with Levenberg's and Marquardt's method. It tries 25 focal lengths
// and needs no guess, also for fisheyes.
//
// Small errors do not make a good camera: a few similar views leave it undetermined. [ErrFocal]
// says so, [Calibration.Uncertainty] tells where, as mrcal's documentation derives it, and
// [Calibration.Suggest] what to do. [Halves] and [Calibration.Influence] show what noise does not
// explain: the wrong model, or a wrong view. [How to calibrate well] has pictures.
//
// Bend is for boards that are not flat, and HuberThreshold for a few wrong corners. Deviations of a
// [View] are weights of its points. [Calibrator.Pair] finds where a second camera is.
//
// # OpenCV
//
// A Finder replaces findChessboardCorners with cornerSubPix, and findChessboardCornersSB. The order
// of corners is theirs, but may begin at the other end. Places are nearer to the truth.
// Charuco replaces interpolateCornersCharuco, whose corners in OpenCV 4.6 are 0.5, 0.5 more.
//
// Calibrate and Pair minimize what calibrateCamera, fisheye::calibrate and stereoCalibrate do, so the
// same corners lead to the same cameras up to rounding, unless OpenCV gives up or ends in another
// minimum. OpenCV's deviations are nearly the root of 2 times as large, since it counts points, not
// coordinates.
//
// [How to calibrate well]: https://github.com/fastcorners/fast/blob/main/docs/calibration.md
package calibrate
