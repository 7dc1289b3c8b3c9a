// What package peers calls in the libraries that it compares with. The C++ and
// the Go side of the glue both include this.

#include <stdint.h>

// The detectors. Library.Detectors has the same numbers.
enum { CVD_PLAIN, CVD_SSE2, OPENCV, OPENCV_NONMAX };

struct peers_corner {
	int32_t x, y, score; // 0 where the detector does not tell scores
};

// Options of package orb. OpenCV's default stands for 0.
struct peers_orb {
	double scale_factor;
	int32_t features, levels, edge_threshold, first_level, points_per_bit, fast_score, patch_size, fast_threshold;
};

// A Keypoint of package orb, in memory, too.
struct peers_keypoint {
	float x, y, size, angle, response;
	int32_t octave;
};

// Options of package sift, without defaults.
struct peers_sift {
	double contrast, edge, sigma;
	int32_t features, layers;
};

// A Match of package match, in memory, too.
struct peers_match {
	int32_t query, train, distance;
};

// Options of package harris, without defaults. The size of the gradient is
// OpenCV's, with -1 for Scharr's.
struct peers_harris {
	double k, quality, min_distance;
	int32_t harris, gradient_size, block_size, max_corners;
};

struct peers_point {
	int32_t x, y;
};

// Options of package flow, without defaults.
struct peers_flow {
	double epsilon, min_eigenvalue;
	int32_t width, height, max_level, iterations;
};

// A Track of package flow, but for the Status.
struct peers_track {
	float x, y, err;
	int32_t found;
};

// How a video is stabilized: corners are found again every interval frames, and the path is smoothed
// over radius frames before and after each.
struct peers_stabilize {
	double quality, distance, threshold, zoom;
	int32_t width, height, frames, points, interval, radius;
};

// A marker, and its corners as pairs of x and y.
struct peers_tag {
	int32_t id;
	double corners[8];
};

// Those that return a number return how many results there are, or -1 when they
// fail. The function after each stores the results of the last call. They share
// memory: no two may run at once.
struct peers_functions {
	// opencv is the version of OpenCV.
	const char *opencv;

	int32_t (*find)(int32_t detector, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t threshold);
	void (*corners)(struct peers_corner *out);

	// The mask may be NULL. It is as large as the image. If there are given keypoints,
	// extract finds none, but describes these.
	int32_t (*extract)(const struct peers_orb *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride, const struct peers_keypoint *given, int32_t given_count);
	// A descriptor takes 32 bytes, one of SIFT 128.
	void (*keypoints)(struct peers_keypoint *out, uint8_t *descriptors);

	// match finds the k nearest, or with k = 0 all that are within the radius, of descriptors
	// of the given size.
	int32_t (*match)(int32_t hamming2, int32_t cross_check, int32_t k, int32_t radius, int32_t size, uint8_t *query, int32_t queries, uint8_t *train, int32_t trains);
	void (*matches)(struct peers_match *out);

	// nearest is match for the k nearest, by FAISS, of descriptors of 8, 32, 64 or 128 bytes.
	// It is NULL where there is no FAISS.
	int32_t (*nearest)(int32_t k, int32_t size, uint8_t *query, int32_t queries, uint8_t *train, int32_t trains);
	void (*nearest_matches)(struct peers_match *out);

	// sift finds keypoints, describes those that are given, or does both, if describe is not 0.
	// The mask may be NULL. keypoints stores what it finds.
	int32_t (*sift)(const struct peers_sift *opts, int32_t describe, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride, const struct peers_keypoint *given, int32_t given_count);

	// match_vectors and nearest_vectors are match and nearest for the k nearest of vectors, of 128
	// floats each. Distances are squared.
	int32_t (*match_vectors)(int32_t cross_check, int32_t k, float *query, int32_t queries, float *train, int32_t trains);
	int32_t (*nearest_vectors)(int32_t k, float *query, int32_t queries, float *train, int32_t trains);

	// respond makes the responses of all pixels, row by row.
	int32_t (*respond)(const struct peers_harris *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride);
	void (*responses)(float *out);

	// The mask may be NULL. It is as large as the image.
	int32_t (*track)(const struct peers_harris *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride);
	void (*features)(struct peers_point *out);

	// estimate finds a transform of a Kind of package geometry, by the Method of that number,
	// and stores its 9 elements. It returns 0 if there is none. Points are pairs of doubles.
	int32_t (*estimate)(int32_t kind, int32_t method, double threshold, double *a, double *b, int32_t n, double *out);

	// relative finds the motion of a camera, absolute its pose among points of the world, triples
	// of doubles, and fundamental the fundamental matrix, by the Method of that number. A camera
	// is fx, fy, cx and cy. They store the 9 elements of a rotation and the 3 of a translation, or
	// 9 elements, and return 0 if there is none.
	int32_t (*relative)(int32_t method, double threshold, const double *camera, double *a, double *b, int32_t n, double *out);
	int32_t (*absolute)(int32_t method, double threshold, const double *camera, double *world, double *image, int32_t n, double *out);
	int32_t (*fundamental)(int32_t method, double threshold, double *a, double *b, int32_t n, double *out);

	// solve finds the pose of a camera among points that are right, by the PnP of that number, and
	// stores it, with the other one of a plane if there are two. It returns how many there are.
	int32_t (*solve)(int32_t method, const double *camera, double *world, double *image, int32_t n, double *out);

	// chessboard finds the inner corners of a chessboard by the BoardFinder of that number, and stores
	// pairs of floats. It returns 0 if there is no chessboard.
	int32_t (*chessboard)(int32_t method, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t columns, int32_t rows, float *out);

	// calibrate finds a camera, the 12 numbers of one of package camera, of a model with so many
	// coefficients, and the standard deviations of the numbers, which are not stored for the model 1.
	// There are so many views, with counts of points, which are triples and pairs of doubles. pair finds
	// the pose of a second camera, 9 and 3 numbers. failure says why the last of these calls failed.
	int32_t (*calibrate)(int32_t model, int32_t coefficients, int32_t width, int32_t height, double *world, double *image, int32_t *counts, int32_t views, double *camera, double *deviations, double *rms);
	int32_t (*pair)(int32_t width, int32_t height, double *world, double *a, double *b, int32_t *counts, int32_t views, const double *first, const double *second, double *pose, double *rms);
	const char *(*failure)(void);

	// mark finds markers of a Kind of package tag by OpenCV, whose corners it refines if refine is not
	// 0, and april by AprilTag. april is NULL where there is no AprilTag.
	int32_t (*mark)(int32_t kind, int32_t refine, uint8_t *pix, int32_t width, int32_t height, int32_t stride);
	int32_t (*april)(int32_t kind, uint8_t *pix, int32_t width, int32_t height, int32_t stride);
	void (*marks)(struct peers_tag *out);

	// pyramid makes a pyramid, with or without derivatives, and keeps it under a number.
	int32_t (*pyramid)(const struct peers_flow *opts, int32_t number, int32_t derivatives, uint8_t *pix, int32_t width, int32_t height, int32_t stride);
	// follow follows points from one image to another of the same size, and follow_ready from
	// one pyramid to another. Points are pairs of floats. The guesses may be NULL.
	int32_t (*follow)(const struct peers_flow *opts, uint8_t *a, int32_t a_stride, uint8_t *b, int32_t b_stride, int32_t width, int32_t height, float *points, float *guesses, int32_t n);
	int32_t (*follow_ready)(const struct peers_flow *opts, int32_t a, int32_t b, float *points, int32_t n);
	void (*tracks)(struct peers_track *out);

	// refine moves points, pairs of floats.
	int32_t (*refine)(int32_t radius, int32_t iterations, double epsilon, uint8_t *pix, int32_t width, int32_t height, int32_t stride, float *points, int32_t n);

	// warp warps an image of 1 or 4 channels by an affine matrix, a homography, a map of floats
	// or a fixed one, which are the kinds 0 to 3. Matrices, of doubles, and maps, x and y or
	// pairs of int16 and fractions, are from the destination to the source.
	int32_t (*warp)(int32_t kind, int32_t channels, int32_t nearest, int32_t border, uint8_t *value, uint8_t *src, int32_t width, int32_t height, int32_t stride, uint8_t *dst, int32_t to_width, int32_t to_height, int32_t to_stride, void *a, void *b);

	// resize resizes an image of 1 or 4 channels of 8 bits, or of 1 of 16 bits, by one of
	// cv::InterpolationFlags.
	int32_t (*resize)(int32_t interpolation, int32_t channels, int32_t bits, uint8_t *src, int32_t width, int32_t height, int32_t stride, uint8_t *dst, int32_t to_width, int32_t to_height, int32_t to_stride);

	// integrate makes the sums of the pixels above and to the left of each pixel, and of
	// what would be one more column and row.
	int32_t (*integrate)(uint8_t *pix, int32_t width, int32_t height, int32_t stride);
	void (*sums)(int32_t *out);

	// threads has OpenCV use a number of threads.
	void (*threads)(int32_t n);

	// undistort makes points, pairs of doubles, those of an image without distortion, with the same
	// camera. A camera is the 12 numbers of one of package camera in their order, from fx on, and the
	// number of its model. project stores the pixels of points, triples of doubles. rectify stores the
	// places in the images of a camera that the pixels of one without distortion come from.
	int32_t (*undistort)(double *camera, double *points, int32_t n);
	int32_t (*project)(int32_t model, double *camera, double *points, double *pixels, int32_t n);
	int32_t (*rectify)(int32_t model, double *from, double *to, double *turn, int32_t width, int32_t height, float *x, float *y);

	// stabilize stabilizes frames with planes of 4:2:0 that follow each other, and stores each
	// step bytes after the one before. It stores how long corners, flow, similarities and warps
	// took in parts, in seconds.
	int32_t (*stabilize)(const struct peers_stabilize *opts, uint8_t *pix, uint8_t *out, int32_t step, double *parts);

	// search compares a template with all places of an image by a Similarity of package locate, both
	// of 1 or 3 channels, and makes the responses of all places, row by row. If best is not NULL,
	// it stores the column and the row of the best place and its response. The mask may be NULL. It is
	// as large as the template.
	int32_t (*search)(int32_t similarity, int32_t channels, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *part, int32_t part_width, int32_t part_height, int32_t part_stride, uint8_t *mask, int32_t mask_stride, double *best);
	void (*places)(float *out);
};

#ifdef __cplusplus
extern "C" {
#endif
// The number of floats of a vector.
#define VECTOR_SIZE 128

// set_april sets the function of AprilTag.
void set_april(struct peers_functions *f);
int32_t mark(int32_t kind, int32_t refine, uint8_t *pix, int32_t width, int32_t height, int32_t stride);
void marks(struct peers_tag *out);

// set_nearest sets the functions of FAISS, which are in a file of their own.
void set_nearest(struct peers_functions *f);
int32_t stabilize(const struct peers_stabilize *opts, uint8_t *pix, uint8_t *out, int32_t step, double *parts);
int32_t search(int32_t similarity, int32_t channels, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *part, int32_t part_width, int32_t part_height, int32_t part_stride, uint8_t *mask, int32_t mask_stride, double *best);
void places(float *out);
int32_t relative(int32_t method, double threshold, const double *camera, double *a, double *b, int32_t n, double *out);
int32_t absolute(int32_t method, double threshold, const double *camera, double *world, double *image, int32_t n, double *out);
int32_t fundamental(int32_t method, double threshold, double *a, double *b, int32_t n, double *out);
int32_t solve(int32_t method, const double *camera, double *world, double *image, int32_t n, double *out);
int32_t calibrate(int32_t model, int32_t coefficients, int32_t width, int32_t height, double *world, double *image, int32_t *counts, int32_t views, double *camera, double *deviations, double *rms);
int32_t pair(int32_t width, int32_t height, double *world, double *a, double *b, int32_t *counts, int32_t views, const double *first, const double *second, double *pose, double *rms);
const char *failure(void);
int32_t chessboard(int32_t method, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t columns, int32_t rows, float *out);
int32_t undistort(double *camera, double *points, int32_t n);
int32_t project(int32_t model, double *camera, double *points, double *pixels, int32_t n);
int32_t rectify(int32_t model, double *from, double *to, double *turn, int32_t width, int32_t height, float *x, float *y);
#ifdef __cplusplus
}
#endif
