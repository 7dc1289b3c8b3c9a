// Package camera describes cameras: it computes at which pixel a camera sees a point in space, and
// in which direction it sees a pixel, with the distortion of its lens. It reads and writes the files
// of OpenCV, ROS and Kalibr. Packages pose and warp take such cameras. This program prints where a
// webcam sees a point, and where a pixel looks:
//
//	package main
//
//	import (
//		"fmt"
//		"image"
//
//		"github.com/fastcorners/fast/camera"
//		"github.com/fastcorners/fast/geometry"
//	)
//
//	func main() {
//		webcam := camera.FromFieldOfView(70, 1280, image.Pt(1280, 720))
//		webcam.K1 = -0.1 // barrel distortion
//		if p, ok := webcam.Project([3]float64{0.5, -0.2, 2}); ok {
//			fmt.Println("half a meter to the right, at 2 meters, is seen at", p)
//		}
//		if x, y, ok := webcam.Ray(geometry.Point{X: 0, Y: 360}); ok {
//			fmt.Println("at 1 meter, the middle of the left edge shows", x, y)
//		}
//	}
//
// A [Camera] is a plain struct: it can be written as a literal, compared, and used as the key of a
// map. Results are the same on every platform, to the bit.
//
// # Where the numbers of a Camera come from
//
//   - Calibration, the only way that yields the distortion. If OpenCV, ROS or Kalibr has calibrated
//     the camera, [ReadInfo] reads their files.
//   - The field of view in the data sheet of a camera: [FromFieldOfView].
//   - The 35 mm equivalent focal length in the Exif data of a photo, which package photo reads:
//     [From35mm].
//   - The camera of larger, smaller or cropped images of the same camera: [Camera.Resized] and
//     [Camera.Cropped]. The numbers are those of images of one size, so a camera that was calibrated
//     at another resolution has to be resized.
//
// Without calibration, the focal length is off by a few percent, the principal point by a few
// percent of the size of the image, and the distortion is missing. That suffices to find poses whose
// rotations and directions are off by about as much; it does not suffice to measure.
//
// # Models
//
// [BrownConrady], the default, suits most lenses: with K1 and K2, or with P1, P2 and K3, too, and
// with K4 to K6 for wide ones. [KannalaBrandt] suits fisheyes. The names of the fields are OpenCV's.
// Both are polynomials that fit a lens only within the image from which they were found. Farther out,
// many fold back, as if the camera saw several points at one pixel. This package computes where that
// begins, [Camera.End], and never projects or returns a ray beyond it.
//
// Projections and rays of slices find the end once. For rational models (K4 to K6) and near the end,
// that takes longer than the rest, so prefer slices for many points.
//
// # OpenCV
//
// projectPoints is [Camera.Projections] or, with derivatives, [Camera.Derivatives], for points in the
// frame of the camera; both also for fisheye::projectPoints. undistortPoints is [Camera.Rays] or, with
// the camera as P, too, [Camera.Undistort]; fisheye::distortPoints is [Camera.Distort] after Fx, Fy,
// Cx and Cy. Where OpenCV returns a pixel beyond the fold, or a point from an iteration that has not
// converged, this package returns none. For undistort and initUndistortRectifyMap see package warp.
package camera
