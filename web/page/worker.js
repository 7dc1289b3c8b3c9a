// The Web Worker: it runs the detectors, reads pictures and draws. The page sends
//
//   {module}                     the compiled program, once
//   {view: {width, height, unit, what is seen: the size of the drawing, the width of a thin
//           zoom, x, y}}         line in its pixels, how much it is enlarged, and then moved
//   {run: {images, options}}     what to do: images are {source, slots, alone}, where
//                                source is a file or an ImageBitmap, slots are the slots
//                                that it is for, and alone is true if there is no second
//                                one; options are those of the program, and kind:
//                                corners, keypoints or matches
//   {save: true}                 a request for the picture
//   {report: {format, names}}    a request for what was found, as text in csv or json
//
// and gets {ready: true}, {fatal: message}; for each view {drawn: ImageBitmap or null}; for
// save and report {saved: Blob, format} or {warning: message}; for each run {searching: milliseconds} when the
// images have been read, which took that long, then {result, drawn} or {error: message}, and
// after the result of a photo {best: milliseconds} when a repetition took less time.

import "./wasm_exec.js";
import {draw, gap, place, zoomed} from "./draw.js";
import {instantiate} from "./simd128.js";

// The number of pixels of a picture that are read at once.
const stripPixels = 1 << 20;

// A search that takes longer, in milliseconds, is not repeated: the page may ask for
// another one meanwhile.
const longestRepeated = 100;

let memory; // of the program
let view = {width: 1, height: 1, unit: 1, zoom: 1, x: 0, y: 0};
let kind = "corners";
let found = null; // the last result
let waiting = 0; // the timer of again
// {bitmap, width, height}, and turned: true if it was made of the first one
const slots = [null, null];
const reader = new OffscreenCanvas(1, 1);
const readerContext = reader.getContext("2d", {alpha: false, willReadFrequently: true});
const surface = new OffscreenCanvas(1, 1);
const surfaceContext = surface.getContext("2d");

addEventListener("message", async ({data}) => {
  if (data.module) {
    start(data.module).catch((error) => postMessage({fatal: `The detectors cannot be started: ${error.message}.`}));
  } else if (data.view) {
    view = data.view;
    const drawn = found && render();
    postMessage({drawn}, drawn ? [drawn] : []);
  } else if (data.run) {
    clearTimeout(waiting);
    try {
      const result = await run(data.run);
      const drawn = render();
      result.frame = performance.now() - result.began;
      postMessage({result, drawn}, [drawn]);
      if (!data.run.images.some(live)) {
        again(data.run.options, result.milliseconds, result.milliseconds, 10);
      }
    } catch (error) {
      postMessage({error: String(error.message ?? error)});
    }
  } else if (data.save) {
    try {
      postMessage({saved: await save(), format: "png"});
    } catch (error) {
      postMessage({warning: `The picture cannot be saved: ${error.message}`});
    }
  } else if (data.report) {
    const {format, names} = data.report;
    const {address, bytes} = detector.report(format, ...names);
    postMessage({saved: new Blob([memory.buffer.slice(address, address + bytes)]), format});
  }
});

// start starts the program.
async function start(module) {
  const go = new Go();
  const instance = await instantiate(module, go.importObject);
  memory = instance.exports.mem;
  go.run(instance).then(() => postMessage({fatal: "The detectors stopped, perhaps because there was not enough memory. Reload the page."}));
  postMessage({ready: true});
}

// run reads the images, and finds what the options ask for.
async function run({images, options}) {
  const began = performance.now();
  for (const {source, slots: into, alone} of images) {
    const bitmap = source instanceof Blob ? await decode(source) : source;
    for (const slot of into) {
      put(slot, bitmap);
    }
    if (alone) {
      empty(1);
    }
  }
  const [first, second] = slots;
  if (!first) {
    throw new Error("Choose the first photo, too.");
  }
  if (options.kind === "matches" && !second) {
    put(1, turn(first.bitmap), true);
  }
  postMessage({searching: performance.now() - began});
  const answer = detector.find(options, !images.some(live));
  if (answer.error) {
    throw new Error(answer.error);
  }
  const {address, bytes, milliseconds, stride, keypoints} = answer;
  const values = new Float32Array(memory.buffer.slice(address, address + bytes));
  kind = options.kind;
  found = {kind, values, stride};
  return {
    kind, method: options.method, values, stride, keypoints, milliseconds, began,
    sizes: shown().map(({width, height}) => [width, height]),
  };
}

// live reports whether an image is a frame of the camera.
function live({source}) {
  return !(source instanceof Blob);
}

// again repeats the search, for about a second and up to the given number of times, and
// tells the page the best time, since browsers optimize code that has run for a while.
// Requests of the page come first.
function again(options, best, spent, tries) {
  if (tries === 0 || spent > 1000 || best > longestRepeated) {
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
// browsers limit the size of a canvas. They go straight to the program's memory.
function put(slot, bitmap, turned) {
  if (slots[slot]?.bitmap !== bitmap) {
    empty(slot);
  }
  if (slot === 0 && slots[1]?.turned) {
    empty(1);
  }
  slots[slot] = {bitmap, width: bitmap.width, height: bitmap.height, turned};
  const {width, height} = bitmap;
  const rows = Math.min(height, Math.max(1, Math.floor(stripPixels / width)));
  if (reader.width !== width || reader.height !== rows) {
    reader.width = width;
    reader.height = rows;
  }
  detector.resize(slot, width, height);
  const address = detector.room(4 * Math.max(stripPixels, width));
  for (let y = 0; y < height; y += rows) {
    readerContext.fillRect(0, 0, width, rows); // black where it is transparent
    readerContext.drawImage(bitmap, 0, -y);
    const {data} = readerContext.getImageData(0, 0, width, Math.min(rows, height - y));
    new Uint8Array(memory.buffer, address, data.length).set(data);
    detector.rows(slot, y, data.length);
  }
}

// empty empties a slot.
function empty(slot) {
  const old = slots[slot]?.bitmap;
  slots[slot] = null;
  if (old && !slots.some((s) => s?.bitmap === old)) {
    old.close();
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
  return turned.transferToImageBitmap();
}

// shown returns the pictures that are shown.
function shown() {
  return kind === "matches" ? slots : slots.slice(0, 1);
}

// render returns a drawing of what is seen.
function render() {
  const {width, height, unit} = view;
  if (surface.width !== width || surface.height !== height) {
    surface.width = width;
    surface.height = height;
  }
  const places = place(shown(), width, height, gap(unit));
  draw(surfaceContext, shown(), zoomed(places, view), found, unit);
  return surface.transferToImageBitmap();
}

// save returns what is shown as a PNG file that is large enough for all pixels.
function save() {
  const pictures = shown();
  const at = place(pictures, view.width, view.height, gap(view.unit));
  const larger = Math.max(...at.map((p) => 1 / p.scale));
  const extent = (from, length) =>
    Math.round(larger * (Math.max(...at.map((p) => p[from] + p[length])) - Math.min(...at.map((p) => p[from]))));
  const whole = new OffscreenCanvas(extent("x", "width"), extent("y", "height"));
  const unit = 1 + Math.floor(Math.max(whole.width, whole.height) / 1500); // as in package overlay
  draw(whole.getContext("2d"), pictures, place(pictures, whole.width, whole.height, larger * gap(view.unit)), found, unit);
  return whole.convertToBlob();
}
