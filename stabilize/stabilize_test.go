package stabilize_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"image"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// A shakenScene is what a camera sees that is shaken, with noise.
type shakenScene struct {
	poses  []pose
	frames []*image.Gray
}

// scenes are those that have been made, by the velocity of the camera.
var scenes = make(map[image.Point]shakenScene)

// moving returns the scene of a camera with a velocity, in pixels times 65536.
func moving(t testing.TB, velocity image.Point) shakenScene {
	t.Helper()
	s, ok := scenes[velocity]
	if !ok {
		photo := imagetest.Photo(t, "picos_1280x720")
		poses := shaken(photo, sceneFrames, velocity, shake)
		s = shakenScene{poses, scene(photo, poses, 4)}
		scenes[velocity] = s
	}
	return s
}

// standing returns the scene of a camera that stays where it is.
func standing(t testing.TB) shakenScene {
	t.Helper()
	return moving(t, image.Point{})
}

// TestShake checks how far the picture of a shaken camera still moves from frame to frame, and
// how precisely its motion is known.
func TestShake(t *testing.T) {
	s := standing(t)
	var before []float64
	for i := 1; i < len(s.poses); i++ {
		before = append(before, distance(motion(s.poses, i)))
	}
	require.Greater(t, median(before), 0.9*float64(shake))
	for _, c := range []struct {
		opts  stabilize.Options
		after float64
	}{
		{stabilize.Options{}, 0.15},
		{stabilize.Options{Kind: geometry.Affine}, 0.15},
		{stabilize.Options{Kind: geometry.Homography}, 0.15},
		{stabilize.Options{SmoothingRadius: 60}, 0.1},
		{stabilize.Options{Online: true}, 0.3},
	} {
		results := all(stabilizer(t, c.opts), s.frames)
		require.Len(t, results, len(s.frames))
		require.Less(t, median(remaining(t, results, s.poses)), c.after, "%+v", c.opts)
		var wrong []float64
		for i, r := range results {
			require.Equal(t, i, r.Frame)
			require.False(t, r.Limited)
			if i == 0 {
				require.Equal(t, stabilize.Cut, r.Status)
				continue
			}
			require.Equal(t, stabilize.Followed, r.Status)
			require.LessOrEqual(t, r.Inliers, r.Points)
			require.Greater(t, r.Inliers, points*3/5)
			back, ok := motion(s.poses, i).Inverse()
			require.True(t, ok)
			wrong = append(wrong, distance(back.Mul(r.Motion)))
		}
		require.Less(t, median(wrong), 0.03*imprecise, "%+v", c.opts)
	}
}

// TestKinds checks that motions of a kind are known and smoothed by that kind, with corrections
// of the kind.
func TestKinds(t *testing.T) {
	s := standing(t)
	shifts := slices.Clone(s.poses)
	for i := range shifts {
		shifts[i].a, shifts[i].b = 65536, 0
	}
	shifted := shakenScene{shifts, scene(imagetest.Photo(t, "picos_1280x720"), shifts, 4)}
	for i, c := range []struct {
		kind  geometry.Kind
		scene shakenScene
		wrong float64 // more with shifts alone, which interpolate all pixels of a frame alike
	}{{geometry.Translation, shifted, 0.04}, {geometry.Rigid, shifted, 0.04}, {geometry.Rigid, s, 0.03}} {
		for j, opts := range []stabilize.Options{{}, {Online: true}, {Zoom: 1.03}} {
			if testing.Short() && i != j {
				continue
			}
			opts.Kind = c.kind
			zoom := cmp.Or(opts.Zoom, 1.1)
			results := all(stabilizer(t, opts), c.scene.frames)
			if opts.Zoom == 0 { // which leaves room for all corrections
				limit := 0.15
				if opts.Online {
					limit = 0.3
				}
				require.Less(t, median(remaining(t, results, c.scene.poses)), limit, "%+v", opts)
			}
			var wrong []float64
			for i, r := range results {
				for _, m := range []struct {
					t     geometry.Transform
					scale float64
				}{{r.Motion, 1}, {r.Source, 1 / zoom}} {
					scale, angle, _, ok := m.t.Similarity()
					require.True(t, ok)
					require.InDelta(t, m.scale, scale, 1e-12)
					if c.kind == geometry.Translation {
						require.Zero(t, angle)
					}
				}
				if i > 0 {
					require.Equal(t, stabilize.Followed, r.Status)
					back, ok := motion(c.scene.poses, i).Inverse()
					require.True(t, ok)
					wrong = append(wrong, distance(back.Mul(r.Motion)))
				}
			}
			require.Less(t, median(wrong), c.wrong*imprecise, "%+v", opts)
		}
	}
}

// wrong returns how far a motion to a frame takes points from where they are.
func wrong(t testing.TB, m geometry.Transform, poses []pose, frame int) float64 {
	t.Helper()
	back, ok := motion(poses, frame).Inverse()
	require.True(t, ok)
	return distance(back.Mul(m))
}

// motion returns the motion of the picture to a frame.
func motion(poses []pose, frame int) geometry.Transform {
	back, _ := poses[frame].place(frameSize).Inverse()
	return back.Mul(poses[frame-1].place(frameSize))
}

// TestPan checks that a pan goes on at its speed, from the first frame to the last one.
func TestPan(t *testing.T) {
	s := moving(t, image.Pt(3<<16, -1<<15))
	results := all(stabilizer(t, stabilize.Options{Zoom: 1.2}), s.frames)
	center := geometry.Point{X: float64(frameSize.X-1) / 2, Y: float64(frameSize.Y-1) / 2}
	var xs, ys []float64
	for i := 1; i < len(results); i++ {
		from := s.poses[i-1].place(frameSize).Mul(results[i-1].Source).Apply(center)
		to := s.poses[i].place(frameSize).Mul(results[i].Source).Apply(center)
		xs, ys = append(xs, to.X-from.X), append(ys, to.Y-from.Y)
		require.InDelta(t, 3, xs[i-1], 1.5, "frame %d", i)
	}
	require.InDelta(t, 3, median(xs), 0.1)
	require.InDelta(t, -0.5, median(ys), 0.1)
}

// TestMean compares the path with one that is computed in another way: from positions that are
// summed up over the whole scene.
func TestMean(t *testing.T) {
	s := standing(t)
	const radius = 12
	results := all(stabilizer(t, stabilize.Options{SmoothingRadius: radius, Zoom: 1.5}), s.frames)
	c := geometry.Point{X: float64(frameSize.X-1) / 2, Y: float64(frameSize.Y-1) / 2}
	to, from := geometry.Transform{1, 0, -c.X, 0, 1, -c.Y, 0, 0, 1}, geometry.Transform{1, 0, c.X, 0, 1, c.Y, 0, 0, 1}
	places := []geometry.Transform{geometry.Identity()} // of the first frame in each
	for _, r := range results[1:] {
		places = append(places, to.Mul(r.Motion).Mul(from).Mul(places[len(places)-1]))
	}
	for i, r := range results {
		// The values at 0 of lines through complex numbers: the linear part, and the shift.
		var a, b, x, y, scale, squares, re, im line
		inverse, ok := places[i].Inverse()
		require.True(t, ok)
		for k := max(i-radius, 0); k <= min(i+radius, len(results)-1); k++ {
			u := float64(k-i) / (radius + 1)
			w := math.Pow(1-u*u, 3)
			m := places[k].Mul(inverse)
			for _, v := range []struct {
				l     *line
				value float64
			}{{&a, m[0]}, {&b, m[3]}, {&x, m[2]}, {&y, m[5]}, {&scale, math.Hypot(m[0], m[3])}, {&squares, m[0]*m[0] + m[3]*m[3]}, {&re, m[0]*m[2] + m[3]*m[5]}, {&im, m[0]*m[5] - m[3]*m[2]}} {
				v.l.add(w, float64(k-i), v.value)
			}
		}
		// The mean turns around the point whose images are nearest to each other.
		turn, shift := complex(a.value(), b.value()), complex(x.value(), y.value())
		f := complex(scale.value()/cmplx.Abs(turn), 0)
		variance := squares.value() - real(turn*cmplx.Conj(turn))
		point := -(complex(re.value(), im.value()) - cmplx.Conj(turn)*shift) / complex(variance, 0)
		image := turn*point + shift
		turn *= f
		shift = image - turn*point
		correction, ok := geometry.Transform{real(turn), -imag(turn), real(shift), imag(turn), real(turn), imag(shift), 0, 0, 1}.Inverse()
		require.True(t, ok)
		want := from.Mul(correction).Mul(geometry.Transform{1 / 1.5, 0, 0, 0, 1 / 1.5, 0, 0, 0, 1}).Mul(to)
		for k := range want {
			require.InDelta(t, want[k], r.Source[k], 1e-8, "frame %d", i)
		}
	}
}

// A line is fitted to weighted values.
type line struct{ w, x, xx, v, xv float64 }

func (l *line) add(w, x, v float64) {
	l.w, l.x, l.xx, l.v, l.xv = l.w+w, l.x+w*x, l.xx+w*x*x, l.v+w*v, l.xv+w*x*v
}

// value returns the value of the line at 0.
func (l *line) value() float64 {
	return (l.v*l.xx - l.xv*l.x) / (l.w*l.xx - l.x*l.x)
}

// renumbered returns results as if their first frame were the first one.
func renumbered(results []stabilize.Result) []stabilize.Result {
	results = slices.Clone(results)
	for i := range results {
		results[i].Frame = i
	}
	return results
}

// TestCut checks that scenes have nothing to do with each other.
func TestCut(t *testing.T) {
	const n = 12 // frames of a scene
	first := standing(t).frames[:n]
	other := imagetest.Photo(t, "life_640x480")
	second := scene(other, shaken(other, n, image.Point{}, shake), 4)
	for _, opts := range []stabilize.Options{{}, {SmoothingRadius: 5}, {Online: true}} {
		s := stabilizer(t, opts)
		a, b := all(s, first), all(s, second)
		results := all(s, slices.Concat(first, second, first))
		require.Equal(t, a, results[:n])
		require.Equal(t, b, renumbered(results[n:2*n]))
		require.Equal(t, a, renumbered(results[2*n:]))
		for i, r := range results {
			if i%n == 0 {
				require.Equal(t, stabilize.Cut, r.Status)
				require.Zero(t, r.Points)
				require.Equal(t, geometry.Identity(), r.Motion)
			} else {
				require.Equal(t, stabilize.Followed, r.Status)
			}
		}
	}
}

// flat returns a frame of one gray value.
func flat(value byte) *image.Gray {
	img := image.NewGray(image.Rectangle{Max: frameSize})
	for i := range img.Pix {
		img.Pix[i] = value
	}
	return img
}

// noise returns a frame of noise.
func noise(seed uint32) *image.Gray {
	img := image.NewGray(image.Rectangle{Max: frameSize})
	r := random(seed)
	for i := range img.Pix {
		img.Pix[i] = byte(128 + r.next(127))
	}
	return img
}

// TestGaps checks that a path goes on past frames that are blank, or that show something else.
func TestGaps(t *testing.T) {
	s := standing(t)
	for i, c := range []struct {
		name   string
		gap    []*image.Gray
		status stabilize.Status
	}{
		{"one white frame", []*image.Gray{flat(255)}, stabilize.Blank},
		{"black frames", slices.Repeat([]*image.Gray{flat(0)}, 7), stabilize.Blank},
		{"one frame of noise", []*image.Gray{noise(1)}, stabilize.Glitch},
		{"noise", []*image.Gray{noise(1), noise(2), noise(3)}, stabilize.Glitch},
		{"more noise", []*image.Gray{noise(1), noise(2), noise(3), noise(4)}, stabilize.Cut},
	} {
		for j, opts := range []stabilize.Options{{SmoothingRadius: 8}, {SmoothingRadius: 8, Online: true}} {
			if testing.Short() && i%2 != j {
				continue
			}
			frames := slices.Concat(s.frames[:10], c.gap, s.frames[10:20])
			results := all(stabilizer(t, opts), frames)
			for i, r := range results {
				switch gap := i >= 10 && i < 10+len(c.gap); {
				case gap && opts.Online && c.status == stabilize.Glitch: // it cannot be known yet
					require.Equal(t, stabilize.Cut, r.Status, "%s: frame %d", c.name, i)
				case gap:
					require.Equal(t, c.status, r.Status, "%s: frame %d", c.name, i)
					require.Equal(t, geometry.Identity(), r.Motion)
				case i == 0 || i == 10+len(c.gap) && c.status == stabilize.Cut:
					require.Equal(t, stabilize.Cut, r.Status)
				default:
					require.Equal(t, stabilize.Followed, r.Status, "%s: frame %d", c.name, i)
				}
			}
			if c.status == stabilize.Cut {
				continue
			}
			back, ok := motion(s.poses, 10).Inverse()
			require.True(t, ok)
			after := results[10+len(c.gap)]
			require.Less(t, distance(back.Mul(after.Motion)), 0.1, "%s: the motion across the gap", c.name)
			require.Greater(t, distance(after.Source), 3.0, "it is corrected")
		}
	}
}

// TestBlank checks videos that show nothing, or nothing at first.
func TestBlank(t *testing.T) {
	blank := slices.Repeat([]*image.Gray{flat(90)}, 5)
	shown := standing(t).frames[:5]
	zoomed := all(stabilizer(t, stabilize.Options{}), shown[:1])[0].Source
	for _, opts := range []stabilize.Options{{SmoothingRadius: 4}, {Online: true}} {
		for _, r := range all(stabilizer(t, opts), blank) {
			require.Equal(t, stabilize.Blank, r.Status)
			for i, v := range zoomed {
				require.InDelta(t, v, r.Source[i], 1e-9)
			}
		}
		results := all(stabilizer(t, opts), slices.Concat(blank, shown))
		require.Equal(t, all(stabilizer(t, opts), shown), renumbered(results[5:]))
	}
}

// TestAnother checks that a Stabilizer keeps nothing of a video for the next one, wherever that
// one ended and whatever size it had.
func TestAnother(t *testing.T) {
	frames := standing(t).frames[:6]
	part := func(w, h int) (list []*image.Gray) { // of each frame
		for _, f := range frames {
			list = append(list, f.SubImage(image.Rect(0, 0, w, h)).(*image.Gray))
		}
		return list
	}
	size := frameSize
	for _, opts := range []stabilize.Options{{SmoothingRadius: 3}, {Online: true}} {
		s := stabilizer(t, opts)
		want := all(s, frames)
		for _, before := range [][]*image.Gray{
			append(frames[:5:5], noise(1)), // it ends in what may be a cut
			frames[:1],
			part(size.X, size.Y*2/3),
			part(size.X*2/3, size.Y),
		} {
			require.Equal(t, all(stabilizer(t, opts), before), all(s, before))
			require.Equal(t, want, all(s, frames))
		}
	}
}

// TestFoundAgain checks that corners are found again when more than half of them have left the
// frame.
func TestFoundAgain(t *testing.T) {
	photo := imagetest.Photo(t, "picos_1280x720")
	var poses []pose
	for i := range 14 {
		poses = append(poses, turned(0, photo.Rect.Dx()<<15+(i-7)*frameSize.X<<12, photo.Rect.Dy()<<15))
	}
	results := all(stabilizer(t, stabilize.Options{Interval: 1000}), scene(photo, poses, 0))
	begun, again := results[1].Points, 0 // at least as many were found in the first frame
	for i, r := range results[2:] {
		if before := results[i+1]; r.Points > before.Inliers {
			require.Less(t, 2*before.Inliers, points)
			begun, again = r.Points, again+1
		} else {
			require.GreaterOrEqual(t, 2*before.Inliers, begun)
		}
	}
	require.Positive(t, again)
}

// TestShortGlitches checks how many frames may be glitches where results come after one or two
// frames: as many.
func TestShortGlitches(t *testing.T) {
	frames := standing(t).frames
	for radius := 1; radius <= 2; radius++ {
		for n := 1; n <= 3; n++ {
			var gap []*image.Gray
			for i := range n {
				gap = append(gap, noise(uint32(i)))
			}
			results := all(stabilizer(t, stabilize.Options{SmoothingRadius: radius}), slices.Concat(frames[:4], gap, frames[4:8]))
			status, after := stabilize.Glitch, stabilize.Followed
			if n > radius {
				status, after = stabilize.Cut, stabilize.Cut
			}
			for i := range n {
				require.Equal(t, status, results[4+i].Status, "radius %d, %d frames", radius, n)
			}
			require.Equal(t, after, results[4+n].Status, "radius %d, %d frames", radius, n)
		}
	}
}

// TestOnlineGaps checks that with Online, the picture after glitches is where it would be without
// them, also if they follow the first frame of a scene.
func TestOnlineGaps(t *testing.T) {
	frames := standing(t).frames
	other := imagetest.Photo(t, "life_640x480")
	begin := scene(other, shaken(other, 12, image.Point{}, shake), 4)
	opts := stabilize.Options{Online: true}
	want := all(stabilizer(t, opts), frames[:8])
	for _, c := range []struct {
		name   string
		before []*image.Gray
		first  int // frames before the gap
		gap    []*image.Gray
	}{
		{"after the first frame", nil, 1, []*image.Gray{noise(1)}},
		{"later", nil, 4, []*image.Gray{noise(1), noise(2)}},
		{"noise between blank frames", nil, 4, []*image.Gray{flat(0), noise(1), flat(0)}},
		{"after the first frame of another scene", slices.Concat(begin, []*image.Gray{noise(3), noise(4), noise(5)}), 1, []*image.Gray{noise(1)}},
	} {
		results := all(stabilizer(t, opts), slices.Concat(c.before, frames[:c.first], c.gap, frames[c.first:8]))
		results = results[len(c.before):]
		for i, w := range want {
			r := results[i]
			if i >= c.first {
				r = results[i+len(c.gap)]
			}
			r.Frame = i
			require.Equal(t, w, r, "%s: frame %d", c.name, i)
		}
	}
}

// TestForeground checks that what moves in front of the background does not count.
func TestForeground(t *testing.T) {
	s := standing(t)
	front := imagetest.Photo(t, "coffee_600x400")
	var frames []*image.Gray
	for i, f := range s.frames[:30] {
		f = &image.Gray{Pix: slices.Clone(f.Pix), Stride: f.Stride, Rect: f.Rect}
		w, h := frameSize.X*2/5, frameSize.Y*5/6 // a third of the frame
		for y := h / 10; y < h/10+h; y++ {
			copy(f.Pix[f.PixOffset(frameSize.X/12+4*i, y):][:w], front.Pix[front.PixOffset(200, 40+y-i):])
		}
		frames = append(frames, f)
	}
	for i, r := range all(stabilizer(t, stabilize.Options{}), frames)[1:] {
		require.Equal(t, stabilize.Followed, r.Status)
		back, ok := motion(s.poses, i+1).Inverse()
		require.True(t, ok)
		require.Less(t, distance(back.Mul(r.Motion)), 0.2*imprecise, "frame %d", i+1)
	}
}

// TestLimits checks that the edges of frames stay out of sight, and that Borders lets them be
// seen.
func TestLimits(t *testing.T) {
	s := standing(t)
	// exceeds returns by how much what is seen exceeds the frame, in pixels.
	exceeds := func(r stabilize.Result) float64 {
		most := math.Inf(-1)
		for _, x := range []float64{0, float64(frameSize.X - 1)} {
			for _, y := range []float64{0, float64(frameSize.Y - 1)} {
				p := r.Source.Apply(geometry.Point{X: x, Y: y})
				most = max(most, -p.X, -p.Y, p.X-float64(frameSize.X-1), p.Y-float64(frameSize.Y-1))
			}
		}
		return most
	}
	for _, kind := range []geometry.Kind{geometry.Similarity, geometry.Homography} {
		for _, online := range []bool{false, true} {
			for _, r := range all(stabilizer(t, stabilize.Options{Kind: kind, Zoom: 1, MaxZoom: 1.05, Online: online}), s.frames[:30]) {
				require.LessOrEqual(t, exceeds(r), 1e-9)
			}
			opts := stabilize.Options{Kind: kind, Zoom: 1.04, Online: online}
			limited := all(stabilizer(t, opts), s.frames[:30])
			opts.Borders = true
			free := all(stabilizer(t, opts), s.frames[:30])
			count := 0
			for i, r := range limited {
				require.LessOrEqual(t, exceeds(r), 1e-9)
				require.False(t, free[i].Limited)
				require.Zero(t, free[i].Departure)
				if r.Departure == 0 {
					require.Equal(t, free[i], r)
				}
				require.Equal(t, r.Limited, exceeds(free[i]) > 1e-9, "the path without limits is the same")
				if r.Limited {
					count++
				}
			}
			require.Greater(t, count, 5)
			require.Less(t, count, 29)
		}
	}
	for _, r := range all(stabilizer(t, stabilize.Options{Zoom: 1}), s.frames[:10]) {
		require.InDelta(t, 0, exceeds(r), 1e-9)
		require.Less(t, distance(r.Source), 1e-6, "without room there is no correction")
	}
}

// TestMaxZoom checks that frames are enlarged where the path needs room, by no more than that and
// by MaxZoom at most, and that this makes the picture as steady as Borders does.
func TestMaxZoom(t *testing.T) {
	s := standing(t)
	for _, online := range []bool{false, true} {
		for _, kind := range []geometry.Kind{geometry.Rigid, geometry.Similarity} {
			opts := stabilize.Options{Kind: kind, Zoom: 1, MaxZoom: 1.25, Online: online}
			results := all(stabilizer(t, opts), s.frames)
			opts.Borders = true
			free := median(remaining(t, all(stabilizer(t, opts), s.frames), s.poses))
			glide := 0.2
			if online {
				glide = 0.4
			}
			require.Less(t, median(remaining(t, results, s.poses)), free+glide*imprecise, "the zoom glides: %+v", opts)
			least, most := math.Inf(1), 0.
			for _, r := range results[3:] {
				zoom := 1 / stabilize.MovementOf(r.Source, frameSize).Scale
				least, most = min(least, zoom), max(most, zoom)
			}
			require.Less(t, most, 1.26)
			if !online {
				require.Greater(t, least, 1.02)
				require.Less(t, most, 1.17)
			}
		}
	}
}

// TestLimitedVideo checks that nothing beyond the edges is seen in video of any chroma where
// corrections are limited, as long as pixels at the edges are repeated; and in luma in any case.
func TestLimitedVideo(t *testing.T) {
	results := all(stabilizer(t, stabilize.Options{Zoom: 1.02}), standing(t).frames[:12])
	require.True(t, slices.ContainsFunc(results, func(r stabilize.Result) bool { return r.Limited }))
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio411} {
		white, out := image.NewYCbCr(image.Rectangle{Max: frameSize}, ratio), image.NewYCbCr(image.Rectangle{Max: frameSize}, ratio)
		for _, plane := range [][]byte{white.Y, white.Cb, white.Cr} {
			copy(plane, bytes.Repeat([]byte{255}, len(plane)))
		}
		for _, mode := range []border.Mode{border.Replicate, border.Constant} {
			w, err := warp.New(warp.Options{Border: mode})
			require.NoError(t, err)
			for _, r := range results {
				w.YCbCr(out, white, warp.Of(r.Source))
				require.Equal(t, white.Y, out.Y)
				if mode == border.Replicate {
					require.Equal(t, white.Cb, out.Cb)
					require.Equal(t, white.Cr, out.Cr)
				}
			}
		}
	}
}

// TestDelay checks when results come.
func TestDelay(t *testing.T) {
	frames := standing(t).frames[:12]
	for _, c := range []struct {
		opts  stabilize.Options
		delay int
	}{{stabilize.Options{SmoothingRadius: 5}, 5}, {stabilize.Options{SmoothingRadius: 5, Online: true}, 0}, {stabilize.Options{SmoothingRadius: 30}, 30}} {
		s := stabilizer(t, c.opts)
		for range 2 { // which are alike
			for i, f := range frames {
				r, ok := s.Push(f)
				require.Equal(t, i >= c.delay, ok)
				if ok {
					require.Equal(t, i-c.delay, r.Frame)
				}
			}
			for i := max(len(frames)-c.delay, 0); i < len(frames); i++ {
				r, ok := s.Flush()
				require.True(t, ok)
				require.Equal(t, i, r.Frame)
			}
			_, ok := s.Flush()
			require.False(t, ok)
		}
	}
}

// TestSameBits checks that the results have the same bits on every platform. The hash is that of
// amd64.
func TestSameBits(t *testing.T) {
	h := fnv.New64a()
	p := imagetest.Photo(t, "picos_1280x720")
	size := image.Pt(240, 180)
	var frames []*image.Gray
	for i, pose := range shaken(p, 24, image.Pt(1<<16, 0), 10) {
		frames = append(frames, render(p, size, pose, 4, uint32(i)))
	}
	for _, opts := range []stabilize.Options{
		{SmoothingRadius: 6},
		{SmoothingRadius: 6, Kind: geometry.Affine, Interval: 3},
		{SmoothingRadius: 6, Kind: geometry.Homography, Zoom: 1.05},
		{SmoothingRadius: 6, Online: true},
		{SmoothingRadius: 6, Zoom: 1, MaxZoom: 1.05},
		{Online: true, Kind: geometry.Homography},
	} {
		opts.Points = 200
		for _, r := range all(stabilizer(t, opts), frames) {
			fmt.Fprint(h, r.Frame, r.Status, r.Points, r.Inliers, r.Limited)
			for _, v := range slices.Concat(r.Motion[:], r.Source[:]) {
				binary.Write(h, binary.LittleEndian, math.Float64bits(v))
			}
		}
	}
	require.Equal(t, "6a542a2f76754fdd", fmt.Sprintf("%016x", h.Sum64()))
}

// TestWorkers checks that the results do not depend on the number of workers, nor on where the
// pixels of frames are, and that frames are not kept.
func TestWorkers(t *testing.T) {
	frames := standing(t).frames[:14]
	want := all(stabilizer(t, stabilize.Options{SmoothingRadius: 5}), frames)
	for _, n := range []int{2, 7} {
		require.Equal(t, want, all(stabilizer(t, stabilize.Options{SmoothingRadius: 5, Workers: n}), frames))
	}
	s := stabilizer(t, stabilize.Options{SmoothingRadius: 5})
	var got []stabilize.Result
	outer := image.NewGray(image.Rect(-7, 11, frameSize.X+9, frameSize.Y+30))
	inner := outer.SubImage(image.Rectangle{Max: frameSize}.Add(image.Pt(5, 20))).(*image.Gray)
	for i, f := range frames {
		for k := range outer.Pix {
			outer.Pix[k] = byte(i)
		}
		for y := range frameSize.Y {
			copy(inner.Pix[y*inner.Stride:], f.Pix[y*f.Stride:][:f.Stride])
		}
		if r, ok := s.Push(inner); ok {
			got = append(got, r)
		}
	}
	require.Equal(t, want[:len(got)], got)
	require.Len(t, got, 14-5)
}

// TestAllocations checks that nothing is allocated in the steady state.
func TestAllocations(t *testing.T) {
	imagetest.SkipRace(t)
	if testing.Short() {
		t.Skip("there are too few frames")
	}
	frames := standing(t).frames
	for _, opts := range []stabilize.Options{{SmoothingRadius: 10}, {Online: true, Kind: geometry.Homography}} {
		s := stabilizer(t, opts)
		for _, f := range frames[:30] {
			s.Push(f)
		}
		i := 30
		require.Zero(t, imagetest.Allocs(35, func() {
			s.Push(frames[i])
			i++
		}))
	}
}

// TestMovement checks what transforms do in the middle of frames.
func TestMovement(t *testing.T) {
	size := image.Pt(101, 51)
	for _, c := range []struct {
		t    geometry.Transform
		want stabilize.Movement
	}{
		{geometry.Identity(), stabilize.Movement{Scale: 1}},
		{geometry.Transform{1, 0, 3, 0, 1, -4, 0, 0, 1}, stabilize.Movement{DX: 3, DY: -4, Scale: 1}},
		{geometry.Transform{0, -2, 100, 2, 0, -75, 0, 0, 1}, stabilize.Movement{Rotation: math.Pi / 2, Scale: 2}},
		{geometry.Transform{3, 0, -100, 0, 12, -275, 0, 0, 1}, stabilize.Movement{Scale: 6}},
		// A perspective.
		{geometry.Transform{1, 0, 0, 0, 1, 0, 0.01, 0, 0.5}, stabilize.Movement{Rotation: math.Atan2(-0.25, 1.5), Scale: math.Sqrt(0.5)}},
	} {
		got := stabilize.MovementOf(c.t, size)
		for i, v := range []float64{got.DX - c.want.DX, got.DY - c.want.DY, got.Rotation - c.want.Rotation, got.Scale - c.want.Scale} {
			require.InDelta(t, 0, v, 1e-12, "%v, %d", c.t, i)
		}
	}
}

// TestPanics checks what Push refuses.
func TestPanics(t *testing.T) {
	s := stabilizer(t, stabilize.Options{})
	for _, bad := range imagetest.Malformed() {
		imagetest.RequirePanic(t, "stabilize", func() { s.Push(bad) })
	}
	for _, empty := range imagetest.Empty() {
		require.PanicsWithValue(t, "stabilize: empty image", func() { s.Push(empty) })
	}
	s.Push(image.NewGray(image.Rect(0, 0, 30, 20)))
	for _, size := range []image.Point{{20, 30}, {30, 21}, {31, 20}} {
		message := fmt.Sprintf("stabilize: a frame of %d by %d pixels after frames of 30 by 20", size.X, size.Y)
		require.PanicsWithValue(t, message, func() { s.Push(image.NewGray(image.Rectangle{Max: size})) })
	}
	for range 2 {
		s.Flush()
	}
	s.Push(image.NewGray(image.Rect(0, 0, 20, 30)))
}

// TestStatus checks that there is no Status before there is a result, and that each has a name.
func TestStatus(t *testing.T) {
	r, ok := stabilizer(t, stabilize.Options{}).Push(flat(1))
	require.False(t, ok)
	require.Equal(t, stabilize.NoFrame, r.Status)
	for s := range stabilize.Glitch + 1 {
		text, err := s.MarshalText()
		require.NoError(t, err)
		read := stabilize.Glitch + 1
		require.NoError(t, read.UnmarshalText(text))
		require.Equal(t, s, read)
	}
}

// TestTiny checks frames that are too small for anything.
func TestTiny(t *testing.T) {
	step := 4
	if testing.Short() {
		step = 9
	}
	for w := 1; w < 24; w += step + 1 {
		for h := 1; h < 24; h += step {
			for _, kind := range []geometry.Kind{geometry.Similarity, geometry.Homography} {
				s := stabilizer(t, stabilize.Options{SmoothingRadius: 2, Kind: kind})
				var frames []*image.Gray
				for i := range 6 {
					img := image.NewGray(image.Rect(0, 0, w, h))
					for k := range img.Pix {
						img.Pix[k] = byte((k + i) * 37)
					}
					frames = append(frames, img)
				}
				for _, r := range all(s, frames) {
					for _, v := range r.Source {
						require.False(t, math.IsNaN(v) || math.IsInf(v, 0))
					}
				}
			}
		}
	}
}
