package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/pose"
)

const (
	// poseTrials is the number of trials of a scene, and quickTrials that in quick mode.
	poseTrials, quickTrials = 20, 2
	// wrongPose is the error of a pose, in degrees, from which on it is wrong, and wrongLines that
	// of a fundamental matrix, in pixels.
	wrongPose, wrongLines = 5, 5
)

// A poseFinder finds what a trial asks for, and judges it.
type poseFinder struct {
	name string
	find poseSearch
	// timed is set where all but the time is that of another finder.
	timed bool
}

// A poseSearch returns what tells the error, in degrees or pixels. It reports false if it refuses.
type poseSearch = func(t *poseTrial, tally map[string]int) (func() float64, bool)

// columns returns what a table has of what a finder or its record has. The last one is the time.
func (f *poseFinder) columns(all []string) []string {
	if f.timed {
		return all[len(all)-1:]
	}
	return all
}

// A poseRecord has what a finder made of the trials of a scene.
type poseRecord struct {
	errors  []float64 // infinite where it refused
	times   []float64 // in milliseconds
	refused int
	tally   map[string]int // of what it says besides
}

// columnsOf returns what a row of a table has of all records.
func columnsOf(finders []poseFinder, records []poseRecord, cells func(r *poseRecord) []string) []string {
	var list []string
	for i := range records {
		list = append(list, finders[i].columns(cells(&records[i]))...)
	}
	return list
}

// racePoses has the finders do all trials, in turns, and returns their records.
func racePoses(list []poseFinder, trials []poseTrial) []poseRecord {
	records := make([]poseRecord, len(list))
	for n := range trials {
		for k := range list {
			i := (n + k) % len(list)
			if n == 0 {
				list[i].find(&trials[n], map[string]int{}) // its memory
				records[i].tally = map[string]int{}
			}
			r := &records[i]
			start := time.Now()
			judge, ok := list[i].find(&trials[n], r.tally)
			r.times = append(r.times, float64(time.Since(start).Nanoseconds())/1e6)
			miss := math.Inf(1)
			if ok {
				miss = judge()
			} else {
				r.refused++
			}
			r.errors = append(r.errors, miss)
		}
	}
	return records
}

// angleOf returns the angle whose cosine is given, in degrees.
func angleOf(cos float64) float64 {
	return 180 / math.Pi * math.Acos(max(min(cos, 1), -1))
}

// rotationMiss returns the angle between the rotations of two poses, in degrees.
func rotationMiss(p, q pose.Pose) float64 {
	r := p.Inverse().Mul(q).R
	return angleOf((r[0] + r[4] + r[8] - 1) / 2)
}

// motionMiss returns the larger of the angles between the rotations and the translations.
func motionMiss(p, truth pose.Pose) float64 {
	var dot, pp, qq float64
	for i, v := range p.T {
		dot, pp, qq = dot+v*truth.T[i], pp+v*v, qq+truth.T[i]*truth.T[i]
	}
	if pp == 0 {
		return 180 // none where there should be one
	}
	return max(rotationMiss(p, truth), angleOf(dot/math.Sqrt(pp*qq)))
}

// poseEstimators returns an Estimator with the options for each threshold.
func poseEstimators(opts pose.Options) func(threshold float64) *pose.Estimator {
	made := map[float64]*pose.Estimator{}
	return func(threshold float64) *pose.Estimator {
		if made[threshold] == nil {
			opts.InlierThreshold = threshold
			made[threshold] = peers.Must(pose.New(opts))
		}
		return made[threshold]
	}
}

// withOpenCV returns package pose, the same with no more of the processor than AVX2 if it has more,
// and OpenCV's methods.
func withOpenCV(ours func() poseSearch, theirs func(m peers.Method, t *poseTrial) (func() float64, bool)) []poseFinder {
	list := []poseFinder{{name: "package pose", find: ours()}}
	for _, set := range peers.Sets("pose", "geometry")[1:] {
		if set.Name == "avx2" {
			find := ours()
			list = append(list, poseFinder{"package pose with AVX2", func(t *poseTrial, tally map[string]int) (func() float64, bool) {
				defer cpu.Limit(set.Set)()
				return find(t, tally)
			}, true})
		}
	}
	for _, m := range []peers.Method{peers.USACAccurate, peers.USACMAGSAC, peers.RANSAC} {
		list = append(list, poseFinder{name: m.String(), find: func(t *poseTrial, _ map[string]int) (func() float64, bool) { return theirs(m, t) }})
	}
	return list
}

// The flags of a motion, as tables have them.
const (
	saysTurn      = "turn"
	saysPlanar    = "planar"
	saysAmbiguous = "ambiguous"
)

// motionFinders returns the finders of motions. For an ambiguous one, the better of both counts.
func motionFinders(p *peers.Peers, miss func(p, truth pose.Pose) float64) []poseFinder {
	return withOpenCV(func() poseSearch {
		estimator := poseEstimators(pose.Options{})
		return func(t *poseTrial, tally map[string]int) (func() float64, bool) {
			m, err := estimator(t.threshold).Relative(t.camera, t.camera, t.a, t.b, nil, nil)
			for name, is := range map[string]bool{saysTurn: m.Turn, saysPlanar: m.Planar, saysAmbiguous: m.Ambiguous} {
				if is {
					tally[name]++
				}
			}
			return func() float64 {
				if m.Ambiguous {
					return min(miss(m.Pose, t.truth), miss(m.Other, t.truth))
				}
				return miss(m.Pose, t.truth)
			}, err == nil
		}
	}, func(method peers.Method, t *poseTrial) (func() float64, bool) {
		found, ok := p.Relative(method, t.threshold, t.camera, t.a, t.b)
		return func() float64 { return miss(found, t.truth) }, ok
	})
}

// poseFinders returns the finders of poses.
func poseFinders(p *peers.Peers) []poseFinder {
	return withOpenCV(func() poseSearch {
		estimator := poseEstimators(pose.Options{})
		return func(t *poseTrial, _ map[string]int) (func() float64, bool) {
			fit, err := estimator(t.threshold).Absolute(t.camera, t.world, t.b, nil, nil)
			return func() float64 { return rotationMiss(fit.Pose, t.truth) }, err == nil
		}
	}, func(method peers.Method, t *poseTrial) (func() float64, bool) {
		found, ok := p.Absolute(method, t.threshold, t.camera, t.world, t.b)
		return func() float64 { return rotationMiss(found, t.truth) }, ok
	})
}

// lineFinders returns the finders of fundamental matrices.
func lineFinders(p *peers.Peers) []poseFinder {
	return withOpenCV(func() poseSearch {
		estimator := poseEstimators(pose.Options{})
		return func(t *poseTrial, _ map[string]int) (func() float64, bool) {
			e, err := estimator(t.threshold).Fundamental(t.a, t.b, nil, nil)
			return func() float64 { return t.linesMiss(e.F) }, err == nil
		}
	}, func(method peers.Method, t *poseTrial) (func() float64, bool) {
		f, ok := p.Fundamental(method, t.threshold, t.a, t.b)
		return func() float64 { return t.linesMiss(f) }, ok
	})
}

// linesMiss returns the median, over exact pairs, of the mean distance of the two points from each
// other's epipolar lines.
func (t *poseTrial) linesMiss(f [9]float64) float64 {
	var list []float64
	for i, a := range t.exactA {
		b := t.exactB[i]
		l := [3]float64{f[0]*a.X + f[1]*a.Y + f[2], f[3]*a.X + f[4]*a.Y + f[5], f[6]*a.X + f[7]*a.Y + f[8]}
		m := geometry.Point{X: f[0]*b.X + f[3]*b.Y + f[6], Y: f[1]*b.X + f[4]*b.Y + f[7]}
		c := math.Abs(l[0]*b.X + l[1]*b.Y + l[2])
		list = append(list, (c/math.Hypot(l[0], l[1])+c/math.Hypot(m.X, m.Y))/2)
	}
	return measure.Median(list)
}

// area returns the area under the curve that tells which share of the trials has errors up to a
// limit, as a share of what it would be without errors.
func (r *poseRecord) area(limit float64) string {
	sum := 0.0
	for _, miss := range r.errors {
		sum += max(1-miss/limit, 0)
	}
	return strings.TrimPrefix(fmt.Sprintf("%.2f", sum/float64(len(r.errors))), "0")
}

// milliseconds returns the median of the times and their spread.
func (r *poseRecord) milliseconds() string {
	if measure.Median(slices.Clone(r.times)) < 10 {
		return timeOfTrials("%.2f", r.times)
	}
	return timeOfTrials("%.1f", r.times)
}

// found returns the errors where there was an answer.
func (r *poseRecord) found() []float64 {
	return slices.DeleteFunc(slices.Clone(r.errors), func(miss float64) bool { return math.IsInf(miss, 1) })
}

// areas returns cells of the areas, the refusals and the time.
func (r *poseRecord) areas() []string {
	areas := []string{r.area(5), r.area(10), r.area(20)}
	return []string{strings.Join(areas, " / "), fmt.Sprint(r.refused), r.milliseconds()}
}

// misses returns cells of the median error, the refusals and the wrong answers, and the time.
func (r *poseRecord) misses(format string, wrongFrom float64) []string {
	text, wrong := "-", 0
	if found := r.found(); len(found) > 0 {
		for _, miss := range found {
			if !(miss < wrongFrom) {
				wrong++
			}
		}
		text = fmt.Sprintf(format, measure.Median(found))
	}
	return []string{text, fmt.Sprintf("%d, %d", r.refused, wrong), r.milliseconds()}
}

// told returns cells of how many trials were refused or called a turn, the median error of
// the answers unless they are wrong, and the time.
func (r *poseRecord) told() []string {
	text := "-"
	if found := r.found(); len(found) > 0 && measure.Median(found) < wrongPose {
		text = fmt.Sprintf("%.3f", measure.Median(found))
	}
	return []string{fmt.Sprint(r.refused + r.tally[saysTurn]), text, r.milliseconds()}
}

// answered returns cells of how many trials were not refused, and the time.
func (r *poseRecord) answered() []string {
	return []string{fmt.Sprint(len(r.errors) - r.refused), r.milliseconds()}
}

// flags returns what was said besides.
func (r *poseRecord) flags() string {
	var list []string
	for _, name := range []string{saysTurn, saysPlanar, saysAmbiguous} {
		if n := r.tally[name]; n > 0 {
			list = append(list, fmt.Sprintf("%s %d", name, n))
		}
	}
	return strings.Join(list, ", ")
}

// cells returns the cells that say what a scene is like.
func (c *poseScene) cells() []string {
	return []string{fmt.Sprint(c.pairs), fmt.Sprintf("%.0f %%", 100*c.right), fmt.Sprint(c.noise), c.name}
}

// comparePose compares package pose with OpenCV.
func comparePose(s *session, p *peers.Peers) (map[string][]byte, error) {
	pictures, features := boardPictures, []int{1000, 2000, 4000}
	frames, gaps := castleFrames, []int{1, 2, 5, 10, 20}
	if s.quick {
		pictures, features = pictures[:2], features[:1]
		frames, gaps = 3, gaps[:2]
	}
	boards, err := boardTrials(p, pictures)
	if err != nil {
		return nil, err
	}
	stereo, err := stereoTrials(features...)
	if err != nil {
		return nil, err
	}
	castle, err := castleTrials(frames, gaps)
	if err != nil {
		return nil, err
	}
	number := poseTrials
	if s.quick {
		number = quickTrials
	}
	shorten := func(list []poseScene) []poseScene {
		if s.quick {
			return list[:1]
		}
		return list
	}
	relative, none := shorten(relativeScenes()), shorten(noMotionScenes())
	absolute, fundamental, noLines := shorten(absoluteScenes()), shorten(fundamentalScenes()), shorten(noLinesScenes())
	s.steps(len(relative) + len(none) + len(absolute) + len(fundamental) + len(noLines) + 3)
	rows := func(stream uint64, list []poseScene, finders []poseFinder, cells func(r *poseRecord) []string, flags bool) (rows [][]string) {
		for n, c := range list {
			rng := rand.New(rand.NewPCG(stream, uint64(n)))
			var trials []poseTrial
			for range number {
				trials = append(trials, c.make(rng))
			}
			records := racePoses(finders, trials)
			row := append(c.cells(), columnsOf(finders, records, cells)...)
			if flags {
				row = append(row, records[0].flags())
			}
			rows = append(rows, row)
			s.step()
		}
		return rows
	}
	header := func(first []string, finders []poseFinder, columns ...string) []string {
		list := slices.Clone(first)
		for _, f := range finders {
			own := slices.Clone(f.columns(columns))
			own[0] = f.name + ": " + own[0]
			list = append(list, own...)
		}
		return list
	}
	scene := []string{"pairs", "right", "noise", "scene"}
	motions, turns := motionFinders(p, motionMiss), motionFinders(p, rotationMiss)
	poses, lines := poseFinders(p), lineFinders(p)
	inLines := func(r *poseRecord) []string { return r.misses("%.3f", wrongLines) }
	paragraphs := []string{
		"Package pose and OpenCV's findEssentialMat with recoverPose, solvePnPRansac and findFundamentalMat, on the same pairs, one after the other, " +
			"in one thread. The confidence is 0.999. USAC_ACCURATE and USAC_MAGSAC have as many samples as package pose, 5000 or, for solvePnPRansac, 10,000. " +
			"RANSAC has 1000, OpenCV's default for two of the three, and SQPnP. The peers are " + peers.Versions() + ".",
		fmt.Sprintf("A scene has %d trials. A camera of 640 by 480 pixels, with a focal length of 600 pixels, turns by up to 0.3 radians around any axis, "+
			"or by less for a longer focal length, and moves by 1 in any direction; points are 4 to 12 away. The noise is the standard deviation of x and y in "+
			"both images, in pixels. Of wrong pairs, one point is anywhere. The threshold is 2 pixels, and 3 for poses, unless the table says another.", poseTrials),
		"- AUC: the area under the curve that tells which share of the trials has an error up to 5, 10 and 20 degrees: the mean of 1 - error/limit, " +
			"or 0 where that is less or there was no answer. The error is the larger one of the angles between the rotations and between the translations " +
			"found and true. Where package pose calls a motion ambiguous, the better one of its two counts.\n" +
			"- Error: the median over the answers of the angle between the rotations, in degrees; of fundamental matrices, the median of the mean distance, in pixels, " +
			fmt.Sprintf("of two exact points from each other's epipolar lines, over %d pairs at all depths, also for a plane.\n", exactPairs) +
			fmt.Sprintf("- Refused, wrong: in how many trials there was no answer, and in how many the error was %d degrees or pixels, or more.\n", wrongPose) +
			"- ms: the median of the times of the trials, in milliseconds, and up to which share of it half of them differ from it (±). Package pose with AVX2 is limited to that; all else that it finds is the same.\n" +
			"- Flags: in how many trials package pose said that the camera only turned, that nine tenths of the inliers are on a plane, and that a second motion explains nearly as much.",
		"## Motions",
		table(4, append(header(scene, motions, "AUC", "refused", "ms"), "flags"), rows(1, relative, motions, (*poseRecord).areas, true)),
		"Where there is no translation, or nothing to find. Told: in how many trials the answer was refused or called a turn. Error: " +
			"that of the rotation.",
		table(4, header(scene, turns, "told", "error", "ms"), rows(2, none, turns, (*poseRecord).told, false)),
	}
	if len(boards) > 0 {
		records := racePoses(motions, boards)
		row := append([]string{fmt.Sprint(len(boards))}, columnsOf(motions, records, (*poseRecord).areas)...)
		paragraphs = append(paragraphs, fmt.Sprintf("Pictures of a chessboard, all pairs of the 13 from left01.jpg to left14.jpg in Debian's package opencv-doc: the %d inner corners that "+
			"findChessboardCorners and cornerSubPix find, without distortion. The true motions are those of the calibration in left_intrinsics.yml there. All points are right, "+
			"and on one plane, which two motions explain.", boardColumns*boardRows),
			table(1, append(header([]string{"pairs of pictures"}, motions, "AUC", "refused", "ms"), "flags"), [][]string{append(row, records[0].flags())}))
	}
	s.step()
	if len(castle) > 0 {
		var list [][]string
		for i, trials := range castle {
			records := racePoses(motions, trials)
			row := append([]string{fmt.Sprint(gaps[i]), fmt.Sprint(len(trials))}, columnsOf(motions, records, (*poseRecord).areas)...)
			list = append(list, append(row, records[0].flags()))
		}
		paragraphs = append(paragraphs, fmt.Sprintf("A camera that moves around the model of a castle: all pairs of the %d frames in mbt-depth/Castle-simu of Debian's package visp-images-data, which are rendered and whose true "+
			"poses are there, that are 1, 2, 5, 10 or 20 frames apart. Matches of 1000 ORB keypoints.", castleFrames),
			table(2, append(header([]string{"frames apart", "pairs of pictures"}, motions, "AUC", "refused", "ms"), "flags"), list))
	}
	s.step()
	paragraphs = append(paragraphs,
		"## Poses among known points",
		table(4, header(scene, poses, "error", "refused, wrong", "ms"), rows(3, absolute, poses, func(r *poseRecord) []string { return r.misses("%.3f", wrongPose) }, false)),
		"## Fundamental matrices",
		table(4, header(scene, lines, "error", "refused, wrong", "ms"), rows(4, fundamental, lines, inLines, false)),
		"Where pairs agree with many fundamental matrices, or with none, any answer is made up.",
		table(4, header(scene, lines, "answers", "ms"), rows(5, noLines, lines, (*poseRecord).answered, false)))
	if len(stereo) > 0 {
		var list [][]string
		for i := range stereo {
			records := racePoses(lines, stereo[i:i+1])
			list = append(list, append([]string{fmt.Sprint(len(stereo[i].a))}, columnsOf(lines, records, inLines)...))
		}
		paragraphs = append(paragraphs, "Middlebury's Aloe, aloeL.jpg and aloeR.jpg in Debian's package opencv-doc: matches of 1000, 2000 and 4000 ORB keypoints. "+
			"The pictures are rectified, so that true epipolar lines are rows. Keypoints are whole pixels, of which many are in the same row exactly.",
			table(1, header([]string{"pairs"}, lines, "error", "refused, wrong", "ms"), list))
	}
	s.step()
	paragraphs = append(paragraphs, "Sequences of hands and cars with true poses, such as KITTI's and TUM's, are not compared: Debian has no package of them.")
	return map[string][]byte{"pose.md": s.page("Motions and poses of cameras", measure.UsualClock(), paragraphs...)}, nil
}
