package flow

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// TestKept follows points through images that follow each other or not, and compares with
// what is found without templates of earlier calls. The points are those that were found and others,
// some of them where there was one before, of which some are moved, given twice or in another order.
func TestKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	sets := cpu.InstructionSets("flow")
	for _, opts := range []Options{
		{Window: image.Pt(15, 15)},
		{Window: image.Pt(5, 9), KeepInside: true, Workers: 3},
		{Window: image.Pt(21, 17)},
		{Window: image.Pt(7, 7), RemoveMean: true},
	} {
		opts.Levels, opts.Confirm, opts.Epsilon = 3, 0.5, 0.03
		tracker, err := New(opts)
		require.NoError(t, err)
		// render returns the next image, of which one side may be blank.
		phase, shift := rng.Float64(), 0.
		render := func() *image.Gray {
			const w, h = 96, 80
			img := image.NewGray(image.Rect(0, 0, w, h).Add(image.Pt(rng.IntN(3), 7)))
			shift += rng.Float64()*2 - 1
			blank := rng.IntN(4) / 3 * w / 2
			for i := range img.Pix {
				if x, y := float64(i%w)+shift, float64(i/w); i%w >= blank {
					img.Pix[i] = uint8(128 + 60*math.Sin(x*0.7+y*0.2+phase) + 50*math.Sin(y*0.6-x*0.1))
				}
			}
			return img
		}
		j := newJob(tracker)
		follow := func(j *job, first, second *Pyramid, points []Point) []Track {
			j.first, j.second, j.points, j.tracks = first, second, points, make([]Track, len(points))
			j.run()
			return j.tracks
		}
		pyramids := [3]*Pyramid{tracker.Pyramid(render()), tracker.Pyramid(render()), tracker.Pyramid(render())}
		now, kept := 0, 0
		var points []Point
		for range 40 {
			for len(points) < 50 {
				points = append(points, Point{rng.Float32() * 96, rng.Float32() * 80})
			}
			restore := cpu.Limit(sets[max(len(sets)-1-rng.IntN(10)/9, 0)].Set)
			next := (now + 1) % len(pyramids)
			tracker.PyramidInto(pyramids[next], render())
			tracks := follow(j, pyramids[now], pyramids[next], points)
			require.Equal(t, follow(newJob(tracker), pyramids[now], pyramids[next], points), tracks)
			for _, s := range j.kept.slots {
				if s != nil && s.full {
					kept++
				}
			}
			restore()
			switch now = next; rng.IntN(8) {
			case 0:
				tracker.PyramidInto(pyramids[now], render()) // in the memory of the last one
			case 1:
				now = rng.IntN(len(pyramids))
			}
			last := points
			points = nil
			for i, track := range tracks {
				p := track.Point()
				switch rng.IntN(16) {
				case 0:
					continue
				case 1:
					p.X += 0.25
				case 2:
					points = append(points, p)
				case 3, 4, 5:
					p = last[i]
				}
				if track.Found() || rng.IntN(2) == 0 {
					points = append(points, p)
				}
			}
			if rng.IntN(8) == 0 {
				rng.Shuffle(len(points), func(i, k int) { points[i], points[k] = points[k], points[i] })
			}
		}
		require.Equal(t, !opts.RemoveMean && len(sets) > 1, kept > 0, "%d kept", kept)
	}
	var k kept
	k.grow(1<<20, 4, 3*16*15)
	require.Len(t, k.memory, maxKept/(4*2*3*16*15))
}
