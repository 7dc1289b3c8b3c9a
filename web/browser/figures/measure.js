// What figures calls in the browser.

let worker;
const frames = []; // files
const mats = []; // the same, of OpenCV.js

// What the page asks for when it is opened; methods that have no use for an option
// ignore it.
const defaults = {
  kind: "corners", method: "fast", number: 2000, features: 500, threshold: 25, arc: 10, suppression: true,
  spread: false, quality: 0.01, distance: 10, block: 3, kernel: 9, radius: 4, circle: 3, run: 9,
  border: "limited", levels: 8,
  crossCheck: true, ratio: 0.8, maxDistance: 64,
};

// begin gets everything.
async function begin(n, opencv) {
  for (let i = 0; i < n; i++) {
    frames.push(await (await fetch(`${i}.png`)).blob());
  }
  const {load} = await import("../load.js");
  worker = new Worker("../worker.js", {type: "module"});
  worker.postMessage({module: await load()});
  await answer((data) => data.ready);
  worker.postMessage({view: {width: 640, height: 480, unit: 1, zoom: 1, x: 0, y: 0}});
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

// measure returns how many milliseconds a frame takes, as the page tells it. For matches
// the first frame is held.
async function measure(changes) {
  const options = {...defaults, ...changes};
  let sum = 0;
  const run = async (frame, slots) => {
    const source = await createImageBitmap(frame, {colorSpaceConversion: "none"});
    worker.postMessage({run: {images: [{source, slots}], options}}, [source]);
    return (await answer((data) => data.result)).milliseconds;
  };
  const slot = options.kind === "matches" ? 1 : 0;
  if (slot === 1) {
    await run(frames[0], [0, 1]);
  }
  for (const frame of frames) {
    sum += await run(frame, [slot]);
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
  const canvas = new OffscreenCanvas(640, 480);
  const context = canvas.getContext("2d", {willReadFrequently: true});
  for (const frame of frames) {
    context.drawImage(await createImageBitmap(frame), 0, 0);
    const rgba = cv.matFromImageData(context.getImageData(0, 0, 640, 480));
    const gray = new cv.Mat();
    cv.cvtColor(rgba, gray, cv.COLOR_RGBA2GRAY);
    rgba.delete();
    mats.push(gray);
  }
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
