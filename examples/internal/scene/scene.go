// Package scene renders the pictures of a camera that moves through a room, whose walls are
// covered with photos, so that an example can compare what it finds with the truth.
package scene

import (
	"image"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/warp"
)

// A Scene is a box that a camera moves in, from one frame to the next. x is to the right, y down
// and z forward, in meters.
type Scene struct {
	Frames int // the number of frames
	// Way returns where the camera is at a time, in frames.
	Way func(time float64) Place
	// Dark reports whether nothing is seen in a frame. nil means that all are light.
	Dark func(frame int) bool
	// Exposure is how long light is collected, in frames: what moves is blurred.
	Exposure float64
	// Noise is the standard deviation of the noise, in gray values.
	Noise float64

	seed     uint64
	camera   camera.Camera
	size     image.Point
	min, max pose.Vector      // opposite corners of the room
	rays     []geometry.Point // of all pixels, by rows
	photos   *image.Gray      // one below the other, with smaller and smaller versions to the right
	count    int              // of photos
	warper   *warp.Warper
}

// A Place is where a camera is and how it is turned: by yaw to the right, then by pitch upward,
// then by roll clockwise, in radians.
type Place struct {
	X, Y, Z          float64
	Yaw, Pitch, Roll float64
}

// Pose returns the pose that maps points of the world to the frame of the camera.
func (p Place) Pose() pose.Pose {
	turn := func(axis int, angle float64) pose.Pose {
		v := pose.Vector{}
		v[axis] = math.Sin(angle / 2)
		return pose.FromQuaternion(math.Cos(angle/2), v[0], v[1], v[2], pose.Vector{})
	}
	camera := turn(1, p.Yaw).Mul(turn(0, p.Pitch)).Mul(turn(2, p.Roll))
	camera.T = pose.Vector{p.X, p.Y, p.Z}
	return camera.Inverse()
}

// tile is the width and height of a photo on a wall in pixels, and perMeter how many of these
// pixels a meter has.
const (
	tile     = 512
	perMeter = 256
)

// cover covers the walls with photos.
func (s *Scene) cover(photos []image.Image) error {
	var err error
	if s.warper, err = warp.New(warp.Options{Border: border.Replicate}); err != nil {
		return err
	}
	s.count = len(photos)
	s.photos = image.NewGray(image.Rect(0, 0, 2*tile, tile*len(photos)))
	for i, photo := range photos {
		r := photo.Bounds()
		at := image.Rect(0, i*tile, tile, (i+1)*tile)
		part := s.photos.SubImage(at).(*image.Gray)
		w, h := float64(r.Dx()-1)/(tile-1), float64(r.Dy()-1)/(tile-1)
		s.warper.Gray(part, fast.Gray(photo), warp.Affine{
			w, 0, float64(r.Min.X) - w*float64(at.Min.X),
			0, h, float64(r.Min.Y) - h*float64(at.Min.Y),
		})
		for part.Rect.Dx() > 1 {
			part = s.halve(part)
		}
	}
	return nil
}

// halve makes a version of half the width and height of a part of s.photos, to the right of it.
func (s *Scene) halve(part *image.Gray) *image.Gray {
	r := image.Rectangle{Max: part.Rect.Size().Div(2)}.Add(image.Pt(part.Rect.Max.X, part.Rect.Min.Y))
	half := s.photos.SubImage(r).(*image.Gray)
	warp.Resize(half, part)
	return half
}

// Pose returns where the camera is in the middle of a frame.
func (s *Scene) Pose(frame int) pose.Pose { return s.Way(float64(frame)).Pose() }

// All returns the frames.
func (s *Scene) All() iter.Seq[*image.Gray] {
	return func(yield func(*image.Gray) bool) {
		for i := range s.Frames {
			if !yield(s.Frame(i)) {
				return
			}
		}
	}
}

// Frame returns what the camera sees in a frame: the mean of some moments of its exposure, each
// at another place of the pixels, since a pixel collects the light of all its area.
func (s *Scene) Frame(frame int) *image.Gray {
	n := s.size.X * s.size.Y
	sums := make([]uint16, n)
	moments := s.moments(frame)
	if s.Dark == nil || !s.Dark(frame) {
		places := &warp.Map{Width: s.size.X, Height: s.size.Y, X: make([]float32, n), Y: make([]float32, n)}
		sharp := image.NewGray(image.Rectangle{Max: s.size})
		part := func(i int) float64 { return (float64(i)+0.5)/float64(moments) - 0.5 }
		for i := range moments {
			camera := s.Way(float64(frame) + s.Exposure*part(i)).Pose()
			s.look(places, camera, part(2*i%moments)/s.camera.Fx, part(i)/s.camera.Fy)
			s.warper.Gray(sharp, s.photos, places)
			for k, v := range sharp.Pix {
				sums[k] += uint16(v)
			}
		}
	}
	img := image.NewGray(image.Rectangle{Max: s.size})
	random := rand.New(rand.NewPCG(s.seed, uint64(frame)))
	for k, sum := range sums {
		img.Pix[k] = uint8(max(0, min(255, math.Round(float64(sum)/float64(moments)+s.Noise*normal(random)))))
	}
	return img
}

// moments returns the number of moments of a frame, an odd one: the more, the farther the camera
// turns while light is collected.
func (s *Scene) moments(frame int) int {
	first := s.Way(float64(frame) - s.Exposure/2).Pose()
	last := s.Way(float64(frame) + s.Exposure/2).Pose()
	turn := last.Mul(first.Inverse()).R
	return 3 + 2*int(math.Hypot(s.camera.Fx*turn[2], s.camera.Fy*turn[5])/6)
}

// normal returns a random number of mean 0 and variance 1: the sum of four uniform ones.
func normal(random *rand.Rand) float64 {
	v := random.Uint64()
	sum := v&0xffff + v>>16&0xffff + v>>32&0xffff + v>>48
	return (float64(sum)/0x10000 - 2) * math.Sqrt(3)
}

// look sets m to the places in s.photos that a camera sees along its rays, moved by dx and dy.
func (s *Scene) look(m *warp.Map, camera pose.Pose, dx, dy float64) {
	r, c := camera.R, camera.Center()
	pixel := 0.7 * perMeter / s.camera.Fx // of a photo, for each pixel of a frame and meter of distance
	var last wall
	photo := s.choose(last)
	for i, ray := range s.rays {
		ray.X, ray.Y = ray.X+dx, ray.Y+dy
		// The columns of R' are the axes of the camera.
		x := r[0]*ray.X + r[3]*ray.Y + r[6]
		y := r[1]*ray.X + r[4]*ray.Y + r[7]
		z := r[2]*ray.X + r[5]*ray.Y + r[8]
		// The ray leaves the room through the wall that it reaches first.
		tx, ty, tz := s.reach(0, c[0], x), s.reach(1, c[1], y), s.reach(2, c[2], z)
		var u, v, t, across float64
		var on wall
		switch {
		case tx < ty && tx < tz:
			u, v, t, across = c[2]+tx*z, c[1]+tx*y, tx, x
		case ty < tz:
			u, v, t, across = c[0]+ty*x, c[2]+ty*z, ty, y
			on.axis = 1
		default:
			u, v, t, across = c[0]+tz*x, c[1]+tz*y, tz, z
			on.axis = 2
		}
		on.far = across > 0
		// Divided by tiles, with an offset that makes it positive.
		u, v = u*perMeter/tile+1000, v*perMeter/tile+1000
		on.column, on.row = int(u), int(v)
		if on != last {
			last, photo = on, s.choose(on)
		}
		// Slanted walls have more pixels of the photo in one of the frame.
		level := min(bits.Len(uint(pixel*t/max(math.Abs(across), 1./3))), 8)
		size := float64(int(tile) >> level)
		m.X[i] = float32(2*tile - 2*size + max(0, min(size-1, (u-float64(on.column))*size-0.5)))
		m.Y[i] = float32(float64(photo*tile) + max(0, min(size-1, (v-float64(on.row))*size-0.5)))
	}
}

// reach returns how far a ray goes until it meets one of the walls across an axis, if it begins
// at c and goes by d for each unit.
func (s *Scene) reach(axis int, c, d float64) float64 {
	if d > 0 {
		return (s.max[axis] - c) / d
	}
	return (s.min[axis] - c) / d
}

// A wall is a part of one that a photo covers.
type wall struct {
	axis        int
	far         bool
	column, row int
}

// choose returns the photo of a wall.
func (s *Scene) choose(w wall) int {
	h := s.seed*0x9e3779b97f4a7c15 + uint64(w.axis)<<40 + uint64(w.column)<<20 + uint64(w.row)
	if w.far {
		h += 1 << 50
	}
	h ^= h >> 31
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 29
	h *= 0x94d049bb133111eb
	return int((h >> 33) % uint64(s.count))
}
