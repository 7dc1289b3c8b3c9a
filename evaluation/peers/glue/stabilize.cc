// The video stabilizer that users of OpenCV write, for package peers to call: corners, optical
// flow there and back, a similarity, a smooth path, and three planes that are warped.

#include "peers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <vector>

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace {

using Clock = std::chrono::steady_clock;

// A place of the picture: its shift, rotation and the logarithm of its scale.
struct Place {
	double x = 0, y = 0, angle = 0, scale = 0;
};

// lap adds the time since the last lap to a part.
void lap(Clock::time_point &last, double *part) {
	const Clock::time_point now = Clock::now();
	*part += std::chrono::duration<double>(now - last).count();
	last = now;
}

// smooth returns where a frame is on the smooth path.
Place smooth(const std::vector<Place> &path, int frame, int radius) {
	Place mean;
	double sum = 0;
	for (int i = std::max(frame - radius, 0); i <= std::min(frame + radius, int(path.size()) - 1); i++) {
		const double u = double(i - frame) / (radius + 1), w = std::pow(1 - u * u, 3);
		mean.x += w * path[i].x;
		mean.y += w * path[i].y;
		mean.angle += w * path[i].angle;
		mean.scale += w * path[i].scale;
		sum += w;
	}
	return {mean.x / sum, mean.y / sum, mean.angle / sum, mean.scale / sum};
}

// warp_planes writes the frame where the correction takes it.
void warp_planes(uint8_t *from, uint8_t *to, int w, int h, double zoom, const Place &is, const Place &should) {
	// From the middle of the corrected frame to that of the frame.
	const double s = std::exp(is.scale - should.scale) / zoom, angle = is.angle - should.angle;
	const double a = s * std::cos(angle), b = s * std::sin(angle);
	const double cx = (w - 1) / 2., cy = (h - 1) / 2., dx = is.x - should.x, dy = is.y - should.y;
	const double x = cx + dx - (a * cx - b * cy), y = cy + dy - (b * cx + a * cy);
	for (int plane = 0; plane < 3; plane++) {
		const int d = plane > 0 ? 2 : 1, pw = w / d, ph = h / d;
		const double o = (d - 1) / 2.; // of samples of chroma
		const cv::Mat m = (cv::Mat_<double>(2, 3) << a, -b, (x + a * o - b * o - o) / d, b, a, (y + b * o + a * o - o) / d);
		cv::Mat out(ph, pw, CV_8UC1, to);
		cv::warpAffine(cv::Mat(ph, pw, CV_8UC1, from), out, m, out.size(), cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
		from += pw * ph;
		to += pw * ph;
	}
}

} // namespace

int32_t stabilize(const peers_stabilize *o, uint8_t *pix, uint8_t *out, int32_t step, double *parts) {
	try {
		const int w = o->width, h = o->height, size = w * h * 3 / 2;
		const cv::Size window(15, 15);
		const cv::TermCriteria criteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 30, 0.03);
		std::vector<cv::Mat> before, now;
		std::vector<cv::Point2f> points, there, back, from, to;
		std::vector<uint8_t> status, returned;
		std::vector<float> errors;
		std::vector<Place> path;
		std::fill_n(parts, 4, 0);
		int done = 0;
		for (int i = 0; i < o->frames + o->radius; i++) {
			Clock::time_point last = Clock::now();
			if (i < o->frames) {
				const cv::Mat frame(h, w, CV_8UC1, pix + size_t(i) * size);
				cv::buildOpticalFlowPyramid(frame, now, window, 3);
				Place place;
				from.clear();
				to.clear();
				if (i > 0) {
					place = path.back();
				}
				if (i > 0 && !points.empty()) {
					cv::calcOpticalFlowPyrLK(before, now, points, there, status, errors, window, 3, criteria);
					cv::calcOpticalFlowPyrLK(now, before, there, back, returned, errors, window, 3, criteria);
					for (size_t k = 0; k < points.size(); k++) {
						const cv::Point2f d = back[k] - points[k];
						if (status[k] && returned[k] && d.dot(d) <= 0.25) {
							from.push_back(points[k]);
							to.push_back(there[k]);
						}
					}
					lap(last, parts + 1);
					const cv::Mat m = from.size() < 3 ? cv::Mat() : cv::estimateAffinePartial2D(from, to, cv::noArray(), cv::RANSAC, o->threshold);
					if (!m.empty()) {
						const double a = m.at<double>(0, 0), b = m.at<double>(1, 0), cx = (w - 1) / 2., cy = (h - 1) / 2.;
						place.x += a * cx - b * cy + m.at<double>(0, 2) - cx;
						place.y += b * cx + a * cy + m.at<double>(1, 2) - cy;
						place.angle += std::atan2(b, a);
						place.scale += std::log(std::hypot(a, b));
					}
					points = to;
					lap(last, parts + 2);
				}
				path.push_back(place);
				if (i % o->interval == 0) {
					cv::goodFeaturesToTrack(frame, points, o->points, o->quality, o->distance);
					lap(last, parts);
				}
				std::swap(before, now);
			}
			if (i >= o->radius) {
				last = Clock::now();
				warp_planes(pix + size_t(done) * size, out + size_t(done) * step, w, h, o->zoom, path[done], smooth(path, done, o->radius));
				done++;
				lap(last, parts + 3);
			}
		}
		return done;
	} catch (const std::exception &) {
		return -1;
	}
}
