//go:build linux && amd64 && cgo

package peers

/*
#cgo LDFLAGS: -ldl

#include <dlfcn.h>
#include <stdlib.h>

#include "glue/peers.h"

static const struct peers_functions *call_open(void *f) {
	return ((const struct peers_functions *(*)(void))f)();
}

static int32_t call_find(const struct peers_functions *f, int32_t detector, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t threshold) {
	return f->find(detector, pix, width, height, stride, threshold);
}

static void call_corners(const struct peers_functions *f, struct peers_corner *out) {
	f->corners(out);
}

static int32_t call_extract(const struct peers_functions *f, const struct peers_orb *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride, const struct peers_keypoint *given, int32_t given_count) {
	return f->extract(opts, pix, width, height, stride, mask, mask_stride, given, given_count);
}

static void call_keypoints(const struct peers_functions *f, struct peers_keypoint *out, uint8_t *descriptors) {
	f->keypoints(out, descriptors);
}

static int32_t call_match(const struct peers_functions *f, int32_t hamming2, int32_t cross_check, int32_t k, int32_t radius, int32_t size, uint8_t *query, int32_t queries, uint8_t *train, int32_t trains) {
	return f->match(hamming2, cross_check, k, radius, size, query, queries, train, trains);
}

static void call_matches(const struct peers_functions *f, struct peers_match *out) {
	f->matches(out);
}

static int32_t call_nearest(const struct peers_functions *f, int32_t k, int32_t size, uint8_t *query, int32_t queries, uint8_t *train, int32_t trains) {
	return f->nearest(k, size, query, queries, train, trains);
}

static void call_nearest_matches(const struct peers_functions *f, struct peers_match *out) {
	f->nearest_matches(out);
}

static int32_t call_respond(const struct peers_functions *f, const struct peers_harris *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	return f->respond(opts, pix, width, height, stride);
}

static void call_responses(const struct peers_functions *f, float *out) {
	f->responses(out);
}

static int32_t call_track(const struct peers_functions *f, const struct peers_harris *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride) {
	return f->track(opts, pix, width, height, stride, mask, mask_stride);
}

static void call_features(const struct peers_functions *f, struct peers_point *out) {
	f->features(out);
}

static int32_t call_sift(const struct peers_functions *f, const struct peers_sift *opts, int32_t describe, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride, const struct peers_keypoint *given, int32_t given_count) {
	return f->sift(opts, describe, pix, width, height, stride, mask, mask_stride, given, given_count);
}

static int32_t call_match_vectors(const struct peers_functions *f, int32_t cross_check, int32_t k, float *query, int32_t queries, float *train, int32_t trains) {
	return f->match_vectors(cross_check, k, query, queries, train, trains);
}

static int32_t call_nearest_vectors(const struct peers_functions *f, int32_t k, float *query, int32_t queries, float *train, int32_t trains) {
	return f->nearest_vectors(k, query, queries, train, trains);
}

static int32_t call_estimate(const struct peers_functions *f, int32_t kind, int32_t method, double threshold, double *a, double *b, int32_t n, double *out) {
	return f->estimate(kind, method, threshold, a, b, n, out);
}

static int32_t call_relative(const struct peers_functions *f, int32_t method, double threshold, double *camera, double *a, double *b, int32_t n, double *out) {
	return f->relative(method, threshold, camera, a, b, n, out);
}

static int32_t call_absolute(const struct peers_functions *f, int32_t method, double threshold, double *camera, double *world, double *image, int32_t n, double *out) {
	return f->absolute(method, threshold, camera, world, image, n, out);
}

static int32_t call_fundamental(const struct peers_functions *f, int32_t method, double threshold, double *a, double *b, int32_t n, double *out) {
	return f->fundamental(method, threshold, a, b, n, out);
}

static int32_t call_solve(const struct peers_functions *f, int32_t method, double *camera, double *world, double *image, int32_t n, double *out) {
	return f->solve(method, camera, world, image, n, out);
}

static int32_t call_chessboard(const struct peers_functions *f, int32_t method, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t columns, int32_t rows, float *out) {
	return f->chessboard(method, pix, width, height, stride, columns, rows, out);
}

static int32_t call_calibrate(const struct peers_functions *f, int32_t model, int32_t coefficients, int32_t width, int32_t height, double *world, double *image, int32_t *counts, int32_t views, double *camera, double *deviations, double *rms) {
	return f->calibrate(model, coefficients, width, height, world, image, counts, views, camera, deviations, rms);
}

static int32_t call_pair(const struct peers_functions *f, int32_t width, int32_t height, double *world, double *a, double *b, int32_t *counts, int32_t views, double *first, double *second, double *pose, double *rms) {
	return f->pair(width, height, world, a, b, counts, views, first, second, pose, rms);
}

static const char *call_failure(const struct peers_functions *f) {
	return f->failure();
}

static int32_t call_mark(const struct peers_functions *f, int32_t kind, int32_t refine, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	return f->mark(kind, refine, pix, width, height, stride);
}

static int32_t call_april(const struct peers_functions *f, int32_t kind, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	return f->april(kind, pix, width, height, stride);
}

static void call_marks(const struct peers_functions *f, struct peers_tag *out) {
	f->marks(out);
}

static int32_t call_pyramid(const struct peers_functions *f, const struct peers_flow *opts, int32_t number, int32_t derivatives, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	return f->pyramid(opts, number, derivatives, pix, width, height, stride);
}

static int32_t call_follow(const struct peers_functions *f, const struct peers_flow *opts, uint8_t *a, int32_t a_stride, uint8_t *b, int32_t b_stride, int32_t width, int32_t height, float *points, float *guesses, int32_t n) {
	return f->follow(opts, a, a_stride, b, b_stride, width, height, points, guesses, n);
}

static int32_t call_follow_ready(const struct peers_functions *f, const struct peers_flow *opts, int32_t a, int32_t b, float *points, int32_t n) {
	return f->follow_ready(opts, a, b, points, n);
}

static void call_tracks(const struct peers_functions *f, struct peers_track *out) {
	f->tracks(out);
}

static int32_t call_refine(const struct peers_functions *f, int32_t radius, int32_t iterations, double epsilon, uint8_t *pix, int32_t width, int32_t height, int32_t stride, float *points, int32_t n) {
	return f->refine(radius, iterations, epsilon, pix, width, height, stride, points, n);
}

static int32_t call_warp(const struct peers_functions *f, int32_t kind, int32_t channels, int32_t nearest, int32_t border, uint8_t *value, uint8_t *src, int32_t width, int32_t height, int32_t stride, uint8_t *dst, int32_t to_width, int32_t to_height, int32_t to_stride, void *a, void *b) {
	return f->warp(kind, channels, nearest, border, value, src, width, height, stride, dst, to_width, to_height, to_stride, a, b);
}

static int32_t call_resize(const struct peers_functions *f, int32_t interpolation, int32_t channels, int32_t bits, uint8_t *src, int32_t width, int32_t height, int32_t stride, uint8_t *dst, int32_t to_width, int32_t to_height, int32_t to_stride) {
	return f->resize(interpolation, channels, bits, src, width, height, stride, dst, to_width, to_height, to_stride);
}

static void call_threads(const struct peers_functions *f, int32_t n) {
	f->threads(n);
}

static int32_t call_undistort(const struct peers_functions *f, double *camera, double *points, int32_t n) {
	return f->undistort(camera, points, n);
}

static int32_t call_project(const struct peers_functions *f, int32_t model, double *camera, double *points, double *pixels, int32_t n) {
	return f->project(model, camera, points, pixels, n);
}

static int32_t call_rectify(const struct peers_functions *f, int32_t model, double *from, double *to, double *turn, int32_t width, int32_t height, float *x, float *y) {
	return f->rectify(model, from, to, turn, width, height, x, y);
}

static int32_t call_integrate(const struct peers_functions *f, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	return f->integrate(pix, width, height, stride);
}

static void call_sums(const struct peers_functions *f, int32_t *out) {
	f->sums(out);
}

static int32_t call_stabilize(const struct peers_functions *f, const struct peers_stabilize *opts, uint8_t *pix, uint8_t *out, int32_t step, double *parts) {
	return f->stabilize(opts, pix, out, step, parts);
}

static int32_t call_search(const struct peers_functions *f, int32_t similarity, int32_t channels, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *part, int32_t part_width, int32_t part_height, int32_t part_stride, uint8_t *mask, int32_t mask_stride, double *best) {
	return f->search(similarity, channels, pix, width, height, stride, part, part_width, part_height, part_stride, mask, mask_stride, best);
}

static void call_places(const struct peers_functions *f, float *out) {
	f->places(out);
}
*/
import "C"

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/locate"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/point"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/warp"
)

// glue is the C++ code between this package and the libraries.
//
//go:embed glue
var glue embed.FS

// missing says why there are no peers.
const missing = "libCVD or OpenCV is missing: apt-get install libcvd-dev libopencv-dev"

// A loaded is the compiled and loaded glue.
type loaded struct{ functions *C.struct_peers_functions }

var open = sync.OnceValues(func() (calls, error) {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // what is loaded stays

	if err := os.CopyFS(dir, glue); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "glue.so")
	if err := compile(file, filepath.Join(dir, "glue")); err != nil {
		return nil, err
	}
	name, symbol := C.CString(file), C.CString("peers_open")
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(symbol))
	handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("peers: %s", C.GoString(C.dlerror()))
	}
	open := C.dlsym(handle, symbol)
	if open == nil {
		return nil, fmt.Errorf("peers: %s", C.GoString(C.dlerror()))
	}
	return loaded{C.call_open(open)}, nil
})

// compile makes the shared library of the glue in dir. What is called of FAISS is compiled for
// this processor.
func compile(file, dir string) error {
	const probe = `#if !__has_include(<cvd/fast_corner.h>) || !__has_include(<opencv2/calib3d.hpp>) || !__has_include(<opencv2/features2d.hpp>) || !__has_include(<opencv2/video/tracking.hpp>)
#error
#endif
`
	switch _, err := gxx(probe, "-E", "-x", "c++", "-"); {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w, and g++", ErrMissing)
	case err != nil:
		return ErrMissing
	}
	object := file + ".faiss.o"
	if out, err := gxx("", "-O3", "-march=native", "-fPIC", "-c", "-o", object, filepath.Join(dir, "faiss.cc")); err != nil {
		return fmt.Errorf("peers: g++: %w\n%s", err, out)
	}
	sources := []string{"peers.cc", "camera.cc", "pose.cc", "stabilize.cc", "locate.cc", "tag.cc", "calibrate.cc"}
	args := []string{"-O2", "-shared", "-fPIC", "-o", file, object}
	for _, name := range sources {
		args = append(args, filepath.Join(dir, name))
	}
	args = append(args, "-lcvd", "-lopencv_calib3d", "-lopencv_features2d", "-lopencv_video", "-lopencv_imgproc", "-lopencv_core")
	// OpenCV has its markers in a module of its own before 4.7.
	if _, err := gxx("#include <opencv2/objdetect/aruco_detector.hpp>\n", "-E", "-x", "c++", "-"); err == nil {
		args = append(args, "-lopencv_objdetect")
	} else {
		args = append(args, "-lopencv_aruco")
	}
	if _, err := gxx("#include <apriltag/apriltag.h>\n", "-E", "-x", "c++", "-"); err == nil {
		args = append(args, "-lapriltag")
	}
	if _, err := gxx("#include <faiss/IndexFlat.h>\n", "-E", "-x", "c++", "-"); err == nil {
		args = append(args, "-lfaiss", "-lgomp", "-lblas", "-llapack")
	}
	if out, err := gxx("", args...); err != nil {
		return fmt.Errorf("peers: g++: %w\n%s", err, out)
	}
	return nil
}

// gxx runs the compiler with this input and returns what it writes.
func gxx(input string, args ...string) ([]byte, error) {
	cmd := exec.Command("g++", append([]string{"-I/usr/include/opencv4"}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	return cmd.CombinedOutput()
}

func (l loaded) version() string {
	return C.GoString(l.functions.opencv)
}

func (l loaded) find(detector int, img *image.Gray, threshold uint8) int {
	return int(C.call_find(l.functions, C.int32_t(detector), bytes(img.Pix),
		C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride), C.int32_t(threshold)))
}

func (l loaded) corners(n int) []fast.Corner {
	list := make([]C.struct_peers_corner, n)
	C.call_corners(l.functions, unsafe.SliceData(list))
	corners := make([]fast.Corner, n)
	for i, c := range list {
		corners[i] = fast.Corner{X: int32(c.x), Y: int32(c.y), Score: uint8(c.score)}
	}
	return corners
}

func (l loaded) extract(opts *orb.Options, img, mask *image.Gray, given []orb.Keypoint) int {
	if mask == nil {
		mask = new(image.Gray)
	}
	return int(C.call_extract(l.functions, &C.struct_peers_orb{
		scale_factor:   C.double(opts.ScaleFactor),
		features:       C.int32_t(opts.Features),
		levels:         C.int32_t(opts.Levels),
		edge_threshold: C.int32_t(opts.EdgeThreshold),
		first_level:    C.int32_t(opts.FirstLevel),
		points_per_bit: C.int32_t(opts.PointsPerBit),
		fast_score:     flag(opts.ScoreType == orb.FASTScore),
		patch_size:     C.int32_t(opts.PatchSize),
		fast_threshold: C.int32_t(opts.FASTThreshold),
	}, bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride), bytes(mask.Pix), C.int32_t(mask.Stride),
		keypoints(given), C.int32_t(len(given))))
}

func (l loaded) keypoints(n int) ([]orb.Keypoint, []match.Descriptor) {
	kps, descs := make([]orb.Keypoint, n), make([]match.Descriptor, n)
	C.call_keypoints(l.functions, keypoints(kps), descriptors(descs))
	return kps, descs
}

// keypoints returns keypoints for C.
func keypoints(kps []point.Keypoint) *C.struct_peers_keypoint {
	return (*C.struct_peers_keypoint)(unsafe.Pointer(unsafe.SliceData(kps)))
}

func (l loaded) match(opts *match.Options, d FlatDescriptors, k, radius int) int {
	return int(C.call_match(l.functions, flag(opts.Hamming2), flag(opts.CrossCheck), C.int32_t(k), C.int32_t(radius),
		C.int32_t(d.Size), bytes(d.Query), C.int32_t(len(d.Query)/d.Size), bytes(d.Train), C.int32_t(len(d.Train)/d.Size)))
}

func (l loaded) matches(n int) []match.Match {
	list := make([]match.Match, n)
	C.call_matches(l.functions, (*C.struct_peers_match)(unsafe.Pointer(unsafe.SliceData(list))))
	return list
}

func (l loaded) hasNearest() bool { return l.functions.nearest != nil }

func (l loaded) nearest(d FlatDescriptors, k int) int {
	return int(C.call_nearest(l.functions, C.int32_t(k),
		C.int32_t(d.Size), bytes(d.Query), C.int32_t(len(d.Query)/d.Size), bytes(d.Train), C.int32_t(len(d.Train)/d.Size)))
}

func (l loaded) nearestMatches(n int) []match.Match {
	list := make([]match.Match, n)
	C.call_nearest_matches(l.functions, (*C.struct_peers_match)(unsafe.Pointer(unsafe.SliceData(list))))
	return list
}

func (l loaded) sift(opts *sift.Options, describe bool, img, mask *image.Gray, given []sift.Keypoint) int {
	if mask == nil {
		mask = new(image.Gray)
	}
	return int(C.call_sift(l.functions, &C.struct_peers_sift{
		contrast: C.double(max(cmp.Or(opts.Contrast, 0.04), 0)),
		edge:     C.double(cmp.Or(opts.Edge, 10)),
		sigma:    C.double(cmp.Or(opts.Sigma, 1.6)),
		features: C.int32_t(opts.Features),
		layers:   C.int32_t(cmp.Or(opts.Layers, 3)),
	}, flag(describe), bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride), bytes(mask.Pix), C.int32_t(mask.Stride),
		keypoints(given), C.int32_t(len(given))))
}

func (l loaded) vectors(n int) ([]sift.Keypoint, []match.Vector) {
	kps, descs := make([]sift.Keypoint, n), make([]match.Vector, n)
	C.call_keypoints(l.functions, keypoints(kps), (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(descs))))
	return kps, descs
}

func (l loaded) matchVectors(crossCheck bool, v *Vectors, k int) int {
	return int(C.call_match_vectors(l.functions, flag(crossCheck), C.int32_t(k),
		numbers(v.queryFloats), C.int32_t(len(v.Query)), numbers(v.trainFloats), C.int32_t(len(v.Train))))
}

func (l loaded) nearestVectors(v *Vectors, k int) int {
	return int(C.call_nearest_vectors(l.functions, C.int32_t(k),
		numbers(v.queryFloats), C.int32_t(len(v.Query)), numbers(v.trainFloats), C.int32_t(len(v.Train))))
}

// numbers returns the first of the floats for C, or nil when there are none.
func numbers(list []float32) *C.float {
	return (*C.float)(unsafe.SliceData(list))
}

// harrisOptions returns options of package harris for C, with the defaults.
func harrisOptions(opts *harris.Options) *C.struct_peers_harris {
	sizes := [...]C.int32_t{harris.Sobel3: 3, harris.Sobel5: 5, harris.Sobel7: 7, harris.Scharr: -1}
	return &C.struct_peers_harris{
		k:             C.double(cmp.Or(opts.K, 0.04)),
		quality:       C.double(cmp.Or(opts.Quality, 0.01)),
		min_distance:  C.double(opts.MinDistance),
		harris:        flag(opts.Measure == harris.Harris),
		gradient_size: sizes[opts.Gradient],
		block_size:    C.int32_t(cmp.Or(opts.BlockSize, 3)),
		max_corners:   C.int32_t(opts.MaxCorners),
	}
}

func (l loaded) respond(opts *harris.Options, img *image.Gray) int {
	return int(C.call_respond(l.functions, harrisOptions(opts), bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride)))
}

func (l loaded) responses(n int) []float32 {
	list := make([]float32, n)
	C.call_responses(l.functions, (*C.float)(unsafe.SliceData(list)))
	return list
}

func (l loaded) track(opts *harris.Options, img, mask *image.Gray) int {
	if mask == nil {
		mask = new(image.Gray)
	}
	return int(C.call_track(l.functions, harrisOptions(opts), bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride), bytes(mask.Pix), C.int32_t(mask.Stride)))
}

func (l loaded) features(n int) []image.Point {
	list := make([]C.struct_peers_point, n)
	C.call_features(l.functions, unsafe.SliceData(list))
	points := make([]image.Point, n)
	for i, p := range list {
		points[i] = image.Pt(int(p.x), int(p.y))
	}
	return points
}

func (l loaded) hasAprilTag() bool { return l.functions.april != nil }

func (l loaded) mark(f MarkerFinder, kind tag.Kind, img *image.Gray) int {
	w, h := C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy())
	if f == AprilTag {
		return int(C.call_april(l.functions, C.int32_t(kind), bytes(img.Pix), w, h, C.int32_t(img.Stride)))
	}
	return int(C.call_mark(l.functions, C.int32_t(kind), flag(f == OpenCVRefined), bytes(img.Pix), w, h, C.int32_t(img.Stride)))
}

func (l loaded) marks(n int) []Marker {
	list := make([]C.struct_peers_tag, n)
	C.call_marks(l.functions, unsafe.SliceData(list))
	markers := make([]Marker, n)
	for i, m := range list {
		markers[i].ID = int(m.id)
		for k := range 4 {
			markers[i].Corners[k] = geometry.Point{X: float64(m.corners[2*k]), Y: float64(m.corners[2*k+1])}
		}
	}
	return markers
}

func (l loaded) estimate(kind geometry.Kind, m Method, threshold float64, a, b []geometry.Point) (t geometry.Transform, found int) {
	found = int(C.call_estimate(l.functions, C.int32_t(kind), C.int32_t(m), C.double(threshold), doubles(a), doubles(b), C.int32_t(len(a)), (*C.double)(&t[0])))
	return t, found
}

// doubles returns the coordinates of points for C.
func doubles(points []geometry.Point) *C.double {
	return (*C.double)(unsafe.Pointer(unsafe.SliceData(points)))
}

func (l loaded) relative(m Method, threshold float64, c camera.Camera, a, b []geometry.Point) (p pose.Pose, found int) {
	found = int(C.call_relative(l.functions, C.int32_t(m), C.double(threshold), (*C.double)(&c.Fx), doubles(a), doubles(b), C.int32_t(len(a)), (*C.double)(&p.R[0])))
	return p, found
}

func (l loaded) absolute(m Method, threshold float64, c camera.Camera, world []pose.Vector, image []geometry.Point) (p pose.Pose, found int) {
	found = int(C.call_absolute(l.functions, C.int32_t(m), C.double(threshold), (*C.double)(&c.Fx), vectors(world), doubles(image), C.int32_t(len(image)), (*C.double)(&p.R[0])))
	return p, found
}

func (l loaded) fundamental(m Method, threshold float64, a, b []geometry.Point) (f [9]float64, found int) {
	found = int(C.call_fundamental(l.functions, C.int32_t(m), C.double(threshold), doubles(a), doubles(b), C.int32_t(len(a)), (*C.double)(&f[0])))
	return f, found
}

func (l loaded) solve(m PnP, c camera.Camera, world []pose.Vector, image []geometry.Point) (list [2]pose.Pose, found int) {
	var out [24]float64
	found = int(C.call_solve(l.functions, C.int32_t(m), (*C.double)(&c.Fx), vectors(world), doubles(image), C.int32_t(len(image)), (*C.double)(&out[0])))
	for i := range list {
		copy(list[i].R[:], out[12*i:])
		copy(list[i].T[:], out[12*i+9:])
	}
	return list, found
}

func (l loaded) chessboard(f BoardFinder, img *image.Gray, columns, rows int) ([]flow.Point, int) {
	corners := make([]flow.Point, columns*rows)
	n := int(C.call_chessboard(l.functions, C.int32_t(f), bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride), C.int32_t(columns), C.int32_t(rows), floats(corners)))
	return corners, n
}

// flat returns the points of views one after the other, and how many each view has.
func flat(views []calibrate.View) (world []pose.Vector, image []geometry.Point, counts []C.int32_t) {
	for _, v := range views {
		world, image, counts = append(world, v.World...), append(image, v.Image...), append(counts, C.int32_t(len(v.World)))
	}
	return world, image, counts
}

func (l loaded) calibrate(model camera.Model, coefficients int, size image.Point, views []calibrate.View) (c OpenCVCamera, found int) {
	c.Camera.Model = model
	world, seen, counts := flat(views)
	found = int(C.call_calibrate(l.functions, C.int32_t(model), C.int32_t(coefficients), C.int32_t(size.X), C.int32_t(size.Y), vectors(world), doubles(seen),
		unsafe.SliceData(counts), C.int32_t(len(views)), (*C.double)(&c.Camera.Fx), (*C.double)(&c.Deviations[0]), (*C.double)(&c.RMS)))
	return c, found
}

func (l loaded) pair(a, b camera.Camera, size image.Point, views [][2]calibrate.View) (p pose.Pose, rms float64, found int) {
	var lists [2][]calibrate.View
	for _, v := range views {
		lists[0], lists[1] = append(lists[0], v[0]), append(lists[1], v[1])
	}
	world, first, counts := flat(lists[0])
	_, second, _ := flat(lists[1])
	var numbers [12]float64
	found = int(C.call_pair(l.functions, C.int32_t(size.X), C.int32_t(size.Y), vectors(world), doubles(first), doubles(second),
		unsafe.SliceData(counts), C.int32_t(len(views)), (*C.double)(&a.Fx), (*C.double)(&b.Fx), (*C.double)(&numbers[0]), (*C.double)(&rms)))
	copy(p.R[:], numbers[:])
	copy(p.T[:], numbers[9:])
	return p, rms, found
}

func (l loaded) failure() string { return C.GoString(C.call_failure(l.functions)) }

// vectors returns the coordinates of vectors for C.
func vectors(list []pose.Vector) *C.double {
	return (*C.double)(unsafe.Pointer(unsafe.SliceData(list)))
}

// flowOptions returns options of package flow, which have no defaults left, for C.
func flowOptions(opts *flow.Options) *C.struct_peers_flow {
	return &C.struct_peers_flow{
		epsilon:        C.double(opts.Epsilon),
		min_eigenvalue: C.double(opts.MinEigenvalue),
		width:          C.int32_t(opts.Window.X),
		height:         C.int32_t(opts.Window.Y),
		max_level:      C.int32_t(opts.Levels - 1),
		iterations:     C.int32_t(opts.Iterations),
	}
}

func (l loaded) pyramid(opts *flow.Options, number int, derivatives bool, img *image.Gray) int {
	return int(C.call_pyramid(l.functions, flowOptions(opts), C.int32_t(number), flag(derivatives), bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride)))
}

func (l loaded) follow(opts *flow.Options, a, b *image.Gray, points, guesses []flow.Point) int {
	return int(C.call_follow(l.functions, flowOptions(opts), bytes(a.Pix), C.int32_t(a.Stride), bytes(b.Pix), C.int32_t(b.Stride),
		C.int32_t(a.Rect.Dx()), C.int32_t(a.Rect.Dy()), floats(points), floats(guesses), C.int32_t(len(points))))
}

func (l loaded) followReady(opts *flow.Options, a, b int, points []flow.Point) int {
	return int(C.call_follow_ready(l.functions, flowOptions(opts), C.int32_t(a), C.int32_t(b), floats(points), C.int32_t(len(points))))
}

func (l loaded) tracks(n int) []flow.Track {
	list := make([]C.struct_peers_track, n)
	C.call_tracks(l.functions, unsafe.SliceData(list))
	tracks := make([]flow.Track, n)
	for i, t := range list {
		tracks[i] = flow.Track{X: float32(t.x), Y: float32(t.y), Err: float32(t.err), Status: flow.Lost}
		if t.found != 0 {
			tracks[i].Status = flow.Found
		}
	}
	return tracks
}

func (l loaded) refine(opts *harris.RefinerOptions, img *image.Gray, points []flow.Point) int {
	return int(C.call_refine(l.functions, C.int32_t(cmp.Or(opts.WindowRadius, 5)), C.int32_t(cmp.Or(opts.Iterations, 40)), C.double(cmp.Or(opts.Epsilon, 0.001)),
		bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride), floats(points), C.int32_t(len(points))))
}

// floats returns the coordinates of points for C, or nil when there are none.
func floats(points []flow.Point) *C.float {
	return (*C.float)(unsafe.Pointer(unsafe.SliceData(points)))
}

func (l loaded) warp(opts *warp.Options, dst, src Pixels, t warp.Transform) int {
	var kind C.int32_t
	var a, b unsafe.Pointer
	switch t := t.(type) {
	case warp.Affine:
		a = unsafe.Pointer(&t)
	case warp.Homography:
		kind, a = 1, unsafe.Pointer(&t)
	case *warp.Map:
		kind, a, b = 2, unsafe.Pointer(unsafe.SliceData(t.X)), unsafe.Pointer(unsafe.SliceData(t.Y))
	case *warp.FixedMap:
		kind, a, b = 3, unsafe.Pointer(unsafe.SliceData(t.XY)), unsafe.Pointer(unsafe.SliceData(t.Fraction))
	}
	return int(C.call_warp(l.functions, kind, C.int32_t(dst.Channels), flag(opts.Interpolation == warp.Nearest), C.int32_t(cmp.Or(opts.Border, border.Constant)), bytes(opts.Value[:]),
		bytes(src.Pix), C.int32_t(src.Rect.Dx()), C.int32_t(src.Rect.Dy()), C.int32_t(src.Stride),
		bytes(dst.Pix), C.int32_t(dst.Rect.Dx()), C.int32_t(dst.Rect.Dy()), C.int32_t(dst.Stride), a, b))
}

func (l loaded) resize(how warp.Interpolation, bits int, dst, src Pixels) int {
	// As cv::InterpolationFlags.
	flags := map[warp.Interpolation]C.int32_t{warp.Nearest: 0, warp.Linear: 1, warp.Area: 3}
	return int(C.call_resize(l.functions, flags[how], C.int32_t(dst.Channels), C.int32_t(bits),
		bytes(src.Pix), C.int32_t(src.Rect.Dx()), C.int32_t(src.Rect.Dy()), C.int32_t(src.Stride),
		bytes(dst.Pix), C.int32_t(dst.Rect.Dx()), C.int32_t(dst.Rect.Dy()), C.int32_t(dst.Stride)))
}

func (l loaded) threads(n int) { C.call_threads(l.functions, C.int32_t(n)) }

func (l loaded) undistort(c *camera.Camera, points []geometry.Point) int {
	return int(C.call_undistort(l.functions, (*C.double)(&c.Fx), doubles(points), C.int32_t(len(points))))
}

func (l loaded) project(c *camera.Camera, points [][3]float64, pixels []geometry.Point) int {
	list := (*C.double)(unsafe.Pointer(unsafe.SliceData(points)))
	return int(C.call_project(l.functions, C.int32_t(c.Model), (*C.double)(&c.Fx), list, doubles(pixels), C.int32_t(len(points))))
}

func (l loaded) rectify(from, to *camera.Camera, turn *[9]float64, m *warp.Map) int {
	return int(C.call_rectify(l.functions, C.int32_t(from.Model), (*C.double)(&from.Fx), (*C.double)(&to.Fx), (*C.double)(&turn[0]), C.int32_t(m.Width), C.int32_t(m.Height),
		(*C.float)(unsafe.SliceData(m.X)), (*C.float)(unsafe.SliceData(m.Y))))
}

func (l loaded) integrate(img *image.Gray) int {
	return int(C.call_integrate(l.functions, bytes(img.Pix), C.int32_t(img.Rect.Dx()), C.int32_t(img.Rect.Dy()), C.int32_t(img.Stride)))
}

func (l loaded) sums(n int) []int32 {
	list := make([]int32, n)
	C.call_sums(l.functions, (*C.int32_t)(unsafe.SliceData(list)))
	return list
}

func (l loaded) stabilize(v *Video, out []byte, step int, parts *[4]float64) int {
	return int(C.call_stabilize(l.functions, &C.struct_peers_stabilize{
		quality:   C.double(videoQuality),
		distance:  C.double(v.distance()),
		threshold: C.double(v.threshold()),
		zoom:      C.double(v.Options.Zoom),
		width:     C.int32_t(v.Size.X),
		height:    C.int32_t(v.Size.Y),
		frames:    C.int32_t(len(v.Frames)),
		points:    C.int32_t(v.Options.Points),
		interval:  C.int32_t(v.Options.Interval),
		radius:    C.int32_t(v.Options.SmoothingRadius),
	}, bytes(v.pix), bytes(out), C.int32_t(step), (*C.double)(&parts[0])))
}

func (l loaded) search(similarity locate.Similarity, scene, part Pixels, mask *image.Gray, best *[3]float64) int {
	if mask == nil {
		mask = new(image.Gray)
	}
	return int(C.call_search(l.functions, C.int32_t(similarity), C.int32_t(scene.Channels),
		bytes(scene.Pix), C.int32_t(scene.Rect.Dx()), C.int32_t(scene.Rect.Dy()), C.int32_t(scene.Stride),
		bytes(part.Pix), C.int32_t(part.Rect.Dx()), C.int32_t(part.Rect.Dy()), C.int32_t(part.Stride),
		bytes(mask.Pix), C.int32_t(mask.Stride), (*C.double)(unsafe.Pointer(best))))
}

func (l loaded) places(n int) []float32 {
	list := make([]float32, n)
	C.call_places(l.functions, (*C.float)(unsafe.SliceData(list)))
	return list
}

// flag returns 1 for true.
func flag(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// bytes returns the first of the bytes for C, or nil when there are none.
func bytes(b []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(b))
}

// descriptors is bytes for descriptors.
func descriptors(descs []match.Descriptor) *C.uint8_t {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(descs)))
}
