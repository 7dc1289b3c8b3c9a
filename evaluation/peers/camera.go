package peers

import (
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
)

// Undistort makes points those of an image without distortion, by OpenCV's undistortPoints.
func (p *Peers) Undistort(c camera.Camera, points []geometry.Point) {
	found("undistortPoints", p.calls.undistort(&c, points))
}

// Project returns the pixels of points in front of a camera, by OpenCV's projectPoints or that of
// fisheye.
func (p *Peers) Project(c camera.Camera, points [][3]float64) []geometry.Point {
	pixels := make([]geometry.Point, len(points))
	found("projectPoints", p.calls.project(&c, points, pixels))
	return pixels
}

// Rectify returns what package warp's Rectification returns, by OpenCV's initUndistortRectifyMap or
// that of fisheye. Camera to has no distortion.
func (p *Peers) Rectify(from, to camera.Camera, turn [9]float64, w, h int) *warp.Map {
	m := &warp.Map{Width: w, Height: h, X: make([]float32, w*h), Y: make([]float32, w*h)}
	found("initUndistortRectifyMap", p.calls.rectify(&from, &to, &turn, m))
	return m
}
