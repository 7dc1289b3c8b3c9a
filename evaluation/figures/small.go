package main

import (
	"fmt"
	"image"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/vpi"
)

// A smallCall is a call whose time is measured for little work and for much.
type smallCall struct {
	name string
	new  func() // makes what is called
	// do does work of a size, of which units returns how much there is. The last size is the large
	// one.
	do    func(size int)
	units [3]float64
}

// smallSizes are those of images.
var smallSizes = [3]image.Point{{64, 64}, {160, 120}, {640, 480}}

// smallFrames is the number of frames of each size, which take turns.
const smallFrames = 16

// onImages returns a call on images: make returns what is called, as New has made it.
func (s *session) onImages(name string, make func() func(img *image.Gray)) smallCall {
	c := smallCall{name: name, new: func() { make() }}
	call, next := make(), 0
	var images [3][]*image.Gray
	for i, size := range smallSizes {
		images[i] = frames.Make(s.photos, size.X, size.Y, smallFrames)
		c.units[i] = float64(size.X * size.Y)
	}
	c.do = func(size int) {
		next++
		call(images[size][next%smallFrames])
	}
	return c
}

// trackingCall returns the calls of package flow.
func (s *session) trackingCall() smallCall {
	make := func() *flow.Tracker { return peers.Must(flow.New(flow.Options{})) }
	t := make()
	img := frames.Make(s.photos, 640, 480, 1)[0]
	points := flow.Points(peers.Must(harris.New(harris.GoodFeatures(500, .01, 5))).Detect(img, nil))
	p := t.Pyramid(img)
	counts := [3]int{1, 10, len(points)}
	var tracks []flow.Track
	c := smallCall{name: "flow: Track, ready pyramids", new: func() { make() }, do: func(size int) {
		tracks = t.AppendTrack(tracks[:0], p, p, points[:counts[size]], nil)
	}}
	for i, n := range counts {
		c.units[i] = float64(n)
	}
	return c
}

// matchingCall returns the calls of package match.
func (s *session) matchingCall() smallCall {
	make := func() *match.Matcher[match.Descriptor] {
		return peers.Must(match.New[match.Descriptor](match.Options{}))
	}
	m := make()
	e := peers.Must(orb.New(orb.Options{Features: 1000}))
	_, descs := e.Extract(s.photos[0], nil)
	counts := [3]int{10, 50, len(descs)}
	var matches []match.Match
	c := smallCall{name: "match: Match", new: func() { make() }, do: func(size int) {
		n := counts[size]
		matches = m.Append(matches[:0], descs[:n], descs[len(descs)-n:])
	}}
	for i, n := range counts {
		c.units[i] = float64(n * n)
	}
	return c
}

// smallCalls returns the calls.
func (s *session) smallCalls() []smallCall {
	return []smallCall{
		s.onImages("fast: Append, FAST-9 with suppression", func() func(*image.Gray) {
			return peers.Must(measure.Detector(fast.Options{ArcLength: 9, Threshold: 25, NonmaxSuppression: true}))
		}),
		s.onImages("vpi: Append", func() func(*image.Gray) {
			d := peers.Must(vpi.New(vpi.Options{Threshold: 25}))
			var corners []vpi.Corner
			return func(img *image.Gray) { corners = d.Append(corners[:0], img) }
		}),
		s.onImages("harris: Append, good features", func() func(*image.Gray) {
			return newHarris(harris.GoodFeatures(1000, .01, 10))
		}),
		s.onImages("lococo: Append", func() func(*image.Gray) {
			return newDetector[lococo.Corner](peers.Must(lococo.New(lococo.Options{})))
		}),
		s.onImages("orb: Append, 500 features", func() func(*image.Gray) {
			return newExtractor[match.Descriptor](peers.Must(orb.New(orb.Options{})))
		}),
		s.onImages("sift: Append", func() func(*image.Gray) {
			return newExtractor[match.Vector](peers.Must(sift.New(sift.Options{})))
		}),
		s.onImages("flow: PyramidInto", func() func(*image.Gray) {
			t := peers.Must(flow.New(flow.Options{}))
			p := new(flow.Pyramid)
			return func(img *image.Gray) { t.PyramidInto(p, img) }
		}),
		s.trackingCall(),
		s.matchingCall(),
	}
}

// smallRow returns the row of a call: microseconds for New, for a small and a larger call, each with
// what is left without the work, and for a large one; and the clock in GHz.
func (s *session) smallRow(c smallCall, rounds int) (row []string, ghz float64) {
	// New is done often enough to be measured.
	const news = 16
	contenders := []func(int){func(int) {
		for range news {
			c.new()
		}
	}}
	repeats := [3]int{16 * smallFrames, 4 * smallFrames, smallFrames / 4}
	for size := range c.units {
		contenders = append(contenders, func(int) {
			for range repeats[size] {
				c.do(size)
			}
		})
	}
	r := measure.Race(contenders, []int{0}, 1, rounds, s.step)
	s.spreads = append(s.spreads, r.Spread...)
	unit := r.Nanoseconds[3] / float64(repeats[2]) / c.units[2]
	row = []string{fmt.Sprintf("%.2f", r.Nanoseconds[0]/news/1e3)}
	for size := range 2 {
		ns := r.Nanoseconds[1+size] / float64(repeats[size])
		row = append(row, fmt.Sprintf("%.2f ± %.0f %%", ns/1e3, 100*r.Spread[1+size]), fmt.Sprintf("%.2f", (ns-unit*c.units[size])/1e3))
	}
	return append(row, fmt.Sprintf("%.1f ± %.0f %%", r.Nanoseconds[3]/float64(repeats[2])/1e3, 100*r.Spread[3])), r.GHz
}

// small measures calls with little work.
func small(s *session) (map[string][]byte, error) {
	rounds := 15
	if s.quick {
		rounds = 3
	}
	sets := bestSets()
	rows := make([][][]string, len(sets))
	ghz := 0.0
	for i, set := range sets {
		restore := cpu.Limit(set.Set)
		calls := s.smallCalls()
		s.steps(len(calls) * (rounds + 1))
		for _, c := range calls {
			var row []string
			row, ghz = s.smallRow(c, rounds)
			rows[i] = append(rows[i], append([]string{c.name, set.Name}, row...))
		}
		restore()
	}
	var byCall [][]string
	for i := range rows[0] {
		for k := range rows {
			byCall = append(byCall, rows[k][i])
		}
	}
	return map[string][]byte{"small.md": s.page("What calls with little work cost", ghz,
		"Microseconds for New, for a small and a larger call, and for a large one: images of 64x64, 160x120 and 640x480 pixels, other frames each time; 1, 10 and "+
			"500 points to track; sets of 10, 50 and 1000 descriptors to match. Medians over the rounds, followed by their spread (±). \"Beside\" is what is left of the time without "+
			"the work, which is counted as in the large call: by pixels, points, or pairs. Edges, and work that small images have more of, count as beside, and so do features of ORB, of "+
			"which a small image has as many as it can. All memory is there from the calls before, in the second and later of which nothing is allocated.",
		table(2, []string{"call", nameColumn, "New", "small", "beside", "larger", "beside", "large"}, byCall))}, nil
}
