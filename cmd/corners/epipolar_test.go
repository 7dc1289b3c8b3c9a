package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/stretchr/testify/require"
)

// A shot is a picture of photos on walls by a camera whose center is the middle of its image.
type shot struct {
	focal, k1  float64
	turn, tilt float64 // the camera turns around its y and then its z axis, in radians
	at         [3]float64
	flat       bool // there is one wall
}

// shotSize is the size of shots.
var shotSize = image.Pt(480, 360)

// rotation returns the rows of the rotation from the world to the camera.
func (s *shot) rotation() [3][3]float64 {
	sin, cos := math.Sincos(s.turn)
	sinZ, cosZ := math.Sincos(s.tilt)
	return [3][3]float64{
		{cosZ * cos, -sinZ, cosZ * sin},
		{sinZ * cos, cosZ, sinZ * sin},
		{-sin, 0, cos},
	}
}

// sees returns the pixel of a point of the world.
func (s *shot) sees(p [3]float64) (x, y float64) {
	var q [3]float64
	for i, row := range s.rotation() {
		for j := range p {
			q[i] += row[j] * (p[j] - s.at[j])
		}
	}
	x, y = q[0]/q[2], q[1]/q[2]
	radial := s.focal * (1 + s.k1*(x*x+y*y))
	return radial*x + float64(shotSize.X)/2, radial*y + float64(shotSize.Y)/2
}

// hit returns the wall, and the point of it, that a pixel shows.
func (s *shot) hit(x, y float64) (wall int, p [3]float64) {
	u, v := (x-float64(shotSize.X)/2)/s.focal, (y-float64(shotSize.Y)/2)/s.focal
	a, b := u, v
	for range 30 {
		radial := 1 + s.k1*(a*a+b*b)
		a, b = u/radial, v/radial
	}
	r := s.rotation()
	var ray [3]float64
	for i := range ray {
		ray[i] = r[0][i]*a + r[1][i]*b + r[2][i]
	}
	best := math.Inf(1)
	for i, slope := range []float64{-.6, .9} { // z = 7 + slope x
		if s.flat && i > 0 {
			break
		}
		t := (7 + slope*s.at[0] - s.at[2]) / (ray[2] - slope*ray[0])
		if t > 0 && t < best {
			best, wall = t, i
			for j := range p {
				p[j] = s.at[j] + t*ray[j]
			}
		}
	}
	return wall, p
}

// file returns the picture as a file, which is made once for all tests.
func (s *shot) file(t *testing.T) []byte {
	t.Helper()
	if file, ok := shotFiles[*s]; ok {
		return file
	}
	var walls []*image.Gray
	for _, name := range []string{"astronaut_512x512.png", "camera_512x512.png"} {
		walls = append(walls, fast.Gray(filetest.ReadPNG(t, filepath.Join(photos(t), name))))
	}
	img := image.NewGray(image.Rectangle{Max: shotSize})
	for y := range shotSize.Y {
		for x := range shotSize.X {
			wall, p := s.hit(float64(x), float64(y))
			img.SetGray(x, y, color.Gray{Y: uint8(brightness(walls[wall], 256+85*p[0], 256+85*p[1]) + .5)})
		}
	}
	shotFiles[*s] = filetest.Encode(t, filetest.StorePNG, img)
	return shotFiles[*s]
}

// shotFiles has the files of shots.
var shotFiles = make(map[shot][]byte)

// brightness returns the gray value at a place of an image, or beyond its edges that of its mirror
// image.
func brightness(img *image.Gray, x, y float64) float64 {
	at := func(x, y float64) float64 {
		mirrored := func(v, n int) int {
			if v = (v%(2*n) + 2*n) % (2 * n); v >= n {
				v = 2*n - 1 - v
			}
			return v
		}
		return float64(img.GrayAt(mirrored(int(x), img.Rect.Dx()), mirrored(int(y), img.Rect.Dy())).Y)
	}
	i, j := math.Floor(x), math.Floor(y)
	u, v := x-i, y-j
	return (1-v)*((1-u)*at(i, j)+u*at(i+1, j)) + v*((1-u)*at(i, j+1)+u*at(i+1, j+1))
}

// photos returns the directory of photos.
func photos(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "testdata", "photos"))
	require.NoError(t, err)
	return dir
}

// writeShots writes a.png, by a camera at the origin, and b.png, by that camera elsewhere.
func writeShots(t *testing.T, b shot) (a shot) {
	t.Helper()
	a = shot{focal: b.focal, k1: b.k1, flat: b.flat}
	files := [2][]byte{a.file(t), b.file(t)}
	inTempDir(t)
	filetest.Write(t, "a.png", files[0])
	filetest.Write(t, "b.png", files[1])
	return a
}

// step returns the translation from the frame of a camera at the origin, of length 1.
func (s *shot) step() (t [3]float64) {
	length := math.Sqrt(s.at[0]*s.at[0] + s.at[1]*s.at[1] + s.at[2]*s.at[2])
	for i, row := range s.rotation() {
		for j, v := range row {
			t[i] -= v * s.at[j] / length
		}
	}
	return t
}

// misses returns by how many degrees a pose differs from that of the shot: its rotation, and its
// translation.
func (s *shot) misses(p *poseObject) (rotation, translation float64) {
	trace, dot := 0.0, 0.0
	step := s.step()
	for i, row := range s.rotation() {
		for j, v := range row {
			trace += v * p.Rotation[i][j]
		}
		dot += step[i] * p.Translation[i]
	}
	degrees := func(cos float64) float64 { return 180 / math.Pi * math.Acos(min(cos, 1)) }
	return degrees((trace - 1) / 2), degrees(dot)
}

// matchJSON returns what corners match -format json says of a.png and b.png.
func matchJSON(t *testing.T, args string) (got matchObject) {
	t.Helper()
	all := append([]string{"match", "a.png", "b.png", "-format=json", "-features=1500", "-levels=3"}, strings.Fields(args)...)
	status, stdout, stderr := corners(t, all...)
	require.Zero(t, status, stderr)
	decodeJSON(t, stdout, &got)
	return got
}

func TestEssential(t *testing.T) {
	sideways := shot{focal: 500, turn: -.1, tilt: .15, at: [3]float64{1, .1, .2}}
	for _, c := range []struct {
		name, camera string
		inlier       float64
		b            shot
		ambiguous    bool // another motion has about as many inliers
	}{
		{"sideways", "500,500,240,180", 3, sideways, true},
		{"ambiguous", "500,500,240,180", 2, sideways, true},
		{"distorted", "450,450,240,180,-0.2", 2, shot{focal: 450, k1: -.2, turn: .12, tilt: -.1, at: [3]float64{-1, .3, 0}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			writeShots(t, c.b)
			got := matchJSON(t, fmt.Sprintf("-model=essential -inlier=%g -camera=%s", c.inlier, c.camera))
			m := got.Model
			require.Equal(t, "essential", m.Kind)
			require.Equal(t, c.inlier, m.Threshold)
			require.Empty(t, m.Reason)
			require.NotNil(t, m.Pose)
			rotation, translation := c.b.misses(m.Pose)
			t.Logf("%d matches, %d inliers, off by %.2f and %.2f degrees", len(got.Matches), m.Inliers, rotation, translation)
			require.Less(t, rotation, .3)
			require.Less(t, translation, 3.0)
			require.Equal(t, [3]bool{false, false, c.ambiguous}, [3]bool{m.Turn, m.Planar, m.Ambiguous})
			if c.ambiguous {
				require.NotNil(t, m.Other)
				rotation, translation := c.b.misses(m.Other)
				require.InDelta(t, 7.85, rotation, .3)
				require.InDelta(t, 53.4, translation, 3)
			} else {
				require.Nil(t, m.Other)
			}
			require.Greater(t, m.Parallax, 50)
			inliers := 0
			for _, pair := range got.Matches {
				if *pair.Inlier {
					inliers++
				}
			}
			require.Equal(t, inliers, m.Inliers)
			requirePose(t, m)
		})
	}
}

// A file of a camera is like its numbers, but for the size of images, which must be theirs.
func TestCameraFile(t *testing.T) {
	writeShots(t, shot{focal: 450, k1: -.2, turn: .12, tilt: -.1, at: [3]float64{-1, .3, 0}})
	info := camera.Info{Camera: camera.Camera{Fx: 450, Fy: 450, Cx: 240, Cy: 180, K1: -0.2}, Width: 480, Height: 360}
	write := func() {
		t.Helper()
		var b bytes.Buffer
		require.NoError(t, info.WriteOpenCV(&b))
		filetest.Write(t, "camera.yml", b.Bytes())
	}
	write()
	require.Equal(t, matchJSON(t, "-model=essential -camera=450,450,240,180,-0.2"), matchJSON(t, "-model=essential -camera=camera.yml"))
	args := []string{"match", "-model=essential", "-camera=camera.yml", "a.png", "b.png"}
	info.Width = 640
	write()
	status, _, stderr := corners(t, args...)
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "corners: a.png: 480 by 360 pixels, but the file of -camera is for images of 640 by 360\n")
	filetest.Write(t, "camera.yml", []byte("camera_matrix: 3\n"))
	status, _, stderr = corners(t, args...)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, `invalid value "camera.yml" for flag -camera: camera: camera_matrix is not a mapping`)
}

// requirePose checks that all forms of a pose say the same.
func requirePose(t *testing.T, m *modelObject) {
	t.Helper()
	r, p, q := m.Pose.Rotation, m.Pose.Translation, m.Pose.Quaternion
	require.InDelta(t, 1, q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3], 1e-12)
	require.InDelta(t, r[2][1]-r[1][2], 4*q[0]*q[1], 1e-12)
	require.InDelta(t, r[0][2]-r[2][0], 4*q[0]*q[2], 1e-12)
	require.InDelta(t, r[1][0]-r[0][1], 4*q[0]*q[3], 1e-12)
	cross := [3][3]float64{{0, -p[2], p[1]}, {p[2], 0, -p[0]}, {-p[1], p[0], 0}}
	for i := range 3 {
		for j := range 3 {
			require.InDelta(t, cross[i][0]*r[0][j]+cross[i][1]*r[1][j]+cross[i][2]*r[2][j], m.Matrix[i][j], 1e-12)
		}
	}
}

func TestEssentialTable(t *testing.T) {
	b := shot{focal: 500, turn: -.1, tilt: .15, at: [3]float64{1, .1, .2}}
	writeShots(t, b)
	args := []string{"match", "a.png", "b.png", "-features=1500", "-levels=3", "-model=essential", "-camera=500,500,240,180"}
	status, stdout, stderr := corners(t, append(args, "-no-picture")...)
	require.Zero(t, status, stderr)
	_, rest, ok := strings.Cut(stdout, " of them inliers of the essential matrix\n")
	require.True(t, ok, stdout)
	lines := strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
	require.Len(t, lines, 9)
	require.Equal(t, "ambiguous: another motion explains nearly as much, and the images do not tell which is right", lines[4])
	var p poseObject
	for i, line := range lines[:3] {
		r := &p.Rotation[i]
		_, err := fmt.Sscan(line, &r[0], &r[1], &r[2], &p.Translation[i])
		require.NoError(t, err)
	}
	rotation, translation := b.misses(&p)
	require.Less(t, rotation, .3)
	require.Less(t, translation, 3.0)
	var angle float64
	var axis, center [3]float64
	_, err := fmt.Sscanf(lines[3], "rotation by %g degrees around %g %g %g, camera of B at %g %g %g",
		&angle, &axis[0], &axis[1], &axis[2], &center[0], &center[1], &center[2])
	require.NoError(t, err)
	r := b.rotation()
	require.InDelta(t, 180/math.Pi*math.Acos((r[0][0]+r[1][1]+r[2][2]-1)/2), angle, .3)
	for i, v := range []float64{r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]} {
		require.InDelta(t, v/(2*math.Sin(angle*math.Pi/180)), axis[i], .05)
		require.InDelta(t, b.at[i]/math.Sqrt(1.05), center[i], .06)
	}

	// The column of CSV is that of other models.
	status, stdout, stderr = corners(t, append(args, "-format=csv")...)
	require.Zero(t, status, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	counts := map[string]int{}
	for _, row := range rows[1:] {
		counts[row[5]]++
	}
	require.Equal(t, len(rows)-1, counts["true"]+counts["false"])
	require.Greater(t, counts["true"], 50)
}

func TestFundamental(t *testing.T) {
	b := shot{focal: 500, turn: -.1, tilt: .15, at: [3]float64{1, .1, .2}}
	a := writeShots(t, b)
	m := matchJSON(t, "-model=fundamental -inlier=2").Model
	require.Equal(t, "fundamental", m.Kind)
	require.NotNil(t, m.Matrix)
	require.Nil(t, m.Pose)
	require.Greater(t, m.Inliers, 50)
	require.Greater(t, m.OffPlane, m.Inliers/10)
	require.False(t, m.Planar)
	f, squares, n, sum := m.Matrix, 0.0, 0, 0.0
	for _, row := range f {
		for _, v := range row {
			squares += v * v
		}
	}
	require.InDelta(t, 1, squares, 1e-12)
	for x := 40.; x < 480; x += 80 {
		for y := 30.; y < 360; y += 60 {
			_, p := a.hit(x, y)
			u, v := b.sees(p)
			l := [3]float64{}
			for i, row := range f {
				l[i] = row[0]*x + row[1]*y + row[2]
			}
			sum += math.Abs(l[0]*u+l[1]*v+l[2]) / math.Hypot(l[0], l[1])
			n++
		}
	}
	t.Logf("%d inliers, points are %.2f pixels from their lines", m.Inliers, sum/float64(n))
	require.Less(t, sum/float64(n), 1.0)

	status, stdout, stderr := corners(t, "match", "a.png", "b.png", "-features=1500", "-levels=3", "-model=fundamental", "-inlier=2", "-no-picture")
	require.Zero(t, status, stderr)
	_, rest, ok := strings.Cut(stdout, fmt.Sprintf(", %d of them inliers of the fundamental matrix\n", m.Inliers))
	require.True(t, ok, stdout)
	lines := strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
	require.Len(t, lines, 3)
	for i, line := range lines {
		require.Equal(t, fmt.Sprintf("%13.6g %13.6g %13.6g", f[i][0], f[i][1], f[i][2]), line)
	}
}

// Pixels of one color are in one plane with both cameras, but for dots of a radius of 6 pixels.
func TestEpipolarPicture(t *testing.T) {
	sideways := shot{focal: 500, turn: -.1, tilt: .15, at: [3]float64{1, .1, .2}}
	for _, c := range []struct {
		args string
		b    shot
	}{
		{"-model=essential -camera=500,500,240,180", sideways},
		{"-model=fundamental", sideways},
		{"-model=essential -camera=450,450,240,180,-0.2", shot{focal: 450, k1: -.2, turn: .12, tilt: -.1, at: [3]float64{-1, .3, 0}}},
	} {
		if testing.Short() && c.b.k1 == 0 {
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			a := writeShots(t, c.b)
			got := matchJSON(t, c.args+" -inlier=2 -o=p.png")
			require.Equal(t, "p.png", got.Picture)
			picture := filetest.ReadPNG(t, "p.png")
			require.Equal(t, image.Rect(0, 0, 2*shotSize.X, shotSize.Y), picture.Bounds())
			places := map[color.RGBA][2][]image.Point{}
			for y := range shotSize.Y {
				for x := range 2 * shotSize.X {
					v := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)
					if v.R != v.G || v.G != v.B { // no pixel of a photo
						side := x / shotSize.X
						lists := places[v]
						lists[side] = append(lists[side], image.Pt(x%shotSize.X, y))
						places[v] = lists
					}
				}
			}
			lines, worst := 0, 0.0
			for v, lists := range places {
				if max(v.R, v.G, v.B) < 200 { // a rim
					continue
				}
				lines++
				require.Greater(t, len(lists[0]), 200)
				require.Greater(t, len(lists[1]), 200)
				for i := 0; i < len(lists[0]); i += 40 {
					// Points that a pixel of A may show are near to a pixel of that color in B.
					x, y := float64(lists[0][i].X), float64(lists[0][i].Y)
					_, p := a.hit(x, y)
					for _, scale := range []float64{.8, 1, 1.2} {
						u, w := c.b.sees([3]float64{scale * p[0], scale * p[1], scale * p[2]})
						if !image.Pt(int(u), int(w)).In(image.Rectangle{Max: shotSize}.Inset(4)) {
							continue
						}
						nearest := math.Inf(1)
						for _, q := range lists[1] {
							nearest = min(nearest, math.Hypot(float64(q.X)-u, float64(q.Y)-w))
						}
						require.Less(t, nearest, 8.0, "%v", v)
						worst = max(worst, nearest)
					}
				}
			}
			require.Equal(t, epipolarLines, lines)
			t.Logf("pixels are up to %.1f from those of their color", worst)
		})
	}
}

// A camera that turns, or sees one plane, does not determine everything, which is told.
func TestDegenerateMotion(t *testing.T) {
	const degenerate = "degenerate, since the points are on one plane or the camera only turned; use -model homography"
	run := func(t *testing.T, args ...string) string {
		status, stdout, stderr := corners(t, append([]string{"match", "a.png", "b.png", "-levels=3"}, args...)...)
		require.Zero(t, status, stderr)
		return stdout
	}
	t.Run("turn", func(t *testing.T) {
		b := shot{focal: 500, turn: -.15, tilt: .1}
		writeShots(t, b)
		m := matchJSON(t, "-model=essential -camera=500,500,240,180").Model
		require.True(t, m.Turn)
		require.Nil(t, m.Matrix)
		require.Equal(t, [3]float64{}, m.Pose.Translation)
		rotation, _ := b.misses(m.Pose)
		require.Less(t, rotation, .2)
		stdout := run(t, "-model=essential", "-camera=500,500,240,180")
		require.Regexp(t, `\nrotation by 10\.\d+ degrees around [-0-9. ]+\nturn: a rotation explains the inliers, so the camera did not move, or by too little to be seen\nwrote `, stdout)
		require.Contains(t, run(t, "-model=fundamental", "-no-picture"), "matches, no fundamental matrix: "+degenerate+"\n")
	})
	if testing.Short() {
		return
	}
	t.Run("plane", func(t *testing.T) {
		b := shot{focal: 500, turn: -.1, tilt: .15, at: [3]float64{1, .1, .2}, flat: true}
		writeShots(t, b)
		m := matchJSON(t, "-model=essential -camera=500,500,240,180 -inlier=2").Model
		require.Equal(t, [3]bool{false, true, true}, [3]bool{m.Turn, m.Planar, m.Ambiguous})
		require.NotNil(t, m.Other)
		best := math.Inf(1)
		for _, p := range []*poseObject{m.Pose, m.Other} {
			best = min(best, math.Max(b.misses(p)))
		}
		require.Less(t, best, 3.0)
		stdout := run(t, "-model=essential", "-camera=500,500,240,180", "-inlier=2", "-features=1500", "-no-picture")
		_, rest, _ := strings.Cut(stdout, "\nplanar: nine tenths of the inliers or more are on one plane\nambiguous: another motion explains nearly as much, and the images do not tell which is right\n")
		require.Equal(t, 4, strings.Count(rest, "\n"), stdout)

		require.Contains(t, run(t, "-model=fundamental", "-no-picture"), "matches, no fundamental matrix: "+degenerate+"\n")
		m = matchJSON(t, "-model=fundamental -ratio=0.8").Model
		require.Nil(t, m.Matrix)
		require.Zero(t, m.Inliers)
		require.Equal(t, degenerate, m.Reason)
		require.Contains(t, run(t, "-model=homography", "-no-picture"), "inliers of the homography\n")

		// Of many matches, wrong ones may seem to be off the plane.
		m = matchJSON(t, "-model=fundamental").Model
		require.True(t, m.Planar)
		require.Less(t, m.OffPlane, m.Inliers/10)
		require.Contains(t, run(t, "-model=fundamental", "-features=1500", "-no-picture"),
			"\nplanar: nine tenths of the inliers or more are on one plane, so the matrix is uncertain; -model homography explains them\n")
	})
}

// Photos of different things have no geometry.
func TestNoEpipolar(t *testing.T) {
	a, b := filepath.Join(photos(t), "chelsea_451x300.png"), filepath.Join(photos(t), "coffee_600x400.png")
	inTempDir(t)
	filetest.Write(t, "a.png", filetest.Read(t, a))
	filetest.Write(t, "b.png", filetest.Read(t, b))
	for model, members := range map[string]string{
		"essential":   `"matrix":null,"pose":null,"other":null,"turn":false,"planar":false,"ambiguous":false,"parallax":0`,
		"fundamental": `"matrix":null,"planar":false,"off_plane":0`,
	} {
		args := []string{"match", "-model", model, "a.png", "b.png"}
		if model == "essential" {
			args = append(args, "-camera=600,600,250,250")
		}
		status, stdout, stderr := corners(t, args...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "matches, no "+model+" matrix: too few pairs agree with any result\n")
		status, stdout, stderr = corners(t, append(args, "-no-picture", "-format=json")...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, `"model":{"kind":"`+model+`","threshold":3,"inliers":0,`+members+`,"reason":"too few pairs agree with any result"}`)
	}
}
