package stabilize

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// similarity returns a transform that turns by an angle, enlarges and shifts.
func similarity(x, y, angle, scale float64) geometry.Transform {
	s, c := math.Sincos(angle)
	return geometry.Transform{scale * c, -scale * s, x, scale * s, scale * c, y, 0, 0, 1}
}

// inverse returns the inverse of t.
func inverse(t testing.TB, m geometry.Transform) geometry.Transform {
	t.Helper()
	back, ok := m.Inverse()
	require.True(t, ok)
	return back
}

// TestPlan checks that plans keep the edges of the frame out of sight and zooms in their range,
// and that no other ones that do so have a smaller sum: that the forces of the touches, none of
// which pulls, are what its slope is.
func TestPlan(t *testing.T) {
	size := image.Pt(480, 320)
	r := rand.New(rand.NewPCG(1, 2))
	touched, turned, zoomed := 0, 0, 0.
	for trial := range 300 {
		opts := Options{Zoom: 1 + 0.2*r.Float64(), Kind: []geometry.Kind{geometry.Similarity, geometry.Affine, geometry.Rigid, geometry.Translation}[trial%4]}
		if trial%3 == 1 {
			opts.MaxZoom = opts.Zoom + 0.1*r.Float64()
		}
		opts.setDefaults()
		var p planner
		p.begin(middle(size), &opts)
		var smooth []geometry.Transform
		var x, y, angle float64
		for range 1 + trial%12 {
			x, y, angle = x+6*r.NormFloat64(), y+6*r.NormFloat64(), angle+.01*r.NormFloat64()
			scale := 1 + .01*r.NormFloat64()
			switch opts.Kind {
			case geometry.Translation:
				angle, scale = 0, 1
			case geometry.Rigid:
				scale = 1
			}
			smooth = append(smooth, similarity(x, y, angle, scale))
		}
		p.known = trial % 4
		for i := range p.known {
			for k := range p.past[i] {
				if k < 2 || k == 2 && opts.Kind != geometry.Translation || k == 3 && opts.MaxZoom > opts.Zoom {
					p.past[i][k] = 3 * r.NormFloat64()
				}
			}
		}
		before := slices.Clone(p.past[:p.known])
		var unsure []float64
		if trial%5 == 2 {
			for i := range smooth {
				unsure = append(unsure, 5*float64(i)*r.Float64())
			}
		}
		shown, departed := p.next(smooth, unsure)
		require.InDelta(t, math.Hypot(p.plan[0][0], p.plan[0][1]), departed, 1e-12)
		require.Equal(t, p.transform(&p.plan[0]), shown)

		// Where the corners of what is shown are in each frame.
		for i, d := range p.plan {
			source := inverse(t, smooth[i]).Mul(p.transform(&d))
			for _, corner := range [][2]float64{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
				q := source.Apply(geometry.Point{X: corner[0] * 479 / 2 / opts.Zoom, Y: corner[1] * 319 / 2 / opts.Zoom})
				for axis, edge := range []float64{479. / 2, 319. / 2} {
					if unsure != nil {
						edge -= min(unsure[i], 0.9*edge*(1-1/opts.MaxZoom))
					}
					require.LessOrEqual(t, math.Abs([]float64{q.X, q.Y}[axis]), edge+2e-6, "trial %d, frame %d", trial, i)
				}
			}
			enlarged := p.transform(&d)
			require.GreaterOrEqual(t, d[3], -0.2*p.enlarges-2e-6)
			switch zoom := opts.Zoom / scale(&enlarged); {
			case opts.MaxZoom > opts.Zoom:
				require.LessOrEqual(t, enlarged[0], 1+1e-7) // turning it makes it a little wider, too
				require.LessOrEqual(t, zoom, opts.MaxZoom*(1+1e-7))
				zoomed = max(zoomed, zoom/opts.Zoom)
			case opts.Kind == geometry.Translation || opts.Kind == geometry.Rigid:
				require.InDelta(t, opts.Zoom, zoom, 1e-12)
			}
		}

		// Half the slope of the sum, by each number of each departure.
		all := slices.Concat(p.plan, nil)
		slices.Reverse(before)
		all = slices.Concat(before, all)
		for k := range len(departure{}) {
			slope := make([]float64, len(all))
			for i := range all {
				slope[i] += restWeight * all[i][k]
				if i >= 2 {
					bend := bendWeight * (all[i][k] - 2*all[i-1][k] + all[i-2][k])
					slope[i] += bend
					slope[i-1] -= 2 * bend
					slope[i-2] += bend
				}
				if i >= 3 {
					jerk := jerkWeight * (all[i][k] - 3*all[i-1][k] + 3*all[i-2][k] - all[i-3][k])
					slope[i] += jerk
					slope[i-1] -= 3 * jerk
					slope[i-2] += 3 * jerk
					slope[i-3] -= jerk
				}
			}
			slope = slope[len(before):]
			for _, o := range p.touches {
				slope[o.frame] += o.force * o.at[k]
			}
			for i, v := range slope {
				require.InDelta(t, 0, v, 1e-7, "trial %d, frame %d, number %d", trial, i, k)
			}
		}
		for _, o := range p.touches {
			require.GreaterOrEqual(t, o.force, 0.)
			require.InDelta(t, o.limit, o.at.dot(&p.plan[o.frame]), 1e-6)
			touched++
		}
		if p.plan[0][2] != 0 {
			turned++
		}
	}
	require.Greater(t, touched, 500)
	require.Greater(t, turned, 100)
	require.Greater(t, zoomed, 1.05)
}

// A take is how a camera moves: from coordinates around the middle of each frame to the world.
type take struct {
	name   string
	camera []geometry.Transform
}

// takes returns 200 frames of cameras that are shaken: by up to jitter pixels in each frame, and
// by a walk.
func takes(seed uint64) []take {
	var list []take
	add := func(name string, jitter, walk, turn float64, way func(i float64) geometry.Transform) {
		r := rand.New(rand.NewPCG(seed, 7))
		var x, y, angle, vx, vy float64
		c := take{name: name}
		for i := range 200 {
			vx, vy = .9*vx+.1*walk*r.NormFloat64(), .9*vy+.1*walk*r.NormFloat64()
			x, y, angle = .93*x+vx, .93*y+vy, .9*angle+.3*turn*r.NormFloat64()
			u := func(limit float64) float64 { return limit * (2*r.Float64() - 1) }
			c.camera = append(c.camera, way(float64(i)).Mul(similarity(x+u(jitter), y+u(jitter), angle+u(turn), 1)))
		}
		list = append(list, c)
	}
	still := func(float64) geometry.Transform { return geometry.Identity() }
	add("still", 3.7, 8, .006, still)
	add("strong", 3.9, 12, .01, still)
	add("pan that stops", 2.5, 3, .004, func(i float64) geometry.Transform { return similarity(8*min(i, 100), 0, 0, 1) })
	add("fast pan", 1, 1, .002, func(i float64) geometry.Transform { return similarity(26*i, 0, 0, 1) })
	add("fast pan that stops", 1, 1, .002, func(i float64) geometry.Transform { return similarity(26*min(i, 100), 0, 0, 1) })
	add("zoom", 2, 3, .003, func(i float64) geometry.Transform { return similarity(0, 0, 0, math.Pow(.995, i)) })
	add("walk", 1.5, 2, .004, func(i float64) geometry.Transform {
		return similarity(3*i, 8*math.Sin(i*2*math.Pi/15), .01*math.Sin(i*2*math.Pi/30), math.Pow(.998, i))
	})
	return list
}

// unrest returns the median of the changes of the motion of what is shown in the middle, their
// 95th percentile and the largest, in pixels, by where shown frames are in those of a take.
func unrest(c take, source []geometry.Transform) (list [3]float64) {
	var changes []float64
	at := func(i int) geometry.Point {
		t := c.camera[i].Mul(source[i])
		return t.Apply(geometry.Point{})
	}
	for i := 2; i < len(source); i++ {
		a, b, d := at(i-2), at(i-1), at(i)
		changes = append(changes, math.Hypot(a.X-2*b.X+d.X, a.Y-2*b.Y+d.Y))
	}
	slices.Sort(changes)
	return [3]float64{changes[len(changes)/2], changes[len(changes)*95/100], changes[len(changes)-1]}
}

// TestPath checks the path of cameras whose motion is known: it is smooth where corrections meet
// their limit, too, nearly as smooth as one that is planned over the whole video at once.
func TestPath(t *testing.T) {
	size := image.Pt(480, 320)
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for _, c := range takes(seed) {
			show := func(opts Options) (list []geometry.Transform, whole *planner, smooth []geometry.Transform) {
				opts.setDefaults()
				var p path
				p.init(&opts)
				p.begin(size)
				add := func(r Result) {
					source := p.origin.Mul(r.Source).Mul(p.center)
					list = append(list, source)
					smooth = append(smooth, p.smooth[0])
					if opts.Borders {
						require.Zero(t, r.Departure)
						require.False(t, r.Limited)
						return
					}
					if r.Limited {
						require.NotZero(t, r.Departure)
					}
					for _, corner := range []geometry.Point{{X: -239.5, Y: -159.5}, {X: 239.5, Y: -159.5}, {X: -239.5, Y: 159.5}, {X: 239.5, Y: 159.5}} {
						q := source.Apply(corner)
						require.LessOrEqual(t, math.Abs(q.X), 239.5+1e-9)
						require.LessOrEqual(t, math.Abs(q.Y), 159.5+1e-9)
					}
				}
				for i, m := range c.camera {
					f := found{Cut, 100, 100, geometry.Identity()}
					if i > 0 {
						f.status = Followed
						f.motion = p.center.Mul(inverse(t, m)).Mul(c.camera[i-1]).Mul(p.origin)
					}
					p.add(f, 0)
					if r, ok := p.next(false); ok {
						add(r)
					}
				}
				for r, ok := p.next(true); ok; r, ok = p.next(true) {
					add(r)
				}
				return list, &p.planner, smooth
			}
			planned, p, smooth := show(Options{})
			p.history = history{}
			p.next(smooth, nil)
			var whole []geometry.Transform
			for i := range p.plan {
				whole = append(whole, inverse(t, smooth[i]).Mul(p.transform(&p.plan[i])))
			}
			free, _, _ := show(Options{Borders: true})
			zoomed, _, _ := show(Options{Zoom: 1, MaxZoom: 1.3})
			online, _, _ := show(Options{Online: true})
			raw := slices.Repeat([]geometry.Transform{geometry.Identity()}, len(c.camera))
			before, borders, limited, best := unrest(c, raw), unrest(c, free), unrest(c, planned), unrest(c, whole)
			zoom, blind := unrest(c, zoomed), unrest(c, online)
			t.Logf("%-20s %.2f: %.2f with borders, %.2f within them, %.2f if planned at once, %.2f with a zoom of its own, %.2f online", c.name, before, borders, limited, best, zoom, blind)
			for k := range limited {
				require.LessOrEqual(t, limited[k], max(1.5*borders[k], 1.3*best[k])+0.01, "%s, number %d", c.name, k)
				require.LessOrEqual(t, zoom[k], 1.5*borders[k]+0.02, "%s, number %d", c.name, k)
			}
			// What comes cannot be known, so that single frames may jump.
			require.LessOrEqual(t, blind[0], 0.15*before[0], c.name)
			require.LessOrEqual(t, blind[1], before[1]*2/3, c.name)
		}
	}
}

// TestPathAfterCut checks that what comes before a cut does not matter after it.
func TestPathAfterCut(t *testing.T) {
	const cut = 40
	camera := takes(0)[1].camera
	for _, online := range []bool{false, true} {
		opts := Options{Online: online, SmoothingRadius: 10, Zoom: 1.03}
		opts.setDefaults()
		var p path
		p.init(&opts)
		show := func(first int) (list []Result) {
			p.begin(image.Pt(480, 320))
			for i := first; i < 2*cut; i++ {
				f := found{Cut, 100, 100, geometry.Identity()}
				if i != first && i != cut {
					f.status = Followed
					f.motion = p.center.Mul(inverse(t, camera[i])).Mul(camera[i-1]).Mul(p.origin)
				}
				p.add(f, 0)
				if r, ok := p.next(false); ok {
					list = append(list, r)
				}
			}
			for r, ok := p.next(true); ok; r, ok = p.next(true) {
				list = append(list, r)
			}
			return list
		}
		both := show(0)
		require.True(t, slices.ContainsFunc(both[cut:], func(r Result) bool { return r.Departure > 0 }))
		alone := show(cut)
		require.Len(t, alone, cut)
		for i := range alone {
			alone[i].Frame += cut
		}
		require.Equal(t, alone, both[cut:], "online %t", online)
	}
}

// TestPathAcrossGaps checks that a path goes on past blank frames and past glitches as if they had
// been followed and had not moved, and with Online past glitches as if they had not been there.
func TestPathAcrossGaps(t *testing.T) {
	const before, frames, radius = 30, 60, 10
	camera := takes(0)[1].camera
	// show returns the results of frames, some of which show something else, with a status that is
	// told at first.
	show := func(opts Options, gap int, status Status) (list []Result) {
		opts.SmoothingRadius, opts.Zoom = radius, 1.03
		opts.setDefaults()
		var p path
		p.init(&opts)
		p.begin(image.Pt(480, 320))
		for i := range frames {
			f := found{status: Cut, motion: geometry.Identity()}
			if i > 0 {
				f.status = Followed
				f.motion = p.center.Mul(inverse(t, camera[i])).Mul(camera[i-1]).Mul(p.origin)
			}
			bridged := 0
			if i == before {
				for range gap {
					p.add(found{status: status, motion: geometry.Identity()}, 0)
					if r, ok := p.next(false); ok {
						list = append(list, r)
					}
				}
				if status == Cut {
					bridged = gap
				}
			}
			p.add(f, bridged)
			if r, ok := p.next(false); ok {
				list = append(list, r)
			}
		}
		for r, ok := p.next(true); ok; r, ok = p.next(true) {
			list = append(list, r)
		}
		return list
	}
	for _, opts := range []Options{{}, {Borders: true}, {Online: true}, {Online: true, Borders: true}} {
		want := show(opts, 3, Followed)
		limited := slices.ContainsFunc(want[before+3:], func(r Result) bool { return r.Departure > 0.5 })
		require.Equal(t, !opts.Borders, limited)
		for i, r := range show(opts, 3, Blank) {
			require.Equal(t, want[i].Source, r.Source, "%+v: frame %d", opts, i)
		}
		glitches := show(opts, 3, Cut)
		if opts.Online {
			without := show(opts, 0, Cut)
			for i, r := range glitches[before+3:] {
				require.Equal(t, without[before+i].Source, r.Source, "%+v: frame %d after the gap", opts, i)
			}
			continue
		}
		tolerance := 1e-9
		if !opts.Borders {
			tolerance = 1 // pixel: plans do not forget what was planned before it was known that the path goes on
		}
		for i, r := range glitches {
			if known := i < before-radius || i >= before-radius+3; known {
				for k, v := range want[i].Source {
					require.InDelta(t, v, r.Source[k], tolerance, "%+v: frame %d", opts, i)
				}
			}
		}
	}
}

// TestPlanWithoutRoom checks what a plan becomes where both edges of a frame cannot be kept out
// of sight: the corner that was farthest beyond an edge touches it, and the next one is given up,
// however its share of the first one's force is rounded.
func TestPlanWithoutRoom(t *testing.T) {
	size := image.Pt(480, 320)
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		var p planner
		opts := Options{Zoom: 1 + 0.1*r.Float64(), Kind: geometry.Translation}
		opts.setDefaults()
		p.begin(middle(size), &opts)
		smaller := similarity(20*r.NormFloat64(), 0, 0, 0.5+0.3*r.Float64())
		p.next([]geometry.Transform{smaller, smaller, smaller}, nil)
		for _, d := range p.plan {
			require.Less(t, math.Abs(d[0]), 479., "%v", p.plan)
			require.Less(t, math.Abs(d[1]), 319., "%v", p.plan)
		}
	}
}

// TestHidesHorizon checks that corners behind the camera are not taken for corners within the
// frame, to which the transform takes them.
func TestHidesHorizon(t *testing.T) {
	opts := Options{}
	opts.setDefaults()
	p := path{opts: &opts, size: image.Pt(480, 320)}
	for _, c := range []struct {
		slope float64 // of what the coordinates are divided by
		hides bool
	}{{0, true}, {4, false}} {
		source := geometry.Transform{0: 0.5, 4: 0.5, 6: c.slope / 240, 8: 1}
		for _, corner := range corners(geometry.Point{X: 239.5 / opts.Zoom, Y: 159.5 / opts.Zoom}) {
			q := source.Apply(corner)
			require.Less(t, math.Abs(q.X), 239.5)
			require.Less(t, math.Abs(q.Y), 159.5)
		}
		correction := inverse(t, source)
		require.Equal(t, c.hides, p.hides(&correction))
	}
}
