package main

import (
	"bufio"
	_ "embed"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/integral"
	"github.com/fastcorners/fast/internal/test/motions"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/warp"
)

// openCVjs is the package of npm that has OpenCV.js, and its version.
const openCVjs = "@techstark/opencv-js@5.0.0-release.1"

// openCVScript has OpenCV.js answer.
//
//go:embed opencv.js
var openCVScript []byte

// A question is what is asked of this library and of OpenCV about a photo.
type question struct {
	a, b         *image.Gray // the photo, and what it shows after a motion
	points       []flow.Point
	query, train []match.Descriptor
	vectors      *peers.Vectors
}

// questionFeatures is how many keypoints are asked for, questionThresholds are the thresholds of
// corners, and questionCorners the options of others.
const questionFeatures = 1000

var (
	questionThresholds = []uint8{10, 25, 50}
	questionCorners    = harris.GoodFeatures(questionFeatures, 0.01, 10)
)

// questions returns those of the photos.
func (s *session) questions() []question {
	photos := s.photos
	if s.quick {
		photos = photos[:2]
	}
	e := peers.Must(orb.New(orb.Options{Features: questionFeatures}))
	vectors := peers.Must(sift.New(sift.Options{Features: questionFeatures}))
	var list []question
	for i, photo := range photos {
		q := question{a: photo, b: motions.All[i%len(motions.All)].Of(photo)}
		q.points = peers.Moved(peers.FlowPoints(photo))
		_, q.query = e.Extract(q.a, nil)
		_, q.train = e.Extract(q.b, nil)
		_, query := vectors.Extract(q.a, nil)
		_, train := vectors.Extract(q.b, nil)
		q.vectors = peers.NewVectors(query, train)
		list = append(list, q)
	}
	return list
}

// An answer is results of several kinds.
type answer [len(answerNames)]results

// Results are of one kind. Each has the bits of what was found and a key, such as where it was
// found; without keys, results of two lists belong together that are at the same place.
type results struct {
	Values []string
	Keys   map[string]int // the index
}

// The lists of an answer.
const (
	answerFAST = iota
	answerSuppressed
	answerKeypoints
	answerAngles
	answerDescriptors
	answerMatches
	answerTracks
	answerResponses
	answerFeatures
	answerRefined
	answerSums
	answerSIFT
	answerVectors
	answerVectorMatches
	answerMatrices
	answerMaps
)

var answerNames = [...]string{
	answerFAST:          "fast: FAST-9 corners",
	answerSuppressed:    "fast: FAST-9 corners after suppression, with scores",
	answerKeypoints:     "orb: keypoints: place, octave and response",
	answerAngles:        "orb: keypoints: angle",
	answerDescriptors:   "orb: descriptors",
	answerMatches:       "match: nearest descriptors of ORB",
	answerTracks:        "flow: position, error and whether it was found",
	answerResponses:     "harris: responses of cornerMinEigenVal",
	answerFeatures:      "harris: corners of goodFeaturesToTrack, in order",
	answerRefined:       "harris: corners refined by cornerSubPix",
	answerSums:          "integral: sums",
	answerSIFT:          "sift: keypoints",
	answerVectors:       "sift: descriptors",
	answerVectorMatches: "match: nearest descriptors of SIFT",
	answerMatrices:      "warp: pixels of warpAffine and warpPerspective",
	answerMaps:          "warp: pixels of remap",
}

// add adds a result without a key.
func (a *answer) add(list int, v ...any) {
	var b []byte
	for _, v := range v {
		b, _ = binary.Append(b, binary.LittleEndian, v) // which fails for other types only
	}
	a[list].Values = append(a[list].Values, string(b))
}

// addKeyed adds a result with a key.
func (a *answer) addKeyed(list int, key string, v ...any) {
	if a[list].Keys == nil {
		a[list].Keys = map[string]int{}
	}
	a[list].Keys[key] = len(a[list].Values)
	a.add(list, v...)
}

// compare returns how many results both have, how many of these differ, and how many only the
// first list has.
func (r *results) compare(other *results) (common, different, missing int) {
	check := func(i, j int) {
		common++
		if r.Values[i] != other.Values[j] {
			different++
		}
	}
	if r.Keys == nil && other.Keys == nil {
		for i := range min(len(r.Values), len(other.Values)) {
			check(i, i)
		}
	}
	for key, i := range r.Keys {
		if j, ok := other.Keys[key]; ok {
			check(i, j)
		}
	}
	return common, different, len(r.Values) - common
}

// addCorner adds a corner. Its response counts with suppression, without which OpenCV does not
// compute it.
func (a *answer) addCorner(threshold uint8, suppression bool, c fast.Corner) {
	key := fmt.Sprintf("%d %d %d", threshold, c.X, c.Y)
	if suppression {
		a.addKeyed(answerSuppressed, key, c.Score)
	} else {
		a.addKeyed(answerFAST, key)
	}
}

func (a *answer) addKeypoints(kps []orb.Keypoint, descs []match.Descriptor) {
	for i, k := range kps {
		key := fmt.Sprint(k.X, k.Y, k.Octave)
		a.addKeyed(answerKeypoints, key, k.Response, k.Size)
		a.addKeyed(answerAngles, key, k.Angle)
		a.addKeyed(answerDescriptors, key, descs[i])
	}
}

func (a *answer) addMatches(list ...match.Match) {
	for _, m := range list {
		a.add(answerMatches, m)
	}
}

// addTracks adds tracks. OpenCV leaves the errors of points that it lost undefined.
func (a *answer) addTracks(list ...flow.Track) {
	for _, t := range list {
		if !t.Found() {
			t.Err = 0
		}
		a.add(answerTracks, t.X, t.Y, t.Err, t.Found())
	}
}

func (a *answer) addResponses(list []float32) {
	for _, v := range list {
		a.add(answerResponses, v)
	}
}

// addFeature adds a corner, of which only the place and the order among the others count.
func (a *answer) addFeature(p image.Point) {
	a.addKeyed(answerFeatures, fmt.Sprint(p), int32(len(a[answerFeatures].Values)))
}

func (a *answer) addRefined(list []flow.Point) {
	for _, p := range list {
		a.add(answerRefined, p)
	}
}

func (a *answer) addSIFT(kps []sift.Keypoint, descs []match.Vector) {
	for i, k := range kps {
		key := fmt.Sprint(k.X, k.Y, k.Size, k.Angle)
		a.addKeyed(answerSIFT, key, k.Response, k.Octave)
		a.addKeyed(answerVectors, key, descs[i])
	}
}

// addWarped adds the pixels of all cases of warps, which the function makes.
func (a *answer) addWarped(warped func(c *peers.WarpCase, dst *image.Gray, t warp.Transform)) {
	for _, c := range peers.WarpCases() {
		dst := image.NewGray(image.Rectangle{Max: warpSize})
		warped(&c, dst, c.Transform(warpSize.X, warpSize.Y))
		list := answerMaps
		if matrix(&c) != nil {
			list = answerMatrices
		}
		for _, v := range dst.Pix {
			a.add(list, v)
		}
	}
}

// warpSize is the size of the images that photos are warped to.
var warpSize = image.Pt(160, 120)

// matrix returns the elements of the transform of a case, or nil if it is a map.
func matrix(c *peers.WarpCase) []float64 {
	switch t := c.Transform(warpSize.X, warpSize.Y).(type) {
	case warp.Affine:
		return t[:]
	case warp.Homography:
		return t[:]
	}
	return nil
}

// answer returns this library's.
func (q *question) answer() (a answer) {
	for _, threshold := range questionThresholds {
		for _, suppression := range []bool{false, true} {
			d := peers.Must(fast.New(fast.Options{ArcLength: 9, Threshold: threshold, NonmaxSuppression: suppression}))
			for _, c := range d.Detect(q.a) {
				a.addCorner(threshold, suppression, c)
			}
		}
	}
	a.addKeypoints(peers.Must(orb.New(orb.Options{Features: questionFeatures})).Extract(q.a, nil))
	a.addMatches(peers.Must(match.New[match.Descriptor](match.Options{})).Match(q.query, q.train)...)
	t := peers.Must(flow.New(flow.Options{}))
	a.addTracks(t.Track(t.Pyramid(q.a), t.Pyramid(q.b), q.points, nil)...)
	a.addResponses(peers.Must(harris.New(harris.Options{})).Response(q.a))
	sums := integral.New(q.a)
	for y := range q.a.Rect.Dy() + 1 {
		for x := range q.a.Rect.Dx() + 1 {
			a.add(answerSums, int32(sums.Sum(image.Rectangle{q.a.Rect.Min, q.a.Rect.Min.Add(image.Pt(x, y))})))
		}
	}
	for _, c := range peers.Must(harris.New(questionCorners)).Detect(q.a, nil) {
		a.addFeature(c.Pt())
	}
	refined := slices.Clone(q.points)
	harris.Refine(peers.Must(harris.NewRefiner(harris.RefinerOptions{})), q.a, refined, nil)
	a.addRefined(refined)
	a.addSIFT(peers.Must(sift.New(sift.Options{})).Extract(q.a, nil))
	for _, m := range peers.Must(match.New[match.Vector](match.Options{})).Match(q.vectors.Query, q.vectors.Train) {
		a.add(answerVectorMatches, m)
	}
	a.addWarped(func(c *peers.WarpCase, dst *image.Gray, t warp.Transform) {
		peers.Must(warp.New(c.Options)).Gray(dst, q.a, t)
	})
	return a
}

// native returns the answer of the installed OpenCV.
func (q *question) native(p *peers.Peers) (a answer) {
	for _, d := range p.Detectors() {
		if d.Arc == 9 {
			for _, threshold := range questionThresholds {
				for _, c := range d.Detect(q.a, threshold) {
					a.addCorner(threshold, d.Nonmax, c)
				}
			}
		}
	}
	a.addKeypoints(p.Extract(orb.Options{Features: questionFeatures}, q.a, nil))
	a.addMatches(p.Match(match.Options{}, q.query, q.train)...)
	a.addTracks(p.Track(flow.Options{}, q.a, q.b, q.points, nil)...)
	a.addResponses(p.Responses(harris.Options{BlockSize: 3}, q.a))
	for _, v := range p.Integral(q.a) {
		a.add(answerSums, v)
	}
	for _, corner := range p.GoodFeatures(questionCorners, q.a, nil) {
		a.addFeature(corner)
	}
	refined := slices.Clone(q.points)
	p.Refine(harris.RefinerOptions{}, q.a, refined)
	a.addRefined(refined)
	a.addSIFT(p.SIFT(sift.Options{}, q.a, nil))
	for _, m := range p.KNearestVectors(false, q.vectors, 1) {
		a.add(answerVectorMatches, m)
	}
	a.addWarped(func(c *peers.WarpCase, dst *image.Gray, t warp.Transform) {
		p.Warp(c.Options, peers.GrayPixels(dst), peers.GrayPixels(q.a), t)
	})
	return a
}

// A javaScriptAnswer is what opencv.js prints of a photo.
type javaScriptAnswer struct {
	FAST, Suppressed                                    [][][6]float64
	Keypoints                                           [][6]float64
	Matches                                             [][3]int32
	Descriptors, Tracks, Errors, Found, Responses, Sums []byte
	Warped                                              [][]byte
}

// decode returns it as others have it.
func (j *javaScriptAnswer) decode() (a answer) {
	for i, threshold := range questionThresholds {
		for _, c := range j.FAST[i] {
			a.addCorner(threshold, false, fast.Corner{X: int32(c[0]), Y: int32(c[1])})
		}
		for _, c := range j.Suppressed[i] {
			a.addCorner(threshold, true, fast.Corner{X: int32(c[0]), Y: int32(c[1]), Score: uint8(c[4])})
		}
	}
	var kps []orb.Keypoint
	var descs []match.Descriptor
	for i, k := range j.Keypoints {
		kps = append(kps, orb.Keypoint{
			X: float32(k[0]), Y: float32(k[1]), Size: float32(k[2]), Angle: float32(k[3]), Response: float32(k[4]), Octave: int32(k[5]),
		})
		descs = append(descs, match.Descriptor(j.Descriptors[32*i:]))
	}
	a.addKeypoints(kps, descs)
	for _, m := range j.Matches {
		a.addMatches(match.Match{Query: m[0], Train: m[1], Distance: m[2]})
	}
	places, errs := floats(j.Tracks), floats(j.Errors)
	for i, found := range j.Found {
		t := flow.Track{X: places[2*i], Y: places[2*i+1], Err: errs[i], Status: flow.Lost}
		if found != 0 {
			t.Status = flow.Found
		}
		a.addTracks(t)
	}
	a.addResponses(floats(j.Responses))
	for i := range len(j.Sums) / 4 {
		a.add(answerSums, binary.LittleEndian.Uint32(j.Sums[4*i:]))
	}
	for _, pix := range j.Warped {
		for _, v := range pix {
			a.add(answerMatrices, v)
		}
	}
	return a
}

// floats returns the numbers that the bytes hold.
func floats(data []byte) []float32 {
	list := make([]float32, len(data)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return list
}

// javaScript has OpenCV.js answer the questions, and returns its version, too. Its error says
// what is missing on this machine.
func javaScript(dir string, list []question) ([]answer, string, error) {
	for _, name := range []string{"npm", "node"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, "", err
		}
	}
	install := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", openCVjs)
	if out, err := install.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("npm install: %w: %s", err, lastLine(out))
	}
	type photo struct {
		Width, Height int
		Pix           []byte
	}
	of := func(img *image.Gray) photo { return photo{img.Rect.Dx(), img.Rect.Dy(), img.Pix} }
	flat := func(descs []match.Descriptor) (data []byte) {
		for _, d := range descs {
			data = append(data, d[:]...)
		}
		return data
	}
	type transform struct {
		Matrix  []float64
		Nearest bool
	}
	var transforms []transform
	for _, c := range peers.WarpCases() {
		if m := matrix(&c); m != nil {
			transforms = append(transforms, transform{m, c.Options.Interpolation == warp.Nearest})
		}
	}
	var request []any
	for _, q := range list {
		var coordinates []float32
		for _, p := range q.points {
			coordinates = append(coordinates, p.X, p.Y)
		}
		var thresholds []int
		for _, t := range questionThresholds {
			thresholds = append(thresholds, int(t))
		}
		request = append(request, struct {
			A, B         photo
			Thresholds   []int
			Features     int
			Points       []float32
			Query, Train []byte
			Width        int // of what the photo is warped to
			Height       int
			Transforms   []transform
		}{of(q.a), of(q.b), thresholds, questionFeatures, coordinates, flat(q.query), flat(q.train), warpSize.X, warpSize.Y, transforms})
	}
	data, err := json.Marshal(request)
	if err != nil {
		return nil, "", err
	}
	script, file := filepath.Join(dir, "opencv.js"), filepath.Join(dir, "request.json")
	if err := errors.Join(os.WriteFile(script, openCVScript, 0o666), os.WriteFile(file, data, 0o666)); err != nil {
		return nil, "", err
	}
	out, err := exec.Command("node", script, filepath.Join(dir, "node_modules", "@techstark", "opencv-js"), file).Output()
	if err != nil {
		return nil, "", fmt.Errorf("node: %w", err)
	}
	var reply struct {
		Version string
		Answers []javaScriptAnswer
	}
	if err := json.Unmarshal(out, &reply); err != nil {
		return nil, "", fmt.Errorf("node: %w", err)
	}
	var answers []answer
	for _, j := range reply.Answers {
		answers = append(answers, j.decode())
	}
	return answers, reply.Version, nil
}

// A difference counts results that differ.
type difference struct{ common, different, missing int }

func (d difference) String() string {
	s := fmt.Sprintf("%s of %s", thousands(d.different), thousands(d.common))
	if d.missing > 0 {
		s += fmt.Sprintf(", and %s not found", thousands(d.missing))
	}
	return s
}

// openCVRows returns the rows of a table of lists of answers, this library's first: how many
// results of the others differ from it, and how many of the second one differ from those after it.
func openCVRows(lists [][]answer) [][]string {
	var rows [][]string
	for kind, name := range answerNames {
		between := func(a, b []answer) string {
			var d difference
			for i := range a {
				if len(a[i][kind].Values) == 0 || len(b[i][kind].Values) == 0 {
					continue
				}
				common, different, missing := a[i][kind].compare(&b[i][kind])
				d = difference{d.common + common, d.different + different, d.missing + missing}
			}
			if d == (difference{}) {
				return "–"
			}
			return d.String()
		}
		row := []string{name}
		for _, other := range lists[1:] {
			row = append(row, between(lists[0], other))
		}
		for _, other := range lists[2:] {
			row = append(row, between(lists[1], other))
		}
		rows = append(rows, row)
	}
	return rows
}

// An installed OpenCV has these versions, its own and those of Debian's packages.
type installed struct{ OpenCV, Packages string }

// serveAnswers writes the versions of the peers and what OpenCV answers, for [trixie] to read.
func (s *session) serveAnswers(w io.Writer) error {
	p, err := peers.Open()
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	out := gob.NewEncoder(buffered)
	if err := out.Encode(installed{p.OpenCV(), peers.Versions()}); err != nil {
		return err
	}
	for _, q := range s.questions() {
		if err := out.Encode(q.native(p)); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// trixie has the OpenCV of Debian 13 answer the n questions. Its error says what is missing on this
// machine.
func (s *session) trixie(n int) ([]answer, installed, error) {
	var v installed
	cmd := exec.Command(filepath.Join(s.root, "evaluation", "trixie"), "go", "run", "./figures", "-answers")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, v, err
	}
	if err := cmd.Start(); err != nil {
		return nil, v, err
	}
	in := gob.NewDecoder(bufio.NewReader(pipe))
	answers := make([]answer, n)
	err = in.Decode(&v)
	for i := 0; i < n && err == nil; i++ {
		err = in.Decode(&answers[i])
	}
	return answers, v, errors.Join(err, cmd.Wait())
}

// compareOpenCV compares what versions of OpenCV give with this library.
func compareOpenCV(s *session, p *peers.Peers) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "opencv")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	questions := s.questions()
	lists := make([][]answer, 2)
	for i := range questions {
		lists[0] = append(lists[0], questions[i].answer())
		lists[1] = append(lists[1], questions[i].native(p))
	}
	names := []string{p.OpenCV()}
	notes := []string{fmt.Sprintf("OpenCV %s is %s.", p.OpenCV(), peers.Versions())}
	if s.quick {
		notes = append(notes, "Others were left out.")
	} else {
		switch answers, v, err := s.trixie(len(questions)); {
		case err != nil:
			notes = append(notes, fmt.Sprintf("That of Debian 13 was not compared: %v.", err))
		case v.OpenCV != names[0]:
			lists, names = append(lists, answers), append(names, v.OpenCV)
			notes = append(notes, fmt.Sprintf("OpenCV %s is %s, in a root of Debian 13.", v.OpenCV, v.Packages))
		}
		if answers, version, err := javaScript(dir, questions); err != nil {
			notes = append(notes, fmt.Sprintf("OpenCV.js (`%s`) was not compared: %v.", openCVjs, err))
		} else {
			lists, names = append(lists, answers), append(names, version)
			notes = append(notes, fmt.Sprintf("OpenCV %s is OpenCV.js, `%s`, in Node.js, which lacks what has a dash.", version, openCVjs))
		}
	}
	header := []string{"results"}
	for _, name := range names {
		header = append(header, "OpenCV "+name)
	}
	for _, name := range names[1:] {
		header = append(header, names[0]+" and "+name)
	}
	return map[string][]byte{"versions.md": s.stamp.markdown("Versions of OpenCV", 0,
		"How many results of versions of OpenCV differ from this library's, for the photos, and then how many of the first version "+
			"differ from those of the others. All bits count. \"Not found\" are results without a counterpart. "+strings.Join(notes, " "),
		table(1, header, openCVRows(lists)), aboutVersions)}, nil
}

// aboutVersions explains what differs.
const aboutVersions = `- Package harris defines its responses otherwise, so that they are the same on all processors. What OpenCV's
  are depends on the processor, too.
- Since version 4.9 (pull request 24527) cornerSubPix leaves a point where it was before the step that would take it out of the
  image. Until then it took that step, and stopped there, as harris.Refine does. All points that differ are within a few pixels of
  the edges.
- The keypoints of SIFT that differ in OpenCV 4.10 do so by rounding, in the fifth digit or after it.
- OpenCV 5 has warps (pull requests 25984 and 26348) that interpolate with floats at places that are not rounded to a 32nd of a
  pixel, as they are in package warp and in the other versions. OpenCV.js rounds otherwise in angles and tracks, too.

Packages geometry, pose and locate find what OpenCV's functions find by other algorithms. They are compared by their errors:
[geometry](geometry.md), [pose](pose.md), [locate](locate.md). The tests of this module compare more images and options with
what is installed, FAISS and libCVD included: ` + "`go test ./peers`, and `./trixie`" + ` for the peers of Debian 13. Both pass: OpenCV 4.6 and
4.10 as above, and FAISS 1.7.3 and 1.11 with the same distances.`
