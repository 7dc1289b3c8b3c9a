// OpenCV's motions and poses of cameras and fundamental matrices, for package peers to call.

#include "peers.h"

#include <algorithm>
#include <exception>
#include <vector>

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>

namespace {

// The methods, as package peers numbers them.
const int methods[] = {cv::RANSAC, cv::USAC_ACCURATE, cv::USAC_MAGSAC};

constexpr double confidence = 0.999;
constexpr int samples = 5000, absolute_samples = 10000, ransac_samples = 1000;

// matrix_of returns the matrix of a camera with fx, fy, cx and cy.
cv::Matx33d matrix_of(const double *camera) {
	return {camera[0], 0, camera[2], 0, camera[1], camera[3], 0, 0, 1};
}

} // namespace

int32_t relative(int32_t method, double threshold, const double *camera, double *a, double *b, int32_t n, double *out) {
	try {
		const cv::Mat from(n, 2, CV_64F, a), to(n, 2, CV_64F, b);
		const cv::Matx33d k = matrix_of(camera);
		cv::Mat inliers, r, t;
		const cv::Mat e = cv::findEssentialMat(from, to, k, methods[method], confidence, threshold, method == 0 ? ransac_samples : samples, inliers);
		if (e.rows != 3 || cv::recoverPose(e, from, to, k, r, t, inliers) == 0) {
			return 0;
		}
		std::copy_n(r.ptr<double>(), 9, out);
		std::copy_n(t.ptr<double>(), 3, out + 9);
		return 1;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t absolute(int32_t method, double threshold, const double *camera, double *world, double *image, int32_t n, double *out) {
	try {
		const cv::Mat points(n, 3, CV_64F, world), places(n, 2, CV_64F, image);
		const int flags = method == 0 ? int(cv::SOLVEPNP_SQPNP) : methods[method];
		cv::Mat inliers, turn, t;
		if (!cv::solvePnPRansac(points, places, matrix_of(camera), cv::noArray(), turn, t, false, method == 0 ? ransac_samples : absolute_samples, threshold, confidence, inliers, flags)) {
			return 0;
		}
		cv::Matx33d r;
		cv::Rodrigues(turn, r);
		std::copy_n(r.val, 9, out);
		std::copy_n(t.ptr<double>(), 3, out + 9);
		return 1;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t fundamental(int32_t method, double threshold, double *a, double *b, int32_t n, double *out) {
	try {
		const cv::Mat from(n, 2, CV_64F, a), to(n, 2, CV_64F, b);
		cv::Mat inliers;
		const cv::Mat f = cv::findFundamentalMat(from, to, method == 0 ? int(cv::FM_RANSAC) : methods[method], threshold, confidence, method == 0 ? ransac_samples : samples, inliers);
		if (f.rows != 3) {
			return 0;
		}
		std::copy_n(f.ptr<double>(), 9, out);
		return 1;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t solve(int32_t method, const double *camera, double *world, double *image, int32_t n, double *out) {
	const int solvers[] = {cv::SOLVEPNP_IPPE, cv::SOLVEPNP_IPPE, cv::SOLVEPNP_SQPNP, cv::SOLVEPNP_ITERATIVE};
	try {
		const cv::Mat points(n, 3, CV_64F, world), places(n, 2, CV_64F, image);
		const cv::Matx33d k = matrix_of(camera);
		std::vector<cv::Mat> turns, shifts;
		int found = std::min(cv::solvePnPGeneric(points, places, k, cv::noArray(), turns, shifts, false, cv::SolvePnPMethod(solvers[method])), 2);
		for (int i = 0; i < found; i++) {
			if (method == 1) {
				cv::solvePnPRefineLM(points, places, k, cv::noArray(), turns[i], shifts[i]);
			}
			cv::Matx33d r;
			cv::Rodrigues(turns[i], r);
			std::copy_n(r.val, 9, out + 12 * i);
			std::copy_n(shifts[i].ptr<double>(), 3, out + 12 * i + 9);
		}
		return found;
	} catch (const std::exception &) {
		return -1;
	}
}
