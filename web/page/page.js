// The page: its controls, the camera, and the requests to the worker. The worker does one
// thing at a time. Meanwhile the newest photos and options wait, and frames of the camera
// are dropped.

const byId = (id) => document.getElementById(id);
const form = byId("options");
const stage = byId("stage");
const canvas = byId("picture");
const video = byId("video");

// Larger pictures are refused: they need more memory than browsers and phones give.
const mostPixels = 64e6;

// For tests, and for import("./page.js") in the console.
export const state = {
  ready: false,
  busy: false, // a run is in progress
  stale: false, // another run must follow
  waiting: [], // images of the next run
  result: null, // of the last run
  frames: {seen: 0, done: 0, dropped: 0},
};

let worker;
let camera = null; // the MediaStream, when the camera is on
let attempts = 0; // to switch the camera on or off; the last one counts
let hold = false; // the next frame goes to both slots
let liveSince = 0;
let recent = []; // times at which the last frames were done

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

// valueOf returns the value of a slider.
function valueOf(input) {
  const steps = input.dataset.steps?.split(" ");
  return Number(steps ? steps[input.value] : input.value);
}

function readOptions() {
  const options = {kind: show(), method: method()};
  for (const input of form.querySelectorAll("input[type=range]")) {
    options[input.name] = valueOf(input);
  }
  for (const input of form.querySelectorAll("input[type=checkbox]")) {
    options[input.name] = input.checked;
  }
  options.quality /= 100;
  options.ratio %= 1; // 0 is no test
  return options;
}

// refresh shows the controls for the method and, when it is on, for the camera, and the
// values of sliders.
function refresh() {
  for (const element of document.querySelectorAll("[data-for], [data-live]")) {
    const methods = element.dataset.for?.split(" ");
    element.hidden = methods?.includes(method()) === false || "live" in element.dataset && !camera;
  }
  for (const input of form.querySelectorAll("input[type=range]")) {
    const value = valueOf(input);
    let text = `${value.toLocaleString("en")} ${input.dataset.unit ?? ""}`.trim();
    if (input.dataset.steps && value === 0) {
      text = "all";
    }
    form.querySelector(`output[for=${input.id}]`).textContent = text;
    input.setAttribute("aria-valuetext", text);
  }
  byId("file-title").textContent = show() === "matches" ? "First photo" : "Choose a photo";
}

form.addEventListener("input", (event) => {
  if (event.target.type === "file") {
    return;
  }
  if (event.target.name === "show" && camera && show() === "matches") {
    hold = true;
  }
  refresh();
  ask();
});

form.addEventListener("reset", () => setTimeout(() => {
  refresh();
  ask();
}));

form.addEventListener("submit", (event) => event.preventDefault());

// The worker.

// ask requests a run, now or as soon as the worker has time.
function ask() {
  state.stale = true;
  next();
}

function next() {
  if (!state.ready || state.busy || !state.stale || !state.result && state.waiting.length === 0) {
    return;
  }
  if (camera && state.waiting.length === 0) {
    return; // the next frame is enough
  }
  run();
}

// run sends the worker what waits and, if there is one, a frame of the camera.
function run(...frame) {
  const images = [...state.waiting, ...frame];
  state.waiting = [];
  state.busy = true;
  state.stale = false;
  const transfer = images.map(({source}) => source).filter((source) => source instanceof ImageBitmap);
  worker.postMessage({run: {images, options: readOptions()}}, transfer);
}

// take shows a photo, a file, in a slot.
function take(source, slot, alone) {
  state.waiting = state.waiting.filter((image) => !image.slots.includes(slot));
  state.waiting.push({source, slots: [slot], alone});
  ask();
}

function received({data}) {
  if ("progress" in data) {
    byId("progress").value = data.progress;
  } else if (data.ready) {
    state.ready = true;
    byId("loading").hidden = true;
    next();
  } else if (data.fatal) {
    fail(data.fatal);
  } else if ("best" in data) {
    if (!state.busy) { // it is the time of state.result
      showTimes(data.best, state.result.frame - state.result.milliseconds + data.best);
    }
  } else if (data.picture) {
    download(data.picture);
  } else if (data.warning) {
    say(data.warning);
  } else if ("result" in data) {
    state.busy = false;
    state.result = data.result;
    if (camera) {
      state.frames.done++;
    }
    report(data.result);
    next();
  } else if (data.error) {
    state.busy = false;
    say(data.error);
    next();
  }
}

// fail says why there is no result.
function fail(text) {
  state.ready = false;
  failed = true;
  byId("loading").hidden = true;
  stopCamera();
  say(text);
}

function showTimes(milliseconds, frame) {
  for (const [id, ms] of [["time", milliseconds], ["frame-time", frame]]) {
    byId(id).textContent = ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0);
  }
}

let spokenAt = 0;
let speaking = 0;

// report shows the numbers of a result.
function report({kind, values, stride, keypoints, milliseconds, sizes, frame}) {
  const count = (values.length / stride).toLocaleString("en");
  byId("count").textContent = count;
  byId("count-title").textContent = keypoints ? `${kind} of ${Math.min(...keypoints).toLocaleString("en")}` : kind;
  showTimes(milliseconds, frame);
  byId("size").textContent = sizes.map((size) => size.join("×")).join(", ");
  if (camera) {
    const now = performance.now();
    recent = recent.filter((time) => now - time < 1000);
    recent.push(now);
    byId("rate").textContent = now - liveSince < 1000 ? "–" : recent.length;
    byId("dropped").textContent = state.frames.dropped;
  }
  byId("save").disabled = false;
  canvas.setAttribute("aria-label", `The picture with ${count} ${kind}`);
  // This is read aloud, so it is not for each frame or step of a slider.
  clearTimeout(speaking);
  const wait = camera ? Math.max(0, spokenAt + 10_000 - performance.now()) : 600;
  speaking = setTimeout(() => {
    spokenAt = performance.now();
    byId("summary").textContent = `${count} ${kind} in ${byId("time").textContent} milliseconds`;
  }, wait);
}

// Photos.

// choose takes a file, unless it is not a picture or too large.
async function choose(file, slot, alone) {
  hush();
  const url = URL.createObjectURL(file);
  const probe = new Image();
  try {
    // This reads the size; the pixels are read later, if at all.
    await new Promise((resolve, reject) => {
      probe.onload = resolve;
      probe.onerror = reject;
      probe.src = url;
    });
  } catch {
    say(`${file.name} is not a picture that this browser can read.`);
    return;
  } finally {
    URL.revokeObjectURL(url);
  }
  const {naturalWidth: width, naturalHeight: height} = probe;
  if (width * height > mostPixels) {
    say(`${file.name} has ${width} × ${height} pixels, ${Math.round(width * height / 1e6)} million. ` +
      `This page accepts up to ${mostPixels / 1e6} million; the program corners accepts more.`);
    return;
  }
  if (slot === liveSlot()) {
    stopCamera();
  }
  take(file, slot, alone);
}

async function chooseSample(path) {
  stopCamera();
  const attempt = attempts;
  try {
    const response = await fetch(path);
    if (!response.ok) {
      throw new Error(`the server answers ${response.status}`);
    }
    const file = new File([await response.blob()], path.split("/").pop());
    if (attempt === attempts) {
      await choose(file, 0, true);
    }
  } catch (error) {
    say(`The photo cannot be loaded: ${error.message}.`);
  }
}

for (const [id, slot] of [["file", 0], ["second-file", 1]]) {
  byId(id).addEventListener("change", ({target}) => {
    if (target.files.length > 0) {
      choose(target.files[0], slot);
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
    form.elements.show.value = "matches";
    refresh();
    await Promise.all([choose(files[0], 0), choose(files[1], 1)]);
    return;
  }
  choose(files[0], slotAt(event.clientX, event.clientY));
});

// slotAt returns the slot of the picture that is shown at a point of the window.
function slotAt(x, y) {
  const second = state.result?.places[1];
  if (show() !== "matches" || !second) {
    return 0;
  }
  const box = canvas.getBoundingClientRect();
  const unit = devicePixelRatio;
  return (x - box.left) * unit >= second.x && (y - box.top) * unit >= second.y ? 1 : 0;
}

// The camera.

const liveSlot = () => (show() === "matches" ? 1 : 0);

const cameraErrors = {
  NotAllowedError: "Access to the camera was denied. Allow it for this page in the settings of the browser, and try again.",
  NotFoundError: "No camera was found.",
  NotReadableError: "The camera cannot be used. Perhaps another program is using it.",
};

async function startCamera() {
  hush();
  if (!navigator.mediaDevices) {
    say("Browsers permit the camera only for pages from https: or from this computer.");
    return;
  }
  const attempt = ++attempts;
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      video: {facingMode: "environment", width: {ideal: 640}, height: {ideal: 480}},
    });
    if (attempt === attempts) {
      video.srcObject = stream;
      await video.play();
    }
  } catch (error) {
    stop(stream);
    if (attempt === attempts) {
      say(cameraErrors[error.name] ?? `The camera does not work: ${error.message}.`);
    }
    return;
  }
  if (attempt !== attempts) {
    stop(stream);
    return;
  }
  camera = stream;
  hold = show() === "matches";
  liveSince = performance.now();
  recent = [];
  state.frames = {seen: 0, done: 0, dropped: 0};
  stream.getVideoTracks()[0].addEventListener("ended", () => {
    if (camera === stream) {
      stopCamera();
      say("The camera was disconnected.");
    }
  });
  byId("camera").setAttribute("aria-pressed", "true");
  refresh();
  watch();
}

function stop(stream) {
  stream?.getTracks().forEach((track) => track.stop());
}

// stopCamera switches the camera off, or stops switching it on.
function stopCamera() {
  attempts++;
  stop(camera);
  camera = null;
  video.srcObject = null;
  byId("camera").setAttribute("aria-pressed", "false");
  refresh();
  next(); // for what waited for a frame
}

// watch takes the next frame of the camera, and so on until it is off.
function watch() {
  const stream = camera;
  const seen = async () => {
    if (camera !== stream) {
      return;
    }
    watch();
    state.frames.seen++;
    if (!state.ready || state.busy) {
      state.frames.dropped++;
      return;
    }
    state.busy = true;
    let bitmap;
    try {
      bitmap = await createImageBitmap(video);
    } catch {
      // There is no frame yet, or no longer.
    }
    if (!bitmap || camera !== stream) {
      state.busy = false;
      next();
      return;
    }
    const slots = hold && show() === "matches" ? [0, 1] : [liveSlot()];
    hold = false;
    run({source: bitmap, slots});
  };
  if (video.requestVideoFrameCallback) {
    video.requestVideoFrameCallback(seen);
  } else {
    requestAnimationFrame(seen);
  }
}

byId("camera").addEventListener("click", () => (camera ? stopCamera() : startCamera()));
byId("hold").addEventListener("click", () => {
  hold = true;
});

// Saving.

byId("save").addEventListener("click", () => worker.postMessage({save: true}));

function download(picture) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(picture);
  link.download = `${method()}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

byId("dismiss").addEventListener("click", hush);

// Start.

function resize() {
  const unit = devicePixelRatio;
  const [width, height] = [stage.clientWidth, stage.clientHeight].map((length) => Math.max(1, Math.round(length * unit)));
  worker.postMessage({resize: {width, height, unit}});
}

function start() {
  refresh();
  const lacks = [
    ["WebAssembly", typeof WebAssembly === "object" && WebAssembly.instantiateStreaming],
    ["Web Workers", typeof Worker === "function"],
    ["OffscreenCanvas", typeof OffscreenCanvas === "function"],
  ].filter(([, has]) => !has).map(([what]) => what);
  if (lacks.length > 0) {
    fail(`This browser has no ${lacks.join(" and no ")}, which this page needs. Use a newer one.`);
    return;
  }
  worker = new Worker("worker.js", {type: "module"});
  worker.addEventListener("message", received);
  worker.addEventListener("error", ({message}) =>
    fail(`A part of the page could not be loaded, or failed. Reload the page. ${message ?? ""}`));
  const offscreen = canvas.transferControlToOffscreen();
  worker.postMessage({canvas: offscreen}, [offscreen]);
  resize();
  new ResizeObserver(resize).observe(stage);
  chooseSample(form.querySelector("[data-sample]").dataset.sample);
}

start();
