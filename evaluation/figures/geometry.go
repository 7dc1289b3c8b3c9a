package main

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/internal/views"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
)

const (
	// inlierThreshold is the threshold of all estimators, in pixels.
	inlierThreshold = 3
	// wrongFrom is the error of a transform, in pixels, from which on it is wrong.
	wrongFrom = 10
)

// A scene makes pairs of points of which some are right.
type scene struct {
	name   string
	kind   geometry.Kind
	pairs  int
	right  float64 // share
	wrong  func(rng *rand.Rand, truth geometry.Transform, i int) (a, b geometry.Point)
	trials int
}

// A trial is the pairs of a scene with the transform of the right ones.
type trial struct {
	truth geometry.Transform
	size  image.Point // of the image of a
	a, b  []geometry.Point
}

// sceneSize is the size of the images of scenes.
var sceneSize = image.Pt(640, 480)

// somewhere returns a point of an image of a scene.
func somewhere(rng *rand.Rand) geometry.Point {
	return geometry.Point{X: rng.Float64() * float64(sceneSize.X), Y: rng.Float64() * float64(sceneSize.Y)}
}

// unrelated returns points that have nothing to do with each other.
func unrelated(rng *rand.Rand, _ geometry.Transform, _ int) (a, b geometry.Point) {
	return somewhere(rng), somewhere(rng)
}

// grouped returns points of 12 groups in each image, as keypoints have them.
func grouped(rng *rand.Rand, _ geometry.Transform, _ int) (a, b geometry.Point) {
	in := func(image uint64) geometry.Point {
		centers := rand.New(rand.NewPCG(image, rng.Uint64N(12)))
		c := somewhere(centers)
		return geometry.Point{X: c.X + 4*rng.NormFloat64(), Y: c.Y + 4*rng.NormFloat64()}
	}
	return in(1), in(2)
}

// otherMotion returns points of another motion, for two of three pairs that are wrong.
func otherMotion(rng *rand.Rand, truth geometry.Transform, i int) (a, b geometry.Point) {
	if i%3 == 0 {
		return unrelated(rng, truth, i)
	}
	p := somewhere(rng)
	q := views.Translation(60, -35).Mul(truth).Apply(p)
	return jittered(rng, p), jittered(rng, q)
}

// jittered returns p with noise of 1 pixel.
func jittered(rng *rand.Rand, p geometry.Point) geometry.Point {
	return geometry.Point{X: p.X + rng.NormFloat64(), Y: p.Y + rng.NormFloat64()}
}

// transform returns a random transform of a kind.
func transform(rng *rand.Rand, kind geometry.Kind) geometry.Transform {
	about := func(v, spread float64) float64 { return v + spread*(2*rng.Float64()-1) }
	t := geometry.Transform{
		about(1, .4), about(0, .4), about(0, 120),
		about(0, .4), about(1, .4), about(0, 90),
		about(0, 3.3e-4), about(0, 3.3e-4), 1,
	}
	if kind != geometry.Homography {
		t[6], t[7] = 0, 0
	}
	if kind == geometry.Rigid {
		scale := math.Hypot(t[0], t[3])
		t[0], t[3] = t[0]/scale, t[3]/scale
	}
	if kind <= geometry.Similarity {
		t[4], t[1] = t[0], -t[3]
	}
	return t
}

// make returns the pairs of a trial.
func (c *scene) make(rng *rand.Rand) trial {
	t := trial{truth: transform(rng, c.kind), size: sceneSize}
	order := rng.Perm(c.pairs) // since OpenCV draws the same samples every time
	t.a, t.b = make([]geometry.Point, c.pairs), make([]geometry.Point, c.pairs)
	for i, at := range order {
		var a, b geometry.Point
		if int(float64(i+1)*c.right+1e-9) > int(float64(i)*c.right+1e-9) {
			p := somewhere(rng)
			a, b = jittered(rng, p), jittered(rng, t.truth.Apply(p))
		} else {
			a, b = c.wrong(rng, t.truth, i)
		}
		t.a[at], t.b[at] = a, b
	}
	return t
}

// A sceneList is a list of scenes.
type sceneList []scene

func (list *sceneList) add(kind geometry.Kind, name string, wrong func(*rand.Rand, geometry.Transform, int) (a, b geometry.Point), pairs int, shares ...float64) {
	trials := map[int]int{20: 100, 100: 100, 500: 40, 5000: 12}[pairs]
	for _, share := range shares {
		*list = append(*list, scene{name, kind, pairs, share, wrong, trials})
	}
}

// addAll adds the scenes of a kind that few pairs determine.
func (list *sceneList) addAll(kind geometry.Kind) {
	for _, pairs := range []int{100, 500, 5000} {
		list.add(kind, "unrelated", unrelated, pairs, .9, .5, .2)
	}
	list.add(kind, "another motion", otherMotion, 500, .6)
}

// scenes returns all scenes but those without scale.
func scenes() sceneList {
	var list sceneList
	add, h := list.add, geometry.Homography
	add(h, "unrelated", unrelated, 20, .9, .6)
	add(h, "unrelated", unrelated, 100, .9, .5, .3)
	add(h, "unrelated", unrelated, 500, .9, .5, .2, .1)
	add(h, "unrelated", unrelated, 5000, .5, .2, .1)
	add(h, "in groups", grouped, 500, .5, .2)
	add(h, "another motion", otherMotion, 500, .6, .5)
	list.addAll(geometry.Affine)
	list.addAll(geometry.Similarity)
	return list
}

// rigidScenes returns the scenes without scale.
func rigidScenes() sceneList {
	var list sceneList
	list.add(geometry.Rigid, "unrelated", unrelated, 20, .9, .6)
	list.addAll(geometry.Rigid)
	return list
}

// An estimator finds transforms.
type estimator struct {
	name     string
	estimate func(kind geometry.Kind, a, b []geometry.Point) (t geometry.Transform, ok bool)
	supports func(kind geometry.Kind) bool
	// timed is set where all but the time is that of another estimator.
	timed bool
}

// columns returns what a table has of what an estimator or its record has. The last one is the time.
func (e *estimator) columns(all []string) []string {
	if e.timed {
		return all[len(all)-1:]
	}
	return all
}

// header returns the header of a table: its first columns, and those of the estimators.
func header(first []string, list []estimator) []string {
	for _, e := range list {
		own := e.columns([]string{"error", "failed", "µs"})
		first = append(append(first, e.name+": "+own[0]), own[1:]...)
	}
	return first
}

// anyKind supports all kinds.
func anyKind(geometry.Kind) bool { return true }

// ours returns package geometry.
func ours() estimator {
	made := map[geometry.Kind]*geometry.Estimator{}
	for kind := geometry.Translation; kind <= geometry.Homography; kind++ {
		made[kind] = peers.Must(geometry.New(geometry.Options{Kind: kind, InlierThreshold: inlierThreshold}))
	}
	var inliers []bool
	return estimator{
		"package geometry",
		func(kind geometry.Kind, a, b []geometry.Point) (geometry.Transform, bool) {
			inliers = slices.Grow(inliers[:0], len(a))[:len(a)]
			fit, err := made[kind].Estimate(a, b, nil, inliers)
			return fit.Transform, err == nil
		},
		anyKind,
		false,
	}
}

// oursWithAVX2 returns package geometry with no more of the processor than AVX2, if it has more.
func oursWithAVX2() []estimator {
	for _, set := range peers.Sets("geometry")[1:] {
		if set.Name == "avx2" {
			e := ours()
			return []estimator{{"package geometry with AVX2", func(kind geometry.Kind, a, b []geometry.Point) (geometry.Transform, bool) {
				defer cpu.Limit(set.Set)()
				return e.estimate(kind, a, b)
			}, anyKind, true}}
		}
	}
	return nil
}

// rigidEstimators returns package geometry with and without scale, and OpenCV, which finds no
// transform without scale.
func rigidEstimators(p *peers.Peers) []estimator {
	rigid, similarity := ours(), ours()
	return []estimator{
		{"Rigid", rigid.estimate, anyKind, false},
		{"Similarity", func(_ geometry.Kind, a, b []geometry.Point) (geometry.Transform, bool) {
			return similarity.estimate(geometry.Similarity, a, b)
		}, anyKind, false},
		{"estimateAffinePartial2D", func(_ geometry.Kind, a, b []geometry.Point) (geometry.Transform, bool) {
			return p.Estimate(geometry.Similarity, peers.RANSAC, inlierThreshold, a, b)
		}, anyKind, false},
	}
}

// estimators returns package geometry, the same with AVX2, and OpenCV's.
func estimators(p *peers.Peers) []estimator {
	list := append([]estimator{ours()}, oursWithAVX2()...)
	for _, m := range peers.Methods {
		list = append(list, estimator{
			m.String(),
			func(kind geometry.Kind, a, b []geometry.Point) (geometry.Transform, bool) {
				return p.Estimate(kind, m, inlierThreshold, a, b)
			},
			func(kind geometry.Kind) bool { return kind != geometry.Similarity || m == peers.RANSAC },
			false,
		})
	}
	return list
}

// A record has what an estimator made of the trials of a scene.
type record struct {
	errors, times  []float64 // in pixels, those of wrong ones included, and in microseconds
	inliers        []float64 // the share of the right pairs within the threshold
	refused, wrong int
}

// add has an estimator do a trial.
func (r *record) add(e estimator, kind geometry.Kind, t trial) {
	start := time.Now()
	found, ok := e.estimate(kind, t.a, t.b)
	r.times = append(r.times, float64(time.Since(start).Nanoseconds())/1000)
	if !ok {
		r.refused++
		return
	}
	miss := t.miss(found)
	if !(miss < wrongFrom) {
		r.wrong++
	}
	r.errors = append(r.errors, miss)
	r.inliers = append(r.inliers, t.reached(found))
}

// reached returns the share of the right pairs that a transform maps to within the threshold.
func (t *trial) reached(found geometry.Transform) float64 {
	within, right := 0, 0
	for i, p := range t.a {
		distance := func(m geometry.Transform) float64 {
			q := m.Apply(p)
			return math.Hypot(q.X-t.b[i].X, q.Y-t.b[i].Y)
		}
		if distance(t.truth) > inlierThreshold {
			continue
		}
		right++
		if distance(found) <= inlierThreshold {
			within++
		}
	}
	return float64(within) / float64(max(right, 1))
}

// miss returns the root mean square distance between where a transform maps points of the
// image and where they belong.
func (t *trial) miss(found geometry.Transform) float64 {
	const n = 8
	sum := 0.0
	for i := range n * n {
		p := geometry.Point{X: (float64(i%n) + .5) / n * float64(t.size.X), Y: (float64(i/n) + .5) / n * float64(t.size.Y)}
		q, r := found.Apply(p), t.truth.Apply(p)
		sum += (q.X-r.X)*(q.X-r.X) + (q.Y-r.Y)*(q.Y-r.Y)
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return math.Sqrt(sum / n / n)
}

// quantile returns the element that a share of the list is less than.
func quantile(list []float64, share float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(share*float64(len(sorted)-1)+.5)]
}

// cells returns the cells of the table for a record.
func (r *record) cells() []string {
	if len(r.times) == 0 {
		return []string{"", "", ""}
	}
	text := "-"
	if len(r.errors) > 0 {
		text = fmt.Sprintf("%.2f, %.2f", quantile(r.errors, .5), quantile(r.errors, .9))
	}
	return []string{text, fmt.Sprintf("%d, %d", r.refused, r.wrong), timeOfTrials("%.0f", r.times)}
}

// timeOfTrials returns the median of the times of trials and their spread, which is of nothing if
// they are few.
func timeOfTrials(format string, times []float64) string {
	median, spread := measure.MedianSpread(times)
	text := fmt.Sprintf(format, median)
	if len(times) > 2 {
		text += fmt.Sprintf(" ± %.0f %%", 100*spread)
	}
	return text
}

// race has the estimators do all trials, in turns, and returns their records.
func race(list []estimator, kind geometry.Kind, trials []trial) []record {
	records := make([]record, len(list))
	for n, t := range trials {
		for k := range list {
			i := (n + k) % len(list)
			if list[i].supports(kind) {
				if n == 0 {
					list[i].estimate(kind, t.a, t.b) // its memory
				}
				records[i].add(list[i], kind, t)
			}
		}
	}
	return records
}

// warpedPhotos are the views for pairs of ORB keypoints.
func warpedPhotos() []view {
	noise := func(value float64, rng *rand.Rand) float64 { return .7*value + 20 + 8*rng.NormFloat64() }
	return []view{
		{"rotation by 15°, noise and gain", views.Rotation(15), 1, noise},
		{"scale 0.8, rotation by 40°, noise and gain", views.Rotation(40).Mul(views.Scaling(.8)), .8, noise},
		{"tilt by 40°, noise and gain", views.Tilt(40), 1, noise},
		{"tilt by 50°, rotation by 30°, noise and gain", views.Rotation(30).Mul(views.Tilt(50)), 1, noise},
		{"tilt by 30°, blur, noise and gain", views.Tilt(30), 1, noise},
	}
}

// blurred returns the image after a binomial filter of 5 by 5 pixels.
func blurred(img *image.Gray) *image.Gray {
	blur := func(img *image.Gray, step int) *image.Gray {
		out := image.NewGray(img.Rect)
		for i := range img.Pix {
			sum := 8
			for k, weight := range []int{1, 4, 6, 4, 1} {
				sum += weight * int(img.Pix[min(max(i+(k-2)*step, 0), len(img.Pix)-1)])
			}
			out.Pix[i] = uint8(sum / 16)
		}
		return out
	}
	return blur(blur(img, 1), img.Stride)
}

// photoTrials returns pairs of matched keypoints of photos and their views.
func (s *session) photoTrials(v view, photos []*image.Gray) []trial {
	e := peers.Must(orb.New(orb.Options{Features: 500}))
	m := peers.Must(match.New[match.Descriptor](match.Options{CrossCheck: true}))
	var trials []trial
	for _, photo := range photos {
		source := photo
		if v.name == warpedPhotos()[4].name {
			source = blurred(photo)
		}
		img, plane := v.of(source)
		from, query := e.Extract(photo, nil)
		to, train := e.Extract(img, nil)
		a, b, _ := geometry.Pairs(from, to, m.Match(query, train))
		trials = append(trials, trial{plane, photo.Rect.Size(), a, b})
	}
	return trials
}

// compareGeometry compares package geometry with OpenCV.
func compareGeometry(s *session, p *peers.Peers) (map[string][]byte, error) {
	list := estimators(p)
	all, rigid, photos, warps := scenes(), rigidScenes(), s.photos, warpedPhotos()
	if s.quick {
		all, rigid, photos, warps = all[:2], rigid[:1], photos[:1], warps[:1]
	}
	s.steps(len(all) + len(rigid) + len(warps))
	var rows, rigidRows, photoRows [][]string
	rowOf := func(n int, c *scene, list []estimator, more func(r *record) []string) []string {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		var trials []trial
		for range c.trials {
			trials = append(trials, c.make(rng))
		}
		row := []string{c.kind.String(), fmt.Sprint(c.pairs), fmt.Sprintf("%.0f %%", 100*c.right), c.name}
		for i, r := range race(list, c.kind, trials) {
			row = append(append(row, list[i].columns(r.cells())...), more(&r)...)
		}
		s.step()
		return row
	}
	for n, c := range all {
		rows = append(rows, rowOf(n, &c, list, func(*record) []string { return nil }))
	}
	rigidList, rigidHeader := rigidEstimators(p), []string{"pairs", "right", "wrong ones"}
	for _, e := range rigidList {
		rigidHeader = append(rigidHeader, e.name+": error", "failed", "µs", "inliers")
	}
	for n, c := range rigid {
		rigidRows = append(rigidRows, rowOf(len(all)+n, &c, rigidList, func(r *record) []string {
			if len(r.inliers) == 0 {
				return []string{"-"}
			}
			return []string{fmt.Sprintf("%.1f %%", 100*measure.Median(r.inliers))}
		})[1:])
	}
	for _, v := range warps {
		trials := s.photoTrials(v, photos)
		row := []string{v.name, fmt.Sprint(pairsOf(trials))}
		for i, r := range race(list, geometry.Homography, trials) {
			row = append(row, list[i].columns(r.cells())...)
		}
		photoRows = append(photoRows, row)
		s.step()
	}
	return map[string][]byte{
		"geometry.md": s.page("Transforms from pairs of points", measure.UsualClock(),
			fmt.Sprintf("Package geometry and OpenCV's findHomography, estimateAffine2D and estimateAffinePartial2D, on the same pairs, one after the other, "+
				"one thread each. The threshold is %d pixels. RANSAC has OpenCV's defaults otherwise; the other methods of OpenCV have the 20000 samples "+
				"and the confidence of 0.999 of package geometry. The peers are %s.", inlierThreshold, peers.Versions()),
			fmt.Sprintf("- Error: the root mean square distance between where a transform maps points of the image, 8 by 8 of them, and where they belong; "+
				"its median and its quantile of 0.9, in pixels, of all transforms that were found.\n"+
				"- Failed: in how many trials there was no transform, and in how many one with an error of %d pixels or more.\n"+
				"- µs: the median of the times of the trials, each of which has other pairs, and up to which share of it half of them differ from it (±). "+
				"Package geometry with AVX2 is limited to that; all else that it finds is the same.", wrongFrom),
			"Random transforms of images of 640 by 480 pixels, with noise of 1 pixel in both. There are 100 trials for 20 and 100 pairs, 40 for 500 and 12 for 5000. "+
				"Pairs that are wrong have nothing to do with each other, or are between 12 groups of points in either image, or two of three of them agree with "+
				"another transform.",
			table(4, header([]string{"transform", "pairs", "right", "wrong ones"}, list), rows),
			"Rotations with a shift and no scale, as the kind Rigid and as similarities; OpenCV finds similarities alone. Inliers: the share of the right pairs "+
				"(those that the transform that they were made of leaves within the threshold) that the transform found leaves within it; the median.",
			table(3, rigidHeader, rigidRows),
			fmt.Sprintf("ORB keypoints of %d photos, matched with those of the same photos after a change. In the last row the changed photo is blurred. "+
				"Pairs are how many there are for a photo, on average.", len(photos)),
			table(2, header([]string{"change", "pairs"}, list), photoRows)),
	}, nil
}

// pairsOf returns the mean number of pairs.
func pairsOf(trials []trial) int {
	n := 0
	for _, t := range trials {
		n += len(t.a)
	}
	return n / cmp.Or(len(trials), 1)
}
