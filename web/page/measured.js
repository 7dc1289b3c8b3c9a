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
      "opencv": 3.996
    },
    "harris": {
      "what": "Harris, up to 2,000 corners 10 pixels apart",
      "page": 5.977,
      "opencv": 8.366
    },
    "keypoints": {
      "what": "ORB, 500 keypoints with descriptors",
      "page": 2.058,
      "opencv": 30.623
    },
    "shi-tomasi": {
      "what": "Shi-Tomasi, up to 2,000 corners 10 pixels apart",
      "page": 6.743,
      "opencv": 12.23
    },
    "track": {
      "what": "Up to 500 points, followed there and back, and looked for in each tenth frame",
      "page": 68.856,
      "opencv": 34.468
    }
  }
};
