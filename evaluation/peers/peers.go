package peers

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/warp"
)

// ErrMissing is the error where the libraries are not installed. Its message
// says what to install.
var ErrMissing = errors.New(missing)

// Peers are the other libraries. They share memory: no two calls may run at once.
type Peers struct{ calls calls }

// calls is what the glue does. Those that return a number, of results, return a
// negative one when they fail. The call after each returns the results.
type calls interface {
	version() string // of OpenCV

	find(detector int, img *image.Gray, threshold uint8) int
	corners(n int) []fast.Corner

	extract(opts *orb.Options, img, mask *image.Gray, given []orb.Keypoint) int
	keypoints(n int) ([]orb.Keypoint, []match.Descriptor)

	match(opts *match.Options, d FlatDescriptors, k, radius int) int
	matches(n int) []match.Match

	hasNearest() bool
	nearest(d FlatDescriptors, k int) int
	nearestMatches(n int) []match.Match

	sift(opts *sift.Options, describe bool, img, mask *image.Gray, given []sift.Keypoint) int
	vectors(n int) ([]sift.Keypoint, []match.Vector)

	matchVectors(crossCheck bool, v *Vectors, k int) int
	nearestVectors(v *Vectors, k int) int

	respond(opts *harris.Options, img *image.Gray) int
	responses(n int) []float32

	track(opts *harris.Options, img, mask *image.Gray) int
	features(n int) []image.Point

	estimate(kind geometry.Kind, m Method, threshold float64, a, b []geometry.Point) (t geometry.Transform, found int)

	relative(m Method, threshold float64, c camera.Camera, a, b []geometry.Point) (p pose.Pose, found int)
	absolute(m Method, threshold float64, c camera.Camera, world []pose.Vector, image []geometry.Point) (p pose.Pose, found int)
	fundamental(m Method, threshold float64, a, b []geometry.Point) (f [9]float64, found int)
	solve(m PnP, c camera.Camera, world []pose.Vector, image []geometry.Point) (list [2]pose.Pose, found int)

	chessboard(f BoardFinder, img *image.Gray, columns, rows int) (corners []flow.Point, found int)
	calibrate(model camera.Model, coefficients int, size image.Point, views []calibrate.View) (c OpenCVCamera, found int)
	pair(a, b camera.Camera, size image.Point, views [][2]calibrate.View) (p pose.Pose, rms float64, found int)
	failure() string // of the last of these three

	hasAprilTag() bool
	mark(f MarkerFinder, kind tag.Kind, img *image.Gray) int
	marks(n int) []Marker

	pyramid(opts *flow.Options, number int, derivatives bool, img *image.Gray) int
	follow(opts *flow.Options, a, b *image.Gray, points, guesses []flow.Point) int
	followReady(opts *flow.Options, a, b int, points []flow.Point) int
	tracks(n int) []flow.Track

	refine(opts *harris.RefinerOptions, img *image.Gray, points []flow.Point) int

	warp(opts *warp.Options, dst, src Pixels, t warp.Transform) int

	resize(how warp.Interpolation, bits int, dst, src Pixels) int

	threads(n int)

	undistort(c *camera.Camera, points []geometry.Point) int
	project(c *camera.Camera, points [][3]float64, pixels []geometry.Point) int
	rectify(from, to *camera.Camera, turn *[9]float64, m *warp.Map) int

	integrate(img *image.Gray) int
	sums(n int) []int32

	stabilize(v *Video, out []byte, step int, parts *[4]float64) int

	search(similarity locate.Similarity, scene, part Pixels, mask *image.Gray, best *[3]float64) int
	places(n int) []float32
}

// Open returns the peers. Where they are not installed its error is ErrMissing.
func Open() (*Peers, error) {
	c, err := open()
	if err != nil {
		return nil, err
	}
	return &Peers{c}, nil
}

// OpenCV returns the version of OpenCV, such as 4.6.0.
func (p *Peers) OpenCV() string {
	return p.calls.version()
}

// SetThreads has OpenCV use a number of threads. It begins with one.
func (p *Peers) SetThreads(n int) { p.calls.threads(n) }

// Since reports whether OpenCV has at least this version.
func (p *Peers) Since(major, minor int) bool {
	var have [2]int
	if _, err := fmt.Sscanf(p.OpenCV(), "%d.%d", &have[0], &have[1]); err != nil {
		panic("peers: OpenCV has the version " + p.OpenCV())
	}
	return slices.Compare(have[:], []int{major, minor}) >= 0
}

// Versions returns the versions of libCVD and OpenCV, as Debian has them.
func Versions() string {
	return versions("libcvd-dev", "libopencv-dev")
}

// VersionOfFAISS returns that of FAISS.
func VersionOfFAISS() string {
	return versions("libfaiss-dev")
}

// VersionOfFFmpeg returns that of ffmpeg, which has vid.stab.
func VersionOfFFmpeg() string {
	return versions("ffmpeg")
}

// BLAS returns the file name of the BLAS that FAISS uses, and its directory's.
func BLAS() string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return "unknown"
	}
	file := regexp.MustCompile(`[^/\n]*/lib(open)?blas[^/\n]*\n`).Find(maps)
	return cmp.Or(strings.TrimSpace(string(file)), "none")
}

func versions(packages ...string) string {
	out, err := exec.Command("dpkg-query", append([]string{"-W", "-f", "${Package} ${Version}\n"}, packages...)...).Output()
	if err != nil {
		return "unknown versions"
	}
	return strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", ", ")
}

// found panics when a peer failed, and otherwise returns how much it found.
func found(peer string, n int) int {
	if n < 0 {
		panic("peers: " + peer + " failed")
	}
	return n
}

// A Detector is a FAST detector.
type Detector struct {
	Name string
	// Arc and Nonmax say what it finds: corners of this arc length, with or
	// without suppression.
	Arc    int
	Nonmax bool
	// Scores tells whether it returns the scores of the corners.
	Scores bool

	number int // in glue/peers.h
	calls  calls
}

// Detectors returns the detectors.
func (p *Peers) Detectors() []Detector {
	return []Detector{
		{Name: "libcvd-plain", Arc: 10, number: 0, calls: p.calls},
		{Name: "libcvd-sse2", Arc: 10, number: 1, calls: p.calls},
		{Name: "opencv", Arc: 9, number: 2, calls: p.calls},
		{Name: "opencv", Arc: 9, Nonmax: true, Scores: true, number: 3, calls: p.calls},
	}
}

// find detects corners and returns how many there are.
func (d *Detector) find(img *image.Gray, threshold uint8) int {
	return found(d.Name, d.calls.find(d.number, img, threshold))
}

// Detect returns the corners of img.
func (d *Detector) Detect(img *image.Gray, threshold uint8) []fast.Corner {
	return d.calls.corners(d.find(img, threshold))
}

// extract has OpenCV find and describe keypoints, and returns how many there are.
func (p *Peers) extract(opts *orb.Options, img, mask *image.Gray) int {
	return found("ORB", p.calls.extract(opts, img, mask, nil))
}

// Extract returns the keypoints and descriptors of OpenCV's ORB, in the order that
// package orb has them in. The mask may be nil.
func (p *Peers) Extract(opts orb.Options, img, mask *image.Gray) ([]orb.Keypoint, []match.Descriptor) {
	unsorted, unsortedDescs := p.calls.keypoints(p.extract(&opts, img, mask))
	order := make([]int, len(unsorted))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &unsorted[i], &unsorted[j]
		return cmp.Or(cmp.Compare(a.Octave, b.Octave), cmp.Compare(b.Response, a.Response), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
	var kps []orb.Keypoint
	var descs []match.Descriptor
	for _, i := range order {
		kps, descs = append(kps, unsorted[i]), append(descs, unsortedDescs[i])
	}
	return kps, descs
}

// Describe returns the descriptors of OpenCV's ORB for keypoints of img, and the keypoints
// that it describes, which are at least EdgeThreshold pixels away from the edges of img. It
// sorts them by their octaves.
func (p *Peers) Describe(opts orb.Options, kps []orb.Keypoint, img *image.Gray) ([]orb.Keypoint, []match.Descriptor) {
	if len(kps) == 0 {
		return nil, nil
	}
	return p.calls.keypoints(found("ORB", p.calls.extract(&opts, img, nil, kps)))
}

// match has OpenCV find matches, and returns how many there are.
func (p *Peers) match(opts *match.Options, d FlatDescriptors, k, radius int) int {
	return found("matcher", p.calls.match(opts, d, k, radius))
}

// Match returns the nearest train descriptors by OpenCV's BFMatcher. Of the options
// only CrossCheck and Hamming2 count.
func (p *Peers) Match(opts match.Options, query, train []match.Descriptor) []match.Match {
	return p.KNearest(opts, query, train, 1)
}

// KNearest returns the k nearest of each query descriptor, likewise.
func (p *Peers) KNearest(opts match.Options, query, train []match.Descriptor, k int) []match.Match {
	return p.FlatKNearest(opts, Descriptors{query, train}.flat(), k)
}

// FlatKNearest is KNearest for descriptors of any size.
func (p *Peers) FlatKNearest(opts match.Options, d FlatDescriptors, k int) []match.Match {
	return p.calls.matches(p.match(&opts, d, k, 0))
}

// Within returns the train descriptors within the radius, likewise. Those of a query
// descriptor at equal distances are in any order.
func (p *Peers) Within(opts match.Options, query, train []match.Descriptor, radius int) []match.Match {
	return p.calls.matches(p.match(&opts, Descriptors{query, train}.flat(), 0, radius))
}

// HasFAISS reports whether FAISS is among the peers. The others do not need it.
func (p *Peers) HasFAISS() bool {
	return p.calls.hasNearest()
}

// nearest has FAISS find the k nearest, and returns how many there are.
func (p *Peers) nearest(d FlatDescriptors, k int) int {
	return found("FAISS", p.calls.nearest(d, k))
}

// NearestByFAISS returns the k nearest of each query descriptor by FAISS, which must be there.
// Of those at equal distances it may choose any.
func (p *Peers) NearestByFAISS(query, train []match.Descriptor, k int) []match.Match {
	return p.FlatNearestByFAISS(Descriptors{query, train}.flat(), k)
}

// FlatNearestByFAISS is NearestByFAISS for descriptors of 8, 32, 64 or 128 bytes.
func (p *Peers) FlatNearestByFAISS(d FlatDescriptors, k int) []match.Match {
	return p.calls.nearestMatches(p.nearest(d, k))
}

// matchVectors has OpenCV find the k nearest, and returns how many matches there are.
func (p *Peers) matchVectors(crossCheck bool, v *Vectors, k int) int {
	return found("matcher", p.calls.matchVectors(crossCheck, v, k))
}

// KNearestVectors returns the k nearest of each query vector by OpenCV's BFMatcher, of vectors of
// floats. Distances are squared, and below 1<<22.
func (p *Peers) KNearestVectors(crossCheck bool, v *Vectors, k int) []match.Match {
	return p.calls.matches(p.matchVectors(crossCheck, v, k))
}

// nearestVectors has FAISS find the k nearest, and returns how many there are.
func (p *Peers) nearestVectors(v *Vectors, k int) int {
	return found("FAISS", p.calls.nearestVectors(v, k))
}

// NearestVectorsByFAISS returns the k nearest of each query vector by the IndexFlatL2 of FAISS,
// which must be there. Of those at equal distances it may choose any.
func (p *Peers) NearestVectorsByFAISS(v *Vectors, k int) []match.Match {
	return p.calls.nearestMatches(p.nearestVectors(v, k))
}

// respond has OpenCV make the responses of all pixels, and returns how many they are.
func (p *Peers) respond(opts *harris.Options, img *image.Gray) int {
	return found("cornerHarris or cornerMinEigenVal", p.calls.respond(opts, img))
}

// Responses returns the responses of all pixels, row by row: those of OpenCV's
// cornerHarris for the Measure Harris, and otherwise those of its cornerMinEigenVal. Of
// the options BlockSize and K count, too, and the gradients of Sobel and Scharr.
func (p *Peers) Responses(opts harris.Options, img *image.Gray) []float32 {
	return p.calls.responses(p.respond(&opts, img))
}

// track has OpenCV find good features to track, and returns how many there are.
func (p *Peers) track(opts *harris.Options, img, mask *image.Gray) int {
	return found("goodFeaturesToTrack", p.calls.track(opts, img, mask))
}

// GoodFeatures returns what OpenCV's goodFeaturesToTrack returns. Of the options
// Quality, MinDistance and MaxCorners count, and those that count for Responses. The
// mask may be nil.
func (p *Peers) GoodFeatures(opts harris.Options, img, mask *image.Gray) []image.Point {
	return p.calls.features(p.track(&opts, img, mask))
}

// integrate has OpenCV make an integral image, and returns how many sums it has.
func (p *Peers) integrate(img *image.Gray) int {
	return found("integral", p.calls.integrate(img))
}

// Integral returns OpenCV's integral image: for each pixel, and for what would be one more
// column and row, the sum of the pixels above and to the left, row by row.
func (p *Peers) Integral(img *image.Gray) []int32 {
	return p.calls.sums(p.integrate(img))
}

// A Method is one of OpenCV's robust estimators.
type Method int

const (
	RANSAC       Method = iota // with OpenCV's other defaults
	USACAccurate               // with 20000 samples and a confidence of 0.999
	USACMAGSAC                 // with these, too
)

// Methods are all methods.
var Methods = []Method{RANSAC, USACAccurate, USACMAGSAC}

func (m Method) String() string {
	return [...]string{"RANSAC", "USAC_ACCURATE", "USAC_MAGSAC"}[m]
}

// Estimate returns the transform that OpenCV finds: a homography, an affine transform or, by
// RANSAC only and for a rigid transform, too, a similarity. It reports false if there is none.
func (p *Peers) Estimate(kind geometry.Kind, m Method, threshold float64, a, b []geometry.Point) (geometry.Transform, bool) {
	t, n := p.calls.estimate(kind, m, threshold, a, b)
	return t, n > 0
}
