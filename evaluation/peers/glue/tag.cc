// The fiducial markers of AprilTag and of OpenCV, for package peers to call. Kinds are those of
// package tag. Corners are the four of package tag, in its order.

#include "peers.h"

#include <algorithm>
#include <exception>
#include <vector>

#if __has_include(<opencv2/objdetect/aruco_detector.hpp>)
#include <opencv2/objdetect/aruco_detector.hpp>
#else
#include <opencv2/aruco.hpp>
#endif

#if __has_include(<apriltag/apriltag.h>)
#define HAVE_APRILTAG
#include <apriltag/apriltag.h>
#include <apriltag/tag16h5.h>
#include <apriltag/tag25h9.h>
#include <apriltag/tag36h11.h>
#include <apriltag/tagStandard41h12.h>
#endif

namespace {

// The kinds that are compared, as package tag numbers them.
enum kind : int32_t { tag36h11 = 1, tag25h9, tag16h5, standard41h12, aruco4x4, aruco5x5, aruco6x6, aruco7x7 };

// The markers found last.
std::vector<peers_tag> found;

// dictionary_of returns OpenCV's dictionary of a kind, and stores by how many corners OpenCV's
// drawings are turned.
int dictionary_of(int32_t kind, int *turn) {
	*turn = kind <= tag16h5 ? 2 : 0;
	switch (kind) {
	case tag36h11:
		return cv::aruco::DICT_APRILTAG_36h11;
	case tag25h9:
		return cv::aruco::DICT_APRILTAG_25h9;
	case tag16h5:
		return cv::aruco::DICT_APRILTAG_16h5;
	case aruco4x4:
		return cv::aruco::DICT_4X4_1000;
	case aruco5x5:
		return cv::aruco::DICT_5X5_1000;
	case aruco6x6:
		return cv::aruco::DICT_6X6_1000;
	case aruco7x7:
		return cv::aruco::DICT_7X7_1000;
	}
	return -1;
}

#ifdef HAVE_APRILTAG

// A detector of AprilTag looks for one kind.
struct detector {
	apriltag_detector_t *is = apriltag_detector_create();

	explicit detector(apriltag_family_t *family) {
		is->quad_decimate = 1;
		apriltag_detector_add_family(is, family);
	}
};

apriltag_detector_t *detector_of(int32_t kind) {
	switch (kind) {
	case tag36h11: {
		static const detector d(tag36h11_create());
		return d.is;
	}
	case tag25h9: {
		static const detector d(tag25h9_create());
		return d.is;
	}
	case tag16h5: {
		static const detector d(tag16h5_create());
		return d.is;
	}
	case standard41h12: {
		static const detector d(tagStandard41h12_create());
		return d.is;
	}
	}
	return nullptr;
}

// april finds markers by AprilTag, without its decimation.
int32_t april(int32_t kind, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	apriltag_detector_t *d = detector_of(kind);
	if (d == nullptr) {
		return -1;
	}
	image_u8_t image = {width, height, stride, pix};
	zarray_t *list = apriltag_detector_detect(d, &image);
	found.clear();
	for (int i = 0; i < zarray_size(list); i++) {
		apriltag_detection_t *tag;
		zarray_get(list, i, &tag);
		peers_tag t = {tag->id, {}};
		for (int k = 0; k < 4; k++) {
			// The center of the first pixel is at half a pixel.
			t.corners[2 * k] = tag->p[3 - k][0] - .5;
			t.corners[2 * k + 1] = tag->p[3 - k][1] - .5;
		}
		found.push_back(t);
	}
	apriltag_detections_destroy(list);
	return found.size();
}

#endif

} // namespace

int32_t mark(int32_t kind, int32_t refine, uint8_t *pix, int32_t width, int32_t height, int32_t stride) {
	try {
		int turn;
		const int name = dictionary_of(kind, &turn);
		if (name < 0) {
			return -1;
		}
		const cv::Mat image(height, width, CV_8U, pix, stride);
		std::vector<std::vector<cv::Point2f>> corners;
		std::vector<int> ids;
		const auto refinement = refine ? cv::aruco::CORNER_REFINE_SUBPIX : cv::aruco::CORNER_REFINE_NONE;
#if __has_include(<opencv2/objdetect/aruco_detector.hpp>)
		cv::aruco::DetectorParameters parameters;
		parameters.cornerRefinementMethod = refinement;
		const cv::aruco::ArucoDetector detector(cv::aruco::getPredefinedDictionary(name), parameters);
		detector.detectMarkers(image, corners, ids);
#else
		const auto parameters = cv::aruco::DetectorParameters::create();
		parameters->cornerRefinementMethod = refinement;
		cv::aruco::detectMarkers(image, cv::aruco::getPredefinedDictionary(name), corners, ids, parameters);
#endif
		found.clear();
		for (size_t i = 0; i < ids.size(); i++) {
			peers_tag t = {ids[i], {}};
			for (int k = 0; k < 4; k++) {
				const cv::Point2f p = corners[i][(k + turn) % 4];
				t.corners[2 * k] = p.x;
				t.corners[2 * k + 1] = p.y;
			}
			found.push_back(t);
		}
		return found.size();
	} catch (const std::exception &) {
		return -1;
	}
}

void marks(struct peers_tag *out) {
	std::copy(found.begin(), found.end(), out);
}

void set_april(peers_functions *f) {
#ifdef HAVE_APRILTAG
	f->april = april;
#endif
}
