// Prints what OpenCV.js finds, as JSON: node opencv.js LIBRARY REQUEST. The request has
// photos with a second image, points and descriptors of each.
"use strict";

const fs = require("fs");
const [library, request] = process.argv.slice(2);

(async () => {
  let cv = await require(library);
  if (!cv.Mat) {
    await new Promise((resolve) => cv.onRuntimeInitialized = resolve);
  }
  const list = (keypoints) => {
    const out = [];
    for (let i = 0; i < keypoints.size(); i++) {
      const k = keypoints.get(i);
      out.push([k.pt.x, k.pt.y, k.size, k.angle, k.response, k.octave]);
    }
    return out;
  };
  const image = ({Width, Height, Pix}) => cv.matFromArray(Height, Width, cv.CV_8UC1, Buffer.from(Pix, "base64"));
  const rows = (encoded) => {
    const data = Buffer.from(encoded, "base64");
    return cv.matFromArray(data.length / 32, 32, cv.CV_8UC1, data);
  };
  const base64 = (mat) => Buffer.from(mat.data).toString("base64");
  const all = [];
  for (const photo of JSON.parse(fs.readFileSync(request))) {
    const a = image(photo.A), b = image(photo.B), none = new cv.Mat(), keypoints = new cv.KeyPointVector();
    const answer = {FAST: [], Suppressed: []};
    for (const threshold of photo.Thresholds) {
      for (const [name, suppression] of [["FAST", false], ["Suppressed", true]]) {
        new cv.FastFeatureDetector(threshold, suppression).detect(a, keypoints, none);
        answer[name].push(list(keypoints));
      }
    }
    const descriptors = new cv.Mat();
    new cv.ORB(photo.Features).detectAndCompute(a, none, keypoints, descriptors);
    answer.Keypoints = list(keypoints);
    answer.Descriptors = base64(descriptors);

    const matches = new cv.DMatchVector();
    new cv.BFMatcher(cv.NORM_HAMMING, false).match(rows(photo.Query), rows(photo.Train), matches);
    answer.Matches = [];
    for (let i = 0; i < matches.size(); i++) {
      const m = matches.get(i);
      answer.Matches.push([m.queryIdx, m.trainIdx, m.distance]);
    }

    const from = cv.matFromArray(photo.Points.length / 2, 1, cv.CV_32FC2, photo.Points);
    const to = new cv.Mat(), status = new cv.Mat(), errors = new cv.Mat();
    cv.calcOpticalFlowPyrLK(a, b, from, to, status, errors, new cv.Size(21, 21), 3,
      new cv.TermCriteria(cv.TermCriteria_COUNT + cv.TermCriteria_EPS, 30, 0.01), 0, 1e-4);
    answer.Tracks = base64(to);
    answer.Errors = base64(errors);
    answer.Found = base64(status);

    const found = new cv.Mat();
    cv.cornerMinEigenVal(a, found, 3, 3);
    answer.Responses = base64(found);
    cv.integral(a, found, cv.CV_32S);
    answer.Sums = base64(found);

    answer.Warped = photo.Transforms.map(({Matrix, Nearest}) => {
      const size = new cv.Size(photo.Width, photo.Height);
      const matrix = cv.matFromArray(Matrix.length / 3, 3, cv.CV_64F, Matrix);
      const flags = cv.WARP_INVERSE_MAP | (Nearest ? cv.INTER_NEAREST : cv.INTER_LINEAR);
      const warp = Matrix.length === 6 ? cv.warpAffine : cv.warpPerspective;
      warp(a, found, matrix, size, flags, cv.BORDER_CONSTANT, new cv.Scalar());
      return base64(found);
    });
    all.push(answer);
  }
  const version = /Version control: *(\S+)/.exec(cv.getBuildInformation())[1];
  fs.writeSync(1, JSON.stringify({Version: version, Answers: all}));
  process.exit(0);
})();
