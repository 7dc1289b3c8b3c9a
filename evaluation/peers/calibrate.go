package peers

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os/exec"
	"strings"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// A BoardFinder is a way in which OpenCV finds chessboards, whose sizes it is told.
type BoardFinder int

// Chessboard is findChessboardCorners with its defaults and cornerSubPix with windows of 11 by 11
// pixels, 40 iterations and an epsilon of 0.001. ChessboardSample is what OpenCV's sample calibration.cpp
// does: it adds CALIB_CB_FAST_CHECK, and the windows have 23 by 23 pixels, with 30 iterations and
// 0.0001. ChessboardSB is findChessboardCornersSB with CALIB_CB_ACCURACY and CALIB_CB_EXHAUSTIVE.
const (
	Chessboard BoardFinder = iota
	ChessboardSample
	ChessboardSB
)

// BoardFinders are all of them.
var BoardFinders = []BoardFinder{Chessboard, ChessboardSample, ChessboardSB}

func (f BoardFinder) String() string {
	return [...]string{"OpenCV", "OpenCV, its sample", "OpenCV, SB"}[f]
}

// Chessboard returns the inner corners of a chessboard, row by row, that f finds. It reports false if
// there is no chessboard.
func (p *Peers) Chessboard(f BoardFinder, img *image.Gray, columns, rows int) ([]flow.Point, bool) {
	corners, n := p.calls.chessboard(f, img, columns, rows)
	return corners, n == columns*rows
}

// An OpenCVCamera is a camera that OpenCV found. Deviations are those of its numbers, which are 0 for
// fisheyes.
type OpenCVCamera struct {
	Camera     camera.Camera
	Deviations [12]float64
	RMS        float64
}

// Calibrate returns the camera that OpenCV's calibrateCamera finds with 5 or 8 coefficients, or
// fisheye::calibrate without skew and with CALIB_RECOMPUTE_EXTRINSIC. Corners are rounded to float32. The
// error is what OpenCV says where it fails.
func (p *Peers) Calibrate(model camera.Model, coefficients int, size image.Point, views []calibrate.View) (OpenCVCamera, error) {
	c, n := p.calls.calibrate(model, coefficients, size, views)
	if n < 0 {
		return OpenCVCamera{}, errors.New(p.calls.failure())
	}
	return c, nil
}

// Pair returns the pose of camera b in the frame of camera a that OpenCV's stereoCalibrate finds, and
// the root mean square error. Cameras stay as they are.
func (p *Peers) Pair(a, b camera.Camera, size image.Point, views [][2]calibrate.View) (pose.Pose, float64, error) {
	found, rms, n := p.calls.pair(a, b, size, views)
	if n < 0 {
		return pose.Pose{}, 0, errors.New(p.calls.failure())
	}
	return found, rms, nil
}

// python is that of Debian, for which it packages mrcal.
const python = "/usr/bin/python3"

// HasMrcal reports whether mrcal is installed. The others do not need it.
func HasMrcal() bool { return exec.Command(python, "-c", "import mrcal").Run() == nil }

// VersionOfMrcal returns that of mrcal.
func VersionOfMrcal() string { return versions("python3-mrcal") }

// A MrcalProblem is a calibration for mrcal, with 5 or 8 coefficients: views of all corners of a board
// with squares of 1, row by row, a focal length to begin with, and places in the images.
type MrcalProblem struct {
	Width, Height, Columns, Rows, Coefficients int
	Focal                                      float64
	Views                                      [][][2]float64
	Places                                     [][2]float64
}

// A MrcalCamera is a camera that mrcal found: its numbers in the order of package camera, and the
// standard deviations in pixels, in the worst direction, of the projections of what is far away at the
// places where mrcal knows them.
type MrcalCamera struct {
	RMS                 float64
	Fields, Uncertainty []float64
}

//go:embed glue/calibrate.py
var mrcal string

// Mrcal returns the camera that mrcal finds, which must be there.
func Mrcal(problem *MrcalProblem) (*MrcalCamera, error) {
	input, err := json.Marshal(problem)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(python, "-c", mrcal)
	var said strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(input)), &said
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("peers: mrcal: %w\n%s", err, said.String())
	}
	found := new(MrcalCamera)
	if err := json.Unmarshal(output, found); err != nil {
		return nil, fmt.Errorf("peers: mrcal: %w\n%.300s", err, output)
	}
	return found, nil
}

// A BoardImage is an image with a chessboard of a size, or without one.
type BoardImage struct {
	Image         *image.Gray
	Columns, Rows int
}

// BoardTest returns the test of finding chessboards, of whose sizes only OpenCV is told.
func (p *Peers) BoardTest() Test[BoardImage] {
	t := Test[BoardImage]{"boards", contenders(CalibratePackages, func() func(BoardImage) {
		f := Must(calibrate.NewFinder(calibrate.FinderOptions{}))
		var boards []calibrate.Board
		return func(b BoardImage) { boards = f.AppendFind(boards[:0], b.Image) }
	})}
	for _, f := range BoardFinders {
		t.contenders = append(t.contenders, contender[BoardImage]{f.String(), true, func(b BoardImage) { p.Chessboard(f, b.Image, b.Columns, b.Rows) }})
	}
	return t
}

// CalibrationTests returns the tests of calibrating a camera with images of a size, with 5 and with 8
// coefficients. No instruction set has kernels for that.
func (p *Peers) CalibrationTests(size image.Point) []Test[[]calibrate.View] {
	var tests []Test[[]calibrate.View]
	for _, n := range []int{5, 8} {
		c := Must(calibrate.New(calibrate.Options{Distortion: n, MaxFocalError: -1}))
		tests = append(tests, Test[[]calibrate.View]{fmt.Sprintf("%d coefficients", n), []contender[[]calibrate.View]{
			{"portable", false, func(views []calibrate.View) { Must(c.Calibrate(size, views)) }},
			{"calibrateCamera", true, func(views []calibrate.View) { Must(p.Calibrate(camera.BrownConrady, n, size, views)) }},
		}})
	}
	return tests
}

// Float32 returns views whose pixels are rounded to float32, as OpenCV takes them.
func Float32(views []calibrate.View) []calibrate.View {
	rounded := make([]calibrate.View, len(views))
	for i, v := range views {
		rounded[i].World = v.World
		for _, q := range v.Image {
			rounded[i].Image = append(rounded[i].Image, geometry.Point{X: float64(float32(q.X)), Y: float64(float32(q.Y))})
		}
	}
	return rounded
}
