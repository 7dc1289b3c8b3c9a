// Package calibrate finds chessboards in images, to a few hundredths of a pixel, and measures
// cameras with them. This program takes photos of a board and writes the camera that took them:
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
//		if err != nil {
//			log.Fatal(err)
//		}
//		calibrator, err := calibrate.New(calibrate.Options{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		var size image.Point // of all photos
//		var views []calibrate.View
//		var names []string
//		for _, name := range os.Args[1:] {
//			img := load(name)
//			board, err := finder.FindOne(fast.Gray(img))
//			if err != nil {
//				fmt.Println(name, err)
//				continue
//			}
//			size = img.Bounds().Size()
//			views = append(views, board.View(25)) // squares of 25 mm
//			names = append(names, name)
//		}
//		c, err := calibrator.Calibrate(size, views)
//		if errors.Is(err, calibrate.ErrFocal) {
//			fmt.Println("do not use this camera, and tilt the board more:", err)
//		} else if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Printf("%d views, with errors of %.2f pixels\n", len(views), c.RMS)
//		if halves, err := calibrator.Halves(size, views); err == nil {
//			fmt.Printf("both halves of the views differ by %.2f pixels, of which noise explains %.2f\n",
//				halves.Difference, halves.Predicted)
//		}
//		for i, deviations := range c.Influence() {
//			if deviations > 5 {
//				fmt.Println("look at", names[i])
//			}
//		}
//		hint := c.Suggest(9, 6)
//		fmt.Printf("uncertain by %.2f pixels, and by %.2f with another view: %+v\n", hint.Before, hint.After, hint)
//		out, err := os.Create("camera.yaml")
//		if err != nil {
//			log.Fatal(err)
//		}
//		info := camera.Info{Camera: c.Camera, Width: size.X, Height: size.Y}
//		if err := errors.Join(info.WriteOpenCV(out), out.Close()); err != nil {
//			log.Fatal(err)
//		}
//	}
//
//	func load(name string) image.Image {
//		f, err := os.Open(name)
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer f.Close()
//		img, _, err := image.Decode(f)
//		if err != nil {
//			log.Fatal(err)
//		}
//		return img
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
// A board of a known size needs no options: Columns and Rows of [FinderOptions] only refuse other
// boards. Corners that are hidden, or cut off by the edge of the image, are NaN in a Board, and the
// others are as good as those of a complete one for the calibration of a camera. They are not for
// pairs of cameras, unless the same corner is the first one in both images: a Board begins at a
// corner whose neighbor outward is a dark square, if one of its sides has an even number of corners
// and the other one an odd number. Of the two ends of other boards, it begins at the upper left
// one.
//
// A [Chessboard] draws boards to print. Squares should be larger than 7 pixels in images, and the
// board should be flat. Boards that touch may become one. A drawing whose edges are upright and
// perfectly sharp, as no camera sees them, may not be found.
//
// # Boards with markers
//
// Where a part of a board is hidden, or beyond the edge of the image, markers tell which corners are seen.
// Therefore views of parts are good for pairs of cameras, too, and many boards can be in an image.
//
// A ChArUco board is a [tag.Charuco], which draws it. Corners have the numbers and the places on the board that
// OpenCV gives them. Of its two layouts, older versions of OpenCV have the one that is called legacy; if a board
// has the other one than is told, [ErrLayout] says so, as far as the markers that are seen tell.
// An AprilGrid, as Kalibr calls it, is what [tag.NewAprilGrid] returns. Its corners are those of markers, at
// which other black squares lie, so that they look like those of a chessboard. If a lens bends the edges of
// markers, they are several times nearer to where they are than those that [tag.Sheet.Points] returns. Without
// distortion the difference is small, and in very sharp images of boards that are within about five degrees
// of upright, those of Points are nearer.
//
// Markers say about where a corner is, each on its own, so that a lens does not matter. It is found if the
// image looks like two edges that cross there, as much as elsewhere on the board.
//
// # How boards are found
//
// A ring of 16 pixels, in the image and in halves of it, responds to places where two dark and two
// light sectors meet, after ChESS by S. Bennett and J. Lasenby (CVIU 118, 2014). Such crosses are
// linked if they lead to each other along their edges, and if the image shows the edge between
// them. Links become grids, in which missing corners are predicted from those around them and
// searched for.
//
// Then the image of two crossing edges is fitted to the pixels around each corner by least squares:
// their directions, blur and brightness, and slopes of it. Where a lens bends the rows of a board,
// the edges of the fit are bent, too. Therefore corners are not those of OpenCV's cornerSubPix:
// they are nearer to where they are. Results are the same on every platform and for any number of
// workers.
//
// # What a calibration minimizes
//
// [Calibrator.Calibrate] finds the camera, and a pose of the board for each view, for which the sum
// of squared distances in pixels between corners and their projections is least, as Z. Zhang does
// ("A flexible new technique for camera calibration", PAMI 22, 2000). It starts from 25 focal
// lengths, with poses by a linear transform, and goes on from the best one by the method of
// Levenberg and Marquardt. If that does not end well, it goes on from others. So it needs no guess, nor
// do fisheyes; [Options].Start is for fields that are known and stay as they are.
//
//   - Distortion is the number of coefficients. The default suits most lenses; wide ones may need 8,
//     and fisheyes another Model. More coefficients make errors smaller, but cameras less certain.
//   - With HuberThreshold the costs of large errors grow only linearly, so that a few wrong corners
//     do little harm.
//   - Deviations of a [View] are weights of its points. Those of a Board are what its image tells, so
//     that blurred photos count less.
//   - Bend finds how far the middle of the board is from being flat, too.
//   - [Calibrator.Pair] finds where a second camera is relative to the first one, from boards that both
//     see at the same time. Both cameras stay as they are unless RefineCameras is set.
//
// # How good a calibration is
//
// Small errors alone do not make a good calibration: a few similar views leave the camera undetermined,
// and the errors are small nevertheless. These methods tell more:
//
//   - [ErrFocal] means that the views do not tell the focal length, usually since the board was never
//     tilted. The [Calibration] is complete, but should not be used.
//   - [Calibration.StandardDeviations] and [Calibration.Covariance] tell how well the fields are known, and
//     [Calibration.Uncertainty] how well the projection at a pixel is: the uncertainty that
//     mrcal's documentation (D. Kogan, https://mrcal.secretsauce.net/uncertainty.html) derives. It is
//     large where no view had corners. [Calibration.Draw] draws it.
//   - [Calibrator.Halves] compares the cameras of two halves of the views. If they differ by more than
//     the noise explains, the model does not suit the lens, or views are wrong, which no uncertainty
//     shows.
//   - [Calibration.Influence] tells which view contradicts the others.
//   - [Calibration.Suggest] tells which view to take next.
//
// # OpenCV
//
// A Finder replaces findChessboardCorners with cornerSubPix, and findChessboardCornersSB. The order
// of corners is theirs, but may begin at the other end. [Finder.Charuco] replaces
// interpolateCornersCharuco, and the part of CharucoDetector that follows the search for markers. In
// OpenCV 4.6, the corners of interpolateCornersCharuco are 0.5, 0.5 too far to the lower right, if
// the centers of pixels are integers as they are here.
//
// Calibrate minimizes what calibrateCamera and fisheye::calibrate do, and Pair what stereoCalibrate
// does. From the same corners they find the same cameras up to rounding, unless OpenCV gives up or ends
// in another minimum. The coefficients of the rational model are hardly determined: compare projections,
// not fields. OpenCV's standard deviations of fields are nearly the root of 2 times as large, since it
// counts points where there are two coordinates each. Its errors of views follow from
// [Calibration.Errors]; it has no counterparts of the other measures.
//
// For undistort, and for what getOptimalNewCameraMatrix is needed for, see Undistortion and Rectification
// of package warp.
package calibrate
