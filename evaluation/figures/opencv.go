package main

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/integral"
	"github.com/fastcorners/fast/internal/motions"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
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
}

// questionFeatures is how many keypoints are asked for, and questionThresholds are the
// thresholds of corners.
const questionFeatures = 1000

var questionThresholds = []uint8{10, 25, 50}

// questions returns those of the photos.
func (s *session) questions() []question {
	photos := s.photos
	if s.quick {
		photos = photos[:2]
	}
	e := peers.Must(orb.New(orb.Options{Features: questionFeatures}))
	var list []question
	for i, photo := range photos {
		q := question{a: photo, b: motions.All[i%len(motions.All)].Of(photo)}
		q.points = peers.Moved(peers.FlowPoints(photo))
		_, q.query = e.Extract(q.a, nil)
		_, q.train = e.Extract(q.b, nil)
		list = append(list, q)
	}
	return list
}

// An answer is results of several kinds.
type answer [len(answerNames)]results

// Results are of one kind. Each has the bits of what was found and a key, such as where it was
// found; without keys, results of two lists belong together that are at the same place.
type results struct {
	values []string
	keys   map[string]int // the index
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
	answerSums
)

var answerNames = [...]string{
	answerFAST:        "FAST-9 corners",
	answerSuppressed:  "FAST-9 corners after suppression, with responses",
	answerKeypoints:   "ORB keypoints: place, octave and response",
	answerAngles:      "ORB keypoints: angle",
	answerDescriptors: "ORB descriptors",
	answerMatches:     "nearest descriptors",
	answerTracks:      "optical flow: position, error and whether it was found",
	answerResponses:   "cornerMinEigenVal, which package harris defines otherwise",
	answerSums:        "integral image",
}

// add adds a result without a key.
func (a *answer) add(list int, v ...any) {
	var b []byte
	for _, v := range v {
		b, _ = binary.Append(b, binary.LittleEndian, v) // which fails for other types only
	}
	a[list].values = append(a[list].values, string(b))
}

// addKeyed adds a result with a key.
func (a *answer) addKeyed(list int, key string, v ...any) {
	if a[list].keys == nil {
		a[list].keys = map[string]int{}
	}
	a[list].keys[key] = len(a[list].values)
	a.add(list, v...)
}

// compare returns how many results both have, how many of these differ, and how many only the
// first list has.
func (r *results) compare(other *results) (common, different, missing int) {
	check := func(i, j int) {
		common++
		if r.values[i] != other.values[j] {
			different++
		}
	}
	if r.keys == nil && other.keys == nil {
		for i := range min(len(r.values), len(other.values)) {
			check(i, i)
		}
	}
	for key, i := range r.keys {
		if j, ok := other.keys[key]; ok {
			check(i, j)
		}
	}
	return common, different, len(r.values) - common
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
	a.addMatches(peers.Must(match.New(match.Options{})).Match(q.query, q.train)...)
	t := peers.Must(flow.New(flow.Options{}))
	a.addTracks(t.Track(t.Pyramid(q.a), t.Pyramid(q.b), q.points, nil)...)
	a.addResponses(peers.Must(harris.New(harris.Options{})).Response(q.a))
	sums := integral.New(q.a)
	for y := range q.a.Rect.Dy() + 1 {
		for x := range q.a.Rect.Dx() + 1 {
			a.add(answerSums, int32(sums.Sum(image.Rectangle{q.a.Rect.Min, q.a.Rect.Min.Add(image.Pt(x, y))})))
		}
	}
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
	return a
}

// A javaScriptAnswer is what opencv.js prints of a photo.
type javaScriptAnswer struct {
	FAST, Suppressed                                    [][][6]float64
	Keypoints                                           [][6]float64
	Matches                                             [][3]int32
	Descriptors, Tracks, Errors, Found, Responses, Sums []byte
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
		}{of(q.a), of(q.b), thresholds, questionFeatures, coordinates, flat(q.query), flat(q.train)})
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
// results of the others differ from it, and of the last ones from each other.
func openCVRows(lists [][]answer) [][]string {
	var rows [][]string
	for kind, name := range answerNames {
		between := func(a, b []answer) string {
			var d difference
			for i := range a {
				common, different, missing := a[i][kind].compare(&b[i][kind])
				d = difference{d.common + common, d.different + different, d.missing + missing}
			}
			return d.String()
		}
		row := []string{name}
		for _, other := range lists[1:] {
			row = append(row, between(lists[0], other))
		}
		if len(lists) > 2 {
			row = append(row, between(lists[1], lists[2]))
		}
		rows = append(rows, row)
	}
	return rows
}

// compareOpenCV returns paragraphs on what two versions of OpenCV give.
func (s *session) compareOpenCV(p *peers.Peers, dir string) ([]string, error) {
	list := s.questions()
	lists := make([][]answer, 2)
	for i := range list {
		lists[0] = append(lists[0], list[i].answer())
		lists[1] = append(lists[1], list[i].native(p))
	}
	header := []string{"results", "OpenCV 4.6"}
	var note string
	if s.quick {
		note = "OpenCV.js was left out."
	} else if answers, version, err := javaScript(dir, list); err != nil {
		note = fmt.Sprintf("OpenCV.js (`%s`) was not compared: %v.", openCVjs, err)
	} else {
		lists = append(lists, answers)
		header = append(header, "OpenCV.js "+version, "4.6 and "+version)
		note = fmt.Sprintf("OpenCV.js is `%s` in Node.js.", openCVjs)
	}
	return []string{
		fmt.Sprintf("## OpenCV\n\nWhat OpenCV gives for the photos, how many results of it differ from this library's, and, in the last column, how many "+
			"of its two versions differ from each other. All bits count. OpenCV 4.6 is what Debian packages for amd64 (%s). %s", peers.Versions(), note),
		table(1, header, openCVRows(lists)),
	}, nil
}
