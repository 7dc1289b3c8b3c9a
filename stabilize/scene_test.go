package stabilize_test

import (
	"cmp"
	"flag"
	"image"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/stabilize"
	"github.com/stretchr/testify/require"
)

// A pose is how a camera looks at a photo. It is made of integers, so that frames have the same
// pixels on every platform.
type pose struct {
	a, b int // the cosine and sine of the rotation, times 65536
	x, y int // where the middle of the frame is, in pixels times 65536
}

// place returns where pixels of frames of a size are in the photo.
func (p pose) place(size image.Point) geometry.Transform {
	const one = 65536
	a, b := float64(p.a)/one, float64(p.b)/one
	cx, cy := float64(size.X-1)/2, float64(size.Y-1)/2
	return geometry.Transform{
		a, -b, float64(p.x)/one - a*cx + b*cy,
		b, a, float64(p.y)/one - b*cx - a*cy,
		0, 0, 1,
	}
}

// render returns what a camera sees of a photo, with noise of up to a size.
func render(photo *image.Gray, size image.Point, p pose, noise int, seed uint32) *image.Gray {
	return rolled(photo, size, func(int) pose { return p }, noise, seed)
}

// rolled returns what a camera sees of a photo whose pose is another one for each row.
func rolled(photo *image.Gray, size image.Point, at func(y int) pose, noise int, seed uint32) *image.Gray {
	img := image.NewGray(image.Rectangle{Max: size})
	w, h := photo.Rect.Dx(), photo.Rect.Dy()
	value := func(x, y int) int { return int(photo.Pix[min(max(y, 0), h-1)*photo.Stride+min(max(x, 0), w-1)]) }
	for y := range size.Y {
		p := at(y)
		for x := range size.X {
			dx, dy := 2*x-size.X+1, 2*y-size.Y+1
			u, v := p.x+(p.a*dx-p.b*dy)>>1, p.y+(p.b*dx+p.a*dy)>>1
			fx, fy := u>>8&255, v>>8&255
			u, v = u>>16, v>>16
			mean := ((256-fy)*((256-fx)*value(u, v)+fx*value(u+1, v)) + fy*((256-fx)*value(u, v+1)+fx*value(u+1, v+1)) + 32768) >> 16
			if noise > 0 {
				seed = seed*1664525 + 1013904223
				mean += int(seed>>16)%(2*noise+1) - noise
			}
			img.Pix[y*img.Stride+x] = byte(min(max(mean, 0), 255))
		}
	}
	return img
}

// A random is a generator of numbers that are the same on every platform.
type random uint32

// next returns a number from -limit to limit.
func (r *random) next(limit int) int {
	*r = *r*1664525 + 1013904223
	return int(uint64(*r)*uint64(2*limit+1)>>32) - limit
}

// turned returns the pose of a rotation whose sine is b/65536.
func turned(b, x, y int) pose {
	return pose{int(math.Round(math.Sqrt(65536*65536 - float64(b*b)))), b, x, y}
}

// degree is its sine times 65536.
const degree = 1144

// shaken returns the poses of a camera that moves by a velocity, in pixels times 65536, and is
// shaken by up to a number of pixels and a degree at every frame.
func shaken(photo *image.Gray, n int, velocity image.Point, most int) []pose {
	r := random(1)
	var poses []pose
	for i := range n {
		x := photo.Rect.Dx()<<15 + (i-n/2)*velocity.X
		y := photo.Rect.Dy()<<15 + (i-n/2)*velocity.Y
		poses = append(poses, turned(r.next(degree), x+r.next(most<<16), y+r.next(most<<16)))
	}
	return poses
}

// Scenes have sceneFrames frames of frameSize, in which points are followed, and shake is by how
// many pixels the camera is shaken at most. Those of short tests are smaller, and motions in them,
// of fewer points, so many times less precise.
var (
	frameSize   = image.Pt(480, 360)
	sceneFrames = 70
	points      = 500
	shake       = 10
	imprecise   = 1.
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		frameSize, sceneFrames, points, shake, imprecise = image.Pt(160, 120), 30, 40, 3, 2
	}
	os.Exit(m.Run())
}

// scene returns frames of poses.
func scene(photo *image.Gray, poses []pose, noise int) []*image.Gray {
	var frames []*image.Gray
	for i, p := range poses {
		frames = append(frames, render(photo, frameSize, p, noise, uint32(i)))
	}
	return frames
}

// stabilizer returns a Stabilizer.
func stabilizer(t testing.TB, opts stabilize.Options) *stabilize.Stabilizer {
	t.Helper()
	opts.Points = cmp.Or(opts.Points, points)
	s, err := stabilize.New(opts)
	require.NoError(t, err)
	return s
}

// all returns the results of frames.
func all(s *stabilize.Stabilizer, frames []*image.Gray) []stabilize.Result {
	var list []stabilize.Result
	for _, f := range frames {
		if r, ok := s.Push(f); ok {
			list = append(list, r)
		}
	}
	for r, ok := s.Flush(); ok; r, ok = s.Flush() {
		list = append(list, r)
	}
	return list
}

// distance returns the mean distance between points all over the frame and where a transform
// takes them.
func distance(t geometry.Transform) float64 {
	sum := 0.
	for i := range 25 {
		p := geometry.Point{X: float64(i%5) / 4 * float64(frameSize.X-1), Y: float64(i/5) / 4 * float64(frameSize.Y-1)}
		q := t.Apply(p)
		sum += math.Hypot(q.X-p.X, q.Y-p.Y)
	}
	return sum / 25
}

// remaining returns how far the picture still moves from each frame to the next one.
func remaining(t testing.TB, results []stabilize.Result, poses []pose) []float64 {
	t.Helper()
	var list []float64
	for i := 1; i < len(results); i++ {
		before := poses[i-1].place(frameSize).Mul(results[i-1].Source)
		back, ok := poses[i].place(frameSize).Mul(results[i].Source).Inverse()
		require.True(t, ok)
		list = append(list, distance(back.Mul(before)))
	}
	return list
}

// median returns the median of values.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}
