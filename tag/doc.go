// Package tag finds AprilTag and ArUco markers in images, tells where they are to a few hundredths
// of a pixel, and draws them. This program prints the markers in a photo:
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
//		"github.com/fastcorners/fast/tag"
//	)
//
//	func main() {
//		img, _, err := image.Decode(os.Stdin)
//		if err != nil {
//			log.Fatal(err)
//		}
//		detector, err := tag.New(tag.Options{Families: []tag.Family{{Kind: tag.Tag36h11}}})
//		if err != nil {
//			log.Fatal(err)
//		}
//		tags := detector.Detect(fast.Gray(img))
//		fmt.Println(len(tags), "markers")
//		for _, t := range tags {
//			fmt.Println(t.ID, t.Corners)
//		}
//	}
//
// A [Family] says which markers there are, and draws them. A [Detector] finds those of one or
// several families. Each [Tag] that it finds has its corners, the transform from the marker to the
// image, and, by [Tag.Pose], where it is in front of a camera. [Detector.Follow] finds the markers of
// the frame before in a frame of a video, in less time. A [Sheet] is a board of markers, which gives
// many points at once to package pose; a [Charuco] is a chessboard with markers, for package calibrate.
//
// # Families by use
//
//   - Tag36h11, the default, for robots and whatever must not see a marker where there is none.
//   - Standard41h12 for small markers: the data around the border needs no quiet zone, and its
//     cells are larger at the same size.
//   - An ArUco kind with as few Codes as suffice, such as ArUco4x4 with 50, if the markers are
//     already printed. In textures, random patterns look like markers of 4 by 4 or 5 by 5 bits, or
//     of Tag16h5; [Family.Chance] tells how often. Such markers need more evidence, and fewer or no
//     wrong bits of them are corrected.
//   - [NewAprilGrid] for calibration: the detector has to look for its Family, with its wide
//     border.
//   - Standard52h13, Custom48h12 and Circle49h12 for tens of thousands of markers. To use one,
//     import the package of its name in the module github.com/fastcorners/fast/tag/large, which
//     has its codes.
//
// # Places
//
// The centers of pixels are integers, as in all packages. Corners[0] is the upper left one of the
// upright marker, as [Family.Draw] draws it, and the others follow clockwise as seen. They are
// those of the outer edge of the black border or, for kinds with data around it, of the line
// between the black and the white ring.
//
//   - AprilTag's p[3], p[2], p[1] and p[0] are Corners[0] to Corners[3] plus 0.5, 0.5.
//   - OpenCV has the same order for ArUco. It draws its DICT_APRILTAG_* upside down: its first
//     corner is Corners[2].
//
// Lenses bend the edges of large markers, and a Tag is fitted as if they were straight: for
// measurements, use markers that are small in the image, or images without distortion, as package
// warp makes them. A marker whose edges bend by more than about 0.4 pixels is Hidden. Corners of a
// Hidden tag may be off by pixels.
//
// # Method
//
// Pixels are dark or light if they differ enough from others near by. Components of dark pixels, or
// of light ones for markers that are white inside their border, whose convex hulls are nearly
// quadrilaterals are candidates. Samples around the border sort most of them out; for the others,
// lines are fitted to the gradients along the sides, and the bits are read. Up to here, a Detector
// is like others. But once the code is known, the whole marker is: its drawing, in perspective and
// blurred, is fitted to the pixels by least squares, with the brightness of black and of white as
// planes. What remains tells the noise of the corners and refuses patterns that only look like a
// marker; if it says that a quarter of an edge should be elsewhere, something hides a part of it. The
// fit is computed in float32, whose rounding errors move corners by a few millionths of a pixel.
// Results are the same on every platform and for any number of workers.
//
// Quiet zones that are too narrow, and cells of less than about a pixel, are what prevents markers
// from being found. Of those that the edge of the image cuts off, Detect finds the ones that lose
// little more than their quiet zone, many of them as Hidden.
//
// # OpenCV
//
// A Detector finds what OpenCV's ArucoDetector and AprilTag's detector find, and more, with smaller
// errors. The numbers differ from theirs. For generateImageMarker see [Family.Draw], for
// estimatePoseSingleMarkers [Tag.Pose], for GridBoard [Sheet], for CharucoBoard [Charuco], and for drawDetectedMarkers package
// overlay.
package tag
