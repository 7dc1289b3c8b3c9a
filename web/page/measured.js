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
      "page": 0.452,
      "opencv": 4.009
    },
    "harris": {
      "what": "Harris, up to 2,000 corners 10 pixels apart",
      "page": 5.728,
      "opencv": 8.157
    },
    "keypoints": {
      "what": "ORB, 500 keypoints with descriptors",
      "page": 1.926,
      "opencv": 29.651
    },
    "shi-tomasi": {
      "what": "Shi-Tomasi, up to 2,000 corners 10 pixels apart",
      "page": 6.494,
      "opencv": 11.517
    },
    "track": {
      "what": "Up to 500 points, followed there and back, and looked for in each tenth frame",
      "page": 12.574,
      "opencv": 33.229
    }
  }
};
