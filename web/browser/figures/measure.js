// What figures calls in the browser.

let worker;
const frames = []; // files
const mats = []; // the same, of OpenCV.js
const moving = []; // files of a video
const movingMats = []; // the same, of OpenCV.js
const movingColors = []; // and in colors
let scenery; // what warpAffine takes, of OpenCV.js

// What the page asks for when it is opened; methods that have no use for an option
// ignore it.
const defaults = {
  kind: "corners", method: "fast", number: 2000, features: 500, points: 500, smoothing: 30, zoom: 1.15,
  threshold: 25, arc: 9, suppression: true,
  spread: false, quality: 0.01, distance: 10, block: 3, kernel: 9, radius: 4, circle: 3, run: 9,
  border: "limited", levels: 8,
  crossCheck: true, ratio: 0.8, maxDistance: 64,
};

// begin gets everything.
async function begin(n, opencv) {
  for (let i = 0; i < n; i++) {
    frames.push(await (await fetch(`${i}.png`)).blob());
    moving.push(await (await fetch(`moving${i}.png`)).blob());
  }
  const {load} = await import("../load.js");
  worker = new Worker("../worker.js", {type: "module"});
  worker.postMessage({module: await load()});
  await answer((data) => data.ready);
  worker.postMessage({view: {width: 640, height: 480, unit: 1, zoom: 1, x: 0, y: 0, split: 0.5}});
  if (opencv) {
    await beginOpenCV();
  }
  return 0;
}

// answer returns the first message of the worker for which what is not undefined.
function answer(what) {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({data}) => {
      data.drawn?.close();
      if (data.error || data.fatal) {
        reject(new Error(data.error ?? data.fatal));
      } else if (what(data) !== undefined) {
        resolve(what(data));
      }
    };
  });
}

// run returns the result of the worker for a picture and options.
async function run(source, slots, options) {
  worker.postMessage({run: {images: [{source, slots}], options, seen: 0}}, source.close ? [source] : []);
  return answer((data) => data.result);
}

// measureMoving returns how many milliseconds a frame of the video takes.
async function measureMoving(changes) {
  const options = {...defaults, ...changes};
  let sum = 0;
  for (const frame of moving) {
    const source = await createImageBitmap(frame, {colorSpaceConversion: "none"});
    sum += (await run(source, [0], options)).milliseconds;
  }
  return sum / moving.length;
}

// measurePanorama returns how many milliseconds it takes to put a frame of the video to the first one.
async function measurePanorama() {
  const options = {...defaults, kind: "panorama", method: "panorama", threshold: 20};
  let sum = 0;
  for (const frame of moving) {
    const images = [];
    for (const [slot, file] of [moving[0], frame].entries()) {
      images.push({source: await createImageBitmap(file, {colorSpaceConversion: "none"}), slots: [slot]});
    }
    worker.postMessage({run: {images, options, seen: 0}}, images.map(({source}) => source));
    sum += (await answer((data) => data.result)).milliseconds;
  }
  return sum / moving.length;
}

// measureWarp returns how many milliseconds it takes to warp a frame of the loop.
async function measureWarp() {
  await run({loop: 0}, [0], defaults); // reads the photo
  let sum = 0;
  for (let i = 0; i < moving.length; i++) {
    sum += (await run({loop: i}, [0], defaults)).parts.pixels;
  }
  return sum / moving.length;
}

// measure returns how many milliseconds a frame takes, as the page tells it. For matches
// the first frame is held.
async function measure(changes) {
  const options = {...defaults, ...changes};
  let sum = 0;
  const take = async (frame, slots) => {
    const source = await createImageBitmap(frame, {colorSpaceConversion: "none"});
    return (await run(source, slots, options)).milliseconds;
  };
  const slot = options.kind === "matches" ? 1 : 0;
  if (slot === 1) {
    await take(frames[0], [0, 1]);
  }
  for (const frame of frames) {
    sum += await take(frame, [slot]);
  }
  return sum / frames.length;
}

async function beginOpenCV() {
  await new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "opencv.js";
    script.onload = resolve;
    script.onerror = () => reject(new Error("opencv.js cannot be loaded"));
    document.head.append(script);
  });
  cv = await new Promise((resolve) => {
    // Some versions are a promise, and others tell when they are ready.
    if (cv instanceof Promise || cv.Mat) {
      resolve(cv);
    } else {
      cv.onRuntimeInitialized = () => resolve({...cv, then: undefined});
    }
  });
  for (const frame of frames) {
    mats.push(await toMat(frame));
  }
  for (const frame of moving) {
    movingMats.push(await toMat(frame));
    movingColors.push(await toMat(frame, true));
  }
  const {photo} = await import("../loop.js");
  scenery = await toMat(await (await fetch(`../${photo}`)).blob());
}

// toMat returns a picture of a file as OpenCV.js has it, in gray unless colors are asked for.
async function toMat(file, colors) {
  const bitmap = await createImageBitmap(file);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d", {willReadFrequently: true});
  context.drawImage(bitmap, 0, 0);
  const rgba = cv.matFromImageData(context.getImageData(0, 0, bitmap.width, bitmap.height));
  if (colors) {
    return rgba;
  }
  const gray = new cv.Mat();
  cv.cvtColor(rgba, gray, cv.COLOR_RGBA2GRAY);
  rgba.delete();
  return gray;
}

// version returns the version of OpenCV.js.
function version() {
  return /OpenCV (\S+)/.exec(cv.getBuildInformation())?.[1] ?? "";
}

// measureOpenCVTrack does what the page does to track points: corners are found every ten
// frames, and followed to the next frame and back.
function measureOpenCVTrack() {
  if (!cv.goodFeaturesToTrack || !cv.calcOpticalFlowPyrLK) {
    return 0;
  }
  const mask = new cv.Mat(), to = new cv.Mat(), back = new cv.Mat(), status = new cv.Mat(), errors = new cv.Mat();
  const points = new cv.Mat();
  const window = new cv.Size(21, 21), criteria = new cv.TermCriteria(3, 30, 0.01);
  const start = performance.now();
  movingMats.forEach((gray, i) => {
    if (i > 0 && points.rows > 0) {
      cv.calcOpticalFlowPyrLK(movingMats[i - 1], gray, points, to, status, errors, window, 3, criteria);
      cv.calcOpticalFlowPyrLK(gray, movingMats[i - 1], to, back, status, errors, window, 3, criteria);
      to.copyTo(points);
    }
    if (i % 10 === 0) {
      cv.goodFeaturesToTrack(gray, points, 500, 0.01, 10, mask, 3, false, 0.04);
    }
  });
  const ms = (performance.now() - start) / movingMats.length;
  for (const object of [mask, to, back, status, errors, points]) {
    object.delete();
  }
  return ms;
}

// Orb finds keypoints and what they agree with, by OpenCV.js.
class Orb {
  detector = new cv.ORB(500);
  matcher = new cv.BFMatcher(cv.NORM_HAMMING, false);
  back = new cv.DMatchVector(); // the best ones
  mask = new cv.Mat();

  // extract returns the keypoints of a picture.
  extract(gray) {
    const found = {keypoints: new cv.KeyPointVector(), descriptors: new cv.Mat()};
    this.detector.detectAndCompute(gray, this.mask, found.keypoints, found.descriptors);
    return found;
  }

  // homography returns what the matches agree with, which may be empty.
  homography(a, b) {
    const there = new cv.DMatchVectorVector(); // to which the best two are appended
    this.matcher.knnMatch(a.descriptors, b.descriptors, there, 2);
    this.matcher.match(b.descriptors, a.descriptors, this.back);
    const from = [], to = [];
    for (let i = 0; i < there.size(); i++) {
      const best = there.get(i);
      const {queryIdx, trainIdx, distance} = best.get(0);
      if (distance <= defaults.maxDistance && distance < defaults.ratio * best.get(1).distance && this.back.get(trainIdx).trainIdx === queryIdx) {
        const p = a.keypoints.get(queryIdx).pt, q = b.keypoints.get(trainIdx).pt;
        from.push(p.x, p.y);
        to.push(q.x, q.y);
      }
      best.delete();
    }
    there.delete();
    return from.length >= 8 ? withPairs(from, to, (p, q) => cv.findHomography(p, q, cv.RANSAC, 3)) : new cv.Mat();
  }

  delete(...found) {
    for (const {keypoints, descriptors} of found) {
      keypoints.delete();
      descriptors.delete();
    }
  }

  end() {
    for (const object of [this.detector, this.matcher, this.back, this.mask]) {
      object.delete();
    }
  }
}

// withPairs calls estimate with points, and returns what that returns.
function withPairs(from, to, estimate) {
  const [p, q] = [from, to].map((list) => cv.matFromArray(list.length / 2, 1, cv.CV_32FC2, list));
  const result = estimate(p, q);
  p.delete();
  q.delete();
  return result;
}

// measureOpenCVMatches does what the page does for matches: the first frame is held.
function measureOpenCVMatches() {
  const orb = new Orb(), held = orb.extract(mats[0]);
  const start = performance.now();
  for (const gray of mats) {
    const found = orb.extract(gray);
    orb.homography(held, found).delete();
    orb.delete(found);
  }
  const ms = (performance.now() - start) / mats.length;
  orb.delete(held);
  orb.end();
  return ms;
}

// measureOpenCVPanorama does what the page does for a panorama.
function measureOpenCVPanorama() {
  const orb = new Orb(), moved = new cv.Mat(), size = new cv.Size(640, 480);
  const start = performance.now();
  movingMats.forEach((gray, i) => {
    const found = [orb.extract(movingMats[0]), orb.extract(gray)];
    const transform = orb.homography(...found);
    cv.warpPerspective(movingColors[i], moved, transform, size, cv.INTER_LINEAR | cv.WARP_INVERSE_MAP, cv.BORDER_CONSTANT, new cv.Scalar());
    transform.delete();
    orb.delete(...found);
  });
  const ms = (performance.now() - start) / movingMats.length;
  moved.delete();
  orb.end();
  return ms;
}

// measureOpenCVStabilize finds the motion as package stabilize does when all goes well.
function measureOpenCVStabilize() {
  if (!cv.goodFeaturesToTrack || !cv.calcOpticalFlowPyrLK || !cv.estimateAffine2D) {
    return 0;
  }
  const mask = new cv.Mat(), to = new cv.Mat(), back = new cv.Mat(), status = new cv.Mat(), errors = new cv.Mat(), inliers = new cv.Mat();
  let points = new cv.Mat();
  const window = new cv.Size(15, 15), criteria = new cv.TermCriteria(3, 30, 0.03);
  const start = performance.now();
  movingMats.forEach((gray, i) => {
    if (i > 0 && points.rows > 0) {
      cv.calcOpticalFlowPyrLK(movingMats[i - 1], gray, points, to, status, errors, window, 3, criteria);
      cv.calcOpticalFlowPyrLK(gray, movingMats[i - 1], to, back, status, errors, window, 3, criteria);
      const from = [], found = [], [p, q, r] = [points, to, back].map(({data32F}) => data32F);
      for (let k = 0; k < status.rows; k++) {
        if (status.data[k] && Math.hypot(p[2 * k] - r[2 * k], p[2 * k + 1] - r[2 * k + 1]) <= 0.5) {
          from.push(p[2 * k], p[2 * k + 1]);
          found.push(q[2 * k], q[2 * k + 1]);
        }
      }
      withPairs(from, found, (a, b) => cv.estimateAffine2D(a, b, inliers, cv.RANSAC, 1.6, 2000, 0.99, 10)).delete();
      points.delete();
      points = cv.matFromArray(found.length / 2, 1, cv.CV_32FC2, found);
    }
    if (i % 10 === 0) {
      cv.goodFeaturesToTrack(gray, points, 200, 0.005, 19.6, mask, 3, false, 0.04);
    }
  });
  const ms = (performance.now() - start) / movingMats.length;
  for (const object of [mask, to, back, status, errors, inliers, points]) {
    object.delete();
  }
  return ms;
}

// measureOpenCVWarp warps as the loop of the page does.
async function measureOpenCVWarp() {
  const {camera, width, height} = await import("../loop.js");
  const dst = new cv.Mat(), size = new cv.Size(width, height);
  let sum = 0;
  for (let i = 0; i < movingMats.length; i++) {
    const matrix = cv.matFromArray(2, 3, cv.CV_64F, camera(i));
    const start = performance.now();
    cv.warpAffine(scenery, dst, matrix, size, cv.INTER_LINEAR | cv.WARP_INVERSE_MAP, cv.BORDER_REFLECT_101, new cv.Scalar());
    sum += performance.now() - start;
    matrix.delete();
  }
  dst.delete();
  return sum / movingMats.length;
}

// measureOpenCV returns how many milliseconds OpenCV.js takes for a frame, or 0 if this
// version lacks the function.
function measureOpenCV(name) {
  if (!cv.goodFeaturesToTrack && (name === "harris" || name === "shi-tomasi")) {
    return 0;
  }
  const mask = new cv.Mat();
  const found = new cv.Mat();
  const keypoints = new cv.KeyPointVector();
  const detector = name === "orb" ? new cv.ORB(500) : new cv.FastFeatureDetector(25, true);
  const find = {
    fast: (gray) => detector.detect(gray, keypoints),
    harris: (gray) => cv.goodFeaturesToTrack(gray, found, 2000, 0.01, 10, mask, 3, true, 0.04),
    "shi-tomasi": (gray) => cv.goodFeaturesToTrack(gray, found, 2000, 0.01, 10, mask, 3, false, 0.04),
    orb: (gray) => detector.detectAndCompute(gray, mask, keypoints, found),
  }[name];
  const start = performance.now();
  for (const gray of mats) {
    find(gray);
  }
  const ms = (performance.now() - start) / mats.length;
  for (const object of [mask, found, keypoints, detector]) {
    object.delete();
  }
  return ms;
}
