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
      "page": 0.45,
      "opencv": 4.083
    },
    "harris": {
      "what": "Harris, up to 2,000 corners 10 pixels apart",
      "cores": 1,
      "page": 1.376,
      "opencv": 8.45
    },
    "keypoints": {
      "what": "ORB, 500 keypoints with descriptors",
      "cores": 1,
      "page": 2.059,
      "opencv": 30.423
    },
    "matches": {
      "what": "500 ORB keypoints, their matches with those of another frame, and a homography",
      "cores": 1,
      "page": 2.669,
      "opencv": 42.705
    },
    "panorama": {
      "what": "Two photos, 500 ORB keypoints each, matches, a homography, and one photo warped",
      "cores": 2,
      "page": 8.241,
      "opencv": 75.946
    },
    "shi-tomasi": {
      "what": "Shi-Tomasi, up to 2,000 corners 10 pixels apart",
      "cores": 1,
      "page": 2.041,
      "opencv": 11.744
    },
    "stabilize": {
      "what": "Up to 200 points, followed there and back, and the affine motion that they agree with",
      "cores": 1,
      "page": 3.326,
      "opencv": 11
    },
    "track": {
      "what": "Up to 500 points, followed there and back, and looked for in each tenth frame",
      "cores": 1,
      "page": 11.834,
      "opencv": 34.653
    }
  }
};
