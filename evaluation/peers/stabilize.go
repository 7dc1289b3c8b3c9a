package peers

import (
	"image"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
)

// StabilizePackages are the packages with kernels that the tests of videos use.
var StabilizePackages = []string{"flow", "geometry", "harris", "nms", "tensor", "warp"}

// videoQuality is the quality of corners in videos, as package stabilize has it.
const videoQuality = 0.005

// A Video is frames with planes of 4:2:0, whose sides are even, and how they are stabilized.
type Video struct {
	Size    image.Point
	Frames  []*image.YCbCr
	Options stabilize.Options // with numbers in place of defaults

	pix []byte // of all frames
	out []byte // room for a frame
}

// NewVideo returns a Video of n frames of any value.
func NewVideo(size image.Point, n int, opts stabilize.Options) *Video {
	v := &Video{Size: size, Options: Must(stabilize.New(opts)).Options()}
	luma := size.X * size.Y
	v.pix, v.out = make([]byte, n*luma*3/2), make([]byte, luma*3/2)
	for i := range n {
		v.Frames = append(v.Frames, v.frame(v.pix[i*luma*3/2:]))
	}
	return v
}

// frame returns a frame with these pixels.
func (v *Video) frame(pix []byte) *image.YCbCr {
	luma := v.Size.X * v.Size.Y
	return &image.YCbCr{
		Y: pix[:luma], Cb: pix[luma:][:luma/4], Cr: pix[luma*5/4:][:luma/4], YStride: v.Size.X, CStride: v.Size.X / 2,
		SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: image.Rectangle{Max: v.Size},
	}
}

// NewShaken returns a Video of a camera that looks at a photo, mirrored beyond its edges. It is
// shaken by up to 10 pixels and a degree at every frame, and gray values have noise of up to 4.
func NewShaken(photo *image.Gray, size image.Point, n int, opts stabilize.Options) *Video {
	rng := rand.New(rand.NewPCG(1, 2))
	v := NewVideo(size, n, opts)
	colors := [2]*image.Gray{image.NewGray(image.Rect(0, 0, photo.Rect.Dx()/2, photo.Rect.Dy()/2)), image.NewGray(image.Rect(0, 0, photo.Rect.Dx()/2, photo.Rect.Dy()/2))}
	for i, c := range colors {
		for k := range c.Pix {
			x, y := k%c.Stride, k/c.Stride
			c.Pix[k] = photo.Pix[y*2*photo.Stride+x*2]/2 + byte(40+50*i)
		}
	}
	scene := &image.YCbCr{
		Y: photo.Pix, Cb: colors[0].Pix, Cr: colors[1].Pix, YStride: photo.Stride, CStride: colors[0].Stride,
		SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: photo.Rect,
	}
	w := Must(warp.New(warp.Options{Border: border.Reflect101}))
	center, middle := geometry.Point{X: float64(photo.Rect.Dx()-1) / 2, Y: float64(photo.Rect.Dy()-1) / 2}, geometry.Point{X: float64(size.X-1) / 2, Y: float64(size.Y-1) / 2}
	for _, f := range v.Frames {
		s, c := math.Sincos((2*rng.Float64() - 1) * math.Pi / 180)
		dx, dy := 20*rng.Float64()-10, 20*rng.Float64()-10
		w.YCbCr(f, scene, warp.Affine{c, -s, center.X + dx - c*middle.X + s*middle.Y, s, c, center.Y + dy - s*middle.X - c*middle.Y})
		for i := range f.Y {
			f.Y[i] = byte(min(max(int(f.Y[i])+rng.IntN(9)-4, 0), 255))
		}
	}
	return v
}

// ReadVideo returns the Video of all frames of planes that r has.
func ReadVideo(r io.Reader, size image.Point, opts stabilize.Options) (*Video, error) {
	pix, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	v := NewVideo(size, len(pix)/(size.X*size.Y*3/2), opts)
	copy(v.pix, pix)
	return v, nil
}

// Planes returns the planes of all frames, one after the other.
func (v *Video) Planes() []byte { return v.pix }

// gray returns the luma of a frame.
func gray(f *image.YCbCr) *image.Gray {
	return &image.Gray{Pix: f.Y, Stride: f.YStride, Rect: f.Rect}
}

// distance is the least distance of corners, as package stabilize has it, and threshold that of
// inliers.
func (v *Video) distance() float64 {
	return max(1, math.Sqrt(float64(v.Size.X*v.Size.Y)/float64(v.Options.Points))/2)
}

func (v *Video) threshold() float64 {
	return max(1, math.Hypot(float64(v.Size.X), float64(v.Size.Y))/500)
}

// Parts are how long the parts of stabilizing take, in seconds: corners, flow, similarities, and
// warps.
type Parts [4]float64

// Stabilized returns the frames that OpenCV makes of those of v, and how long the parts took.
func (p *Peers) Stabilized(v *Video) (*Video, Parts) {
	out := NewVideo(v.Size, len(v.Frames), v.Options)
	var parts [4]float64
	found("stabilize", p.calls.stabilize(v, out.pix, len(out.out), &parts))
	return out, parts
}

// Stabilized returns the frames that packages stabilize and warp make of those of v.
func Stabilized(v *Video) *Video {
	out := NewVideo(v.Size, len(v.Frames), v.Options)
	w := Must(warp.New(warp.Options{Border: border.Replicate}))
	each(v, Must(stabilize.New(v.Options)), func(r stabilize.Result) { resample(w, out.Frames[r.Frame], v, r) })
	return out
}

// each calls show with the results of all frames.
func each(v *Video, s *stabilize.Stabilizer, show func(r stabilize.Result)) {
	for _, f := range v.Frames {
		if r, ok := s.Push(gray(f)); ok {
			show(r)
		}
	}
	for r, ok := s.Flush(); ok; r, ok = s.Flush() {
		show(r)
	}
}

// resample makes dst the stabilized frame of a result.
func resample(w *warp.Warper, dst *image.YCbCr, v *Video, r stabilize.Result) {
	w.YCbCr(dst, v.Frames[r.Frame], warp.Of(r.Source))
}

// Results returns what package stabilize tells of the frames of v.
func Results(v *Video) []stabilize.Result {
	var list []stabilize.Result
	each(v, Must(stabilize.New(v.Options)), func(r stabilize.Result) { list = append(list, r) })
	return list
}

// Motions returns the motion of each frame of v as package stabilize finds it.
func Motions(v *Video) []stabilize.Movement {
	var list []stabilize.Movement
	each(v, Must(stabilize.New(stabilize.Options{Online: true, Borders: true})), func(r stabilize.Result) {
		list = append(list, stabilize.MovementOf(r.Motion, v.Size))
	})
	return list
}

// VideoTests returns the test of stabilizing whole videos.
func (p *Peers) VideoTests() []Test[*Video] {
	whole := func() func(v *Video) {
		w := Must(warp.New(warp.Options{Border: border.Replicate}))
		made := make(map[*Video]*stabilize.Stabilizer)
		return func(v *Video) {
			if made[v] == nil {
				made[v] = Must(stabilize.New(v.Options))
			}
			to := v.frame(v.out)
			each(v, made[v], func(r stabilize.Result) { resample(w, to, v, r) })
		}
	}
	// Two workers, and following while frames are warped.
	shared := func() func(v *Video) {
		w := Must(warp.New(warp.Options{Border: border.Replicate, Workers: 2}))
		made := make(map[*Video]*stabilize.Stabilizer)
		return func(v *Video) {
			if made[v] == nil {
				opts := v.Options
				opts.Workers = 2
				made[v] = Must(stabilize.New(opts))
			}
			to := v.frame(v.out)
			results := make(chan stabilize.Result, 2)
			var wait sync.WaitGroup
			wait.Go(func() {
				for r := range results {
					resample(w, to, v, r)
				}
			})
			each(v, made[v], func(r stabilize.Result) { results <- r })
			close(results)
			wait.Wait()
		}
	}
	list := contenders(StabilizePackages, whole)
	best := Sets(StabilizePackages...)[0]
	list = append(list,
		contender[*Video]{best.Name + ", 2 workers", false, Limit(best, shared)},
		contender[*Video]{"opencv", true, func(v *Video) {
			var parts [4]float64
			found("stabilize", p.calls.stabilize(v, v.out, 0, &parts))
		}})
	return []Test[*Video]{{"whole", list}}
}

// TimedParts returns how long the parts of package stabilize take for v, done one after the other
// for each frame as the package does them.
func TimedParts(v *Video) Parts {
	d := Must(harris.New(harris.GoodFeatures(v.Options.Points, videoQuality, v.distance())))
	tracker := Must(flow.New(flow.Options{Window: image.Pt(15, 15), Epsilon: 0.03, Confirm: 0.5, KeepInside: true}))
	e := Must(geometry.New(geometry.Options{Kind: geometry.Similarity, InlierThreshold: v.threshold()}))
	w := Must(warp.New(warp.Options{Border: border.Replicate}))
	to := v.frame(v.out)
	var sources []warp.Transform
	for _, r := range Results(v) {
		sources = append(sources, warp.Of(r.Source))
	}
	var parts Parts
	var last time.Time
	lap := func(part int) {
		now := time.Now()
		parts[part] += now.Sub(last).Seconds()
		last = now
	}
	var corners []harris.Corner
	var points []flow.Point
	var tracks []flow.Track
	var a, b []geometry.Point
	var inliers []bool
	var pyramids [2]flow.Pyramid
	for i, f := range v.Frames {
		last = time.Now()
		tracker.PyramidInto(&pyramids[i%2], gray(f))
		if i > 0 {
			tracks = tracker.AppendTrack(tracks[:0], &pyramids[(i+1)%2], &pyramids[i%2], points, nil)
			lap(1)
			a, b = geometry.AppendTracks(a[:0], b[:0], points, tracks)
			inliers = append(inliers[:0], make([]bool, len(a))...)
			e.Estimate(a, b, nil, inliers)
			points = points[:0]
			for k, ok := range inliers {
				if ok {
					points = append(points, tracks[k].Point())
				}
			}
			lap(2)
		}
		if i%v.Options.Interval == 0 {
			corners = d.Append(corners[:0], gray(f), nil)
			points = flow.AppendPoints(points[:0], corners)
			lap(0)
		}
		w.YCbCr(to, f, sources[i])
		lap(3)
	}
	return parts
}
