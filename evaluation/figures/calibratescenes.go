package main

import (
	"image"
	"math"
	"math/rand/v2"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
)

// boardSeed is what the seeds of all scenes with chessboards begin with.
const boardSeed = 77411905

// A boardKind is scenes with chessboards that differ in nothing but where these are.
type boardKind struct {
	name        string
	lens        camera.Camera // whose focal lengths are shares of the width of the image, and center is in the middle
	least, most float64       // sizes of a board, as shares of the height of the image
	blur, noise float64       // standard deviations, in pixels and gray levels
	boards      int
	cut, dim    bool
}

// The lenses. The pinhole's focal length is 0.7 to 1.3 times the width.
var (
	barrel  = camera.Camera{Fx: .55, Fy: .55, K1: -.28, K2: .06, P1: .0005}
	fisheye = camera.Camera{Model: camera.KannalaBrandt, Fx: .29, Fy: .29, K1: -.03}
)

var (
	pinholeBoards = boardKind{name: "pinhole", least: .35, most: .8, blur: 1, noise: 2, boards: 1}
	barrelBoards  = boardKind{name: "barrel", lens: barrel, least: .35, most: .8, blur: 1, noise: 2, boards: 1}
	fisheyeBoards = boardKind{name: "fisheye", lens: fisheye, least: .5, most: .9, blur: 1, noise: 2, boards: 1}

	boardKinds = []boardKind{
		pinholeBoards,
		barrelBoards,
		fisheyeBoards,
		{name: "small", least: .2, most: .3, blur: .7, noise: 2, boards: 1},
		{name: "dark", least: .35, most: .8, blur: 1, noise: 1.5, boards: 1, dim: true},
		{name: "noise", least: .35, most: .8, blur: 1, noise: 10, boards: 1},
		{name: "blur", least: .35, most: .8, blur: 3, noise: 2, boards: 1},
		{name: "cut", least: .9, most: 1.3, blur: 1, noise: 2, boards: 1, cut: true},
		{name: "two", least: .3, most: .4, blur: 1, noise: 2, boards: 2},
	}
)

// A seenBoard is a chessboard in a scene.
type seenBoard struct {
	columns, rows int
	pose          pose.Pose // of the board, whose squares are 1 and whose first inner corner is at 0, 0
	corners       []geometry.Point
}

// A boardScene is what a camera sees.
type boardScene struct {
	size   image.Point
	camera camera.Camera
	boards []seenBoard
	image  *image.Gray
}

// camera returns one with the lens of the kind.
func (k *boardKind) camera(rng *rand.Rand, size image.Point) camera.Camera {
	c := k.lens
	if c.Fx == 0 {
		c.Fx = .7 + .6*rng.Float64()
		c.Fy = c.Fx
	}
	c.Fx *= float64(size.X)
	c.Fy *= float64(size.X)
	c.Cx = float64(size.X-1)/2 + 10*rng.NormFloat64()
	c.Cy = float64(size.Y-1)/2 + 10*rng.NormFloat64()
	return c
}

const (
	// boardMargin is how far corners are from the edges of the image, in pixels.
	boardMargin = 12
	// leastSquare is the least side of a square, in pixels.
	leastSquare = 7
)

// place returns a scene, not drawn yet, of boards of random sizes, or of the given one unless it is 0.
func (k *boardKind) place(rng *rand.Rand, c camera.Camera, size, corners image.Point) *boardScene {
	s := &boardScene{size: size, camera: c}
	var boxes []image.Rectangle
	for len(s.boards) < k.boards {
		a, b := 4+rng.IntN(8), 3+rng.IntN(6)
		if k.boards > 1 {
			a, b = 4+rng.IntN(3), 3+rng.IntN(3)
		}
		board := seenBoard{columns: max(a, b), rows: min(a, b)}
		if corners != (image.Point{}) {
			board.columns, board.rows = corners.X, corners.Y
		}
		if box, ok := k.put(rng, s, &board); ok {
			free := true
			for _, other := range boxes {
				free = free && !other.Overlaps(box)
			}
			if free {
				boxes, s.boards = append(boxes, box), append(s.boards, board)
			}
		}
	}
	return s
}

// put sets where a board is, and returns the part of the image around it. It reports false where it is
// not as the kind has it.
func (k *boardKind) put(rng *rand.Rand, s *boardScene, b *seenBoard) (image.Rectangle, bool) {
	w, h := float64(s.size.X), float64(s.size.Y)
	lean := func() float64 { return math.Tan(rng.Float64() - .5) } // up to 57 degrees
	sin, cos := math.Sincos(math.Pi * rng.Float64())
	b.pose = pose.FromQuaternion(1, lean(), lean(), 0, pose.Vector{}).Mul(pose.FromQuaternion(cos, 0, 0, sin, pose.Vector{}))
	ray, ok := s.camera.Bearing(geometry.Point{X: w * (.2 + .6*rng.Float64()), Y: h * (.2 + .6*rng.Float64())})
	normal := pose.Vector{b.pose.R[2], b.pose.R[5], b.pose.R[8]}
	if !ok || normal.Dot(ray) < .45 {
		return image.Rectangle{}, false
	}
	distance := s.camera.Fy * float64(b.columns+1) / (h * (k.least + (k.most-k.least)*rng.Float64()))
	middle := b.pose.Apply(pose.Vector{float64(b.columns-1) / 2, float64(b.rows-1) / 2})
	b.pose.T = pose.Vector(ray).Scale(distance).Sub(middle)

	// The pattern, whose margin is white, is a square.
	var box image.Rectangle
	last := float64(b.columns + 1)
	for i, x := range [4]pose.Vector{{-2, -2}, {last, -2}, {-2, last}, {last, last}} {
		x = b.pose.Apply(x)
		if x[2] < .1*distance {
			return image.Rectangle{}, false
		}
		p, _ := s.camera.Project(x)
		at := image.Rect(int(p.X)-1, int(p.Y)-1, int(p.X)+1, int(p.Y)+1)
		if i == 0 {
			box = at
		}
		box = box.Union(at)
	}
	seen := 0
	for i := range b.columns * b.rows {
		p, ok := s.camera.Project(b.pose.Apply(pose.Vector{float64(i % b.columns), float64(i / b.columns)}))
		if !ok {
			return image.Rectangle{}, false
		}
		if s.sees(p) {
			seen++
		}
		b.corners = append(b.corners, p)
	}
	for i, p := range b.corners {
		if i%b.columns > 0 && distanceOf(p, b.corners[i-1]) < leastSquare || i >= b.columns && distanceOf(p, b.corners[i-b.columns]) < leastSquare {
			return image.Rectangle{}, false
		}
	}
	if all := len(b.corners); k.cut {
		ok = seen < all && seen >= max(all/2, 12)
	} else {
		ok = seen == all
	}
	return box, ok
}

// sees reports whether p is in the image and not at its edge.
func (s *boardScene) sees(p geometry.Point) bool {
	return p.X > boardMargin && p.Y > boardMargin && p.X < float64(s.size.X-1-boardMargin) && p.Y < float64(s.size.Y-1-boardMargin)
}

func distanceOf(a, b geometry.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// dimness is by how much dark scenes are darker than others.
const dimness = 6

// draw draws the scene before one of the photos.
func (k *boardKind) draw(rng *rand.Rand, s *boardScene, photos []*image.Gray) {
	scene := prints.FromGray(photos[rng.IntN(len(photos))])
	ink := prints.Ink{Black: 30, White: 200}
	if k.dim {
		ink = prints.Ink{Black: 48, White: 210}
	}
	c := s.camera
	for i := range s.boards {
		b := &s.boards[i]
		// From the coordinates of the pattern to those of the board, and to a pinhole's pixels.
		pattern := prints.Chessboard(b.columns, b.rows)
		half := float64(pattern.Cells) / 2
		var t geometry.Transform
		for row := range 3 {
			r := b.pose.R[3*row:]
			t[3*row], t[3*row+1] = half*r[0], half*r[1]
			t[3*row+2] = (half-1)*(r[0]+r[1]) + b.pose.T[row]
		}
		for i := range 3 {
			t[i] = c.Fx*t[i] + c.Cx*t[6+i]
			t[3+i] = c.Fy*t[3+i] + c.Cy*t[6+i]
		}
		if k.lens == (camera.Camera{}) {
			scene.Place(pattern, t, ink, nil, 2)
		} else {
			scene.PlaceBent(pattern, t, ink, nil, 2, c.Undistort)
		}
	}
	seen := scene.Pixels(k.blur)
	if !k.dim {
		s.image = seen.Gray(k.noise, rng)
		return
	}
	// The light falls to a half across the image.
	s.image = seen.Gray(0, nil)
	for i, v := range s.image.Pix {
		light := 1 - .5*float64(i%s.size.X+i/s.size.X)/float64(s.size.X+s.size.Y)
		s.image.Pix[i] = uint8(min(max(math.Round(float64(v)/dimness*light+k.noise*rng.NormFloat64()), 0), 255))
	}
}

// see returns a scene before one of the photos, which have the same size.
func (k *boardKind) see(rng *rand.Rand, photos []*image.Gray) *boardScene {
	size := photos[0].Rect.Size()
	s := k.place(rng, k.camera(rng, size), size, image.Point{})
	k.draw(rng, s, photos)
	return s
}

// view returns the true corners of the first board.
func (s *boardScene) view() calibrate.View {
	b := &s.boards[0]
	return boardOf(b.columns, b.rows, b.corners).View(1)
}

// boardOf returns a complete board with these corners.
func boardOf(columns, rows int, corners []geometry.Point) *calibrate.Board {
	return &calibrate.Board{Columns: columns, Rows: rows, Count: columns * rows, Corners: corners}
}
