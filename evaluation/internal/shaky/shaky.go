// Package shaky makes videos of photos, seen by a camera that shakes and whose motion is known.
package shaky

import (
	"image"
	"math"
	"math/rand/v2"

	"github.com/fastcorners/fast/geometry"
)

// A pose is how the camera looks at the photo.
type pose struct {
	x, y  float64 // where the middle of the frame is
	angle float64 // by which the frame is turned, in radians
	scale float64 // of the frame's pixels in the photo
}

// A course is where a camera is meant to go, by the number of the frame.
type course func(i float64) pose

func still(float64) pose { return pose{scale: 1} }

// pan returns the course of a camera that moves to the right between two frames.
func pan(speed, from, to float64) course {
	return func(i float64) pose { return pose{x: speed * (min(max(i, from), to) - from), scale: 1} }
}

// A Kind is a kind of clip.
type Kind struct {
	Name string
	// Readout is how long the rows of a frame are taken for, as a share of the time from frame
	// to frame: 0 if all are taken at once.
	Readout float64

	course course
	// jitter and turn are by how much each frame is shaken, in pixels and radians, and walk
	// by how much the camera is besides, more slowly.
	jitter, walk, turn float64
	contrast, offset   float64 // of the photo's gray values; 0 means 1
	noise              float64 // at most
	blur               int     // radius, in pixels
	foreground         bool
	scenes             int // 0 means 1
}

// Kinds are all kinds of clips.
var Kinds = []Kind{
	{Name: "still scene", course: still, jitter: 3.7, walk: 8, turn: .006, noise: 2},
	{Name: "strong shake", course: still, jitter: 3.9, walk: 12, turn: .01, noise: 2},
	{Name: "dark and noisy", course: still, jitter: 3.7, walk: 8, turn: .006, contrast: .2, offset: 8, noise: 8},
	{Name: "low texture", course: still, jitter: 3, walk: 6, turn: .006, contrast: .3, offset: 80, noise: 2, blur: 2},
	{Name: "pan that stops", course: pan(8, 0, 100), jitter: 2.5, walk: 3, turn: .004, noise: 2},
	{Name: "fast pan", course: pan(26, 0, math.Inf(1)), jitter: 1, walk: 1, turn: .002, noise: 2},
	{Name: "pan that starts and stops", course: pan(10, 60, 140), jitter: 2.5, walk: 3, turn: .004, noise: 2},
	{Name: "zoom", course: func(i float64) pose { return pose{scale: 1.2 * math.Pow(.9975, i)} }, jitter: 2, walk: 3, turn: .003, noise: 2},
	{Name: "walk", course: walking, jitter: 1.5, walk: 2, turn: .004, noise: 2},
	{Name: "walk in the dark", course: walking, jitter: 1.5, walk: 2, turn: .004, contrast: .25, offset: 8, noise: 6},
	{Name: "moving foreground", course: still, jitter: 3, walk: 6, turn: .006, noise: 2, foreground: true},
	{Name: "rolling shutter, shifts", course: still, jitter: 2, walk: 10, Readout: .8, noise: 2},
	{Name: "rolling shutter, turns", course: still, jitter: 1.5, walk: 6, turn: .01, Readout: .8, noise: 2},
	{Name: "cuts", course: still, jitter: 3.7, walk: 8, turn: .006, noise: 2, scenes: 4},
}

func walking(i float64) pose {
	return pose{3 * i, 8 * math.Sin(i*2*math.Pi/15), .01 * math.Sin(i*2*math.Pi/30), 1.2 * math.Pow(.998, i)}
}

// margin is how many poses there are before the first frame and after the last one.
const margin = 2

// A picture is a photo with gray values as the camera takes them.
type picture struct {
	pix  []float32
	size image.Point
}

// A Clip is a video.
type Clip struct {
	Kind
	Size   image.Point
	Frames int
	// Begins are the numbers of the frames that scenes begin with.
	Begins []int

	seed  uint64
	poses [][]pose // by scene
	photo []*picture
	front *picture // of the foreground
}

// New returns the clip of a kind, a photo and a seed. Scenes after the first one show the other
// photos. What moves in the foreground shows another part of the same one.
func New(kind Kind, photos []*image.Gray, number int, seed uint64, size image.Point, frames int) *Clip {
	c := &Clip{Kind: kind, Size: size, Frames: frames, seed: seed}
	r := rand.New(rand.NewPCG(seed, 7))
	scenes := max(kind.scenes, 1)
	for i := range scenes {
		begin := 0
		if i > 0 {
			begin = (i*10 + i%2*3) * frames / (10 * scenes) // not at equal distances
		}
		c.Begins = append(c.Begins, begin)
		photo := photos[(number+i)%len(photos)]
		c.photo = append(c.photo, kind.develop(photo))
		c.poses = append(c.poses, kind.shake(r, frames, photo.Rect.Size()))
	}
	if kind.foreground {
		c.front = c.photo[0]
	}
	return c
}

// shake returns the poses of a camera.
func (k *Kind) shake(r *rand.Rand, frames int, photo image.Point) (list []pose) {
	var x, y, angle, vx, vy float64
	most := func(limit float64) float64 { return limit * (2*r.Float64() - 1) }
	for i := range frames + 2*margin {
		vx, vy = .9*vx+.1*k.walk*r.NormFloat64(), .9*vy+.1*k.walk*r.NormFloat64()
		x, y, angle = .93*x+vx, .93*y+vy, .9*angle+.3*k.turn*r.NormFloat64()
		p := k.course(float64(i - margin))
		sin, cos := math.Sincos(p.angle)
		dx, dy := p.scale*(x+most(k.jitter)), p.scale*(y+most(k.jitter))
		p.x += cos*dx - sin*dy + float64(photo.X-1)/2
		p.y += sin*dx + cos*dy + float64(photo.Y-1)/2
		p.angle += angle + most(k.turn)
		list = append(list, p)
	}
	return list
}

// develop returns a photo as the camera takes it.
func (k *Kind) develop(photo *image.Gray) *picture {
	p := &picture{make([]float32, photo.Rect.Dx()*photo.Rect.Dy()), photo.Rect.Size()}
	contrast := k.contrast
	if contrast == 0 {
		contrast = 1
	}
	for y := range p.size.Y {
		for x := range p.size.X {
			p.pix[y*p.size.X+x] = float32(contrast*float64(photo.GrayAt(photo.Rect.Min.X+x, photo.Rect.Min.Y+y).Y) + k.offset)
		}
	}
	if k.blur > 0 {
		for range 2 {
			p.blur(k.blur, 1, p.size.X, p.size.Y, p.size.X)
			p.blur(k.blur, p.size.X, p.size.Y, p.size.X, 1)
		}
	}
	return p
}

// blur replaces the values of lines by means over a radius.
func (p *picture) blur(radius, step, length, lines, between int) {
	line := make([]float32, length)
	for l := range lines {
		for i := range line {
			sum := float32(0)
			for k := i - radius; k <= i+radius; k++ {
				sum += p.pix[l*between+mirror(k, length)*step]
			}
			line[i] = sum / float32(2*radius+1)
		}
		for i, v := range line {
			p.pix[l*between+i*step] = v
		}
	}
}

// mirror returns where the pixel at a place is if an image of n pixels goes on as in a mirror.
func mirror(i, n int) int {
	period := 2 * (n - 1)
	i = (i%period + period) % period
	return min(i, period-i)
}

// at returns the value of a place.
func (p *picture) at(x, y float64) float32 {
	left, top := math.Floor(x), math.Floor(y)
	dx, dy := float32(x-left), float32(y-top)
	x0, x1 := mirror(int(left), p.size.X), mirror(int(left)+1, p.size.X)
	y0, y1 := mirror(int(top), p.size.Y)*p.size.X, mirror(int(top)+1, p.size.Y)*p.size.X
	return (1-dy)*((1-dx)*p.pix[y0+x0]+dx*p.pix[y0+x1]) + dy*((1-dx)*p.pix[y1+x0]+dx*p.pix[y1+x1])
}

// scene returns the number of the scene of a frame.
func (c *Clip) scene(frame int) int {
	s := 0
	for s+1 < len(c.Begins) && frame >= c.Begins[s+1] {
		s++
	}
	return s
}

// pose returns the camera's pose when it takes a row of a frame.
func (c *Clip) pose(frame int, row float64) pose {
	list := c.poses[c.scene(frame)][frame:]
	u := c.Readout * (row/float64(c.Size.Y-1) - .5)
	if u == 0 {
		return list[margin]
	}
	if u < 0 {
		u++
	} else {
		list = list[1:]
	}
	// A cubic curve through the poses, whose slopes are those between their neighbors.
	weights := [4]float64{
		((2-u)*u - 1) * u / 2, ((3*u-5)*u*u + 2) / 2, ((4-3*u)*u + 1) * u / 2, (u - 1) * u * u / 2,
	}
	var p pose
	for k, w := range weights {
		p.x += w * list[k].x
		p.y += w * list[k].y
		p.angle += w * list[k].angle
		p.scale += w * list[k].scale
	}
	return p
}

// Place returns what place in the photo a point of a frame shows.
func (c *Clip) Place(frame int, p geometry.Point) geometry.Point {
	at := c.pose(frame, p.Y)
	sin, cos := math.Sincos(at.angle)
	dx, dy := at.scale*(p.X-float64(c.Size.X-1)/2), at.scale*(p.Y-float64(c.Size.Y-1)/2)
	return geometry.Point{X: at.x + cos*dx - sin*dy, Y: at.y + sin*dx + cos*dy}
}

// Render makes img a frame.
func (c *Clip) Render(img *image.Gray, frame int) {
	w, h := c.Size.X, c.Size.Y
	noise := rand.New(rand.NewPCG(c.seed, uint64(frame)))
	photo := c.photo[c.scene(frame)]
	corner := func(x, y int) geometry.Point { return c.Place(frame, geometry.Point{X: float64(x), Y: float64(y)}) }
	// Where columns and rows of the photo, as it goes on in a mirror, are. Rows of a rolling
	// shutter reach a little farther than those at the corners.
	low, high := corner(0, 0), corner(0, 0)
	for y := range h {
		for _, p := range []geometry.Point{corner(0, y), corner(w-1, y)} {
			low, high = geometry.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}, geometry.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
		}
	}
	left, top := int(math.Floor(low.X))-1, int(math.Floor(low.Y))-1
	columns, rows := make([]int, int(high.X)-left+4), make([]int, int(high.Y)-top+4)
	for i := range columns {
		columns[i] = mirror(left+i, photo.size.X)
	}
	for i := range rows {
		rows[i] = mirror(top+i, photo.size.Y) * photo.size.X
	}
	front, middle := c.foreground(frame)
	var random uint64
	for y := range h {
		begin, end := corner(0, y), corner(w-1, y)
		dx, dy := (end.X-begin.X)/float64(w-1), (end.Y-begin.Y)/float64(w-1)
		for x := range w {
			px, py := begin.X+float64(x)*dx, begin.Y+float64(x)*dy
			u, v := px-float64(left), py-float64(top)
			iu, iv := int(u), int(v)
			fu, fv := float32(u-float64(iu)), float32(v-float64(iv))
			x0, x1, y0, y1 := columns[iu], columns[iu+1], rows[iv], rows[iv+1]
			value := (1-fv)*((1-fu)*photo.pix[y0+x0]+fu*photo.pix[y0+x1]) + fv*((1-fu)*photo.pix[y1+x0]+fu*photo.pix[y1+x1])
			if front != nil {
				fx, fy := px-middle.X, py-middle.Y
				ex, ey := fx/(.22*float64(w)), fy/(.3*float64(h))
				if ex*ex+ey*ey < 1 {
					value = front.at(fx+.75*float64(front.size.X), fy+.75*float64(front.size.Y))
				}
			}
			if x%4 == 0 {
				random = noise.Uint64()
			}
			value += float32(c.noise) * (float32(random&0xffff)/32768 - 1)
			random >>= 16
			img.Pix[y*img.Stride+x] = byte(min(max(value+.5, 0), 255))
		}
	}
}

// foreground returns what moves in front of the photo, if anything does, and where the middle of
// its ellipse is in the photo.
func (c *Clip) foreground(frame int) (*picture, geometry.Point) {
	if c.front == nil {
		return nil, geometry.Point{}
	}
	sin, cos := math.Sincos(float64(frame) * 2 * math.Pi / 70)
	size := c.photo[0].size
	return c.front, geometry.Point{X: float64(size.X)/2 + .6*float64(c.Size.X)*sin, Y: float64(size.Y)/2 + .1*float64(c.Size.Y)*cos}
}
