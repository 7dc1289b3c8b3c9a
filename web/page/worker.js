// The Web Worker: it runs the detectors, reads pictures and draws. The page sends
//
//   {canvas}                     what to draw on, once
//   {resize: {width, height,     its size and the width of a thin line, in pixels
//             unit}}
//   {run: {images, options}}     what to do: images are {source, slots, alone}, where
//                                source is a file or an ImageBitmap, slots are the slots
//                                that it is for, and alone is true if there is no second
//                                one; options are those of the program, and kind:
//                                corners, keypoints or matches
//   {save: true}                 a request for the picture
//
// and gets {progress: 0 to 1}, {ready: true}, {fatal: message}; for save {picture: Blob} or
// {warning: message}; for each run {result} or {error: message}, and after {result} of a
// photo {best: milliseconds} when a repetition took less time.

import "./wasm_exec.js";
import {name, size} from "./program.js";
import {draw, place} from "./draw.js";
import {instantiate} from "./simd128.js";

// The number of pixels of a picture that are read at once.
const stripPixels = 1 << 20;

let canvas, context, view;
let kind = "corners";
let found = null; // the last result
let waiting = 0; // the timer of again
// {bitmap, width, height}, and turned: the bitmap that this one was made of, if it was
const slots = [null, null];
const reader = new OffscreenCanvas(1, 1);
const readerContext = reader.getContext("2d", {alpha: false, willReadFrequently: true});

addEventListener("message", async ({data}) => {
  if (data.canvas) {
    canvas = data.canvas;
    context = canvas.getContext("2d");
  } else if (data.resize) {
    view = data.resize;
    canvas.width = view.width;
    canvas.height = view.height;
    redraw();
  } else if (data.run) {
    clearTimeout(waiting);
    try {
      const result = await run(data.run);
      postMessage({result});
      if (!data.run.images.some(live)) {
        again(data.run.options, result.milliseconds, result.milliseconds, 10);
      }
    } catch (error) {
      postMessage({error: String(error.message ?? error)});
    }
  } else if (data.save) {
    try {
      postMessage({picture: await save()});
    } catch (error) {
      postMessage({warning: `The picture cannot be saved: ${error.message}`});
    }
  }
});

// start loads and starts the program.
async function start() {
  const response = await fetch(name);
  if (!response.ok) {
    throw new Error(`the server answers ${response.status} for ${name}`);
  }
  let done = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      done += chunk.length;
      postMessage({progress: done / size});
      controller.enqueue(chunk);
    },
  });
  const counted = new Response(response.body.pipeThrough(counter), {headers: {"Content-Type": "application/wasm"}});
  const go = new Go();
  const instance = await instantiate(await WebAssembly.compileStreaming(counted), go.importObject);
  go.run(instance).then(() => postMessage({fatal: "The detectors stopped, perhaps because there was not enough memory. Reload the page."}));
  postMessage({ready: true});
}

start().catch((error) => postMessage({fatal: `The detectors cannot be loaded: ${error.message}.`}));

// run reads the images, finds what the options ask for, and draws it.
async function run({images, options}) {
  const began = performance.now();
  for (const {source, slots: into, alone} of images) {
    const bitmap = source instanceof Blob ? await decode(source) : source;
    for (const slot of into) {
      put(slot, bitmap);
    }
    if (alone) {
      slots[1] = null;
    }
  }
  const [first, second] = slots;
  if (!first) {
    throw new Error("Choose the first photo, too.");
  }
  if (options.kind === "matches" && (!second || second.turned && second.turned !== first.bitmap)) {
    put(1, turn(first.bitmap), first.bitmap);
  }
  const answer = detector.find(options, !images.some(live));
  if (answer.error) {
    throw new Error(answer.error);
  }
  const {milliseconds, stride, keypoints} = answer;
  const values = new Float32Array(answer.values.buffer);
  kind = options.kind;
  found = {kind, values, stride};
  redraw();
  const pictures = shown();
  return {
    kind, values, stride, keypoints, milliseconds,
    sizes: pictures.map(({width, height}) => [width, height]),
    places: places(),
    frame: performance.now() - began,
  };
}

// live reports whether an image is a frame of the camera.
function live({source}) {
  return source instanceof ImageBitmap;
}

// again repeats the search, for about a second and up to the given number of times, and
// tells the page the best time, since browsers optimize code that has run for a while.
// Requests of the page come first.
function again(options, best, spent, tries) {
  if (tries === 0 || spent > 1000) {
    return;
  }
  waiting = setTimeout(() => {
    const {milliseconds} = detector.find(options, true);
    if (milliseconds < best) {
      best = milliseconds;
      postMessage({best});
    }
    again(options, best, spent + milliseconds, tries - 1);
  });
}

// decode returns a file's pixels as they are, not adapted to a screen's colors.
async function decode(file) {
  try {
    return await createImageBitmap(file, {colorSpaceConversion: "none"});
  } catch {
    throw new Error(`${file.name || "This"} is not a picture that this browser can read.`);
  }
}

// put puts a picture into a slot and gives its pixels to the program, strip by strip, since
// browsers limit the size of a canvas.
function put(slot, bitmap, turned) {
  const old = slots[slot]?.bitmap;
  slots[slot] = {bitmap, width: bitmap.width, height: bitmap.height, turned};
  if (old && !slots.some((s) => s?.bitmap === old)) {
    old.close?.();
  }
  const {width, height} = bitmap;
  const rows = Math.min(height, Math.max(1, Math.floor(stripPixels / width)));
  if (reader.width !== width || reader.height !== rows) {
    reader.width = width;
    reader.height = rows;
  }
  detector.resize(slot, width, height);
  for (let y = 0; y < height; y += rows) {
    readerContext.fillRect(0, 0, width, rows); // black where it is transparent
    readerContext.drawImage(bitmap, 0, -y);
    detector.rows(slot, y, readerContext.getImageData(0, 0, width, Math.min(rows, height - y)).data);
  }
}

// turn returns a picture, turned and made smaller, to match it with itself.
function turn(bitmap) {
  const turned = new OffscreenCanvas(bitmap.width, bitmap.height);
  const c = turned.getContext("2d");
  c.imageSmoothingQuality = "high";
  c.translate(bitmap.width / 2, bitmap.height / 2);
  c.rotate(Math.PI / 9);
  c.scale(0.8, 0.8);
  c.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2);
  return turned;
}

// shown returns the pictures that are shown.
function shown() {
  return kind === "matches" ? slots : slots.slice(0, 1);
}

function places() {
  return place(shown(), view.width, view.height, gap());
}

// gap returns the distance between two pictures.
function gap() {
  return 8 * view.unit;
}

function redraw() {
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (found) {
    draw(context, shown(), places(), found, view.unit);
  }
}

// save returns what is shown as a PNG file that is large enough for all pixels.
function save() {
  const pictures = shown();
  const at = places();
  const larger = Math.max(...at.map((p) => 1 / p.scale));
  const extent = (from, length) =>
    Math.round(larger * (Math.max(...at.map((p) => p[from] + p[length])) - Math.min(...at.map((p) => p[from]))));
  const whole = new OffscreenCanvas(extent("x", "width"), extent("y", "height"));
  const unit = 1 + Math.floor(Math.max(whole.width, whole.height) / 1500); // as in package overlay
  draw(whole.getContext("2d"), pictures, place(pictures, whole.width, whole.height, larger * gap()), found, unit);
  return whole.convertToBlob();
}
