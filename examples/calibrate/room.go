package main

import (
	"image"
	"math"
	"math/rand/v2"
	"sort"
	"sync"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// roomLens is the camera of the photos, which have photoSize, with the distortion of a cheap wide lens.
var (
	roomLens  = camera.Camera{Fx: 480, Fy: 480, Cx: 403, Cy: 296, K1: -0.28, K2: 0.07, P1: 0.0005, P2: -0.0003}
	photoSize = image.Pt(800, 600)
)

// The board has squares with sides of 1, in which the poses are, too, and its first inner corner is
// at 0, 0.
const (
	boardColumns, boardRows = 9, 6
	boardMargin             = 0.7 // around the squares
)

// A held board is one before the camera: the middle of its image, how far away it is in sides of a
// square, and by how many degrees its top and its right side lean away and it is turned.
type held struct {
	x, y, distance, top, right, turn float64
}

// sets are the built-in sets of photos, by their names: those of a board that is tilted in all
// directions and gets into all corners, and those of one that is hardly tilted, in the middle.
var sets = map[string][]held{
	"good": {
		{400, 300, 12, 30, 0, 0},
		{400, 300, 12, -30, 10, 5},
		{400, 300, 12, 5, 35, -5},
		{400, 300, 12, -5, -35, 0},
		{150, 130, 13, 20, 20, 10},
		{650, 130, 13, 20, -20, -10},
		{650, 470, 13, -20, -20, 8},
		{150, 470, 13, -20, 20, -8},
		{400, 110, 12, 30, 0, 0},
		{400, 490, 12, -30, 0, 0},
		{130, 300, 12, 0, 25, 90},
		{670, 300, 12, 0, -25, 90},
		{400, 300, 9, 20, 20, 30},
	},
	"bad": {
		{400, 300, 16, 0, 2, 0},
		{370, 280, 15, 9, 1, 2},
		{430, 310, 16, -8, 3, -2},
		{400, 330, 17, 2, -9, 3},
		{380, 270, 16, -3, 8, 0},
		{420, 300, 15, -6, -5, 1},
		{440, 290, 17, 5, -6, -3},
		{360, 320, 16, 4, 7, 0},
	},
}

// photos returns those of a set, and what the same camera sees without a board.
func photos(set []held) (list []*image.RGBA, next *image.RGBA) {
	r := newRoom()
	list = make([]*image.RGBA, len(set))
	var wait sync.WaitGroup
	for i, h := range set {
		wait.Go(func() {
			p := h.pose()
			list[i] = r.photo(uint64(i), &p)
		})
	}
	next = r.photo(uint64(len(set)), nil)
	wait.Wait()
	return list, next
}

// pose maps the board to the frame of the camera.
func (h held) pose() pose.Pose {
	turned := pose.Identity()
	for axis, degrees := range [3]float64{-h.top, -h.right, h.turn} {
		half := degrees * math.Pi / 360
		v := pose.Vector{}
		v[axis] = math.Sin(half)
		turned = pose.FromQuaternion(math.Cos(half), v[0], v[1], v[2], pose.Vector{}).Mul(turned)
	}
	x, y, _ := roomLens.Ray(geometry.Point{X: h.x, Y: h.y})
	middle := turned.Apply(pose.Vector{(boardColumns - 1) / 2., (boardRows - 1) / 2.})
	turned.T = pose.Vector{x * h.distance, y * h.distance, h.distance}.Sub(middle)
	return turned
}

// A room has shelves with books.
type room struct {
	rays    []geometry.Point // of the corners of pixels, by rows
	shelves [][]book
}

// A light has the parts of red, green and blue, 0 to 1.
type light [3]float64

// A book stands on a shelf.
type book struct {
	left, width, height float64
	cover               light
}

// The shelves are a wall that is shelfDepth away. Lengths are in sides of a square of the board.
const (
	shelfDepth  = 50
	shelfPitch  = 12.8
	shelfBoard  = 1.
	shelfHalf   = 110. // of their width
	shelfNumber = 12
)

func newRoom() *room {
	r := new(room)
	var corners []geometry.Point
	for y := range photoSize.Y + 1 {
		for x := range photoSize.X + 1 {
			corners = append(corners, geometry.Point{X: float64(x) - .5, Y: float64(y) - .5})
		}
	}
	r.rays = roomLens.Rays(corners)
	rng := rand.New(rand.NewPCG(5, 6))
	for range shelfNumber {
		var books []book
		for x := -shelfHalf; x < shelfHalf; {
			b := book{left: x, width: .8 + 1.6*rng.Float64(), height: 7 + 4*rng.Float64()}
			hue, gray := 2*math.Pi*rng.Float64(), .25+.5*rng.Float64()
			for k := range b.cover {
				b.cover[k] = gray * (1 + .45*math.Cos(hue+2*math.Pi*float64(k)/3))
			}
			x += b.width
			if rng.IntN(12) == 0 {
				x += 3 * rng.Float64() // a gap
			}
			books = append(books, b)
		}
		r.shelves = append(r.shelves, books)
	}
	return r
}

// samples is the number of rays along a side of a pixel.
const samples = 3

// photo returns a photo with noise, with a board unless its pose is nil.
func (r *room) photo(seed uint64, board *pose.Pose) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: photoSize})
	rng := rand.New(rand.NewPCG(seed, 7))
	for y := range photoSize.Y {
		for x := range photoSize.X {
			at := y*(photoSize.X+1) + x
			a, b := r.rays[at], r.rays[at+1]
			c, d := r.rays[at+photoSize.X+1], r.rays[at+photoSize.X+2]
			var sum light
			for i := range samples * samples {
				u, v := (float64(i%samples)+.5)/samples, (float64(i/samples)+.5)/samples
				ray := pose.Vector{
					(1-v)*((1-u)*a.X+u*b.X) + v*((1-u)*c.X+u*d.X),
					(1-v)*((1-u)*a.Y+u*b.Y) + v*((1-u)*c.Y+u*d.Y), 1,
				}
				sample, ok := light{}, false
				if board != nil {
					sample, ok = boardLight(ray, board)
				}
				if !ok {
					sample = r.shelfLight(ray[0]*shelfDepth, ray[1]*shelfDepth)
				}
				for k, s := range sample {
					sum[k] += s
				}
			}
			dim := 1 - .12*(a.X*a.X+a.Y*a.Y) // away from the middle
			pixel := img.Pix[img.PixOffset(x, y):]
			for k, s := range sum {
				pixel[k] = uint8(min(max(235*dim*s/(samples*samples)+1.5*rng.NormFloat64()+.5, 0), 255))
			}
			pixel[3] = 255
		}
	}
	return img
}

// boardLight returns what a ray sees of a board. It reports false if it misses the board.
func boardLight(ray pose.Vector, p *pose.Pose) (light, bool) {
	normal := pose.Vector{p.R[2], p.R[5], p.R[8]}
	distance := normal.Dot(p.T) / normal.Dot(ray)
	if !(distance > 0) {
		return light{}, false
	}
	at := pose.Vector{ray[0] * distance, ray[1] * distance, distance}.Sub(p.T)
	u := p.R[0]*at[0] + p.R[3]*at[1] + p.R[6]*at[2]
	v := p.R[1]*at[0] + p.R[4]*at[1] + p.R[7]*at[2]
	if u < -1-boardMargin || v < -1-boardMargin || u > boardColumns+boardMargin || v > boardRows+boardMargin {
		return light{}, false
	}
	bright := .8 + .2*math.Abs(normal[2]) - .15*normal[1]
	inside := u > -1 && v > -1 && u < boardColumns && v < boardRows
	if inside && (int(math.Floor(u))+int(math.Floor(v)))%2 == 0 {
		bright *= .1
	}
	return light{bright, bright, .96 * bright}, true
}

// shelfLight returns what is seen at a place of the shelves.
func (r *room) shelfLight(x, y float64) light {
	row := math.Floor(y / shelfPitch)
	below := (row+1)*shelfPitch - y // to the bottom of the row
	number := int(row) + shelfNumber/2
	if number < 0 || number >= shelfNumber || math.Abs(x) > shelfHalf {
		return light{.7, .68, .62} // the wall
	}
	if below < shelfBoard {
		return light{.72, .5, .3}
	}
	books := r.shelves[number]
	b := books[max(sort.Search(len(books), func(i int) bool { return books[i].left > x })-1, 0)]
	up, across := (below-shelfBoard)/b.height, (x-b.left)/b.width
	switch {
	case up > 1 || across < 0 || across > 1:
		return light{.16, .11, .07} // behind the books
	case math.Abs(up-.2) < .015, math.Abs(up-.8) < .015:
		return light{.85, .75, .45}
	case up > .35 && up < .7 && math.Abs(across-.5) < .12:
		return light{.9, .88, .8} // the title
	}
	round := .6 + 1.6*across*(1-across) // a spine
	return light{b.cover[0] * round, b.cover[1] * round, b.cover[2] * round}
}
