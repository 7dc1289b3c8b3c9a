// OpenCV's projections, maps and points without distortion, for package peers to call.

#include "peers.h"

#include <exception>

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace {

// matrix_of returns the matrix of a camera, coefficients_of the distortion coefficients of its model,
// of which 1 is that of cv::fisheye.
cv::Matx33d matrix_of(const double *c) {
	return {c[0], 0, c[2], 0, c[1], c[3], 0, 0, 1};
}

cv::Mat coefficients_of(int32_t model, const double *c) {
	if (model == 1) {
		return (cv::Mat_<double>(1, 4) << c[4], c[5], c[8], c[9]);
	}
	return (cv::Mat_<double>(1, 8) << c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11]);
}

} // namespace

int32_t undistort(double *camera, double *points, int32_t n) {
	try {
		const cv::Matx33d matrix = matrix_of(camera);
		const cv::Mat list(n, 1, CV_64FC2, points);
		cv::Mat straight;
		cv::undistortPoints(list, straight, matrix, coefficients_of(0, camera), cv::noArray(), matrix);
		straight.copyTo(list);
		return n;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t project(int32_t model, double *camera, double *points, double *pixels, int32_t n) {
	try {
		const cv::Mat list(n, 1, CV_64FC3, points), coefficients = coefficients_of(model, camera);
		const cv::Vec3d still;
		cv::Mat out(n, 1, CV_64FC2, pixels), seen;
		if (model == 1) {
			cv::fisheye::projectPoints(list, seen, still, still, matrix_of(camera), coefficients);
		} else {
			cv::projectPoints(list, still, still, matrix_of(camera), coefficients, seen);
		}
		seen.reshape(2, n).copyTo(out);
		return n;
	} catch (const std::exception &) {
		return -1;
	}
}

int32_t rectify(int32_t model, double *from, double *to, double *turn, int32_t width, int32_t height, float *x, float *y) {
	try {
		const cv::Mat coefficients = coefficients_of(model, from);
		const cv::Matx33d turned(turn);
		cv::Mat columns(height, width, CV_32F, x), rows(height, width, CV_32F, y), map1, map2;
		if (model == 1) {
			cv::fisheye::initUndistortRectifyMap(matrix_of(from), coefficients, turned, matrix_of(to), {width, height}, CV_32F, map1, map2);
		} else {
			cv::initUndistortRectifyMap(matrix_of(from), coefficients, turned, matrix_of(to), {width, height}, CV_32F, map1, map2);
		}
		map1.copyTo(columns);
		map2.copyTo(rows);
		return width * height;
	} catch (const std::exception &) {
		return -1;
	}
}
