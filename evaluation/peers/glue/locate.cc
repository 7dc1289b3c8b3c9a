// OpenCV's template matching, for package peers to call.

#include "peers.h"

#include <algorithm>
#include <exception>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace {

// The similarities, as package locate numbers them.
const int methods[] = {cv::TM_CCOEFF_NORMED, cv::TM_CCORR_NORMED, cv::TM_SQDIFF};

// The responses of the last search.
cv::Mat found;

} // namespace

int32_t search(int32_t similarity, int32_t channels, uint8_t *pix, int32_t width, int32_t height, int32_t stride, uint8_t *part, int32_t part_width, int32_t part_height, int32_t part_stride, uint8_t *mask, int32_t mask_stride, double *best) {
	try {
		const int method = methods[similarity];
		const cv::Mat image(height, width, CV_8UC(channels), pix, stride);
		const cv::Mat templ(part_height, part_width, CV_8UC(channels), part, part_stride);
		const cv::Mat where = mask == nullptr ? cv::Mat() : cv::Mat(part_height, part_width, CV_8UC1, mask, mask_stride);
		cv::matchTemplate(image, templ, found, method, where);
		if (best != nullptr) {
			double least, most;
			cv::Point low, high;
			cv::minMaxLoc(found, &least, &most, &low, &high);
			const bool lowest = method == cv::TM_SQDIFF;
			best[0] = lowest ? low.x : high.x;
			best[1] = lowest ? low.y : high.y;
			best[2] = lowest ? least : most;
		}
		return found.total();
	} catch (const std::exception &) {
		return -1;
	}
}

void places(float *out) {
	for (int y = 0; y < found.rows; y++) {
		out = std::copy_n(found.ptr<float>(y), found.cols, out);
	}
}
