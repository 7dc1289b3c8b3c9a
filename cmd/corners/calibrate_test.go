package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// A studio is a camera for images of a size, which looks at flat things.
type studio struct {
	camera camera.Camera
	size   image.Point
	rays   []pose.Vector // of subpixels
}

// subpixels is how many a pixel has in both directions.
const subpixels = 3

func newStudio(c camera.Camera, size image.Point) *studio {
	s := &studio{camera: c, size: size}
	for y := range size.Y * subpixels {
		for x := range size.X * subpixels {
			ray, ok := c.Bearing(geometry.Point{X: (float64(x)+.5)/subpixels - .5, Y: (float64(y)+.5)/subpixels - .5})
			if !ok {
				panic("the camera does not see all of its image")
			}
			s.rays = append(s.rays, ray)
		}
	}
	return s
}

// photo returns an image of the plane z = 0 in the frame that a pose maps from. shade returns the gray of
// its places.
func (s *studio) photo(at pose.Pose, shade func(x, y float64) float64) *image.Gray {
	img := image.NewGray(image.Rectangle{Max: s.size})
	back := at.Inverse()
	eye := back.Apply(pose.Vector{})
	rng := rand.New(rand.NewPCG(1, 2))
	sums := make([]float64, len(img.Pix))
	for i, ray := range s.rays {
		toward := back.Apply(ray).Sub(eye)
		far := -eye[2] / toward[2]
		x, y := i%(s.size.X*subpixels)/subpixels, i/(s.size.X*subpixels)/subpixels
		gray := 110.0
		if far > 0 {
			gray = shade(eye[0]+far*toward[0], eye[1]+far*toward[1])
		}
		sums[y*s.size.X+x] += gray
	}
	for i, sum := range sums {
		img.Pix[i] = uint8(math.Round(min(max(sum/(subpixels*subpixels)+rng.NormFloat64(), 0), 255)))
	}
	return img
}

// chessboard returns the shade of a board with squares of size 1, whose first inner corner is at 0, 0.
func chessboard(columns, rows int) func(x, y float64) float64 {
	p := prints.Chessboard(columns, rows)
	return func(x, y float64) float64 {
		column, row := int(math.Floor(x))+1, int(math.Floor(y))+1
		switch {
		case min(column, row) < p.First || column > columns+1 || row > rows+1:
			return 110
		case p.White(column, row):
			return 210
		}
		return 30
	}
}

// printed returns the shade of a drawing whose pixels have a size, and whose pixel in a column and a row
// has its upper left corner at 0, 0.
func printed(drawing *image.Gray, first image.Point, pixel float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		p := image.Pt(int(math.Floor(x/pixel)), int(math.Floor(y/pixel))).Add(first)
		if !p.In(drawing.Rect) {
			return 110
		}
		return 30 + float64(drawing.GrayAt(p.X, p.Y).Y)*180/255
	}
}

// poses returns where a board of a width and a height is held: near the middle, left, right, above and
// below, leaning by an angle to all sides.
func poses(width, height, angle float64) []pose.Pose {
	var list []pose.Pose
	for i, lean := range [][2]float64{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {.7, .7}, {-.7, .7}, {.7, -.7}, {-.6, -.6}} {
		half := math.Tan(angle / 2 * math.Pi / 180)
		p := pose.FromQuaternion(1, half*lean[0], half*lean[1], .05*float64(i-4), pose.Vector{})
		at := [][2]float64{{0, 0}, {-.15, -.1}, {.15, .1}, {.1, -.1}, {-.1, .1}}[i%5]
		middle := p.Apply(pose.Vector{width / 2, height / 2})
		p.T = pose.Vector{at[0] * width, at[1] * width, 1.3 * width}.Sub(middle)
		list = append(list, p)
	}
	return list
}

// webcam is a camera for images of 320 by 240 pixels, with a lens that bends lines.
var webcam = camera.Camera{Fx: 260, Fy: 262, Cx: 158, Cy: 121, K1: -0.2, K2: 0.05}

// webcamStudio returns the studio with the webcam. It is not kept, since it takes 17 MB, a part of which tests
// of memory would find as garbage.
func webcamStudio() *studio { return newStudio(webcam, image.Pt(320, 240)) }

// photosOf returns photos of a chessboard with 8 by 5 corners, which leans by an angle.
func photosOf(angle float64) (list []*image.Gray) {
	s := webcamStudio()
	for _, p := range poses(7, 4, angle) {
		list = append(list, s.photo(p, chessboard(8, 5)))
	}
	return list
}

// leaningPhotos are photos that determine the camera.
var leaningPhotos = sync.OnceValue(func() []*image.Gray { return photosOf(35) })

// writePhotos writes photos as photos/0.png and so on.
func writePhotos(t *testing.T, photos []*image.Gray) {
	t.Helper()
	for i, img := range photos {
		filetest.Write(t, fmt.Sprintf("photos/%d.png", i), filetest.Encode(t, filetest.StorePNG, img))
	}
}

// requireCamera fails the test unless a file describes about that camera for images of 320 by 240 pixels.
func requireCamera(t *testing.T, path string, want camera.Camera) camera.Info {
	t.Helper()
	got, err := camera.ReadInfo(bytes.NewReader(filetest.Read(t, path)))
	require.NoError(t, err)
	require.Equal(t, []int{320, 240}, []int{got.Width, got.Height})
	require.Equal(t, want.Model, got.Model)
	require.Less(t, calibrate.Difference(want, got.Camera, image.Pt(320, 240)), 0.5)
	return got
}

// TestCalibrate checks the report of a calibration, and that the other commands read the camera.
func TestCalibrate(t *testing.T) {
	inTempDir(t)
	writePhotos(t, leaningPhotos())
	filetest.Write(t, "photos/empty.png", filetest.Encode(t, filetest.StorePNG, image.NewNRGBA(image.Rect(0, 0, 320, 240))))
	filetest.Write(t, "photos/other.png", filetest.Encode(t, filetest.StorePNG, webcamStudio().photo(poses(7, 4, 0)[0], chessboard(7, 4))))
	status, stdout, stderr := corners(t, "calibrate", "-square", "25", "photos", "-jobs", "2")
	require.Zero(t, status, stderr)
	require.Equal(t, "corners: "+filepath.Join("photos", "empty.png")+": all its pixels are transparent, so that it is black\n", stderr)
	lines := strings.Split(stdout, "\n")
	require.Equal(t, []string{"IMAGE", "SIZE", "BOARD", "CORNERS", "RMS", "INFLUENCE", "NOTE"}, strings.Fields(lines[0]))
	for i := range 9 {
		require.Regexp(t, fmt.Sprintf(`^photos.%d\.png +320x240  8x5 +40 +0\.0\d\d  [0-4]\.\d\d$`, i), lines[1+i])
	}
	require.Regexp(t, `^photos.empty\.png +320x240  - +- +- +- +no board$`, lines[10])
	require.Regexp(t, `^photos.other\.png +320x240  7x4 +28 +- +- +not a board of 8x5$`, lines[11])
	require.Equal(t, []string{"BROWN-CONRADY", "VALUE", "DEVIATION"}, strings.Fields(lines[13]))
	require.Regexp(t, `^Fx +2(59|60)\.\d+ +0\.\d+$`, lines[14])
	require.Regexp(t, `(?s)\nerrors: 0\.0\d\d px \(rms\) of 360 corners in 9 views; the noise \(sigma\) is 0\.0\d\d px\n`+
		`uncertainty: 0\.\d+ px in the middle, [\d.]+ px at worst, at \d+,\d+\n`+
		`the cameras of the even and of the odd views differ by [\d.]+ px, [\d.]+ px predicted: that fits\n`+
		`the next view: the board's middle at \d+,\d+, its width \d+ % of the image's, [a-z0-9 ]+; the mean uncertainty falls from [\d.]+ to [\d.]+ px\n`+
		`wrote camera\.yaml\nwrote camera-views\.png\n$`, stdout)
	info := requireCamera(t, "camera.yaml", webcam)
	require.Equal(t, "camera", info.Name)
	picture := filetest.ReadPNG(t, "camera-views.png")
	require.Equal(t, image.Rect(0, 0, 320, 240), picture.Bounds())
	require.Equal(t, color.RGBAModel.Convert(picture.At(160, 239)), color.RGBAModel.Convert(picture.At(159, 239)))

	for _, args := range []string{
		"tag -camera camera.yaml photos/0.png -no-picture",
		"undistort -camera camera.yaml photos/0.png -o out",
		"match -camera camera.yaml -model essential photos/0.png photos/1.png -no-picture",
	} {
		status, _, stderr := corners(t, strings.Fields(args)...)
		require.Zero(t, status, stderr)
	}

	// A camera is overwritten only with -f.
	before := filetest.Read(t, "camera.yaml")
	status, stdout, stderr = corners(t, "calibrate", "photos")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "corners: camera.yaml: corners has not drawn this file, and overwrites it only with -f\n", stderr)
	require.Equal(t, before, filetest.Read(t, "camera.yaml"))
	status, _, stderr = corners(t, "calibrate", "-f", "-distortion", "1", "-fix", "center,aspect", "-no-picture", "photos")
	require.Zero(t, status, stderr)
	info, err := camera.ReadInfo(bytes.NewReader(filetest.Read(t, "camera.yaml")))
	require.NoError(t, err)
	require.Equal(t, camera.Camera{Fx: info.Fx, Fy: info.Fx, Cx: 159.5, Cy: 119.5, K1: info.K1}, info.Camera)
}

// TestCalibrateFiles checks the formats of the camera, and that other commands read them.
func TestCalibrateFiles(t *testing.T) {
	inTempDir(t)
	writePhotos(t, leaningPhotos())
	for path, c := range map[string]struct {
		flags, begins string
		name          string
	}{
		"out/left.json": {"", "{\n", "left"},
		"a.yml":         {"", "%YAML:1.0\n", "a"},
		"b.yaml":        {"-ros", "image_width: 320\n", "b"},
	} {
		status, stdout, stderr := corners(t, append(strings.Fields("calibrate -board 5x8 photos -format csv -o "+path), strings.Fields(c.flags)...)...)
		require.Zero(t, status, stderr)
		require.Equal(t, fmt.Sprintf("wrote %s\nwrote %s\n", filepath.FromSlash(path), filepath.Join(filepath.Dir(path), c.name+"-views.png")), stderr)
		require.True(t, bytes.HasPrefix(filetest.Read(t, path), []byte(c.begins)), path)
		require.Equal(t, c.name, requireCamera(t, path, webcam).Name)
		status, _, stderr = corners(t, "undistort", "-camera", path, "photos/0.png", "-o", "out")
		require.Zero(t, status, stderr)

		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 1+9*40)
		require.Equal(t, "image,world_x,world_y,x,y,error_x,error_y", strings.Join(rows[0], ","))
		require.Equal(t, []string{filepath.Join("photos", "1.png"), "1", "0"}, rows[1+40+1][:3])
	}
	status, _, stderr := corners(t, "calibrate", "photos", "-start", "b.yaml", "-fix", "focal", "-o", "cameras", "-no-picture")
	require.Zero(t, status, stderr)
	require.Equal(t, requireCamera(t, "b.yaml", webcam).Fx, requireCamera(t, "cameras/camera.yaml", webcam).Fx)
	require.Equal(t, []string{"cameras/camera.yaml"}, filetest.List(t)[4:5])

	// Nothing is written unasked.
	before := filetest.List(t)
	status, stdout, stderr := corners(t, "calibrate", "photos", "-format", "json", "-huber", "1", "-bend")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	require.Equal(t, before, filetest.List(t))
	var res struct {
		File, Picture, Model, Fix string
		Square, Huber, RMS, Sigma float64
		Distortion, Width, Height int
		Camera, Deviations        map[string]float64
		Bend                      []float64
		Uncertainty, Halves, Hint map[string]float64
		Images                    []map[string]any
		Converged                 bool
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &res))
	require.Equal(t, []any{"", "", "brown-conrady", "none", 1.0, 1.0, -1, 320, 240, true},
		[]any{res.File, res.Picture, res.Model, res.Fix, res.Square, res.Huber, res.Distortion, res.Width, res.Height, res.Converged})
	require.InDelta(t, webcam.Fx, res.Camera["Fx"], 2)
	require.Len(t, res.Camera, 9)
	require.Len(t, res.Deviations, 9)
	require.Positive(t, res.Deviations["K3"])
	require.NotZero(t, res.Bend[0])
	require.InDelta(t, 0, res.Bend[0], 0.1)
	require.Less(t, res.Hint["after"], res.Hint["before"])
	require.Less(t, res.Uncertainty["middle"], res.Uncertainty["worst"])
	require.Less(t, res.Halves["difference"], 3*res.Halves["predicted"])
	require.Len(t, res.Images, 9)
	require.Equal(t, true, res.Images[0]["used"])
	require.InDelta(t, 1.3*7, res.Images[0]["tz"], 0.2, "in squares")
}

// TestCalibrateFisheye checks a fisheye lens.
func TestCalibrateFisheye(t *testing.T) {
	inTempDir(t)
	fisheye := camera.Camera{Model: camera.KannalaBrandt, Fx: 140, Fy: 141, Cx: 159, Cy: 121, K1: -0.02, K2: 0.003}
	s := newStudio(fisheye, image.Pt(320, 240))
	for i, p := range poses(7, 4, 35) {
		p.T[2] *= .5
		filetest.Write(t, fmt.Sprintf("%d.png", i), filetest.Encode(t, filetest.StorePNG, s.photo(p, chessboard(8, 5))))
	}
	status, _, stderr := corners(t, strings.Fields("calibrate . -model kannala-brandt -distortion 2 -o c.json")...)
	require.Zero(t, status, stderr)
	require.Zero(t, requireCamera(t, "c.json", fisheye).K3)
	status, stdout, stderr := corners(t, strings.Fields("calibrate . -start c.json -format json")...) // whose model counts
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, `"model":"kannala-brandt"`)

	// A camera for images of another size.
	filetest.Write(t, "d.json", bytes.ReplaceAll(filetest.Read(t, "c.json"), []byte("320"), []byte("640")))
	status, stdout, stderr = corners(t, strings.Fields("calibrate . -start d.json -format json")...)
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "corners: calibration: the images have 320 by 240 pixels, but the file of -start is for 640 by 240\n", stderr)
}

// TestCalibrateAprilGrid checks a board of Kalibr.
func TestCalibrateAprilGrid(t *testing.T) {
	inTempDir(t)
	board := tag.NewAprilGrid(4, 3, 80, 24)
	drawing := board.Draw(1) // of cells of 8 mm, with a margin of 1 and squares of 3
	s := webcamStudio()
	for i, p := range poses(4*80+3*24, 3*80+2*24, 35) {
		filetest.Write(t, fmt.Sprintf("%d.png", i), filetest.Encode(t, filetest.StorePNG, s.photo(p, printed(drawing, image.Pt(4, 4), 8))))
	}
	status, stdout, stderr := corners(t, strings.Fields("calibrate . -aprilgrid 4x3 -size 80 -gap 24 -o c.json")...)
	require.Zero(t, status, stderr)
	require.Regexp(t, `\n0\.png +320x240  8x6 +4\d +0\.\d+ `, stdout)
	requireCamera(t, "c.json", webcam)

	status, stdout, stderr = corners(t, strings.Fields("calibrate 0.png 1.png -aprilgrid 2x1 -format json")...)
	require.Equal(t, 1, status)
	require.Contains(t, stdout, `"aprilgrid":"2x1","size":1,"gap":0,`)
	require.Regexp(t, `^corners: calibration: the views do not determine the .*\n$`, stderr)
	status, stdout, stderr = corners(t, strings.Fields("calibrate 0.png c.json -aprilgrid 1x1 -format json")...)
	require.Equal(t, 1, status)
	require.Contains(t, stdout, `"used":true`)
	require.Contains(t, stderr, "c.json: not an image")
}

// TestCalibrateCharuco checks a board with markers, and its drawings.
func TestCalibrateCharuco(t *testing.T) {
	inTempDir(t)
	board := tag.Charuco{Family: tag.Family{Kind: tag.ArUco5x5}, Columns: 9, Rows: 6, Square: 56, Marker: 42}
	drawing := board.Draw(1) // of cells of 6 mm, with a margin of 1
	s := webcamStudio()
	for i, p := range poses(9*54, 6*54, 40) {
		filetest.Write(t, fmt.Sprintf("%d.png", i), filetest.Encode(t, filetest.StorePNG, s.photo(p, printed(drawing, image.Pt(1, 1), 6))))
	}
	status, stdout, stderr := corners(t, strings.Fields("calibrate . -charuco 9x6 -family aruco5x5 -square 54 -marker 42 -o c.json")...)
	require.Zero(t, status, stderr)
	require.Regexp(t, `\n0\.png +320x240  8x5 +[34]\d +0\.\d+ `, stdout)
	requireCamera(t, "c.json", webcam)
	status, stdout, stderr = corners(t, strings.Fields("calibrate 0.png -charuco 9x6 -family aruco5x5 -square 54 -legacy -format json")...)
	require.Equal(t, 1, status)
	require.Contains(t, stdout+stderr, "the squares are laid out the other way: see -legacy")

	status, _, stderr = corners(t, strings.Fields("calibrate -draw charuco:9x6 -family aruco5x5 -square 56 -marker 42 -o b.svg")...)
	require.Zero(t, status, stderr)
	require.True(t, bytes.HasSuffix(filetest.Read(t, "b.svg"), board.SVG()))
	status, _, stderr = corners(t, strings.Fields("calibrate -draw charuco:9x6 -family aruco5x5 -square 56 -marker 42 -o b.png -cell 3")...)
	require.Zero(t, status, stderr)
	got, want := filetest.ReadPNG(t, "b.png"), board.Draw(3)
	require.Equal(t, want.Rect, got.Bounds())
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			require.Equal(t, want.GrayAt(x, y), color.GrayModel.Convert(got.At(x, y)))
		}
	}
	status, stdout, stderr = corners(t, strings.Fields("calibrate -draw charuco:5x4")...)
	require.Zero(t, status, stderr)
	require.Equal(t, "wrote charuco-5x4.svg\n", stdout)
}

// TestCalibrateFocal checks that a camera is not written whose focal length is uncertain.
func TestCalibrateFocal(t *testing.T) {
	inTempDir(t)
	writePhotos(t, photosOf(1))
	status, stdout, stderr := corners(t, "calibrate", "photos", "-no-picture")
	require.Equal(t, 1, status)
	require.Contains(t, stdout, "uncertainty: ")
	require.NotContains(t, stdout, "wrote ")
	require.Regexp(t, `^corners: calibration: the views do not determine the focal length: its standard deviation is \d+\.\d % of it; the camera is written only with -uncertain\n$`, stderr)
	require.NoFileExists(t, "camera.yaml")
	status, stdout, stderr = corners(t, "calibrate", "photos", "-uncertain")
	require.Equal(t, 1, status)
	require.Contains(t, stdout, "wrote camera.yaml\nwrote camera-views.png\n")
	require.Regexp(t, `of it\n$`, stderr)
	require.FileExists(t, "camera.yaml")

	status, stdout, stderr = corners(t, "calibrate", "photos/0.png", "-format", "csv")
	require.Equal(t, 1, status)
	require.Equal(t, 1+40, strings.Count(stdout, "\n"), "the report is complete")
	require.Regexp(t, `^corners: calibration: the views do not determine the focal length: .*\n$`, stderr)
}

// TestCalibrateVideo checks that views are taken from a video where the board is at rest.
func TestCalibrateVideo(t *testing.T) {
	inTempDir(t)
	var frames []*image.Gray
	for _, img := range leaningPhotos() {
		frames = append(frames, img, img)
	}
	frames = append(frames, image.NewGray(frames[0].Rect), frames[3], frames[3])
	data := stream(frames)
	filetest.Write(t, "a.y4m", data)
	for _, name := range []string{"a.y4m", "-"} {
		status, stdout, stderr := withStdin(t, bytes.NewReader(data), "calibrate", name, "-f")
		require.Zero(t, status, stderr)
		require.Equal(t, "corners: "+name+": of 21 frames, 20 show the board, 10 of them at rest, and 9 count\n", stderr)
		require.Regexp(t, `(?s)^FRAME +SIZE .*\n1 +320x240  8x5 .*\n3 +320x240 .*\n17 +320x240 `, stdout)
		requireCamera(t, "camera.yaml", webcam)
	}
	status, stdout, stderr := corners(t, "calibrate", "a.y4m", "-views", "6", "-format", "json")
	require.Zero(t, status, stderr)
	require.Equal(t, 6, strings.Count(stdout, `"frame":`))
	require.NotContains(t, stdout, `"image":`)

	// What comes before a frame that cannot be read counts.
	status, stdout, stderr = withStdin(t, bytes.NewReader(data[:len(data)-99]), "calibrate", "-", "-format", "csv")
	require.Equal(t, 1, status)
	require.Equal(t, 1+9*40, strings.Count(stdout, "\n"))
	require.Contains(t, stderr, "corners: standard input: it ends in the middle of frame 20\n")

	status, _, stderr = withStdin(t, bytes.NewReader(stream(frames[18:19])), "calibrate", "-", "-f")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "corners: standard input: no frame in which the board is at rest\n")
}

// TestCalibrateDraw checks drawings of boards.
func TestCalibrateDraw(t *testing.T) {
	inTempDir(t)
	for args, name := range map[string]string{
		"-draw 9x6":                       "chessboard-9x6.svg",
		"-draw 9x6 -square 25 -o d/a.svg": "d/a.svg",
		"-draw 9x6 -cell 10 -o b.png":     "b.png",
	} {
		status, stdout, stderr := corners(t, append([]string{"calibrate"}, strings.Fields(args)...)...)
		require.Zero(t, status, stderr)
		require.Equal(t, "wrote "+filepath.FromSlash(name)+"\n", stdout)
	}
	board := calibrate.Chessboard{Columns: 9, Rows: 6}
	for _, name := range []string{"chessboard-9x6.svg", "d/a.svg"} {
		require.True(t, bytes.HasSuffix(filetest.Read(t, name), board.SVG(25)))
	}
	require.Equal(t, board.Draw(10), filetest.ReadPNG(t, "b.png"))
	for _, args := range []string{"-draw 9x6", "-draw 9x6 -o b.png"} { // drawn by corners
		status, _, stderr := corners(t, append([]string{"calibrate"}, strings.Fields(args)...)...)
		require.Zero(t, status, stderr)
	}
	filetest.Write(t, "c.svg", nil)
	status, _, stderr := corners(t, "calibrate", "-draw", "9x6", "-o", "c.svg")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: c.svg: corners has not drawn this file, and overwrites it only with -f\n", stderr)
	status, _, stderr = corners(t, "calibrate", "-draw", "200x200", "-o", "d.png", "-cell", "1000", "-memory", "1GB")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "corners: d.png: 202000 x 202000 pixels need ")
}

// TestCalibrateUsage checks what is said of command lines that make no sense.
func TestCalibrateUsage(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "a.y4m", stream([]*image.Gray{image.NewGray(image.Rect(0, 0, 32, 24))}))
	filetest.Write(t, "fisheye.json", []byte(`{"Model": "kannala-brandt", "Fx": 70, "Fy": 70, "Cx": 120, "Cy": 80}`))
	for args, want := range map[string]string{
		"":                         "corners calibrate needs an image or more, a video, or flag -draw",
		"a.png -board 9":           `invalid value "9" for flag -board: want numbers of columns and of rows, as 6x4`,
		"a.png -board 9x2":         "invalid value 2 for flag -board: want 3 to 200, or 0 with the other one",
		"a.png -distortion 3":      "invalid value 3 for flag -distortion: want 1, 2, 4, 5 or 8",
		"a.png -model fisheye":     `invalid value "fisheye" for flag -model: unknown Model "fisheye", not one of brown-conrady, kannala-brandt`,
		"a.png -fix all":           `invalid value "all" for flag -fix: unknown Fixed "all"`,
		"a.png -fix focal":         "flag -fix focal needs flag -start",
		"a.png -start nosuch.yaml": `invalid value "nosuch.yaml" for flag -start: `,
		"a.png -start fisheye.json -model brown-conrady": "the model of the camera of flag -start is kannala-brandt, and that of flag -model brown-conrady",
		"a.png -size 2":                  "flag -size is not for chessboards",
		"a.png -gap 2":                   "flag -gap is not for chessboards",
		"a.png -aprilgrid 6x6 -square 2": "flag -square is not for AprilGrids",
		"a.png -charuco 8x6 -board 7x5":  "flag -board is not for ChArUco boards",
		"a.png -charuco 8x1":             "invalid value 8x1 for flag -charuco: want 2x2 or more, with up to 1000 markers",
		"a.png -charuco 8x6 -marker 2":   "invalid value 2 for flag -marker: want less than -square",
		"a.png -family no":               `invalid value "no" for flag -family: unknown Kind "no"`,
		"-draw charuco:8":                `invalid value "charuco:8" for flag -draw: want numbers of columns and of rows, as 6x4`,
		"-draw 9x6 -legacy":              "flag -legacy is not for chessboards",
		"a.png -aprilgrid 60x60":         "invalid value 60x60 for flag -aprilgrid: want up to 587 markers",
		"a.png -aprilgrid 6x6 -gap 0.01": "invalid value 0.01 for flag -gap: want 0 or 0.1 to 3.4e38",
		"a.png -o x.png":                 `invalid value "x.png" for flag -o: want a directory, or a name that ends in .yaml, .yml or .json`,
		"a.png -o x.json -ros":           "flag -ros is for .yaml files, and not for .json",
		"a.png -views 4":                 "flag -views is for a video",
		"a.y4m -jobs 4":                  "flag -jobs is for images, and not for the frames of a video",
		"a.png -cell 4":                  "flag -cell needs flag -draw",
		"-draw 9x2":                      "invalid value 2 for flag -draw: want 3 to 200",
		"-draw 9x6 a.png":                "a.png: flag -draw reads no images",
		"-draw 9x6 -board 9x6":           "flag -board is for images, and -draw reads none",
	} {
		status, stdout, stderr := corners(t, append([]string{"calibrate"}, strings.Fields(args)...)...)
		require.Equal(t, report.StatusUsage, status, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "corners: "+want, args)
	}
	status, _, stderr := corners(t, "calibrate", "a.png", "nosuch.png")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "corners: calibration: none of the images shows a board that can be used\n")
	status, stdout, _ := corners(t, "help", "calibrate")
	require.Zero(t, status)
	for line := range strings.Lines(stdout) {
		require.LessOrEqual(t, len(line), 1+78, line)
	}
}

// TestCalibrateEnds checks that nothing is left after an interruption and after errors.
func TestCalibrateEnds(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	require.Equal(t, statusInterrupted, run(ctx, []string{"calibrate", "a.png"}, nil, &stdout, &stderr))
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "corners: interrupted: ")
	require.Equal(t, []string{"a.png"}, filetest.List(t))

	status, _, errs := corners(t, "calibrate", "a.png", "-memory", "1KiB")
	require.Equal(t, 1, status)
	require.Contains(t, errs, "a.png: 40 x 30 pixels need ")

	stderr.Reset()
	require.Equal(t, 1, run(t.Context(), []string{"calibrate", "a.png", "-format", "json"}, nil, brokenWriter{}, &stderr))
	require.Equal(t, "corners: standard output: no space left\n", stderr.String())

	out, err := os.Create("camera.yaml")
	require.NoError(t, err)
	defer out.Close()
	stderr.Reset()
	require.Equal(t, 1, run(t.Context(), []string{"calibrate", "a.png", "-f"}, nil, out, &stderr))
	require.Equal(t, "corners: camera.yaml: standard output goes to this file\n", stderr.String())
}
