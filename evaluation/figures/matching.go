package main

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/internal/views"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/sift"
)

// A view is what becomes of a photo.
type view struct {
	name string
	// plane maps the photo, whose center is at 0, 0 and whose width is 1, to the view.
	plane geometry.Transform
	// zoom is the size of the view in that of the photo.
	zoom float64
	// gray changes gray values. It may be nil.
	gray func(value float64, rng *rand.Rand) float64
}

// changes returns the views that keypoints are matched in.
func changes() []view {
	same := views.Scaling(1)
	list := []view{{"none", same, 1, nil}}
	for angle := 30.; angle <= 180; angle += 30 {
		list = append(list, view{fmt.Sprintf("rotation by %v°", angle), views.Rotation(angle), 1, nil})
	}
	for _, factor := range []float64{.6, .7, .8, .9, 1.1, 1.2, 1.3} {
		list = append(list, view{fmt.Sprintf("scale %v", factor), views.Scaling(factor), factor, nil})
	}
	for _, angle := range []float64{20, 40, 60} {
		list = append(list, view{fmt.Sprintf("tilt by %v°", angle), views.Tilt(angle), 1, nil})
	}
	list = append(list, view{
		"rotation by 30°, scale 0.8, tilt by 30°",
		views.Rotation(30).Mul(views.Scaling(.8)).Mul(views.Tilt(30)), .8, nil,
	})
	for _, sigma := range []float64{5, 10} {
		list = append(list, view{fmt.Sprintf("noise, σ = %v", sigma), same, 1, func(value float64, rng *rand.Rand) float64 {
			return value + sigma*rng.NormFloat64()
		}})
	}
	for _, gain := range []float64{.5, 1.5} {
		list = append(list, view{fmt.Sprintf("gray values times %v", gain), same, 1, func(value float64, _ *rand.Rand) float64 {
			return gain * value
		}})
	}
	for _, offset := range []float64{-40, 40} {
		list = append(list, view{fmt.Sprintf("gray values %+g", offset), same, 1, func(value float64, _ *rand.Rand) float64 {
			return value + offset
		}})
	}
	return list
}

// of returns the view of a photo, and where the photo's points are in it.
func (v view) of(photo *image.Gray) (*image.Gray, geometry.Transform) {
	w, h := float64(photo.Rect.Dx()), float64(photo.Rect.Dy())
	size := image.Pt(int(math.Round(v.zoom*w)), int(math.Round(v.zoom*h)))
	toPlane := views.Scaling(1 / w).Mul(views.Translation((1-w)/2, (1-h)/2))
	fromPlane := views.Translation(float64(size.X-1)/2, float64(size.Y-1)/2).Mul(views.Scaling(w))
	plane := fromPlane.Mul(v.plane).Mul(toPlane)
	img := views.Of(photo, plane, size)
	if v.gray != nil {
		rng := rand.New(rand.NewPCG(1, 2))
		for i, value := range img.Pix {
			img.Pix[i] = uint8(math.Round(min(max(v.gray(float64(value), rng), 0), 255)))
		}
	}
	return img, plane
}

// A spot is where a keypoint is, and how many pixels of the photo one of its level is, in either
// direction.
type spot struct {
	at    geometry.Point
	scale float64
}

// A finder finds keypoints in two images, the same ones again if it is given the same image, and
// matches them.
type finder struct {
	name string
	find func(photo, view *image.Gray) (from, to []spot, matches []match.Match)
}

// newFinder returns a finder of keypoints.
func newFinder[D any](name string, extract func(img *image.Gray) ([]point.Keypoint, []D), spotOf func(k point.Keypoint) spot, pair func(query, train []D) []match.Match) finder {
	var last *image.Gray
	var from []spot
	var query []D
	find := func(img *image.Gray) ([]spot, []D) {
		kps, descs := extract(img)
		var spots []spot
		for _, k := range kps {
			spots = append(spots, spotOf(k))
		}
		return spots, descs
	}
	return finder{name, func(photo, view *image.Gray) ([]spot, []spot, []match.Match) {
		if photo != last {
			from, query = find(photo)
			last = photo
		}
		to, train := find(view)
		return from, to, pair(query, train)
	}}
}

// spotOfORB and spotOfSIFT return where keypoints are. The pixels of an image that is blurred as for
// the first layer of SIFT have a scale of 1.
func spotOfORB(k point.Keypoint) spot {
	return spot{geometry.Point{X: float64(k.X), Y: float64(k.Y)}, math.Pow(scaleFactor, float64(k.Octave))}
}

func spotOfSIFT(k point.Keypoint) spot {
	const size = 3.2 // of a keypoint of the default Sigma
	return spot{geometry.Point{X: float64(k.X), Y: float64(k.Y)}, float64(k.Size) / size}
}

// features is how many keypoints all finders but that of sift.Wide find.
const features = 500

// orbFinders returns the finders of package orb, with and without an even distribution, and
// OpenCV's where it is installed.
func orbFinders() ([]finder, error) {
	opts := match.Options{CrossCheck: true}
	m := peers.Must(match.New[match.Descriptor](opts))
	var list []finder
	for _, spread := range []bool{false, true} {
		e := peers.Must(orb.New(orb.Options{Features: features, Spread: spread}))
		name := "package orb"
		if spread {
			name += ", Spread"
		}
		extract := func(img *image.Gray) ([]point.Keypoint, []match.Descriptor) { return e.Extract(img, nil) }
		list = append(list, newFinder(name, extract, spotOfORB, m.Match))
	}
	opencv, err := peers.Open()
	if errors.Is(err, peers.ErrMissing) {
		return list, nil
	}
	return append(list, newFinder(
		"OpenCV",
		func(img *image.Gray) ([]point.Keypoint, []match.Descriptor) {
			return opencv.Extract(orb.Options{Features: features}, img, nil)
		},
		spotOfORB,
		func(query, train []match.Descriptor) []match.Match { return opencv.Match(opts, query, train) },
	)), err
}

// siftFinders returns the finders of package sift.
func siftFinders() []finder {
	m := peers.Must(match.New[match.Vector](match.Options{CrossCheck: true}))
	var list []finder
	for _, of := range []struct {
		name string
		opts sift.Options
	}{
		{"SIFT", sift.Options{Features: features}},
		{"RootSIFT", sift.Options{Features: features, Root: true}},
		{"sift.Wide", sift.Wide()},
	} {
		e := peers.Must(sift.New(of.opts))
		extract := func(img *image.Gray) ([]point.Keypoint, []match.Vector) { return e.Extract(img, nil) }
		list = append(list, newFinder(of.name, extract, spotOfSIFT, m.Match))
	}
	return list
}

const (
	// tolerance is how far from where it belongs a keypoint may be, in pixels of its
	// level or, where these are smaller, of the photo.
	tolerance = 3
	// scaleFactor is by how much a level of package orb is smaller than the one before.
	scaleFactor = 1.2
)

// A tally counts how keypoints of photos are found again in views.
type tally struct {
	matches, correct  int // of the matches
	visible, repeated int // of the photos' keypoints
	parts, covered    int // of the photos, grid by grid of them each
}

// grid is in how many parts a photo is divided in either direction, to tell where the
// correct matches are.
const grid = 8

// add counts the keypoints of a photo, those of its view, which shows the photo's points
// where plane maps them, and the matches between them. Both have a size.
func (t *tally) add(from, to []spot, matches []match.Match, plane geometry.Transform, photo, view image.Point) {
	near := func(s spot, p geometry.Point) bool {
		return math.Hypot(s.at.X-p.X, s.at.Y-p.Y) <= tolerance*max(s.scale, 1)
	}
	covered := map[image.Point]bool{}
	for _, m := range matches {
		at := from[m.Query].at
		t.matches++
		if near(to[m.Train], plane.Apply(at)) {
			t.correct++
			covered[image.Pt(grid*int(at.X)/photo.X, grid*int(at.Y)/photo.Y)] = true
		}
	}
	t.parts += grid * grid
	t.covered += len(covered)
	const level = scaleFactor * (1 + 1e-9) // but for rounding
	for _, s := range from {
		p := plane.Apply(s.at)
		if p.X < 0 || p.Y < 0 || p.X > float64(view.X-1) || p.Y > float64(view.Y-1) {
			continue
		}
		t.visible++
		scale := s.scale * views.Scale(plane, s.at)
		if slices.ContainsFunc(to, func(s spot) bool { return s.scale <= scale*level && s.scale*level >= scale && near(s, p) }) {
			t.repeated++
		}
	}
}

// A counted is what finders found in the views of a kind, counted by finder.
type counted[C any] struct {
	view
	counts []C
}

// eachView calls count for each photo and each view, with the view's counts, and returns
// these and the number of photos.
func eachView[C any](s *session, list []view, finders int, count func(counts []C, v view, photo *image.Gray)) ([]counted[C], int) {
	photos := s.photos
	if s.quick {
		photos, list = photos[:1], list[:2]
	}
	var views []counted[C]
	for _, v := range list {
		views = append(views, counted[C]{v, make([]C, finders)})
	}
	s.steps(len(photos))
	for _, photo := range photos {
		for _, v := range views {
			count(v.counts, v.view, photo)
		}
		s.step()
	}
	return views, len(photos)
}

// matchViews tells how well keypoints of photos are matched with those of views.
func matchViews(s *session) (map[string][]byte, error) {
	ofORB, err := orbFinders()
	if err != nil {
		return nil, err
	}
	finders := append(ofORB, siftFinders()...)
	tallies, photos := eachView(s, changes(), len(finders), func(tallies []tally, v view, photo *image.Gray) {
		img, plane := v.of(photo)
		for i, f := range finders {
			from, to, matches := f.find(photo, img)
			tallies[i].add(from, to, matches, plane, photo.Rect.Size(), img.Rect.Size())
		}
	})
	percent := func(part, whole int) string { return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole)) }
	tableOf := func(shown ...int) string {
		header := []string{"change"}
		for _, i := range shown {
			header = append(header, finders[i].name+": matches", "correct", "repeated", "covered")
		}
		var rows [][]string
		for _, c := range tallies {
			row := []string{c.name}
			for _, i := range shown {
				t := c.counts[i]
				row = append(row, fmt.Sprintf("%.0f", float64(t.matches)/float64(photos)),
					percent(t.correct, t.matches), percent(t.repeated, t.visible), percent(t.covered, t.parts))
			}
			rows = append(rows, row)
		}
		return table(1, header, rows)
	}
	var orbs []int
	for i := range ofORB {
		orbs = append(orbs, i)
	}
	n := len(ofORB)
	solved, err := s.solvedTable()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"matching.md": s.page("Keypoints found again", measure.UsualClock(),
			fmt.Sprintf("How well ORB keypoints of %d photos are matched with those of the same photos after a change: %d features, "+
				"the nearest descriptor of each, cross-check, no other test. Packages orb and match, and OpenCV's ORB and BFMatcher, "+
				"do both steps, each by themselves; package orb also with the even distribution of its option `Spread`. The peers are %s.",
				photos, features, peers.Versions()),
			fmt.Sprintf("- Matches: how many, per photo.\n"+
				"- Correct: the share of the matches whose keypoint in the changed photo is not farther than %d pixels, of the level "+
				"that it was found on, from where the other one belongs.\n"+
				"- Repeated: the share of the photo's keypoints, without those whose place is out of sight, that have such a "+
				"keypoint, matched or not, at most one level from the right one.\n"+
				"- Covered: the share of the photo's %d parts, %d by %d of them, that have a correct match.", tolerance, grid*grid, grid, grid),
			tableOf(orbs...),
			"With `Spread`, keypoints are found where there are only weak ones, too. Fewer of these are found again, and more of their "+
				"matches are wrong, but the correct ones cover more of the photo, which helps when motion is estimated from them.",
			"## ORB and SIFT",
			fmt.Sprintf("Package orb beside package sift: SIFT and RootSIFT, %d features each, and the options `sift.Wide`, whose features are up to %d, of less contrast. "+
				"Vectors are matched by `match.Matcher[match.Vector]` with cross-check. Instead of a pixel of the level there is one of the blurred image, "+
				"which is the size of the keypoint in that of one of the first layer, and at least a pixel of the photo; instead of one level there is a factor of %v.",
				features, sift.Wide().Features, scaleFactor),
			tableOf(0, n, n+1, n+2),
			"Where photos change as little as here, the share of right matches of SIFT is no larger than that of ORB, but its keypoints cover more of the photo, and those of "+
				"`sift.Wide` most of it. Wrong matches are left to an estimator, such as those of package geometry, or to `match.Options.Ratio`.",
			"## Pairs solved",
			fmt.Sprintf("How many of the photos and their views, which change more than those above, package register finds the homography of, with its defaults for ORB, with SIFT and with `sift.Wide`; and "+
				"OpenCV with its SIFT, matches with a ratio of %v and cross-check, and findHomography with RANSAC and a threshold of %d pixels. Solved: half of the points of the photo that are in "+
				"sight are less than %d pixels from where they belong. Wrong: %d pixels or more.", siftRatio, inlierThreshold, solvedBelow, wrongSolution),
			solved,
			"Views are made by computation, with bilinear interpolation: no other light, no occlusion, no depth, no blur, no lens. A "+
				"rotated or tilted view is as large as the photo, and shows the photo in a mirror where it goes beyond the photo's edges. "+
				"There are no keypoints of ORB within 31 pixels of the edges of a level, and no levels for what has become smaller than the "+
				"first or larger than the last one shows it."),
	}, nil
}
