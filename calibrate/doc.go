// Package calibrate finds chessboards in images, to a few hundredths of a pixel, and measures
// cameras with them. This program prints the boards in a photo:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//		_ "image/jpeg"
//		_ "image/png"
//		"log"
//		"os"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/calibrate"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		finder, err := calibrate.NewFinder(calibrate.FinderOptions{})
//		if err != nil {
//			log.Fatal(err)
//		}
//		boards := finder.Find(fast.Gray(img))
//		fmt.Println(len(boards), "boards")
//		for _, b := range boards {
//			fmt.Println(b.Columns, "by", b.Rows, "corners, of which", b.Count, "are seen")
//		}
//	}
//
// A [Finder] finds the inner corners of chessboards, of any number and size. Each [Board] that it finds has
// the corners row by row; [Board.View] pairs them with their places on the board. [Finder.Charuco] and
// [Finder.AprilGrid] find those of boards with markers, which package tag finds first. Views of other flat
// targets are as good.
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
// # Method
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
// # OpenCV
//
// A Finder replaces findChessboardCorners with cornerSubPix, and findChessboardCornersSB. The order of corners
// is theirs, but may begin at the other end. [Finder.Charuco] replaces interpolateCornersCharuco, and the part of
// CharucoDetector that follows the search for markers. In OpenCV 4.6, the corners of interpolateCornersCharuco are
// 0.5, 0.5 too far to the lower right, if the centers of pixels are integers as they are here.
package calibrate
