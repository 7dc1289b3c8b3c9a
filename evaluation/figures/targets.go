package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

const (
	// targetScenes is the number of scenes of a row, and quickScenes that in quick mode.
	targetScenes, quickScenes = 1000, 8
	// wrongDescent is the error of a motion, in degrees, from which on it is wrong.
	wrongDescent = 10
	// samePose is the angle between the rotations of two poses of one minimum, in degrees.
	samePose = 1
)

// A targetKind is cards of some points, or bodies that are thicker by a share of their width.
type targetKind struct {
	name        string
	least, most int
	thickness   float64
}

var targetKinds = []targetKind{
	{"card, 4 corners", 4, 4, 0},
	{"card, 5 points", 5, 5, 0},
	{"card, 6 or 7 points", 6, 7, 0},
	{"card, 8 to 15 points", 8, 15, 0},
	{"card, 16 to 60 points", 16, 60, 0},
	{"body, 10 % thick, 6 to 30 points", 6, 30, .1},
	{"body, 50 % thick, 6 to 30 points", 6, 30, .5},
}

// A target is what a camera sees of a card or a body, all of it right but for noise.
type target struct {
	camera camera.Camera
	truth  pose.Pose
	noise  float64
	world  []pose.Vector
	image  []geometry.Point
}

// make returns a target of 40 to 200 mm at 200 to 2000 mm, tilted by up to 75 degrees, with noise of 0.1
// to 2 pixels.
func (k *targetKind) make(rng *rand.Rand) *target {
	for {
		t := &target{camera: camera.Camera{Fx: 700, Fy: 700, Cx: 319.5, Cy: 239.5}, noise: .1 * math.Pow(20, rng.Float64())}
		w := 40 + 160*rng.Float64()
		h := w * (.4 + .6*rng.Float64())
		distance := 200 * math.Pow(10, rng.Float64())
		sinAxis, cosAxis := math.Sincos(2 * math.Pi * rng.Float64())
		sin, cos := math.Sincos(75 * rng.Float64() * math.Pi / 360)
		spinSin, spinCos := math.Sincos(math.Pi * rng.Float64())
		at := pose.Vector{(rng.Float64() - .5) * .7 * distance, (rng.Float64() - .5) * .5 * distance, distance}
		t.truth = pose.FromQuaternion(cos, sin*cosAxis, sin*sinAxis, 0, at).Mul(pose.FromQuaternion(spinCos, 0, 0, spinSin, pose.Vector{}))
		n := k.least + rng.IntN(k.most-k.least+1)
		if n == 4 {
			t.world = []pose.Vector{{-w / 2, -h / 2, 0}, {w / 2, -h / 2, 0}, {w / 2, h / 2, 0}, {-w / 2, h / 2, 0}}
		} else {
			for range n {
				t.world = append(t.world, pose.Vector{(rng.Float64() - .5) * w, (rng.Float64() - .5) * h, (rng.Float64() - .5) * w * k.thickness})
			}
		}
		if t.see(rng) {
			return t
		}
	}
}

// see sets the points in the image. It reports whether all are in it.
func (t *target) see(rng *rand.Rand) bool {
	for _, w := range t.world {
		p, ok := t.camera.Project(t.truth.Apply(w))
		if !ok || p.X < 0 || p.Y < 0 || p.X > float64(sceneSize.X-1) || p.Y > float64(sceneSize.Y-1) {
			return false
		}
		t.image = append(t.image, geometry.Point{X: p.X + t.noise*rng.NormFloat64(), Y: p.Y + t.noise*rng.NormFloat64()})
	}
	return true
}

// squares returns the sum of the squared errors of a pose.
func (t *target) squares(p pose.Pose) (sum float64) {
	for i, w := range t.world {
		q, ok := t.camera.Project(p.Apply(w))
		if !ok {
			return math.Inf(1)
		}
		sum += (q.X-t.image[i].X)*(q.X-t.image[i].X) + (q.Y-t.image[i].Y)*(q.Y-t.image[i].Y)
	}
	return sum
}

// A targetFinder finds poses of a target, the best one first, and says whether noise may have exchanged
// two of them.
type targetFinder struct {
	name string
	find func(t *target) (list []pose.Pose, ambiguous bool)
}

func targetFinders(p *peers.Peers) []targetFinder {
	estimator := poseEstimators(pose.Options{MinInliers: 4})
	list := []targetFinder{
		{"LeastSquares", func(t *target) (list []pose.Pose, ambiguous bool) {
			s, err := pose.LeastSquares(t.camera, t.world, t.image, t.noise)
			for _, m := range s.Minima {
				list = append(list, m.Pose)
			}
			return list, err == nil && s.Ambiguous
		}},
		{"Absolute", func(t *target) ([]pose.Pose, bool) {
			fit, err := estimator(math.Ceil(4*t.noise)).Absolute(t.camera, t.world, t.image, nil, nil)
			if err != nil {
				return nil, false
			}
			return []pose.Pose{fit.Pose}, fit.Ambiguous
		}},
	}
	for _, m := range peers.PnPs {
		list = append(list, targetFinder{m.String(), func(t *target) ([]pose.Pose, bool) {
			return p.Solve(m, t.camera, t.world, t.image), false
		}})
	}
	return append(list, targetFinder{peers.USACAccurate.String(), func(t *target) ([]pose.Pose, bool) {
		found, ok := p.Absolute(peers.USACAccurate, math.Ceil(4*t.noise), t.camera, t.world, t.image)
		if !ok {
			return nil, false
		}
		return []pose.Pose{found}, false
	}})
}

// A targetRecord counts what a finder made of targets.
type targetRecord struct {
	refused, worse, flipped, silent int
	times                           []float64 // in microseconds
}

// cells returns the cells of a table.
func (r *targetRecord) cells() []string {
	return []string{fmt.Sprint(r.refused), fmt.Sprint(r.worse), fmt.Sprintf("%d, %d", r.flipped, r.silent), fmt.Sprintf("%.1f", measure.Median(r.times))}
}

// raceTargets has the finders find the poses of targets, in turns.
func raceTargets(list []targetFinder, targets []*target) ([]targetRecord, error) {
	records := make([]targetRecord, len(list))
	for n, t := range targets {
		truth, err := pose.View{Camera: t.camera, Pose: t.truth}.Refine(t.world, t.image)
		if err != nil {
			return nil, err
		}
		least := t.squares(truth.Pose)
		found := make([]pose.Pose, len(list))
		ambiguous := make([]bool, len(list))
		for k := range list {
			i := (n + k) % len(list)
			r := &records[i]
			start := time.Now()
			poses, either := list[i].find(t)
			r.times = append(r.times, float64(time.Since(start).Nanoseconds())/1e3)
			if len(poses) == 0 {
				r.refused++
				continue
			}
			// What counts is the minimum that it is near to.
			refined, err := pose.View{Camera: t.camera, Pose: poses[0]}.Refine(t.world, t.image)
			if errors.Is(err, pose.ErrDegenerate) {
				refined.Pose = poses[0]
			} else if err != nil {
				return nil, err
			}
			found[i], ambiguous[i] = refined.Pose, either
			least = min(least, t.squares(refined.Pose))
		}
		for i := range list {
			if found[i] == (pose.Pose{}) {
				continue
			}
			r := &records[i]
			if t.squares(found[i]) > least*(1+1e-5)+1e-9 {
				r.worse++
			}
			if rotationMiss(found[i], truth.Pose) > samePose {
				r.flipped++
				if !ambiguous[i] {
					r.silent++
				}
			}
		}
	}
	return records, nil
}

// targetTable returns the table of poses of targets.
func (s *session) targetTable(p *peers.Peers) (string, error) {
	finders := targetFinders(p)
	header := []string{"scenes"}
	for _, f := range finders {
		header = append(header, f.name+": refused", "worse", "other, untold", "µs")
	}
	kinds, scenes := targetKinds, targetScenes
	if s.quick {
		kinds, scenes = kinds[:1], quickScenes
	}
	var rows [][]string
	for n, k := range kinds {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		var targets []*target
		for range scenes {
			targets = append(targets, k.make(rng))
		}
		records, err := raceTargets(finders, targets)
		if err != nil {
			return "", err
		}
		row := []string{k.name}
		for i := range records {
			// IPPE takes planes.
			if m := finders[i].name; k.thickness > 0 && (m == peers.IPPE.String() || m == peers.IPPELM.String()) {
				row = append(row, "", "", "", "")
				continue
			}
			row = append(row, records[i].cells()...)
		}
		rows = append(rows, row)
		s.step()
	}
	return table(1, header, rows), nil
}

// descent returns what a camera sees that looks down at flat ground, 10 below, before and after it
// moves without turning. A share of the pairs is wrong.
func descent(rng *rand.Rand, motion pose.Vector, noise, wrong float64) *poseTrial {
	t := &poseTrial{
		threshold: 2,
		camera:    camera.Camera{Fx: 600, Fy: 600, Cx: 320, Cy: 240},
		truth:     pose.FromQuaternion(1, 0, 0, 0, motion),
	}
	noisy := func(p geometry.Point) geometry.Point {
		return geometry.Point{X: p.X + noise*rng.NormFloat64(), Y: p.Y + noise*rng.NormFloat64()}
	}
	for _, i := range rng.Perm(9 * 12) { // since OpenCV draws the same samples every time
		v := pose.Vector{(float64(i%12) - 5.5) * .9, (float64(i/12) - 4) * .9, 10}
		a, _ := t.camera.Project(v)
		b, _ := t.camera.Project(t.truth.Apply(v))
		if b.X < 0 || b.Y < 0 || b.X >= float64(sceneSize.X) || b.Y >= float64(sceneSize.Y) {
			continue
		}
		a, b = noisy(a), noisy(b)
		if rng.Float64() < wrong {
			b = somewhere(rng)
		}
		t.a, t.b = append(t.a, a), append(t.b, b)
	}
	return t
}

// descentTable returns the table of descents: how many of the motions found are wrong, and of these, how
// many are not told to be ambiguous.
func (s *session) descentTable(p *peers.Peers) (scenes int, text string) {
	e := peers.Must(pose.New(pose.Options{}))
	methods := []peers.Method{peers.USACAccurate, peers.USACMAGSAC, peers.RANSAC}
	header := []string{"noise", "wrong pairs", "package pose: wrong", "untold", "refused"}
	for _, m := range methods {
		header = append(header, m.String()+": wrong", "refused")
	}
	step := 1
	if s.quick {
		step = 13
	}
	var rows [][]string
	for n, of := range []struct{ noise, wrong float64 }{{0, 0}, {0, .2}, {.3, 0}, {.3, .2}, {.5, 0}, {.5, .2}} {
		rng := rand.New(rand.NewPCG(4, uint64(n)))
		scenes = 0
		var wrong, untold, refused int
		var theirs, theirRefused [3]int
		for i := 0; i <= 40; i += step {
			for k := 0; k < 40; k += step {
				t := descent(rng, pose.Vector{float64(i-20) / 20, .1, -float64(k+1) / 20}, of.noise, of.wrong)
				scenes++
				m, err := e.Relative(t.camera, t.camera, t.a, t.b, nil, nil)
				switch {
				case err != nil || m.Turn:
					refused++
				case motionMiss(m.Pose, t.truth) > wrongDescent:
					wrong++
					if !m.Ambiguous {
						untold++
					}
				}
				for j, method := range methods {
					found, ok := p.Relative(method, t.threshold, t.camera, t.a, t.b)
					if !ok {
						theirRefused[j]++
					} else if motionMiss(found, t.truth) > wrongDescent {
						theirs[j]++
					}
				}
			}
		}
		row := []string{fmt.Sprint(of.noise), fmt.Sprintf("%.0f %%", 100*of.wrong), fmt.Sprint(wrong), fmt.Sprint(untold), fmt.Sprint(refused)}
		for j := range methods {
			row = append(row, fmt.Sprint(theirs[j]), fmt.Sprint(theirRefused[j]))
		}
		rows = append(rows, row)
		s.step()
	}
	return scenes, table(2, header, rows)
}

// fewScenes returns scenes of few pairs.
func fewScenes() (list []poseScene) {
	for _, right := range []float64{1, .8} {
		list = append(
			list,
			poseScene{right: right, noise: .5, name: "deep"},
			poseScene{right: right, noise: .5, step: .3, name: "deep, step 0.3"},
			poseScene{right: right, noise: .5, flat: 2. / 3, name: "two thirds on a plane"},
			poseScene{right: right, noise: .5, flat: 1, name: "one plane"},
			poseScene{right: right, noise: .5, still: true, name: "a turn"},
		)
	}
	return list
}

// fewTable returns the table of fundamental matrices of few pairs.
func (s *session) fewTable(p *peers.Peers) string {
	finders := lineFinders(p)
	header := []string{"right", "scene"}
	for _, f := range finders {
		if !f.timed {
			header = append(header, f.name+": answers", "wrong")
		}
	}
	scenes, list := targetScenes, fewScenes()
	if s.quick {
		scenes, list = quickScenes, list[:1]
	}
	var rows [][]string
	for n, c := range list {
		rng := rand.New(rand.NewPCG(5, uint64(n)))
		trials := make([]poseTrial, scenes)
		for i := range trials {
			c.pairs = 15 + rng.IntN(16)
			trials[i] = c.make(rng)
		}
		row := []string{fmt.Sprintf("%.0f %%", 100*c.right), c.name}
		for i, r := range racePoses(finders, trials) {
			if finders[i].timed {
				continue
			}
			wrong := "-" // where many are right
			if !c.still && c.flat < 1 {
				n := 0
				for _, miss := range r.found() {
					if !(miss < wrongLines) {
						n++
					}
				}
				wrong = fmt.Sprint(n)
			}
			row = append(row, fmt.Sprint(len(r.errors)-r.refused), wrong)
		}
		rows = append(rows, row)
		s.step()
	}
	return table(2, header, rows)
}

// compareTargets compares package pose with OpenCV where points are few or flat.
func compareTargets(s *session, p *peers.Peers) (map[string][]byte, error) {
	s.steps(-1)
	flat, err := s.targetTable(p)
	if err != nil {
		return nil, err
	}
	scenes := targetScenes
	if s.quick {
		scenes = quickScenes
	}
	descents, motions := s.descentTable(p)
	return map[string][]byte{"targets.md": s.page("Few points, flat targets and second motions", measure.UsualClock(),
		"Where cameras are next to a marker, a card or a screen, or look down at flat ground: package pose and OpenCV on the same random scenes, of images of "+
			"640 by 480 pixels, in one thread. The peers are "+peers.Versions()+".",
		"## Targets",
		fmt.Sprintf("%d targets of each kind, of 40 to 200 mm, 200 to 2000 mm away and tilted by up to 75 degrees, with noise of 0.1 to 2 pixels, which LeastSquares is given. All points are right. "+
			"Absolute has a threshold of 4 times the noise and MinInliers 4, USAC_ACCURATE is solvePnPRansac with the same threshold, and the others are solvePnPGeneric.", scenes),
		"- Refused: how many have no pose.\n"+
			"- Worse: how many poses are near a minimum of the sum of squared errors that is not the least one that any of these and the true pose lead to.\n"+
			fmt.Sprintf("- Other, untold: how many poses are near another minimum than the true pose, by a rotation of more than %d degree, and how many of these are not called ambiguous. Noise makes some of them the better ones, which no method can know; OpenCV tells of none.\n", samePose)+
			"- µs: the median of the times.",
		flat,
		"## Descents",
		fmt.Sprintf("%d moves of a camera that looks straight down at flat ground, 10 below, descends by 0.05 to 2 and drifts by up to 1, in both directions. About 1,300 of them have a second motion that "+
			"explains all pairs exactly. Wrong: how many directions are off by more than %d degrees; untold: how many of these are not called ambiguous. Refused ones include those called a turn.", descents, wrongDescent),
		motions,
		"## Few pairs",
		fmt.Sprintf("Fundamental matrices of 15 to 30 pairs with noise of half a pixel, %d scenes each. Wrong: the median distance of exact points from their lines is %d pixels or more. Where all points are on a plane, or the "+
			"camera only turns, any answer is made up.", scenes, wrongLines),
		s.fewTable(p),
	)}, nil
}
