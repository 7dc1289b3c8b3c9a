// OpenCV's corners of chessboards and its calibrations of cameras, for package peers to call. A camera
// is the 12 numbers of one of package camera in their order, and the number of its model, of which 1
// is that of cv::fisheye.

#include "peers.h"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace {

// The message of the last exception.
std::string message;

// fail keeps the message of an exception.
int32_t fail(const std::exception &e) {
	message = e.what();
	return -1;
}

cv::Mat matrix_of(const double *c) {
	return (cv::Mat_<double>(3, 3) << c[0], 0, c[2], 0, c[1], c[3], 0, 0, 1);
}

// take stores a camera.
void take(const cv::Mat &matrix, const cv::Mat &coefficients, int32_t model, double *out) {
	std::fill_n(out, 12, 0);
	out[0] = matrix.at<double>(0, 0);
	out[1] = matrix.at<double>(1, 1);
	out[2] = matrix.at<double>(0, 2);
	out[3] = matrix.at<double>(1, 2);
	const double *c = coefficients.ptr<double>();
	if (model == 1) {
		const double fields[] = {c[0], c[1], 0, 0, c[2], c[3]};
		std::copy_n(fields, 6, out + 4);
	} else {
		std::copy_n(c, std::min<size_t>(coefficients.total(), 8), out + 4);
	}
}

// Views as OpenCV takes them.
struct boards {
	std::vector<std::vector<cv::Point3f>> world;
	std::vector<std::vector<cv::Point2f>> image;

	boards(const double *points, const double *pixels, const int32_t *counts, int32_t views) {
		for (; views > 0; views--, counts++) {
			world.emplace_back();
			image.emplace_back();
			for (int i = 0; i < *counts; i++, points += 3, pixels += 2) {
				world.back().emplace_back(points[0], points[1], points[2]);
				image.back().emplace_back(pixels[0], pixels[1]);
			}
		}
	}
};

} // namespace

const char *failure() {
	return message.c_str();
}

int32_t chessboard(int32_t method, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t columns, int32_t rows, float *out) {
	try {
		const cv::Mat image(height, width, CV_8UC1, pix, stride);
		const cv::Size size(columns, rows);
		std::vector<cv::Point2f> corners;
		bool found;
		switch (method) {
		case 0:
			found = cv::findChessboardCorners(image, size, corners);
			if (found) {
				cv::cornerSubPix(image, corners, cv::Size(5, 5), cv::Size(-1, -1), cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 40, 0.001));
			}
			break;
		case 1:
			found = cv::findChessboardCorners(image, size, corners, cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_FAST_CHECK | cv::CALIB_CB_NORMALIZE_IMAGE);
			if (found) {
				cv::cornerSubPix(image, corners, cv::Size(11, 11), cv::Size(-1, -1), cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 30, 0.0001));
			}
			break;
		default:
			found = cv::findChessboardCornersSB(image, size, corners, cv::CALIB_CB_ACCURACY | cv::CALIB_CB_EXHAUSTIVE);
		}
		if (!found) {
			return 0;
		}
		for (const cv::Point2f &p : corners) {
			*out++ = p.x;
			*out++ = p.y;
		}
		return corners.size();
	} catch (const std::exception &e) {
		return fail(e);
	}
}

int32_t calibrate(int32_t model, int32_t coefficients, int32_t width, int32_t height, double *world, double *image, int32_t *counts, int32_t views, double *camera, double *deviations, double *rms) {
	try {
		const boards list(world, image, counts, views);
		std::vector<cv::Mat> turns, shifts;
		cv::Mat matrix, distortion, inner, outer, errors;
		if (model == 1) {
			*rms = cv::fisheye::calibrate(list.world, list.image, {width, height}, matrix, distortion, turns, shifts, cv::fisheye::CALIB_RECOMPUTE_EXTRINSIC | cv::fisheye::CALIB_FIX_SKEW);
		} else {
			*rms = cv::calibrateCamera(list.world, list.image, {width, height}, matrix, distortion, turns, shifts, inner, outer, errors, coefficients == 8 ? cv::CALIB_RATIONAL_MODEL : 0);
			std::copy_n(inner.ptr<double>(), 12, deviations);
		}
		take(matrix, distortion, model, camera);
		return 1;
	} catch (const std::exception &e) {
		return fail(e);
	}
}

int32_t pair(int32_t width, int32_t height, double *world, double *a, double *b, int32_t *counts, int32_t views, const double *first, const double *second, double *pose, double *rms) {
	try {
		const boards left(world, a, counts, views), right(world, b, counts, views);
		cv::Mat matrices[] = {matrix_of(first), matrix_of(second)};
		cv::Mat distortions[] = {cv::Mat(1, 8, CV_64F, const_cast<double *>(first + 4)).clone(), cv::Mat(1, 8, CV_64F, const_cast<double *>(second + 4)).clone()};
		cv::Mat r, t, e, f;
		*rms = cv::stereoCalibrate(left.world, left.image, right.image, matrices[0], distortions[0], matrices[1], distortions[1], {width, height}, r, t, e, f, cv::CALIB_FIX_INTRINSIC);
		std::copy_n(r.ptr<double>(), 9, pose);
		std::copy_n(t.ptr<double>(), 3, pose + 9);
		return 1;
	} catch (const std::exception &e) {
		return fail(e);
	}
}
