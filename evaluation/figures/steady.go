package main

import (
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/internal/shaky"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/evaluation/internal/whole"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
)

// steadyPhotos are what the clips show.
var steadyPhotos = []string{"seeding_1920x1080.png", "picos_1280x720.png", "astronaut_512x512.png"}

// The ways to stabilize a clip, in the order of the columns. The first one does nothing, and
// wayWhole plans the path over all frames at once.
const (
	wayNone = iota
	wayOurs
	wayBorders
	wayOnline
	wayZoom
	wayWhole
	wayOpenCV
	wayVidStab // the first one
)

// smoothings are those of vid.stab.
var smoothings = [...]int{10, 15, 30}

var ways = [...]string{"input", "package stabilize", "Borders", "Online", "MaxZoom 1.3", "at once", "OpenCV *", "vid.stab 10 *", "vid.stab 15 *", "vid.stab 30 *"}

const (
	// sightExact is by how many pixels a corner may be beyond the edge of a frame where that
	// is known by a transform, and sightMarked where it is known by marks.
	sightExact, sightMarked = 1e-6, .1
	// tiny is what stands for a change that is less, in ratios.
	tiny = .02
	// ofBorders and ofWhole are how many times as large as with Borders, or with a path that
	// is planned at once, a change may be.
	ofBorders, ofWhole = 1.5, 1.3
)

// A trace is what is known of how a clip moves as it is shown.
type trace struct {
	changes []float64 // of the motion of the middle, in pixels of the photo
	bends   []float64 // by frame: how far points are from where one similarity takes them all
	edges   int       // frames that show what is beyond an edge
}

// three returns the median, the 95th percentile and the greatest of the changes.
func (t *trace) three() [3]float64 {
	return [3]float64{quantile(t.changes, .5), quantile(t.changes, .95), quantile(t.changes, 1)}
}

// traced returns the trace of a clip whose shown frames come from places of its frames.
func traced(c *shaky.Clip, sources []geometry.Transform, sight float64) trace {
	var t trace
	size := geometry.Point{X: float64(c.Size.X - 1), Y: float64(c.Size.Y - 1)}
	middle := geometry.Point{X: size.X / 2, Y: size.Y / 2}
	var at []geometry.Point
	for i, source := range sources {
		at = append(at, c.Place(i, source.Apply(middle)))
		var shown, places []geometry.Point
		for k := range 25 {
			p := geometry.Point{X: float64(k%5) / 4 * size.X, Y: float64(k/5) / 4 * size.Y}
			shown, places = append(shown, p), append(places, c.Place(i, source.Apply(p)))
		}
		t.bends = append(t.bends, bend(shown, places))
		beyond := false
		for k := range 4 {
			p := source.Apply(geometry.Point{X: float64(k%2) * size.X, Y: float64(k/2) * size.Y})
			beyond = beyond || !(min(p.X, p.Y, size.X-p.X, size.Y-p.Y) >= -sight)
		}
		if beyond {
			t.edges++
		}
	}
	for i := 2; i < len(at); i++ {
		if !slices.ContainsFunc(c.Begins, func(begin int) bool { return begin == i || begin == i-1 }) {
			t.changes = append(t.changes, math.Hypot(at[i].X-2*at[i-1].X+at[i-2].X, at[i].Y-2*at[i-1].Y+at[i-2].Y))
		}
	}
	return t
}

// bend returns the root mean square distance of points from where the similarity takes them that
// makes it least.
func bend(from, to []geometry.Point) float64 {
	var a, b geometry.Point
	n := float64(len(from))
	for i := range from {
		a.X, a.Y, b.X, b.Y = a.X+from[i].X/n, a.Y+from[i].Y/n, b.X+to[i].X/n, b.Y+to[i].Y/n
	}
	var dot, cross, squares, all float64
	for i := range from {
		x, y, u, v := from[i].X-a.X, from[i].Y-a.Y, to[i].X-b.X, to[i].Y-b.Y
		dot, cross, squares, all = dot+x*u+y*v, cross+x*v-y*u, squares+x*x+y*y, all+u*u+v*v
	}
	return math.Sqrt(max(all-(dot*dot+cross*cross)/squares, 0) / n)
}

// A steadied clip is what all ways made of it.
type steadied struct {
	traces [len(ways)]trace
	// white counts the pixels that package stabilize shows of what is beyond a frame.
	white int
	// cuts are the scenes that were found to begin, but the first, and wrong are those of them
	// that do not, and those that were not found.
	cuts, wrong int
}

// sourcesOf returns where the pixels of stabilized frames come from.
func sourcesOf(results []stabilize.Result) (list []geometry.Transform) {
	for _, r := range results {
		list = append(list, r.Source)
	}
	return list
}

// marked returns where the pixels of frames come from, as their marks say.
func marked(v *peers.Video) (list []geometry.Transform) {
	for _, f := range v.Frames {
		list = append(list, shaky.Marked(f))
	}
	return list
}

// filmed returns the video of a clip, with marks.
func filmed(c *shaky.Clip) *peers.Video {
	v := peers.NewVideo(c.Size, c.Frames, stabilize.Options{})
	shaky.Mark(v.Frames[0])
	for i, f := range v.Frames {
		c.Render(&image.Gray{Pix: f.Y, Stride: f.YStride, Rect: f.Rect}, i)
		copy(f.Cb, v.Frames[0].Cb)
		copy(f.Cr, v.Frames[0].Cr)
	}
	return v
}

// steady stabilizes a clip in all ways. The lock is that of the peers.
func steady(c *shaky.Clip, p *peers.Peers, lock *sync.Mutex) (*steadied, error) {
	v := filmed(c)
	out := new(steadied)
	results := func(opts stabilize.Options) []stabilize.Result {
		with := *v
		with.Options = peers.Must(stabilize.New(opts)).Options()
		return peers.Results(&with)
	}
	ours, smooth := results(stabilize.Options{}), results(stabilize.Options{Borders: true})
	out.traces[wayOurs] = traced(c, sourcesOf(ours), sightExact)
	out.traces[wayBorders] = traced(c, sourcesOf(smooth), sightExact)
	out.white = seen(c.Size, ours)
	for way, opts := range map[int]stabilize.Options{wayOnline: {Online: true}, wayZoom: {MaxZoom: 1.3}} {
		r := results(opts)
		out.traces[way] = traced(c, sourcesOf(r), sightExact)
		out.white += seen(c.Size, r)
	}
	out.traces[wayNone] = traced(c, slices.Repeat([]geometry.Transform{geometry.Identity()}, c.Frames), sightExact)
	for i, r := range ours {
		if r.Status == stabilize.Cut && i > 0 {
			out.cuts++
			if !slices.Contains(c.Begins, i) {
				out.wrong++
			}
		}
	}
	for _, i := range c.Begins[1:] {
		if ours[i].Status != stabilize.Cut {
			out.wrong++
		}
	}

	var planned []geometry.Transform
	for i := 0; i < len(smooth); {
		begin := i
		for i++; i < len(smooth) && smooth[i].Status != stabilize.Cut; i++ {
		}
		planned = append(planned, whole.Plan(sourcesOf(smooth[begin:i]), c.Size, v.Options.Zoom)...)
	}
	out.traces[wayWhole] = traced(c, planned, sightExact)

	lock.Lock()
	theirs, _ := p.Stabilized(v)
	lock.Unlock()
	out.traces[wayOpenCV] = traced(c, marked(theirs), sightMarked)
	if hasVidStab() {
		list, _, err := vidStabs(v, smoothings[:]...)
		if err != nil {
			return nil, err
		}
		for i, shown := range list {
			out.traces[wayVidStab+i] = traced(c, marked(shown), sightMarked)
		}
	}
	return out, nil
}

// noise returns by how much marks make the changes of package stabilize larger or smaller.
func (r *steadied) noise(c *shaky.Clip) (list []float64) {
	read := traced(c, marked(peers.Stabilized(filmed(c))), sightMarked)
	for i, change := range read.changes {
		list = append(list, math.Abs(change-r.traces[wayOurs].changes[i]))
	}
	return list
}

// seen returns how many pixels of what is beyond white frames can be seen.
func seen(size image.Point, results []stabilize.Result) (n int) {
	white, shown := image.NewGray(image.Rectangle{Max: size}), image.NewGray(image.Rectangle{Max: size})
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	w := peers.Must(warp.New(warp.Options{Border: border.Constant}))
	for _, r := range results {
		w.Gray(shown, white, warp.Of(r.Source))
		for _, v := range shown.Pix {
			if v != 255 {
				n++
			}
		}
	}
	return n
}

// Of clips there is one of each kind, photo and seed.
type clips struct {
	kinds        []shaky.Kind
	size         image.Point
	frames       int
	photos       []*image.Gray
	shown, seeds int // how many of the photos are shown first, and with how many seeds
}

// newClips returns those that are compared.
func newClips(quick bool) (*clips, error) {
	l := &clips{shaky.Kinds, image.Pt(480, 320), 200, nil, len(steadyPhotos), 3}
	if quick {
		l.kinds = l.kinds[len(l.kinds)-3:]
		l.size, l.frames, l.shown, l.seeds = image.Pt(160, 120), 12, 1, 1
	}
	for _, name := range steadyPhotos {
		photo, err := tree.Photo(name)
		if err != nil {
			return nil, err
		}
		l.photos = append(l.photos, photo)
	}
	return l, nil
}

// of returns a clip of a kind.
func (l *clips) of(kind, run int) *shaky.Clip {
	return shaky.New(l.kinds[kind], l.photos, run/l.seeds, uint64(run%l.seeds), l.size, l.frames)
}

// steadied returns what all ways make of the clips, by kind. It shares them among two goroutines.
func (l *clips) steadied(s *session, p *peers.Peers) ([][]*steadied, error) {
	each := l.shown * l.seeds
	all := make([][]*steadied, len(l.kinds))
	for i := range all {
		all[i] = make([]*steadied, each)
	}
	s.steps(len(all) * each)
	var lock, peersLock sync.Mutex
	var wait sync.WaitGroup
	var failed error
	jobs := make(chan int)
	for range 2 {
		wait.Go(func() {
			for i := range jobs {
				done, err := steady(l.of(i/each, i%each), p, &peersLock)
				lock.Lock()
				all[i/each][i%each] = done
				if err != nil {
					failed = err
				}
				s.step()
				lock.Unlock()
			}
		})
	}
	for i := range len(all) * each {
		jobs <- i
	}
	close(jobs)
	wait.Wait()
	return all, failed
}

// cellOf returns a cell with three changes.
func cellOf(three [3]float64) string {
	return fmt.Sprintf("%.2f / %.2f / %.1f", three[0], three[1], three[2])
}

// overRuns returns the medians over the runs of what is said of them, and the greatest.
func overRuns(runs []*steadied, of func(r *steadied) [3]float64) (median, most [3]float64) {
	for k := range median {
		var list []float64
		for _, r := range runs {
			list = append(list, of(r)[k])
		}
		median[k], most[k] = measure.Median(list), slices.Max(list)
	}
	return median, most
}

// times returns how many times as large as those of another way the changes of ours are.
func times(r *steadied, other int) (list [3]float64) {
	a, b := r.traces[wayOurs].three(), r.traces[other].three()
	for k := range list {
		list[k] = a[k] / max(b[k], tiny)
	}
	return list
}

// within reports for how many of the three changes ours are as small as they should be.
func within(r *steadied) (n int) {
	a, b := times(r, wayBorders), times(r, wayWhole)
	for k := range a {
		if a[k] <= ofBorders || b[k] <= ofWhole {
			n++
		}
	}
	return n
}

// compareSteadiness compares how smooth the paths of package stabilize are with what others make of
// clips whose motion is known.
func compareSteadiness(s *session, p *peers.Peers) (map[string][]byte, error) {
	l, err := newClips(s.quick)
	if err != nil {
		return nil, err
	}
	return l.compare(s, p)
}

// compare compares what all ways make of the clips.
func (l *clips) compare(s *session, p *peers.Peers) (map[string][]byte, error) {
	all, err := l.steadied(s, p)
	if err != nil {
		return nil, err
	}
	shown := ways[:]
	if !hasVidStab() {
		shown = ways[:wayVidStab]
	}
	var changes, ratios, bends, sights [][]string
	var noise []float64
	var behind []string
	white := 0
	for i, kind := range l.kinds {
		runs := all[i]
		row, sight := []string{kind.Name}, []string{kind.Name}
		best, by := math.Inf(1), ""
		var own float64
		for way, name := range shown {
			median, most := overRuns(runs, func(r *steadied) [3]float64 { return r.traces[way].three() })
			row = append(row, cellOf([3]float64{median[0], median[1], most[2]}))
			if way == wayOurs {
				own = median[1]
			}
			if way >= wayOpenCV && median[1] < best {
				best, by = median[1], strings.TrimSuffix(name, " *")
			}
			edges, frames := 0, 0
			for _, r := range runs {
				edges, frames = edges+r.traces[way].edges, frames+len(r.traces[way].bends)
			}
			if way > wayNone {
				sight = append(sight, fmt.Sprintf("%.1f", 100*float64(edges)/float64(frames)))
			}
		}
		changes, sights = append(changes, row), append(sights, sight)
		if own > best {
			behind = append(behind, fmt.Sprintf("%s (%.2f, %s %.2f)", kind.Name, own, by, best))
		}
		borders, mostBorders := overRuns(runs, func(r *steadied) [3]float64 { return times(r, wayBorders) })
		bound, mostBound := overRuns(runs, func(r *steadied) [3]float64 { return times(r, wayWhole) })
		good, cuts, wrong := 0, 0, 0
		for _, r := range runs {
			good, cuts, wrong, white = good+within(r), cuts+r.cuts, wrong+r.wrong, white+r.white
		}
		noise = append(noise, runs[0].noise(l.of(i, 0))...)
		ratios = append(ratios, []string{
			kind.Name, cellOf(borders), cellOf(mostBorders), cellOf(bound), cellOf(mostBound),
			fmt.Sprintf("%d of %d", good, 3*len(runs)), fmt.Sprint(cuts), fmt.Sprint(wrong),
		})
		if kind.Readout > 0 {
			row := []string{kind.Name}
			for way := range shown {
				median, _ := overRuns(runs, func(r *steadied) [3]float64 {
					return [3]float64{quantile(r.traces[way].bends, .5), quantile(r.traces[way].bends, .95)}
				})
				row = append(row, fmt.Sprintf("%.2f / %.2f", median[0], median[1]))
			}
			bends = append(bends, row)
		}
	}
	list := "In every row the 95th percentile of package stabilize is less than that of OpenCV's parts and of vid.stab."
	if len(behind) > 0 {
		list = "Others have a smaller 95th percentile than package stabilize in: " + strings.Join(behind, ", ") + "."
	}
	videos, err := realVideos(s, p)
	if err != nil {
		return nil, err
	}
	header := append([]string{"clip"}, shown...)
	return map[string][]byte{"steady.md": s.page("How smooth stabilized videos are", measure.UsualClock(), append([]string{
		fmt.Sprintf("Clips of %dx%d pixels and %d frames, of %d kinds, each of three photos (%s) and with three seeds. A camera whose motion is known looks at a photo, "+
			"which goes on beyond its edges as in a mirror. With a rolling shutter, rows are taken one after the other, over 0.8 of the time from frame to frame. "+
			"Package [shaky](../internal/shaky) makes them.", l.size.X, l.size.Y, l.frames, len(l.kinds), strings.Join(steadyPhotos, ", ")),
		"All enlarge by 1.1, but `MaxZoom` by up to 1.3 where that is needed. Package stabilize has its defaults, `Borders`, `Online`, or `MaxZoom`. \"At once\" is the bound for what keeps the edges out of sight: the path that departs least from the " +
			"smooth one, by the same measure as that of package stabilize, planned over all frames of a scene at once, by [an interior point method](../internal/whole) " +
			"that shares no code with it. OpenCV is the same method written in C++, whose smooth path is a mean over 30 frames before and after. " +
			"vid.stab has three values of its option smoothing, and optzoom=0. The peers are " + peers.Versions() + ", " + peers.VersionOfFFmpeg() + ".",
		"## Changes of motion",
		"By how many pixels the motion of what the middle of the picture shows changes from frame to frame: the second difference of its place in the photo, by the true motion of the camera. " +
			"Median over the frames / 95th percentile / greatest; of the first two the median over the nine clips, and the greatest of all. Changes at cuts do not count. " +
			"`Borders`, OpenCV and vid.stab may show what is beyond the edges.",
		table(1, header, changes), list,
		fmt.Sprintf("Where frames come from is known to the bit for package stabilize. For others (*) the planes of chroma, which are not looked at for motion, have marks that tell it. "+
			"For the frames of package stabilize they make the changes wrong by %.3f pixels at the median, and %.3f at the 95th percentile.", quantile(noise, .5), quantile(noise, .95)),
		"## Package stabilize, its smooth path, and the bound",
		fmt.Sprintf("How many times as large as with `Borders`, and as with a path that is planned at once, the changes are: median / 95th percentile / greatest, the median over the nine clips and the "+
			"greatest. %.2f pixels stand for changes that are less. Good are those that are at most %.1f times those with `Borders` or %.1f times those planned at once. "+
			"Cuts are those found, and wrong those found elsewhere and those not found.", tiny, ofBorders, ofWhole),
		table(1, []string{"clip", "of Borders", "at most", "of at once", "at most", "good", "cuts", "wrong"}, ratios),
		"## Edges in sight",
		fmt.Sprintf("The share of frames in which a corner is from beyond the edges, in percent (by more than %.1f pixels for those with marks). "+
			"Of white frames before a black background, package stabilize shows %d pixels that are not white, in all clips, by its defaults, with `Online` and with `MaxZoom`.", sightMarked, white),
		table(1, slices.Concat(header[:1], header[2:]), sights),
		"## Rolling shutters",
		"How far 25 points all over the picture are from where the best similarity takes them from the photo, in pixels: the root mean square, median over the frames / 95th percentile.",
		table(1, header, bends),
	}, videos...)...)}, nil
}

// A realVideo is one of a package of Debian's.
type realVideo struct{ name, file, about string }

var vispVideos = "/usr/share/visp-images-data/ViSP-images"

var realOnes = []realVideo{
	{"Megamind.avi", filepath.Join(sampleVideos, "Megamind.avi"), "opencv-doc: a trailer with cuts and titles"},
	{"vtest.avi", filepath.Join(sampleVideos, "vtest.avi"), "opencv-doc: people, the camera stands still"},
	{"tree.avi", filepath.Join(sampleVideos, "tree.avi"), "opencv-doc: a tree, the camera stands still"},
	{"cube.mpeg", filepath.Join(vispVideos, "video", "cube.mpeg"), "visp-images-data: a camera that moves over a poster"},
	{"mbt/cube", filepath.Join(vispVideos, "mbt", "cube", "image%04d.pgm"), "visp-images-data: a camera that moves over a desk"},
}

// realVideos returns the part of the page on real videos, if there are any.
func realVideos(s *session, p *peers.Peers) ([]string, error) {
	list := stabilizers(p)
	header := []string{"video", "of", "size", "frames", "before"}
	for _, by := range list {
		header = append(header, by.name)
	}
	var rows [][]string
	for _, r := range realOnes {
		if _, err := os.Stat(strings.Replace(r.file, "%04d", "0000", 1)); err != nil || s.quick {
			continue
		}
		v, err := decoded(r.file, 200)
		if err != nil {
			return nil, err
		}
		row := []string{r.name, r.about, fmt.Sprintf("%dx%d", v.Size.X, v.Size.Y), fmt.Sprint(len(v.Frames)), cellOf(shake(v))}
		for _, by := range list {
			out, err := by.do(v)
			if err != nil {
				return nil, err
			}
			row = append(row, cellOf(shake(out)))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return []string{
		"## Real videos",
		"Changes of the motion of the middle from frame to frame, as package stabilize finds it in the frames that come out: median / 95th percentile / greatest, in pixels.",
		table(2, header, rows),
	}, nil
}

// shake returns three numbers on the changes of the motion of the middle.
func shake(v *peers.Video) [3]float64 {
	var t trace
	list := peers.Motions(v)
	for i := 2; i < len(list); i++ {
		t.changes = append(t.changes, math.Hypot(list[i].DX-list[i-1].DX, list[i].DY-list[i-1].DY))
	}
	return t.three()
}
