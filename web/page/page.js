// The page: its controls, the camera, and the requests to the worker. The worker does one
// thing at a time. Meanwhile the newest photos and options wait, and frames of the camera
// are dropped. A search that is no longer wanted and does not end soon is ended with its
// worker, and a new worker takes over.

import {hintText, showCamera} from "./camera.js";
import {gap, place, squares, zoomed} from "./draw.js";
import {load, programOf} from "./load.js";
import {measured} from "./measured.js";
import {native} from "./program.js";
import {snippet} from "./snippet.js";

const byId = (id) => document.getElementById(id);
const form = byId("options");
const stage = byId("stage");
const canvas = byId("picture");
const shown = canvas.getContext("bitmaprenderer");
const marks = byId("marks"); // what was found, over the picture
const marked = marks.getContext("2d");
const video = byId("video"); // where frames come from, and which may be seen in place of the picture

// Larger pictures are refused: they need more memory than browsers and phones give.
const mostPixels = 64e6;

// For tests, and for import("./page.js") in the console.
export const state = {
  ready: false,
  busy: false, // a run is in progress
  stale: false, // another run must follow
  waiting: [], // images of the next run
  result: null, // of the last run, and what is seen
  live: null, // what frames come from: "camera", "file" or "loop"
  sources: [null, null], // the files in the worker's slots; null for frames and for nothing
  sample: null, // the name of the sample that is seen
  calibration: null, // what is known of the camera in the room for that
  ended: 0, // searches that were no longer wanted
  frames: {seen: 0, done: 0, dropped: 0},
};

let worker;
let running; // the name of the program of the worker
let filled = false; // the worker has a picture
let sent; // the method of the run in progress, and whether it has images
let preparation = 0; // how long the worker took to read the last photos, in milliseconds
let ending = 0; // the timer of end
// What frames come from, if they do: {kind: "camera", stream}, {kind: "file", url, name}, or
// {kind: "loop", frame: the number of the next frame}.
let live = null;
let paused = matchMedia("(prefers-reduced-motion: reduce)").matches; // a video or the loop
let attempts = 0; // to switch what is live on or off; the last one counts
let hold = false; // the next frame goes to both slots
let liveSince = 0;
let recent = []; // times at which the last frames were done
let known = null; // the camera that was calibrated last, as the worker tells it
let calibrations = 0; // how often one was begun anew

// Messages.

let failed = false; // the message is final

function say(text) {
  const box = byId("message");
  box.querySelector("p").textContent = text;
  box.hidden = false;
}

// hush removes the message, unless it is final.
function hush() {
  byId("message").hidden = !failed;
}

// Options.

const show = () => form.elements.show.value;
const method = () => (show() === "corners" ? form.elements.method.value : show());
const moving = () => ["stabilize", "track"].includes(show()); // it needs a video
const two = () => ["matches", "panorama"].includes(show()); // it needs two pictures
const looped = () => moving() || ["markers", "calibrate"].includes(show()); // its sample is a loop
// What is found in frames of a video is drawn over the video itself, except where it would be seen to
// lag behind.
const bare = () => ["camera", "file"].includes(live?.kind) && ["corners", "keypoints"].includes(show());

// valueOf returns the value of a slider.
function valueOf(input) {
  const steps = input.dataset.steps?.split(" ");
  const value = Number(steps ? steps[input.value] : input.value);
  return input.name === "run" ? Math.min(value, 4 + 4 * form.elements.circle.value) : value; // the pixels of the circle
}

let options; // what readOptions has returned after the last change

function readOptions() {
  const options = {kind: show(), method: method()};
  for (const input of form.querySelectorAll("input[type=range]")) {
    options[input.name] = valueOf(input);
  }
  for (const input of form.querySelectorAll("input[type=checkbox]")) {
    options[input.name] = input.checked;
  }
  for (const name of ["border", "family", "lens"]) {
    options[name] = form.elements[name].value;
  }
  options.attempt = calibrations;
  options.known = show() === "markers" ? known : null;
  options.quality = Math.round(options.quality * 10) / 1000;
  options.zoom /= 100;
  options.ratio %= 1; // 0 is no test
  return options;
}

// refresh shows the controls for the method and for what is live, and the values of sliders.
function refresh() {
  options = readOptions();
  for (const element of document.querySelectorAll("[data-for], [data-live]")) {
    const methods = element.dataset.for?.split(" "), kinds = element.dataset.live?.split(" ");
    element.hidden = methods?.includes(method()) === false || kinds?.includes(live?.kind) === false;
  }
  if (document.body.dataset.room !== show()) {
    document.body.dataset.room = show();
    seeRoom();
  }
  byId("view-field").hidden ||= Boolean(known);
  byId("known").hidden ||= !known;
  if (worker && running !== programOf(show())) {
    keepSources();
    done();
    startWorker();
  }
  byId("camera").setAttribute("aria-pressed", live?.kind === "camera");
  byId("pause").setAttribute("aria-pressed", paused);
  byId("pause").setAttribute("aria-label", paused ? "Play" : "Pause");
  byId("record").hidden ||= !canRecord;
  for (const input of form.querySelectorAll("input[type=range]")) {
    const value = valueOf(input);
    let text = `${value.toLocaleString("en")} ${input.dataset.unit ?? ""}`.trim();
    if (input.dataset.steps && value === 0) {
      text = "all";
    } else if (input.dataset.end && input.value === input.max) {
      text = input.dataset.end;
    }
    form.querySelector(`output[for=${input.id}]`).textContent = text;
    input.setAttribute("aria-valuetext", text);
  }
  byId("file-title").textContent = two() ? "First photo" : moving() ? "Your video" : "Your photo or video";
  byId("code").textContent = snippet(options);
  byId("native").textContent = compare();
  showBeside();
  clearTimeout(linking);
  linking = setTimeout(() => history.replaceState(null, "", link()), 300);
}

// seeRoom moves the row of rooms, which is too long for a phone, so that the one that was chosen is
// seen.
function seeRoom() {
  const row = byId("rooms"), box = row.getBoundingClientRect();
  const chosen = row.querySelector("label:has(:checked)").getBoundingClientRect();
  row.scrollLeft += (chosen.left + chosen.right - box.left - box.right) / 2;
}

// compare says what the method takes elsewhere, and whose results are the same.
function compare() {
  const {arc, spread} = options;
  const [test, name, same] = {
    fast: ["fast: FAST-9 with suppression", "FAST-9 with suppression",
      arc === 9 ? "The corners are those of OpenCV's FAST." : "OpenCV's FAST has arcs of 9 pixels only, for which the corners are the same."],
    harris: ["harris: goodFeaturesToTrack, Shi-Tomasi", "Shi-Tomasi", "The corners are those of OpenCV's goodFeaturesToTrack with useHarrisDetector."],
    "shi-tomasi": ["harris: goodFeaturesToTrack, Shi-Tomasi", "Shi-Tomasi", "The corners are those of OpenCV's goodFeaturesToTrack."],
    lococo: ["lococo: corners, 9x9", "LoCoCo with a kernel of 9 by 9", "OpenCV has no LoCoCo."],
    vpi: ["vpi: radius 3 with suppression", "it", "The corners are as NVIDIA's VPI defines them."],
    keypoints: ["orb: 500 features", "ORB with 500 keypoints",
      spread ? "OpenCV's ORB does not spread keypoints; without that, they and their descriptors are the same." : "Keypoints and descriptors are those of OpenCV's ORB."],
    matches: ["match: nearest", "the search for the matches of 1,000 descriptors with 1,000 others",
      spread ? "OpenCV's ORB does not spread keypoints; without that, the matches are the same." : "The matches are those of OpenCV's ORB and BFMatcher."],
    panorama: ["", "", "ORB finds keypoints. The homography that most of their matches agree with warps the second photo into the plane of the first one."],
    track: ["", "", "Corners of Shi and Tomasi are followed to the next frame and back by the method of Lucas and Kanade, as OpenCV's calcOpticalFlowPyrLK does, bit for bit."],
    markers: ["", "", "A marker's whole drawing is fitted to the pixels. Package tag finds what OpenCV's ArucoDetector and AprilTag's detector find, and more, with smaller errors."],
    calibrate: ["", "", "The image of two crossing edges is fitted to the pixels around each corner. The camera is that of OpenCV's calibrateCamera, with the uncertainty of what it says."],
    stabilize: ["", "", "Corners are followed from frame to frame. The motion that most of them agree with is that of the camera, which is replaced by a smooth path. Only earlier frames count, so there is no delay."],
  }[method()];
  const times = native.tests[test];
  if (!times) {
    return same;
  }
  const opencv = times.opencv && method() !== "lococo" && method() !== "vpi" ? `, and with OpenCV ${inMs(times.opencv)}` : "";
  const frame = method() === "matches" ? "" : " for 640 × 480 pixels";
  return `${same} In a Go program with AVX-512, ${name} takes ${inMs(times.avx512)}${frame}${opencv}, on one core of an ${native.machine}.`;
}

const inMs = (nanoseconds) => `${Number((nanoseconds / 1e6).toPrecision(2))} ms`;

// showBeside shows how long the method takes beside OpenCV.js, where that was measured.
function showBeside() {
  const times = measured.tests[method()];
  byId("beside").hidden = !times;
  if (!times) {
    return;
  }
  const longest = Math.max(times.page, times.opencv);
  for (const [id, ms] of [["beside-page", times.page], ["beside-opencv", times.opencv]]) {
    byId(id).style.setProperty("--part", ms / longest);
    byId(id).querySelector("output").textContent = `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`;
  }
  byId("beside-what").textContent = `${times.what}, a frame of 640 × 480. Measured on ${measured.date} with ${measured.opencv} ` +
    `in the same ${measured.browser}, on ${times.cores === 1 ? "one core" : "two cores"} of an ${measured.machine}` +
    `${times.cores === 1 ? "" : ", of which OpenCV.js uses one"}; both took turns.`;
}

// Links.

let linking = 0; // the timer of the address

// link returns an address with the controls of the method that differ from what they are at
// first, and with the sample.
function link() {
  const values = new URLSearchParams();
  for (const input of form.elements) {
    const field = input.closest("[data-for]");
    if (!input.name || field?.hidden || input.type === "radio" && !input.checked) {
      continue;
    }
    const first = input.type === "checkbox" ? input.defaultChecked === input.checked :
      input.type === "radio" ? input.defaultChecked :
      input.options ? input.selectedIndex === 0 : input.defaultValue === input.value;
    if (!first) {
      values.set(input.name, input.type === "checkbox" ? Number(input.checked) : input.type === "range" ? valueOf(input) : input.value);
    }
  }
  if (state.sample) {
    values.set("sample", state.sample);
  }
  return `${location.pathname}${location.search}${values.size > 0 ? `#${values}` : ""}`;
}

// follow sets the controls as the address of the page says, and returns the name of the
// sample. What it does not know it ignores.
function follow() {
  const values = new URLSearchParams(location.hash.slice(1));
  form.reset();
  for (const [name, value] of values) {
    const input = form.elements.namedItem(name);
    if (input instanceof RadioNodeList || input?.options) {
      if ([...input.options ?? input].some((option) => option.value === value)) {
        input.value = value;
      }
    } else if (input?.type === "checkbox") {
      input.checked = value === "1";
    } else if (input?.type === "range") {
      const step = input.dataset.steps?.split(" ").indexOf(value);
      input.value = step === undefined ? value : step >= 0 ? step : input.defaultValue;
    }
  }
  return samples.includes(values.get("sample")) ? values.get("sample") : samples[0];
}

addEventListener("hashchange", () => {
  const sample = follow();
  refresh();
  if (looped()) {
    enter();
  } else {
    room = show();
    chooseSample(sample);
  }
});

// copy copies text, and says so on a button.
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    say("The browser does not let this page copy.");
    return;
  }
  const label = button.textContent;
  button.disabled = true; // so that the label is not taken for the first one
  button.textContent = "Copied";
  byId("summary").textContent = "Copied";
  setTimeout(() => {
    button.textContent = label;
    button.disabled = false;
    button.focus();
  }, 1000);
}

byId("copy-code").addEventListener("click", ({target}) => copy(byId("code").textContent, target));
byId("copy-link").addEventListener("click", ({target}) => copy(new URL(link(), location.href).href, target));
byId("explain").addEventListener("click", ({target}) => {
  const on = form.classList.toggle("explained");
  target.setAttribute("aria-pressed", on);
});

let room; // that was entered

function changed(event) {
  if (event.target.type === "file" || event.target.id === "device") {
    return;
  }
  if (event.target.name === "circle") {
    form.elements.run.value = 3 + 2 * event.target.value; // as VPI
  }
  refresh();
  if (show() !== room) {
    enter();
  } else {
    ask();
  }
}

form.addEventListener("input", changed);
byId("rooms").addEventListener("input", changed);

// enter gets what the room that was chosen needs: a video or a photo, if there is none, or two.
function enter() {
  room = show();
  hold = two();
  move(1, 0, 0);
  const empty = !live && !filled && state.waiting.length === 0;
  if (looped() && (live?.kind === "loop" || !live && (moving() || state.sample || empty))) {
    startLoop();
  } else if (!looped() && (live?.kind === "loop" || empty && state.result || !live && show() === "panorama" && state.sample)) {
    chooseSample(show() === "panorama" ? pair : samples[0]);
  } else if (!live && state.sample && (two() ? !second() : state.sample === pair)) {
    chooseSample(state.sample); // with its view
  } else {
    ask();
  }
}

// The sample that is two photos, which the worker makes.
const pair = "mountains";
const samples = [...form.querySelectorAll("[data-sample]")].map((button) => button.dataset.sample);

// What was chosen in the row of rooms stays.
byId("defaults").addEventListener("click", () => {
  const room = show();
  form.reset();
  form.elements.show.value = room;
  refresh();
  ask();
});

form.addEventListener("submit", (event) => event.preventDefault());

// The worker.

// startWorker starts a worker with the program that the room needs, which it loads first.
async function startWorker() {
  worker?.terminate();
  worker = new Worker("worker.js", {type: "module"});
  worker.addEventListener("message", received);
  worker.addEventListener("error", ({message}) =>
    fail(`A part of the page could not be loaded, or failed. Reload the page. ${message ?? ""}`));
  state.ready = false;
  state.busy = false;
  seeing.asked = false;
  filled = false;
  see();
  const own = worker;
  const another = running !== programOf(show());
  running = programOf(show());
  if (another) {
    byId("loading").hidden = false;
  }
  try {
    const module = await load(running, (part) => {
      if (worker === own) {
        byId("progress").value = part;
      }
    });
    own.postMessage({module});
  } catch (error) {
    if (worker === own) {
      fail(`The detectors cannot be loaded: ${error.message}.`);
    }
  }
}

// ask requests a run, now or as soon as the worker has time.
function ask() {
  state.stale = true;
  if (sent?.searching) {
    endSoon();
  }
  next();
}

function next() {
  if (!state.ready || state.busy || !state.stale) {
    return;
  }
  if (live && state.waiting.length === 0) {
    if (paused && live.kind !== "camera") {
      grab();
    }
    return; // the next frame is enough
  }
  if (!state.result && state.waiting.length === 0) {
    return;
  }
  run();
}

// run sends the worker what waits and, if there is one, a frame that was seen just now or at a
// given time.
function run(frames = [], seen = performance.timeOrigin + performance.now()) {
  const images = [...state.waiting, ...frames];
  state.waiting = [];
  state.busy = true;
  state.stale = false;
  sent = {method: method(), images: images.length > 0};
  for (const {source, slots, alone} of images) {
    filled = true;
    for (const slot of slots) {
      state.sources[slot] = source instanceof Blob ? source : null;
    }
    if (alone) {
      state.sources[1] = null;
    }
  }
  const transfer = images.map(({source}) => source).filter((source) => source.close);
  worker.postMessage({run: {images, options, seen, record: Boolean(recording), bare: bare()}}, transfer);
}

// endSoon ends the search in progress, which is no longer wanted, unless it ends by itself in
// the time that the new worker needs to read the photos again.
function endSoon() {
  if (!ending && !live && state.sources[0]) {
    ending = setTimeout(() => {
      state.ended++;
      keepSources();
      done();
      startWorker();
    }, Math.max(300, preparation));
  }
}

// keepSources has the next worker get the photos that this one has.
function keepSources() {
  for (const slot of [1, 0]) {
    const source = state.sources[slot];
    if (source && !live && !state.waiting.some(({slots}) => slots.includes(slot))) {
      state.waiting.unshift({source, slots: [slot]});
    }
  }
}

// done is called when the worker has finished a run.
function done() {
  clearTimeout(ending);
  ending = 0;
  sent = null;
  state.busy = false;
}

// take shows photos: {file, slot}, and alone: true if there is no second one.
function take(photos) {
  for (const {file, slot, alone} of photos) {
    state.waiting = state.waiting.filter(({slots}) => !slots.includes(slot) && !(alone && slots.includes(1)));
    state.waiting.push({source: file, slots: [slot], alone});
  }
  ask();
}

function received({data, target}) {
  if (target !== worker) {
    discard(data);
    return;
  }
  if (data.ready) {
    state.ready = true;
    byId("loading").hidden = true;
    next();
  } else if (data.fatal) {
    fail(data.fatal);
  } else if ("best" in data) {
    if (!state.busy) { // it is the time of state.result
      const {frame, milliseconds, parts} = state.result;
      showTimes(data.best, frame - milliseconds + data.best, {...parts, search: data.best});
    }
  } else if (data.saved) {
    download(data.saved, data.format);
  } else if (data.warning) {
    say(data.warning);
  } else if ("searching" in data) {
    if (sent.images) {
      preparation = data.searching;
    }
    sent.searching = true;
    if (state.stale) {
      endSoon();
    }
  } else if (data.result) {
    if (data.result.calibration) {
      state.calibration = data.result.calibration;
      known = state.calibration.known ?? known;
      showCamera(state.calibration);
    }
    const {images} = sent;
    // Of what has changed meanwhile only other values of the same options are near enough.
    const outdated = sent.method !== method() || !live && state.waiting.length > 0;
    done();
    if (outdated) {
      discard(data);
      state.frames.dropped += live ? 1 : 0;
    } else {
      state.result = data.result;
      state.result.places = places();
      if (live) {
        state.frames.done++;
      }
      showDrawing(data);
      const {result} = data, {waiting, pixels, search} = result.parts;
      result.frame = performance.timeOrigin + performance.now() - result.began;
      result.parts.drawing = result.frame - waiting - pixels - search;
      report(result); // in the same frame as what it is of
      if (data.steady) {
        record(data.steady);
      }
      if (images) {
        adjust();
      }
      if (!kept) {
        kept = true;
        keepOffline();
      }
    }
    next();
  } else if (data.error) {
    const {images} = sent;
    done();
    if (live?.kind === "loop") {
      stopLive(); // the next frame would have the same error
    }
    say(data.error);
    if (images && state.result) {
      state.stale = true; // the last photos are searched as the controls say
    }
    next();
  } else if (data.seen) {
    seeing.asked = false;
    if (state.result) {
      showDrawing(data);
    }
    if (seeing.stale) {
      see();
    }
  }
}

// fail says why there is no result.
function fail(text) {
  state.ready = false;
  failed = true;
  byId("loading").hidden = true;
  stopLive();
  say(text);
}

// showTimes shows how long the search and the whole frame took, and what that consists of.
function showTimes(milliseconds, frame, parts) {
  const text = (ms) => ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0);
  byId("time").textContent = text(milliseconds);
  byId("frame-time").textContent = text(frame);
  for (const [name, ms] of Object.entries(parts)) {
    byId(`part-${name}`).textContent = text(ms);
    byId(`bar-${name}`).style.setProperty("--part", ms / frame);
  }
}

let kept = false; // keepOffline was called
let spokenAt = 0;
let speaking = 0;

// report shows the numbers of a result.
function report({kind, count: number, keypoints, board, inliers, shake, milliseconds, parts, sizes, frame, together}) {
  const count = number.toLocaleString("en");
  const things = {panorama: "matches", track: "points", stabilize: "points", calibrate: "corners"}[kind] ?? kind;
  byId("count").textContent = count;
  byId("count-title").textContent = keypoints ? `${things} of ${Math.min(...keypoints).toLocaleString("en")}` : things;
  byId("agree").textContent = (inliers ?? 0).toLocaleString("en");
  if (shake) {
    [byId("before").textContent, byId("after").textContent] = shake.map((pixels) => pixels.toFixed(1));
  }
  byId("apart").hidden = kind !== "panorama" || together;
  if (board) {
    const hint = hintText(state.calibration, board);
    if (byId("next-view").textContent !== hint) {
      byId("next-view").textContent = hint;
    }
  }
  showTimes(milliseconds, frame, parts);
  byId("size").textContent = sizes.map((size) => size.join("×")).join(", ");
  if (live) {
    const now = performance.now();
    recent = recent.filter((time) => now - time < 1000);
    recent.push(now);
    byId("rate").textContent = now - liveSince < 1000 ? "–" : recent.length;
    byId("dropped").textContent = state.frames.dropped;
  }
  for (const id of ["save", "save-csv", "save-json", "save-yaml", "record"]) {
    byId(id).disabled = ["save-json", "save-yaml"].includes(id) && kind === "calibrate" && !state.calibration?.known;
  }
  canvas.setAttribute("aria-label", `The picture with ${count} ${things}`);
  // This is read aloud, so it is not for each frame or step of a slider.
  clearTimeout(speaking);
  const wait = live ? Math.max(0, spokenAt + 10_000 - performance.now()) : 600;
  speaking = setTimeout(() => {
    spokenAt = performance.now();
    byId("summary").textContent = `${count} ${things} in ${byId("time").textContent} milliseconds`;
  }, wait);
}

// What is seen of the picture: all of it, or a part, enlarged.

const seeing = {zoom: 1, x: 0, y: 0, split: 0.5, stale: false, asked: false};
const largest = 40; // device-independent pixels that a pixel gets

// stageSize returns the size of drawings. It is asked for with each frame, and to ask the browser
// would have it lay out the page, whose figures have changed.
function stageSize() {
  return stageLengths.map((length) => Math.max(1, Math.round(length * devicePixelRatio)));
}

let stageLengths = [1, 1]; // in pixels of the page

// places returns the places of the pictures when all is seen.
function places() {
  const pictures = (state.result?.seen ?? []).map(([width, height]) => ({width, height}));
  return pictures.length > 0 ? place(pictures, ...stageSize(), gap(devicePixelRatio)) : [];
}

// showDrawing shows what the worker has drawn: the pictures, unless they are as before or the video
// is seen in their place, and the marks.
function showDrawing(data) {
  const {drawn} = data;
  if (drawn) {
    if (canvas.width !== drawn.width || canvas.height !== drawn.height) {
      canvas.width = drawn.width;
      canvas.height = drawn.height;
    }
    shown.transferFromImageBitmap(drawn);
  }
  showVideo(data.bare);
  if (data.bare && !bare()) {
    see(); // the video has ended meanwhile
  }
  marks.hidden = !data.marks;
  if (data.marks) {
    const {width, height, pixels} = data.marks;
    if (marks.width !== width || marks.height !== height) {
      marks.width = width;
      marks.height = height;
    }
    marked.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
    discard({marks: data.marks});
  }
}

let placed = ""; // where the video is seen

// showVideo has the video seen in place of the picture, or not.
function showVideo(on) {
  const [at] = on ? zoomed(places(), seeing) : [];
  if (placed === JSON.stringify(at ?? "")) {
    return;
  }
  placed = JSON.stringify(at ?? "");
  video.classList.toggle("unseen", !on);
  if (on) {
    for (const [name, length] of [["left", at.x], ["top", at.y], ["width", at.width], ["height", at.height]]) {
      video.style[name] = `${length / devicePixelRatio}px`;
    }
    video.style.imageRendering = at.scale < squares ? "auto" : "pixelated";
    shown.transferFromImageBitmap(null); // nothing below
  }
}

// discard gives back what is not shown, or no longer needed, of a message of the worker.
function discard({drawn, steady, marks}) {
  drawn?.close();
  steady?.close();
  if (marks) {
    worker.postMessage({spare: marks.pixels}, [marks.pixels]);
  }
}

// see asks the worker for a drawing of what is seen, now or when it has made the last one.
function see() {
  seeing.stale = seeing.asked;
  if (!seeing.asked) {
    seeing.asked = true;
    const [width, height] = stageSize();
    const {zoom, x, y, split} = seeing;
    worker.postMessage({view: {width, height, unit: devicePixelRatio, zoom, x, y, split, bare: bare()}});
  }
}

// most returns the largest zoom, at which single pixels can be told apart.
function most() {
  return Math.max(1, ...places().map(({scale}) => largest * devicePixelRatio / scale));
}

// move enlarges the picture around a point and moves it, both in pixels of the drawing.
function move(zoom, atX, atY, dx = 0, dy = 0) {
  const before = {...seeing};
  const [width, height] = stageSize();
  const next = Math.min(Math.max(zoom, 1), most());
  const factor = next / seeing.zoom;
  const within = (value, length) => Math.min(0, Math.max(value, length * (1 - next)));
  seeing.zoom = next;
  seeing.x = within(atX - (atX - seeing.x) * factor + dx, width);
  seeing.y = within(atY - (atY - seeing.y) * factor + dy, height);
  if (["zoom", "x", "y"].some((name) => seeing[name] !== before[name])) {
    adjust();
    see();
  }
}

// adjust keeps the zoom in its limits, and shows which of the buttons are of use.
function adjust() {
  if (seeing.zoom > most()) {
    Object.assign(seeing, {zoom: 1, x: 0, y: 0});
    see();
  }
  byId("zoom").hidden = !state.result || show() === "stabilize";
  byId("smaller").disabled = seeing.zoom === 1;
  byId("larger").disabled = seeing.zoom >= most();
  stage.classList.toggle("zoomed", seeing.zoom > 1);
}

// inDrawing returns the place of an event in pixels of the drawing.
function inDrawing({clientX, clientY}) {
  const box = canvas.getBoundingClientRect();
  const [width, height] = stageSize();
  return [(clientX - box.left) * width / box.width, (clientY - box.top) * height / box.height];
}

function moveAtCenter(factor, dx, dy) {
  move(seeing.zoom * factor, ...stageSize().map((length) => length / 2), dx, dy);
}

byId("split").addEventListener("input", ({target}) => {
  seeing.split = target.value / 100;
  stage.style.setProperty("--split", seeing.split);
  target.setAttribute("aria-valuetext", `${target.value} %`);
  see();
});

byId("larger").addEventListener("click", () => moveAtCenter(2));
byId("smaller").addEventListener("click", () => moveAtCenter(1 / 2));

canvas.addEventListener("wheel", (event) => {
  const lines = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 40);
  if (lines < 0 || seeing.zoom > 1) {
    event.preventDefault();
    move(seeing.zoom * 2 ** (-lines / 200), ...inDrawing(event));
  }
}, {passive: false});

canvas.addEventListener("dblclick", (event) =>
  (seeing.zoom > 1 ? move(1, 0, 0) : move(most() / 4, ...inDrawing(event))));

canvas.addEventListener("keydown", (event) => {
  const step = 60 * devicePixelRatio;
  const action = {
    "+": [2], "=": [2], "-": [1 / 2], "0": [0],
    ArrowLeft: [1, step, 0], ArrowRight: [1, -step, 0], ArrowUp: [1, 0, step], ArrowDown: [1, 0, -step],
  }[event.key];
  if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    moveAtCenter(...action);
  }
});

const pointers = new Map(); // that touch the picture, and where

// spread returns the point between the pointers, and their distance.
function spread() {
  const [a, b = a] = pointers.values();
  return {x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, distance: Math.hypot(a[0] - b[0], a[1] - b[1])};
}

canvas.addEventListener("pointerdown", (event) => {
  if (event.button === 0) {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, inDrawing(event));
  }
});
canvas.addEventListener("pointermove", (event) => {
  if (pointers.has(event.pointerId)) {
    const from = spread();
    pointers.set(event.pointerId, inDrawing(event));
    const to = spread();
    move(seeing.zoom * (from.distance && to.distance / from.distance || 1), from.x, from.y, to.x - from.x, to.y - from.y);
  }
});
for (const name of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(name, ({pointerId}) => pointers.delete(pointerId));
}

// Photos.

// choose takes one file or two, {file, slot}, if they are pictures and not too large.
async function choose(...photos) {
  hush();
  const video = photos.find(({file}) => file.type.startsWith("video/"));
  if (video) {
    await startFile(video.file);
    return;
  }
  if (moving()) {
    form.elements.show.value = room = "corners"; // what photos have
    refresh();
    move(1, 0, 0);
  }
  for (const photo of photos) {
    const {file} = photo;
    const url = URL.createObjectURL(file);
    try {
      const probe = new Image();
      // This reads the size; the pixels are read later, if at all.
      await new Promise((resolve, reject) => {
        probe.onload = resolve;
        probe.onerror = reject;
        probe.src = url;
      });
      const {naturalWidth: width, naturalHeight: height} = probe;
      if (width * height > mostPixels) {
        say(`${file.name} has ${width} × ${height} pixels, ${Math.round(width * height / 1e6)} million. ` +
          `This page accepts up to ${mostPixels / 1e6} million; the program corners accepts more.`);
        return;
      }
      if (file.type === "image/svg+xml") {
        photo.file = await toPixels(probe);
      }
    } catch {
      say(unreadable(file));
      return;
    } finally {
      URL.revokeObjectURL(url);
    }
  }
  const first = photos.find(({slot}) => slot === 0);
  if (first) {
    state.sample = null;
    refresh(); // the link
    first.alone ??= photos.length === 1 && ofSample.has(second());
  }
  if (photos.some(({slot}) => slot === liveSlot())) {
    stopLive();
  }
  take(photos);
}

// unreadable says that a file cannot be read, and what to do about photos of iPhones.
function unreadable({name, type}) {
  return /^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name) ?
    `${name} is a HEIC photo, which this browser cannot read. Export it as JPEG.` :
    `${name} is not a picture that this browser can read.`;
}

// second returns the file that is the second photo, or will be.
function second() {
  return state.waiting.find(({slots}) => slots.includes(1))?.source ?? state.sources[1];
}

// toPixels returns a file with the pixels of a drawing.
async function toPixels(drawing) {
  const width = drawing.naturalWidth || 800, height = drawing.naturalHeight || 600;
  const pixels = new OffscreenCanvas(width, height);
  pixels.getContext("2d").drawImage(drawing, 0, 0, width, height);
  return pixels.convertToBlob();
}

const ofSample = new WeakSet(); // the second photos that came with samples

// chooseSample takes the sample with a name and, for matches, the view that belongs to it.
async function chooseSample(name) {
  stopLive();
  if (name === pair && two()) {
    hush();
    state.sample = name;
    refresh(); // the link
    take([0, 1].map((slot) => ({file: {part: slot}, slot})));
    return;
  }
  if (name === pair || show() === "panorama") {
    await chooseSample(name === pair ? samples[0] : pair);
    return;
  }
  const attempt = attempts;
  const files = [`samples/${name}.png`, `samples/${name}-view.png`];
  try {
    const [first, view] = await Promise.all(files.slice(0, two() ? 2 : 1).map(fetchFile));
    if (attempt !== attempts) {
      return;
    }
    if (looped()) {
      return; // a video was asked for meanwhile
    }
    if (!view && two()) {
      await chooseSample(name); // matches were asked for meanwhile
      return;
    }
    hush();
    state.sample = name;
    refresh(); // the link
    if (view) {
      ofSample.add(view);
      take([{file: first, slot: 0}, {file: view, slot: 1}]);
    } else {
      take([{file: first, slot: 0, alone: true}]);
    }
  } catch (error) {
    say(`The photo cannot be loaded: ${error.message}.`);
    ask();
  }
}

async function fetchFile(path) {
  const response = await fetch(path);
  if (!response.ok) {
    throw new Error(`the server answers ${response.status}`);
  }
  return new File([await response.blob()], path.split("/").pop());
}

for (const [id, slot] of [["file", 0], ["second-file", 1]]) {
  byId(id).addEventListener("change", ({target}) => {
    if (target.files.length > 0) {
      choose({file: target.files[0], slot});
    }
    target.value = ""; // so that the same file can be chosen again
  });
}

for (const button of form.querySelectorAll("[data-sample]")) {
  button.addEventListener("click", () => chooseSample(button.dataset.sample));
}

addEventListener("dragenter", (event) => {
  event.preventDefault();
  byId("drop").hidden = false;
});

addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) { // it left the window
    byId("drop").hidden = true;
  }
});

addEventListener("dragover", (event) => event.preventDefault());

addEventListener("drop", async (event) => {
  event.preventDefault();
  byId("drop").hidden = true;
  const files = [...event.dataTransfer.files];
  if (files.length === 0) {
    say("Only files can be dropped here.");
    return;
  }
  if (files.length > 1) {
    form.elements.show.value = room = two() ? show() : "matches";
    refresh();
    await choose({file: files[0], slot: 0}, {file: files[1], slot: 1});
  } else {
    await choose({file: files[0], slot: slotAt(event)});
  }
  if (files.length > 2) {
    say(`Only ${files[0].name} and ${files[1].name} were taken, since two photos are compared. ` +
      `Left out: ${files.slice(2).map(({name}) => name).join(", ")}.`);
  }
});

// slotAt returns the slot of the picture that is shown where an event is.
function slotAt(event) {
  const [, second] = zoomed(places(), seeing);
  if (!two() || !second) {
    return 0;
  }
  const [x, y] = inDrawing(event);
  return x >= second.x && y >= second.y ? 1 : 0;
}

// Video: the camera, a file, or the loop.

const liveSlot = () => (two() ? 1 : 0);

const cameraErrors = {
  NotAllowedError: "Access to the camera was denied. Allow it for this page in the settings of the browser, and try again.",
  NotFoundError: "No camera was found.",
  NotReadableError: "The camera cannot be used. Perhaps another program is using it.",
};

async function startCamera(device) {
  hush();
  if (!navigator.mediaDevices) {
    say("Browsers permit the camera only for pages from https: or from this computer.");
    return;
  }
  const attempt = ++attempts;
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      video: {
        ...(device ? {deviceId: {exact: device}} : {facingMode: "environment"}),
        width: {ideal: 640}, height: {ideal: 480},
      },
    });
    if (attempt === attempts) {
      endLive();
      video.srcObject = stream;
      await video.play();
    }
  } catch (error) {
    stop(stream);
    if (attempt === attempts) {
      say(cameraErrors[error.name] ?? `The camera does not work: ${error.message}.`);
      backToLoop();
    }
    return;
  }
  if (attempt !== attempts) {
    stop(stream);
    return;
  }
  stream.getVideoTracks()[0].addEventListener("ended", () => {
    if (live?.stream === stream) {
      stopLive();
      say("The camera was disconnected.");
      backToLoop();
    }
  });
  begin({kind: "camera", stream});
  await listCameras(stream);
}

// startFile plays a video, again and again.
async function startFile(file) {
  const attempt = ++attempts;
  endLive();
  const url = URL.createObjectURL(file);
  video.src = url;
  video.loop = true;
  try {
    await video.play();
  } catch {
    URL.revokeObjectURL(url);
    if (attempt === attempts) {
      say(`${file.name} is not a video that this browser can play.`);
      video.removeAttribute("src");
      backToLoop();
    }
    return;
  }
  if (attempt !== attempts) {
    URL.revokeObjectURL(url);
    return;
  }
  paused = false;
  begin({kind: "file", url, name: file.name});
}

// startLoop shows what a camera sees that is held in front of a photo, of markers or of a chessboard.
function startLoop() {
  attempts++;
  if (live) {
    endLive();
  }
  begin({kind: "loop", frame: 0});
}

// backToLoop gives a room that needs a video one, when there is none any more.
function backToLoop() {
  if (looped() && !live) {
    startLoop();
  }
}

// begin begins to show what is live.
function begin(source) {
  live = source;
  state.live = live.kind;
  state.sample = null;
  hold = two();
  liveSince = performance.now();
  recent = [];
  state.frames = {seen: 0, done: 0, dropped: 0};
  refresh();
  watch();
  if (paused && live.kind === "loop") {
    ask(); // for one frame
  }
}

// listCameras lets the user choose between the cameras, if there are several. Browsers tell
// their names when one of them is on.
async function listCameras(stream) {
  const devices = await navigator.mediaDevices.enumerateDevices();
  if (live?.stream !== stream) {
    return;
  }
  const cameras = devices.filter(({kind}) => kind === "videoinput");
  const used = stream.getVideoTracks()[0].getSettings().deviceId;
  byId("device").replaceChildren(...cameras.map(({deviceId, label}, i) =>
    new Option(label || `Camera ${i + 1}`, deviceId, false, deviceId === used)));
  byId("device-field").hidden = cameras.length < 2;
}

byId("device").addEventListener("change", ({target}) => {
  const {value} = target;
  stopLive();
  startCamera(value);
});

function stop(stream) {
  stream?.getTracks().forEach((track) => track.stop());
}

// endLive ends what is live.
function endLive() {
  stop(live?.stream);
  recording?.recorder.stop();
  if (live?.url) {
    video.removeAttribute("src");
    URL.revokeObjectURL(live.url);
  }
  live = state.live = null;
  if (!video.classList.contains("unseen")) {
    see(); // the last frame as a picture, since the video ends
  }
  video.srcObject = null;
  byId("device-field").hidden = true;
}

// stopLive ends what is live, or stops beginning it.
function stopLive() {
  attempts++;
  endLive();
  refresh();
  next(); // for what waited for a frame
}

const loopInterval = 1000 / 30; // milliseconds

// watch takes the next frame, and so on until what is live ends.
function watch() {
  const source = live;
  let last = 0;
  const seen = (time) => {
    if (live !== source) {
      return;
    }
    if (source.kind !== "loop") {
      again();
      grab();
    } else {
      again();
      if (!paused && time - last >= loopInterval - 4) {
        last = time;
        grab();
      }
    }
  };
  const again = () => (source.kind !== "loop" && video.requestVideoFrameCallback ?
    video.requestVideoFrameCallback(seen) : requestAnimationFrame(seen));
  again();
}

// grab takes the frame that is there now, if the worker is not busy.
async function grab() {
  const source = live, seen = performance.timeOrigin + performance.now();
  state.frames.seen++;
  if (!state.ready || state.busy) {
    state.frames.dropped++;
    return;
  }
  state.busy = true;
  let frame;
  if (source.kind === "loop") {
    frame = {loop: source.frame};
    source.frame += paused ? 0 : 1;
  } else {
    try {
      // A VideoFrame is not copied.
      frame = typeof VideoFrame === "function" ? new VideoFrame(video) : await createImageBitmap(video);
    } catch {
      // There is no frame yet, or no longer.
    }
  }
  if (!frame || live !== source) {
    frame?.close?.();
    state.busy = false;
    next();
    return;
  }
  const slots = hold && two() ? [0, 1] : [liveSlot()];
  hold = false;
  run([{source: frame, slots}], seen);
}

byId("camera").addEventListener("click", () => {
  if (live?.kind === "camera") {
    stopLive();
    backToLoop();
  } else {
    startCamera();
  }
});

byId("hold").addEventListener("click", () => {
  hold = true;
});

byId("sample").addEventListener("click", startLoop);

byId("anew").addEventListener("click", () => {
  calibrations++;
  known = null;
  refresh();
  ask();
});

byId("pause").addEventListener("click", () => {
  paused = !paused;
  if (live?.kind === "file") {
    paused ? video.pause() : video.play();
  }
  refresh();
});

// Saving.

byId("save").addEventListener("click", () => worker.postMessage({save: true}));
for (const format of ["csv", "json", "yaml"]) {
  byId(`save-${format}`).addEventListener("click", () => {
    const source = live?.name ?? "camera";
    const names = [0, 1].map((slot) => state.sources[slot]?.name ?? (slot === 0 || live ? source : state.sources[0]?.name ?? source));
    worker.postMessage({report: {format, names}});
  });
}

function download(blob, extension) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${method() === "calibrate" && extension !== "png" ? "camera" : method()}.${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// The video that is being recorded, {recorder, context}, or null.
let recording = null;
const videoType = typeof MediaRecorder === "function" &&
  ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"].find((type) => MediaRecorder.isTypeSupported(type));
const canRecord = Boolean(videoType) && typeof HTMLCanvasElement.prototype.captureStream === "function";

// record adds a stabilized frame to the video.
function record(frame) {
  if (recording) {
    const {canvas} = recording.context;
    if (canvas.width !== frame.width || canvas.height !== frame.height) {
      canvas.width = frame.width;
      canvas.height = frame.height;
    }
    recording.context.drawImage(frame, 0, 0);
  }
  frame.close();
}

function startRecording() {
  const canvas = document.createElement("canvas");
  [[canvas.width, canvas.height]] = state.result.sizes;
  const context = canvas.getContext("2d", {alpha: false});
  const parts = [];
  const recorder = new MediaRecorder(canvas.captureStream(), {mimeType: videoType, videoBitsPerSecond: 8e6});
  recorder.addEventListener("dataavailable", ({data}) => parts.push(data));
  recorder.addEventListener("stop", () => {
    recording = null;
    byId("record").textContent = "Record";
    byId("record").setAttribute("aria-pressed", false);
    download(new Blob(parts, {type: videoType}), videoType.startsWith("video/mp4") ? "mp4" : "webm");
  });
  recorder.start();
  recording = {recorder, context};
  byId("record").textContent = "Stop and save";
  byId("record").setAttribute("aria-pressed", true);
}

byId("record").addEventListener("click", () => (recording ? recording.recorder.stop() : startRecording()));

byId("dismiss").addEventListener("click", hush);

// Without a network.

// keepOffline keeps the page in the browser, after the first result, so that it is not in the way.
// A newer version waits until no page uses the old one, or until the user wants it.
async function keepOffline() {
  const {serviceWorker} = navigator;
  let registration;
  try {
    registration = await serviceWorker.register("service.js", {updateViaCache: "none"});
  } catch {
    return; // all works without
  }
  const offer = () => {
    byId("update").hidden = !registration.waiting || !serviceWorker.controller;
  };
  offer();
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  byId("renew").addEventListener("click", () => {
    serviceWorker.addEventListener("controllerchange", () => location.reload(), {once: true});
    registration.waiting.postMessage("take over");
  });
}

// Start.

async function start() {
  const sample = follow();
  for (const help of form.querySelectorAll(".field > .help")) {
    const input = help.parentElement.querySelector("input, select");
    help.id = `${input.id}-help`;
    input.setAttribute("aria-describedby", help.id);
  }
  refresh();
  const lacks = [
    ["WebAssembly", typeof WebAssembly === "object" && WebAssembly.compileStreaming],
    ["Web Workers", typeof Worker === "function"],
    ["OffscreenCanvas", typeof OffscreenCanvas === "function"],
    ["decompression", typeof DecompressionStream === "function"],
  ].filter(([, has]) => !has).map(([what]) => what);
  if (lacks.length > 0) {
    fail(`This browser has no ${lacks.join(" and no ")}, which this page needs. Use a newer one.`);
    return;
  }
  stageLengths = [stage.clientWidth, stage.clientHeight];
  room = show();
  startWorker();
  new ResizeObserver(() => {
    stageLengths = [stage.clientWidth, stage.clientHeight];
    move(seeing.zoom, 0, 0); // keeps the picture in view
    seeRoom();
    see();
  }).observe(stage);
  if (looped()) {
    startLoop();
  } else {
    chooseSample(sample);
  }
}

start();
