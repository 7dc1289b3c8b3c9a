package stabilize_test

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/stabilize"
	"github.com/stretchr/testify/require"
)

// A rollingCamera takes the rows of a frame one after the other, in a share of the time from frame
// to frame, while it moves.
type rollingCamera struct {
	readout float64
	at      func(time float64) pose // in frames
}

// of returns the pose of a row of a frame.
func (c rollingCamera) of(frame int, y float64) pose {
	return c.at(float64(frame) + c.readout*(y/float64(frameSize.Y)-0.5))
}

// wrong returns how far a motion to a frame takes points from where they are, by the mean over
// points all over the frame.
func (c rollingCamera) wrong(t testing.TB, frame int, motion geometry.Transform) float64 {
	t.Helper()
	sum := 0.
	for i := range 25 {
		from := geometry.Point{X: float64(i%5) / 4 * float64(frameSize.X-1), Y: float64(i/5) / 4 * float64(frameSize.Y-1)}
		seen := c.of(frame-1, from.Y).place(frameSize).Apply(from)
		to := from
		for range 50 { // by the row in which it was seen the last time
			back, ok := c.of(frame, to.Y).place(frameSize).Inverse()
			require.True(t, ok)
			to = back.Apply(seen)
		}
		got := motion.Apply(from)
		sum += math.Hypot(got.X-to.X, got.Y-to.Y)
	}
	return sum / 25
}

// TestRollingShutter checks the motion of frames whose rows are taken at different times, by a
// camera that is shaken, and turned or not. A similarity cannot describe it.
func TestRollingShutter(t *testing.T) {
	photo := imagetest.Photo(t, "picos_1280x720")
	for _, turn := range []float64{0, degree} {
		camera := rollingCamera{0.8, func(time float64) pose {
			size := float64(shake << 16)
			x, y := size*math.Sin(time*0.9), size*math.Sin(time*0.7+1)
			return turned(int(turn*math.Sin(time*0.6)), photo.Rect.Dx()<<15+int(x), photo.Rect.Dy()<<15+int(y))
		}}
		var frames []*image.Gray
		for i := range 6 {
			row := func(y int) pose { return camera.of(i, float64(y)) }
			frames = append(frames, rolled(photo, frameSize, row, 4, uint32(i)))
		}
		wrong := func(kind geometry.Kind) float64 {
			var list []float64
			for i, r := range all(stabilizer(t, stabilize.Options{Kind: kind}), frames) {
				if i > 0 {
					require.Equal(t, stabilize.Followed, r.Status)
					list = append(list, camera.wrong(t, i, r.Motion))
				}
			}
			return median(list)
		}
		got, similarity := wrong(0), wrong(geometry.Similarity)
		t.Logf("turned by %v: %.3f, with similarities %.3f", turn, got, similarity)
		require.Less(t, got, 0.05*float64(shake))
		require.Greater(t, similarity, 0.1*float64(shake))
	}
}

// TestAside checks that the motion of corners that are all on one side of the frame is not
// sheared or stretched by their errors, which would grow toward the other side.
func TestAside(t *testing.T) {
	photo := imagetest.Photo(t, "picos_1280x720")
	flat := image.NewGray(photo.Rect)
	middle := photo.Rect.Dx() / 2
	for i := range flat.Pix {
		flat.Pix[i] = 110
		if x := i%flat.Stride - middle + frameSize.X/2; x > frameSize.X/12 && x < frameSize.X/4 {
			flat.Pix[i] = photo.Pix[i]
		}
	}
	poses := shaken(photo, 8, image.Point{}, shake)
	frames := scene(flat, poses, 2)
	wrong := func(kind geometry.Kind) float64 {
		var list []float64
		for i, r := range all(stabilizer(t, stabilize.Options{Kind: kind}), frames) {
			if i > 0 {
				require.Equal(t, stabilize.Followed, r.Status)
				back, ok := motion(poses, i).Inverse()
				require.True(t, ok)
				list = append(list, distance(back.Mul(r.Motion)))
			}
		}
		return median(list)
	}
	require.LessOrEqual(t, wrong(0), 1.1*wrong(geometry.Similarity))
}

// TestLine checks that corners that are all on a line are followed, although they do not
// determine an affine transform.
func TestLine(t *testing.T) {
	s := stabilizer(t, stabilize.Options{Online: true})
	for i := range 5 {
		img := image.NewGray(image.Rect(0, 0, 480, 90))
		for k := range 18 {
			img.Pix[img.PixOffset(20+25*k+2*i, 40)] = 255
		}
		r, ok := s.Push(img)
		require.True(t, ok)
		if i > 0 {
			require.Equal(t, stabilize.Followed, r.Status)
			require.InDelta(t, 2, stabilize.MovementOf(r.Motion, img.Rect.Size()).DX, 0.02)
		}
	}
}

// TestPans checks that pans of more than a fifth of the width a frame are followed, although they
// begin, turn back and end from one frame to the next, and that cuts in them are found.
func TestPans(t *testing.T) {
	size := image.Pt(200, 150) // which flow has few levels for
	other := imagetest.Photo(t, "chelsea_451x300")
	for _, name := range []string{"picos_1280x720", "life_640x480", "coffee_600x400"} {
		photo := imagetest.Photo(t, name)
		for _, noise := range []int{0, 10} {
			if testing.Short() && (name == "coffee_600x400" || (noise == 0) != (name == "life_640x480")) {
				continue
			}
			var poses []pose
			x, velocity := size.X/2, 0
			for i := range 16 {
				switch i {
				case 3:
					velocity = size.X * 3 / 10
				case 12:
					velocity = 0
				}
				if to := x + velocity; to < size.X/2 || to > photo.Rect.Dx()-size.X/2 {
					velocity = -velocity
				}
				x += velocity
				poses = append(poses, turned(0, x<<16, photo.Rect.Dy()<<15))
			}
			const begin, end = 8, 11 // of another scene
			var frames []*image.Gray
			for i, p := range poses {
				if i == begin {
					for k := range end - begin + 1 {
						frames = append(frames, render(other, size, turned(0, (100+5*k)<<16, 100<<16), noise, uint32(k)))
					}
				}
				frames = append(frames, render(photo, size, p, noise, uint32(i)))
			}
			for i, r := range all(stabilizer(t, stabilize.Options{Points: 200}), frames) {
				want := stabilize.Followed
				if i == 0 || i == begin || i == end+1 {
					want = stabilize.Cut
				}
				require.Equal(t, want, r.Status, "%s, noise %d, frame %d", name, noise, i)
				if want == stabilize.Followed && i < begin {
					m := stabilize.MovementOf(r.Motion, size)
					require.InDelta(t, float64(poses[i-1].x-poses[i].x)/65536, m.DX, 0.2)
					require.InDelta(t, 0, m.DY, 0.2)
				}
			}
		}
	}
}

// TestFoundAnew checks that a pan is followed although all corners that have been followed leave the
// frame at once, because others have come into it since.
func TestFoundAnew(t *testing.T) {
	photo := imagetest.Photo(t, "picos_1280x720")
	world := image.NewGray(image.Rect(0, 0, 500, 150))
	for y := range 150 {
		for x := range 500 {
			world.Pix[y*world.Stride+x] = 128
			if x > 205 || x >= 24 && x < 48 {
				world.Pix[y*world.Stride+x] = photo.Pix[photo.PixOffset(300+x, 300+y)]
			}
		}
	}
	var frames []*image.Gray
	for i := range 10 {
		frames = append(frames, render(world, image.Pt(200, 150), turned(0, (100+20*i)<<16, 75<<16), 0, 0))
	}
	for i, r := range all(stabilizer(t, stabilize.Options{Points: 200}), frames)[1:] {
		require.Equal(t, stabilize.Followed, r.Status, "frame %d", i+1)
		require.InDelta(t, -20, stabilize.MovementOf(r.Motion, image.Pt(200, 150)).DX, 0.2)
	}
}

// dots returns a frame of 720x540 pixels with dots, each of which is a corner, in the first places
// of a list that is the same for all, moved to the right.
func dots(n, right int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 720, 540))
	r := random(7)
	for i := range n {
		k := i * 37 % (28 * 20)
		img.Pix[img.PixOffset(36+24*(k%28)+r.next(5)+right, 36+24*(k/28)+r.next(5))] = 255
	}
	return img
}

// TestFewCorners checks that a frame needs 12 corners to be followed.
func TestFewCorners(t *testing.T) {
	for n, status := range map[int]stabilize.Status{11: stabilize.Blank, 12: stabilize.Followed} {
		s := stabilizer(t, stabilize.Options{Online: true})
		s.Push(dots(n, 0))
		r, ok := s.Push(dots(n, 2))
		require.True(t, ok)
		require.Equal(t, status, r.Status, "%d corners", n)
	}
}

// TestFewAgree checks that a twentieth of the points must agree with a motion, even if the others
// have vanished.
func TestFewAgree(t *testing.T) {
	const n = 560
	for left, status := range map[int]stabilize.Status{24: stabilize.Cut, 34: stabilize.Followed} {
		s := stabilizer(t, stabilize.Options{Online: true, Points: 1000})
		s.Push(dots(n, 0))
		r, ok := s.Push(dots(left, 2))
		require.True(t, ok)
		require.Equal(t, status, r.Status, "%d left", left)
	}
}
