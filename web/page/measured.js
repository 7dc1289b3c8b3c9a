// What figures has measured: milliseconds for a frame of 640x480, of this page and of
// OpenCV.js in the same browser.

export const measured = {
  "date": "November 26, 2026",
  "browser": "Chrome 156",
  "machine": "Intel(R) Xeon(R) Processor",
  "opencv": "OpenCV.js 4.12.0",
  "tests": {
    "fast": {
      "what": "FAST-9 with suppression, threshold 25",
      "cores": 1,
      "page": 0.466,
      "opencv": 4.075
    },
    "harris": {
      "what": "Harris, up to 2,000 corners 10 pixels apart",
      "cores": 1,
      "page": 1.335,
      "opencv": 8.491
    },
    "keypoints": {
      "what": "ORB, 500 keypoints with descriptors",
      "cores": 1,
      "page": 2.031,
      "opencv": 30.841
    },
    "matches": {
      "what": "500 ORB keypoints, their matches with those of another frame, and a homography",
      "cores": 1,
      "page": 2.63,
      "opencv": 41.913
    },
    "panorama": {
      "what": "Two photos, 500 ORB keypoints each, matches, a homography, and one photo warped",
      "cores": 2,
      "page": 8.07,
      "opencv": 76.96
    },
    "shi-tomasi": {
      "what": "Shi-Tomasi, up to 2,000 corners 10 pixels apart",
      "cores": 1,
      "page": 2.076,
      "opencv": 11.9
    },
    "stabilize": {
      "what": "Up to 200 points, followed there and back, and the affine motion that they agree with",
      "cores": 1,
      "page": 3.35,
      "opencv": 11.018
    },
    "track": {
      "what": "Up to 500 points, followed there and back, and looked for in each tenth frame",
      "cores": 1,
      "page": 12.003,
      "opencv": 33.706
    }
  }
};
