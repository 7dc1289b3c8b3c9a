// The detectors of libCVD and OpenCV, for package peers to call.

#include <cstdint>
#include <exception>
#include <vector>

#include <cvd/fast_corner.h>
#include <cvd/image.h>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

// libCVD exports its plain detector but declares it in no header that it
// installs.
namespace CVD {
void fast_corner_detect_plain_10(const BasicImage<byte> &, std::vector<ImageRef> &, int);
}

namespace {

struct Corner {
	int32_t x, y, score;
};

// The numbers are those of the list in Open.
enum Peer { cvd_plain, cvd_sse2, opencv, opencv_nonmax };

// What the last call found. Calls reuse the memory.
std::vector<CVD::ImageRef> refs;
std::vector<cv::KeyPoint> points;

} // namespace

// peers_init has OpenCV use one thread and the best code that it has.
extern "C" void peers_init() {
	cv::setNumThreads(1);
	cv::setUseOptimized(true);
}

// peers_find detects corners and returns how many there are, or -1.
extern "C" int32_t peers_find(int32_t peer, uint8_t *pix, int32_t width, int32_t height, int32_t stride, int32_t threshold) {
	try {
		refs.clear();
		points.clear();
		if (peer == cvd_plain || peer == cvd_sse2) {
			const CVD::BasicImage<CVD::byte> image(pix, CVD::ImageRef(width, height), stride);
			if (peer == cvd_plain) {
				CVD::fast_corner_detect_plain_10(image, refs, threshold);
			} else {
				CVD::fast_corner_detect_10(image, refs, threshold);
			}
			return refs.size();
		}
		const cv::Mat image(height, width, CV_8UC1, pix, stride);
		cv::FAST(image, points, threshold, peer == opencv_nonmax, cv::FastFeatureDetector::TYPE_9_16);
		return points.size();
	} catch (const std::exception &) {
		return -1;
	}
}

// peers_corners stores the corners that the last call of peers_find found.
// Scores are 0 where the peer does not tell them.
extern "C" void peers_corners(Corner *out) {
	for (const CVD::ImageRef &r : refs) {
		*out++ = {r.x, r.y, 0};
	}
	for (const cv::KeyPoint &p : points) {
		*out++ = {int32_t(p.pt.x), int32_t(p.pt.y), int32_t(p.response)};
	}
}
