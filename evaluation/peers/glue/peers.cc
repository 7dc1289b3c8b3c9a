// libCVD's and OpenCV's FAST, and OpenCV's ORB and SIFT, its brute-force matcher, its corners of
// Harris and of Shi and Tomasi, its robust estimators, its optical flow, its refined corners,
// its warps, its resized images and its integral images, for package peers to call.

#include "peers.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include <cvd/fast_corner.h>
#include <cvd/image.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

// libCVD exports its plain detector but declares it in no header that it
// installs.
namespace CVD {
void fast_corner_detect_plain_10(const BasicImage<byte> &, std::vector<ImageRef> &, int);
}

namespace {

constexpr int descriptor_size = 32;

// What the last calls found. Calls reuse the memory.
std::vector<CVD::ImageRef> found_refs;
std::vector<cv::KeyPoint> found_points;
cv::Mat found_descriptors;
std::vector<cv::DMatch> found_nearest;
std::vector<std::vector<cv::DMatch>> found_lists;
bool found_squares; // are the distances of package match
cv::Mat found_responses;
std::vector<cv::Point2f> found_features;
cv::Mat found_sums;
cv::Mat found_places, found_status, found_errors;
std::vector<std::vector<cv::Mat>> pyramids;

// pixels returns an image, or a mask, that may be missing.
cv::Mat pixels(uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	return pix == nullptr ? cv::Mat() : cv::Mat(height, width, CV_8UC1, pix, stride);
}

int32_t find(int32_t detector, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t threshold) {
	try {
		found_refs.clear();
		found_points.clear();
		if (detector == CVD_PLAIN || detector == CVD_SSE2) {
			const CVD::BasicImage<CVD::byte> image(pix, CVD::ImageRef(width, height), stride);
			if (detector == CVD_PLAIN) {
				CVD::fast_corner_detect_plain_10(image, found_refs, threshold);
			} else {
				CVD::fast_corner_detect_10(image, found_refs, threshold);
			}
			return found_refs.size();
		}
		cv::FAST(pixels(pix, width, height, stride), found_points, threshold, detector == OPENCV_NONMAX, cv::FastFeatureDetector::TYPE_9_16);
		return found_points.size();
	} catch (const std::exception &) {
		return -1;
	}
}

void corners(peers_corner *out) {
	for (const CVD::ImageRef &r : found_refs) {
		*out++ = {r.x, r.y, 0};
	}
	for (const cv::KeyPoint &p : found_points) {
		*out++ = {int32_t(p.pt.x), int32_t(p.pt.y), int32_t(p.response)};
	}
}

// set calls a method with an option, unless that is 0, which means the default.
template <typename T, typename Option>
void set(cv::ORB &orb, void (cv::ORB::*method)(T), Option option) {
	if (option != 0) {
		(orb.*method)(option);
	}
}

// take makes keypoints those that were found.
void take(const peers_keypoint *given, int32_t given_count) {
	found_points.clear();
	for (const peers_keypoint *k = given; k != given + given_count; k++) {
		found_points.emplace_back(k->x, k->y, k->size, k->angle, k->response, k->octave);
	}
}

int32_t extract(const peers_orb *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride, const peers_keypoint *given, int32_t given_count) {
	try {
		const cv::Ptr<cv::ORB> orb = cv::ORB::create();
		set(*orb, &cv::ORB::setScaleFactor, opts->scale_factor);
		set(*orb, &cv::ORB::setMaxFeatures, opts->features);
		set(*orb, &cv::ORB::setNLevels, opts->levels);
		set(*orb, &cv::ORB::setEdgeThreshold, opts->edge_threshold);
		set(*orb, &cv::ORB::setFirstLevel, opts->first_level);
		set(*orb, &cv::ORB::setWTA_K, opts->points_per_bit);
		set(*orb, &cv::ORB::setPatchSize, opts->patch_size);
		set(*orb, &cv::ORB::setFastThreshold, opts->fast_threshold);
		if (opts->fast_score != 0) {
			orb->setScoreType(cv::ORB::FAST_SCORE);
		}
		take(given, given_count);
		orb->detectAndCompute(pixels(pix, width, height, stride), pixels(mask, width, height, mask_stride), found_points, found_descriptors, given_count > 0);
		if (!found_points.empty() && (found_descriptors.cols != descriptor_size || !found_descriptors.isContinuous())) {
			return -1;
		}
		return found_points.size();
	} catch (const std::exception &) {
		return -1;
	}
}

void keypoints(peers_keypoint *out, uint8_t *descriptors) {
	for (const cv::KeyPoint &p : found_points) {
		*out++ = {p.pt.x, p.pt.y, p.size, p.angle, p.response, p.octave};
	}
	std::copy_n(found_descriptors.data, found_descriptors.total(), descriptors);
}

// match_rows finds matches of the rows of matrices.
int32_t match_rows(int norm, bool cross_check, int32_t k, int32_t radius, const cv::Mat &query, const cv::Mat &train) {
	try {
		found_nearest.clear();
		found_lists.clear();
		const cv::BFMatcher matcher(norm, cross_check);
		if (k == 1) {
			matcher.match(query, train, found_nearest);
		} else if (k > 1) {
			matcher.knnMatch(query, train, found_lists, k);
		} else {
			matcher.radiusMatch(query, train, found_lists, radius);
		}
		found_squares = norm == cv::NORM_L2;
		size_t n = found_nearest.size();
		for (const std::vector<cv::DMatch> &list : found_lists) {
			n += list.size();
		}
		return n;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t match(int32_t hamming2, int32_t cross_check, int32_t k, int32_t radius, int32_t size, uint8_t *query, int32_t queries, uint8_t *train, int32_t trains) {
	return match_rows(hamming2 ? cv::NORM_HAMMING2 : cv::NORM_HAMMING, cross_check, k, radius, cv::Mat(queries, size, CV_8UC1, query), cv::Mat(trains, size, CV_8UC1, train));
}

int32_t match_vectors(int32_t cross_check, int32_t k, float *query, int32_t queries, float *train, int32_t trains) {
	return match_rows(cv::NORM_L2, cross_check, k, 0, cv::Mat(queries, VECTOR_SIZE, CV_32FC1, query), cv::Mat(trains, VECTOR_SIZE, CV_32FC1, train));
}

void matches(peers_match *out) {
	const auto store = [&out](const cv::DMatch &m) {
		// The square of the root of an integer below 1<<22 is nearest to that integer.
		const double distance = m.distance;
		*out++ = {m.queryIdx, m.trainIdx, int32_t(found_squares ? std::lround(distance * distance) : distance)};
	};
	std::for_each(found_nearest.begin(), found_nearest.end(), store);
	for (const std::vector<cv::DMatch> &list : found_lists) {
		std::for_each(list.begin(), list.end(), store);
	}
}

int32_t sift(const peers_sift *opts, int32_t describe, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride, const peers_keypoint *given, int32_t given_count) {
	try {
		const cv::Ptr<cv::SIFT> sift = cv::SIFT::create(opts->features, opts->layers, opts->contrast, opts->edge, opts->sigma, CV_8U);
		const cv::Mat image = pixels(pix, width, height, stride), chosen = pixels(mask, width, height, mask_stride);
		take(given, given_count);
		if (!describe) {
			found_descriptors.release();
			sift->detect(image, found_points, chosen);
			return found_points.size();
		}
		sift->detectAndCompute(image, chosen, found_points, found_descriptors, given_count > 0);
		return found_points.empty() || (found_descriptors.cols == VECTOR_SIZE && found_descriptors.isContinuous()) ? found_points.size() : -1;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t respond(const peers_harris *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	try {
		const cv::Mat image = pixels(pix, width, height, stride);
		if (opts->harris) {
			cv::cornerHarris(image, found_responses, opts->block_size, opts->gradient_size, opts->k);
		} else {
			cv::cornerMinEigenVal(image, found_responses, opts->block_size, opts->gradient_size);
		}
		return found_responses.type() == CV_32FC1 && found_responses.isContinuous() ? found_responses.total() : -1;
	} catch (const std::exception &) {
		return -1;
	}
}

void responses(float *out) {
	std::copy_n(found_responses.ptr<float>(), found_responses.total(), out);
}

int32_t track(const peers_harris *opts, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *mask, int32_t mask_stride) {
	try {
		cv::goodFeaturesToTrack(pixels(pix, width, height, stride), found_features, opts->max_corners, opts->quality, opts->min_distance,
			pixels(mask, width, height, mask_stride), opts->block_size, opts->gradient_size, opts->harris, opts->k);
		return found_features.size();
	} catch (const std::exception &) {
		return -1;
	}
}

void features(peers_point *out) {
	for (const cv::Point2f &p : found_features) {
		*out++ = {int32_t(p.x), int32_t(p.y)};
	}
}

// Kinds of transforms, as package geometry numbers them.
constexpr int32_t kind_affine = 4, kind_homography = 5;

int32_t estimate(int32_t kind, int32_t method, double threshold, double *a, double *b, int32_t n, double *out) {
	try {
		const cv::Mat from(n, 2, CV_64F, a), to(n, 2, CV_64F, b);
		static const int methods[] = {cv::RANSAC, cv::USAC_ACCURATE, cv::USAC_MAGSAC};
		const bool defaults = method == 0;
		cv::Mat inliers, found;
		if (kind == kind_homography) {
			found = defaults ? cv::findHomography(from, to, cv::RANSAC, threshold, inliers)
							 : cv::findHomography(from, to, methods[method], threshold, inliers, 20000, 0.999);
		} else if (kind == kind_affine) {
			found = defaults ? cv::estimateAffine2D(from, to, inliers, cv::RANSAC, threshold)
							 : cv::estimateAffine2D(from, to, inliers, methods[method], threshold, 20000, 0.999);
		} else {
			found = cv::estimateAffinePartial2D(from, to, inliers, cv::RANSAC, threshold);
		}
		if (found.empty()) {
			return 0;
		}
		std::fill_n(out, 8, 0);
		out[8] = 1;
		found.convertTo(found, CV_64F);
		std::copy_n(found.ptr<double>(), found.total(), out);
		return 1;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t pyramid(const peers_flow *opts, int32_t number, int32_t derivatives, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	try {
		if (pyramids.size() <= size_t(number)) {
			pyramids.resize(number + 1);
		}
		return cv::buildOpticalFlowPyramid(pixels(pix, width, height, stride), pyramids[number], cv::Size(opts->width, opts->height), opts->max_level, derivatives);
	} catch (const std::exception &) {
		return -1;
	}
}

// follow_between follows points between images or pyramids.
int32_t follow_between(const peers_flow *opts, cv::InputArray a, cv::InputArray b, float *points, float *guesses, int32_t n) {
	int flags = 0;
	if (guesses != nullptr) {
		cv::Mat(n, 1, CV_32FC2, guesses).copyTo(found_places);
		flags = cv::OPTFLOW_USE_INITIAL_FLOW;
	}
	cv::calcOpticalFlowPyrLK(a, b, cv::Mat(n, 1, CV_32FC2, points), found_places, found_status, found_errors, cv::Size(opts->width, opts->height),
		opts->max_level, cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, opts->iterations, opts->epsilon), flags, opts->min_eigenvalue);
	return found_places.isContinuous() && found_status.isContinuous() && found_errors.isContinuous() ? found_status.total() : -1;
}

int32_t follow(const peers_flow *opts, uint8_t *a, int32_t a_stride, uint8_t *b, int32_t b_stride, int32_t width, int32_t height, float *points, float *guesses, int32_t n) {
	try {
		return follow_between(opts, pixels(a, width, height, a_stride), pixels(b, width, height, b_stride), points, guesses, n);
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t follow_ready(const peers_flow *opts, int32_t a, int32_t b, float *points, int32_t n) {
	try {
		return follow_between(opts, pyramids.at(a), pyramids.at(b), points, nullptr, n);
	} catch (const std::exception &) {
		return -1;
	}
}

void tracks(peers_track *out) {
	for (size_t i = 0; i < found_status.total(); i++) {
		const cv::Point2f p = found_places.ptr<cv::Point2f>()[i];
		*out++ = {p.x, p.y, found_errors.ptr<float>()[i], found_status.ptr<uint8_t>()[i]};
	}
}

int32_t refine(int32_t radius, int32_t iterations, double epsilon, uint8_t *pix, int32_t width, int32_t height, int32_t stride, float *points, int32_t n) {
	try {
		cv::Mat corners(n, 1, CV_32FC2, points);
		cv::cornerSubPix(pixels(pix, width, height, stride), corners, cv::Size(radius, radius), cv::Size(-1, -1),
			cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, iterations, epsilon));
		return n;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t warp(int32_t kind, int32_t channels, int32_t nearest, int32_t border, uint8_t *value, uint8_t *src, int32_t width, int32_t height, int32_t stride, uint8_t *dst, int32_t to_width, int32_t to_height, int32_t to_stride, void *a, void *b) {
	try {
		static const int borders[] = {cv::BORDER_CONSTANT, cv::BORDER_REPLICATE, cv::BORDER_REFLECT, cv::BORDER_REFLECT_101, cv::BORDER_WRAP, cv::BORDER_TRANSPARENT};
		const cv::Size size(to_width, to_height);
		const cv::Mat from(height, width, CV_8UC(channels), src, stride);
		cv::Mat to(to_height, to_width, CV_8UC(channels), dst, to_stride);
		const int interpolation = nearest ? cv::INTER_NEAREST : cv::INTER_LINEAR;
		const cv::Scalar color(value[0], value[1], value[2], value[3]);
		if (kind == 0) {
			cv::warpAffine(from, to, cv::Mat(2, 3, CV_64F, a), size, interpolation | cv::WARP_INVERSE_MAP, borders[border - 1], color);
		} else if (kind == 1) {
			cv::warpPerspective(from, to, cv::Mat(3, 3, CV_64F, a), size, interpolation | cv::WARP_INVERSE_MAP, borders[border - 1], color);
		} else if (kind == 2) {
			cv::remap(from, to, cv::Mat(size, CV_32F, a), cv::Mat(size, CV_32F, b), interpolation, borders[border - 1], color);
		} else {
			cv::remap(from, to, cv::Mat(size, CV_16SC2, a), cv::Mat(size, CV_16U, b), interpolation, borders[border - 1], color);
		}
		return to.data == dst ? to_width * to_height : -1;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t resize(int32_t interpolation, int32_t channels, int32_t bits, uint8_t *src, int32_t width, int32_t height, int32_t stride, uint8_t *dst, int32_t to_width, int32_t to_height, int32_t to_stride) {
	try {
		const int type = CV_MAKETYPE(bits == 16 ? CV_16U : CV_8U, channels);
		const cv::Mat from(height, width, type, src, stride);
		cv::Mat to(to_height, to_width, type, dst, to_stride);
		cv::resize(from, to, to.size(), 0, 0, interpolation);
		return to.data == dst ? to_width * to_height : -1;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t integrate(uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	try {
		cv::integral(pixels(pix, width, height, stride), found_sums, CV_32S);
		return found_sums.isContinuous() ? found_sums.total() : -1;
	} catch (const std::exception &) {
		return -1;
	}
}

void sums(int32_t *out) {
	std::copy_n(found_sums.ptr<int32_t>(), found_sums.total(), out);
}

void threads(int32_t n) {
	cv::setNumThreads(n);
}

} // namespace

// peers_open has OpenCV use one thread and the best code that it has.
extern "C" const peers_functions *peers_open() {
	cv::setNumThreads(1);
	cv::setUseOptimized(true);
	static const std::string version = cv::getVersionString();
	static peers_functions functions = {version.c_str(), find, corners, extract, keypoints, match, matches, nullptr, nullptr, sift, match_vectors, nullptr, respond, responses, track, features, estimate, relative, absolute, fundamental, solve, chessboard, calibrate, pair, failure, mark, nullptr, marks, pyramid, follow, follow_ready, tracks, refine, warp, resize, integrate, sums, threads, undistort, project, rectify, stabilize, search, places};
	set_nearest(&functions);
	set_april(&functions);
	return &functions;
}
