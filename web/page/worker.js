// The Web Worker: it runs the detectors, reads pictures and draws. The page sends
//
//   {module}                     the compiled program, once
//   {view: {width, height, unit, what is seen: the size of the drawing, the width of a thin
//           zoom, x, y, split,   line in its pixels, how much it is enlarged, and then moved,
//           bare}}               and which part of it shows frames before they are stabilized;
//                                bare is false if the page does not show the picture itself
//   {run: {images, options, seen, record, bare}}
//                                what to do: images are {source, slots, alone}, where
//                                source is a file, an ImageBitmap, a VideoFrame or
//                                {loop: the number of a frame of loop.js} or
//                                {part: 0 or 1, which of its pictures}, slots are the
//                                slots that it is for, and alone is true if there is no
//                                second one; options are those of the program, and kind:
//                                corners, keypoints, matches, panorama, track, stabilize,
//                                markers or calibrate, for which a frame of the loop is
//                                one of the sample that the program draws;
//                                seen is when the page got the frame, record is true if the
//                                stabilized frame is wanted, and bare if the page shows the
//                                picture itself
//   {spare: ArrayBuffer}         the memory of marks that have been shown
//   {save: true}                 a request for the picture
//   {report: {format, names}}    a request for what was found, as text in csv, json or yaml
//   {extract: {pixels, width,    from another worker that searches two pictures: a request for
//              height, options}} the keypoints of one, of which it has the gray pixels
//
// and gets {ready: true}, {fatal: message}; for each view {seen: true, drawn, marks}; for save and
// report {saved: Blob, format} or {warning: message}; for extract {keypoints, bytes}, their number and
// an ArrayBuffer for the function adopt of the program; for each run, unless it has a frame of a
// video, {searching: milliseconds} when the images have been read, which took that long, then {result, drawn, marks, steady: ImageBitmap
// or nothing} or {error: message}, and after the result of a photo {best: milliseconds} when a
// repetition took less time.
//
// drawn is an ImageBitmap of the pictures, or nothing if that has not changed or bare is true in the
// message, since the page shows the picture itself. What was found is drawn apart from it: marks are
// {width, height, pixels: an ArrayBuffer with RGBA}, or null if there are none.

import "./wasm_exec.js";
import {drawPictures, gap, place, placeFrame, zoomed} from "./draw.js";
import * as loop from "./loop.js";
import {mark, marked} from "./marks.js";
import {compose} from "./panorama.js";
import {instantiate} from "./simd128.js";

// The number of pixels of a picture that are read at once.
const stripPixels = 1 << 20;

// A search that takes longer, in milliseconds, is not repeated: the page may ask for
// another one meanwhile.
const longestRepeated = 100;

let module; // the compiled program
let memory; // of the program
let view = {width: 1, height: 1, unit: 1, zoom: 1, x: 0, y: 0, split: 0.5};
let kind = "corners";
let found = null; // the last result
let calibration; // what the program has told of one
let bare = false; // the page shows the first picture itself
let stale = true; // the pictures are no longer as they were drawn
const spares = []; // memory for marks
let waiting = 0; // the timer of again
let runs = 0; // the number of them
// {bitmap, width, height}; turned: true if it was made of the first one; colored: true if the
// program has its colors; through: the camera that sees the bitmap so, if it is a frame of the loop
const slots = [null, null];
let scenery = null; // what scene returns
const reader = new OffscreenCanvas(1, 1);
const readerContext = reader.getContext("2d", {alpha: false, willReadFrequently: true});
const surface = new OffscreenCanvas(1, 1);
const surfaceContext = surface.getContext("2d");
const recorder = new OffscreenCanvas(1, 1);
const recorderContext = recorder.getContext("2d", {alpha: false});

addEventListener("message", async ({data}) => {
  if (data.module) {
    start(data.module).catch((error) => postMessage({fatal: `The detectors cannot be started: ${error.message}.`}));
  } else if (data.view) {
    view = data.view;
    stale = true;
    if (bare && !view.bare) {
      bare = false;
      await keep();
    }
    show({seen: true});
  } else if (data.spare) {
    new Int32Array(data.spare).fill(0); // now, when no frame waits for it
    spares.push(data.spare);
  } else if (data.run) {
    clearTimeout(waiting);
    runs++;
    try {
      const result = await run(data.run);
      show({result, steady: data.run.record && found.source ? renderSteady() : undefined});
      if (!data.run.images.some(live) && !found.source && kind !== "track") {
        repeat(data.run.options, result.milliseconds);
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
    await searching;
    const {address, bytes} = detector.report(format, ...names);
    postMessage({saved: new Blob([memory.buffer.slice(address, address + bytes)]), format});
  } else if (data.extract) {
    extract(data.extract);
  }
});

// now returns a time that the page can compare with its own.
function now() {
  return performance.timeOrigin + performance.now();
}

// start starts the program.
async function start(compiled) {
  module = compiled;
  const go = new Go();
  const instance = await instantiate(module, go.importObject);
  memory = instance.exports.mem;
  go.run(instance).then(() => postMessage({fatal: "The detectors stopped, perhaps because there was not enough memory. Reload the page."}));
  postMessage({ready: true});
}

// run reads the images, and finds what the options ask for.
async function run({images, options, seen, bare: shownBare}) {
  const began = now();
  await searching; // a repetition
  if (images.some(live)) {
    stopSecond(); // of frames only one is new at a time
  } else if (two(options.kind)) {
    startSecond();
  }
  stale ||= images.length > 0 || kind !== options.kind || two(options.kind) || bare !== Boolean(shownBare);
  kind = options.kind;
  bare = Boolean(shownBare);
  for (const {source, slots: into, alone} of images) {
    if (source.loop !== undefined) {
      await (boards(kind) ? tilt(source.loop, options) : shake(source.loop));
      continue;
    }
    const bitmap = source instanceof Blob ? await decode(source) :
      source.part !== undefined ? loop.parts(await scene())[source.part] : source;
    for (const slot of into) {
      await put(slot, bitmap.copyTo && !bare ? await copied(slot, bitmap) : bitmap, false, bitmap);
    }
    if (bitmap.copyTo && !bare) {
      bitmap.close();
    }
    if (alone) {
      empty(1);
    }
  }
  if (!bare) {
    await keep();
  }
  const [first, other] = slots;
  if (!first) {
    throw new Error("Choose the first photo, too.");
  }
  if (two(kind) && !other) {
    await put(1, turn(first.bitmap), true);
  }
  if (kind === "panorama" && !slots[1].colored) {
    await put(1, slots[1].bitmap, slots[1].turned);
  }
  const pixels = now() - began;
  if (!images.some(live)) { // the page ends no search of a frame
    postMessage({searching: pixels});
  }
  const answer = await find(options, !images.some(live));
  const {address, bytes, milliseconds, workers, stride, keypoints, transform, inliers, source, shake: shakes, board, count} = answer;
  const values = new Float32Array(memory.buffer.slice(address, address + bytes));
  if (answer.calibration) {
    calibration = copyNumbers(answer.calibration);
  }
  found = {
    kind, values, stride, transform, source, board, calibration,
    panorama: kind === "panorama" ? compose(slots, answer.picture, memory) : null,
  };
  return {
    kind, method: options.method, values, stride, keypoints, transform, inliers, source, shake: shakes, board, milliseconds, workers,
    calibration: answer.calibration && calibration,
    count: count ?? values.length / stride,
    together: Boolean(found.panorama),
    began: seen,
    parts: {waiting: began - seen, pixels, search: milliseconds},
    sizes: slots.slice(0, two(kind) ? 2 : 1).map(({width, height}) => [width, height]),
    seen: shown().map(({width, height}) => [width, height]),
  };
}

// copyNumbers returns what the program tells of a calibration with numbers that stay the same.
function copyNumbers(told) {
  const copy = ({address, length}) => new Float32Array(memory.buffer.slice(address, address + 4 * length));
  return {...told, dots: copy(told.dots), grid: told.grid && {...told.grid, values: copy(told.grid.values)}};
}

let searching; // the search in progress

// find calls find of the program. If two pictures must be searched, the second worker does one of
// them, if it is ready.
async function find(options, again) {
  choose(options);
  const pixels = second?.ready && two(options.kind) ? detector.share(again) : null;
  if (!pixels) {
    return detector.find(again);
  }
  const search = findBoth(options, pixels);
  searching = search.catch(() => {});
  return search;
}

let chosen; // the options of the program, as text

// choose tells the program the options, if they are not those that it has: it takes a while to read them.
function choose(options) {
  const text = JSON.stringify(options);
  if (text !== chosen) {
    const error = detector.choose(options);
    if (error) {
      throw new Error(error);
    }
    chosen = text;
  }
}

async function findBoth(options, {address, bytes}) {
  const began = now();
  const {width, height} = slots[1];
  const copy = memory.buffer.slice(address, address + bytes);
  const answer = second.answer();
  second.worker.postMessage({extract: {pixels: copy, width, height, options}}, [copy]);
  detector.extract();
  const found = await answer;
  if (found) { // or find does it
    toRoom(found.bytes);
    detector.adopt(found.keypoints);
  }
  const result = detector.find(false);
  result.milliseconds = now() - began;
  result.workers = found ? 2 : 1;
  return result;
}

// The second worker: {worker, ready, settled: a promise that is kept when it is ready or has failed,
// answer: a function that returns a promise of its next answer, or of nothing if it fails}.
let second = null;

// startSecond starts the second worker, unless there is one or the computer can do one thing at a time
// only. Searches do not wait until it is ready.
function startSecond() {
  if (second || navigator.hardwareConcurrency < 2 || typeof Worker !== "function") {
    return;
  }
  const worker = new Worker("worker.js", {type: "module"});
  let told = () => {}, settle;
  const settled = new Promise((resolve) => {
    settle = resolve;
  });
  const own = second = {worker, ready: false, settled, answer: () => new Promise((resolve) => {
    told = resolve;
  })};
  const fail = () => {
    own.ready = false; // and stays so
    settle();
    told();
  };
  worker.addEventListener("error", fail);
  worker.addEventListener("message", ({data}) => {
    if (data.ready) {
      own.ready = true;
      settle();
    } else if (data.bytes) {
      told(data);
    } else {
      fail();
    }
  });
  worker.postMessage({module});
}

// stopSecond gives back the memory of the second worker.
function stopSecond() {
  second?.worker.terminate();
  second = null;
}

// extract finds keypoints for another worker, which this one is the second of.
function extract({pixels, width, height, options}) {
  toRoom(pixels);
  detector.luma(0, width, height, true);
  choose({...options, method: "keypoints"});
  detector.find(true);
  const {address, bytes, keypoints} = detector.features();
  const copy = memory.buffer.slice(address, address + bytes);
  postMessage({keypoints, bytes: copy}, [copy]);
}

// toRoom copies an ArrayBuffer to where the program takes it from.
function toRoom(buffer) {
  const address = room(buffer.byteLength); // first, since the memory may become another one
  new Uint8Array(memory.buffer, address, buffer.byteLength).set(new Uint8Array(buffer));
}

const given = {address: 0, bytes: 0}; // what the program has given

// room returns the address of so many bytes that the program takes pixels from.
function room(bytes) {
  if (bytes > given.bytes) {
    Object.assign(given, {address: detector.room(bytes), bytes});
  }
  return given.address;
}

// two reports whether two pictures belong to a kind.
function two(kind) {
  return kind === "matches" || kind === "panorama";
}

// boards reports whether a kind belongs to the program for boards and markers.
function boards(kind) {
  return kind === "markers" || kind === "calibrate";
}

// live reports whether an image is a frame of a video.
function live({source}) {
  return !(source instanceof Blob) && source.part === undefined;
}

// repeat repeats the search, for about a second and up to ten times, and tells the page the best time,
// since browsers optimize code that has run for a while. The first search of two pictures is often made
// before the second worker is ready, so the repetitions wait for that.
async function repeat(options, milliseconds) {
  const before = runs;
  const late = two(options.kind) && second && !second.ready;
  if (late) {
    await second.settled;
  }
  if (runs === before) {
    again(options, milliseconds, late ? 0 : milliseconds, milliseconds, 10);
  }
}

// again repeats the search so many times, if the last one was short. Requests of the page come first.
function again(options, best, last, spent, tries) {
  if (tries === 0 || spent > 1000 || last > longestRepeated) {
    return;
  }
  waiting = setTimeout(async () => {
    const before = runs;
    const {milliseconds} = await find(options, true);
    if (runs !== before) {
      return;
    }
    if (milliseconds < best) {
      best = milliseconds;
      postMessage({best});
    }
    again(options, best, milliseconds, spent + milliseconds, tries - 1);
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

// put puts a picture into a slot and gives its pixels to the program. The frame of a video that it
// is a copy of may be given, too.
async function put(slot, bitmap, turned, frame) {
  if (slots[slot]?.bitmap !== bitmap) {
    empty(slot);
  }
  if (slot === 0 && slots[1]?.turned) {
    empty(1);
  }
  const width = bitmap.displayWidth ?? bitmap.width, height = bitmap.displayHeight ?? bitmap.height;
  const colored = kind === "panorama" && slot === 1;
  slots[slot] = {bitmap, width, height, turned, colored};
  if (colored || !frame?.copyTo || !await putLuma(slot, frame)) {
    detector.resize(slot, width, height, colored);
    putColors(slot, bitmap, width, height);
  }
}

// The canvas of each slot, with a frame of a video, and its pixels.
const copies = [null, null];

// copyOf returns the canvas of a slot for frames of a size.
function copyOf(slot, width, height) {
  let copy = copies[slot];
  if (copy?.canvas.width !== width || copy.canvas.height !== height) {
    const canvas = new OffscreenCanvas(width, height);
    copy = copies[slot] = {canvas, context: canvas.getContext("2d", {alpha: false}), pixels: new ImageData(width, height)};
  }
  return copy;
}

// copied copies a frame of a video onto the canvas of a slot. Frames themselves are not drawn, since
// browsers keep what they were converted to, and only one that the page shows itself is kept, since
// there are few for a camera.
async function copied(slot, frame) {
  const copy = copyOf(slot, frame.displayWidth, frame.displayHeight);
  try {
    await frame.copyTo(copy.pixels.data, {format: "RGBX"});
    copy.context.putImageData(copy.pixels, 0, 0);
  } catch {
    copy.context.drawImage(frame, 0, 0);
  }
  return copy.canvas;
}

// keep has a copy take the place of the frame of a video that is in the first slot, if one is, so
// that it can be drawn.
async function keep() {
  const frame = slots[0]?.bitmap;
  if (frame?.copyTo) {
    const bitmap = await copied(0, frame);
    if (slots[0]?.bitmap === frame) {
      slots[0].bitmap = bitmap;
      frame.close();
    }
  }
}

// putLuma gives the program the luma of a frame as the camera or the video has it, without a
// conversion to colors and back. It reports false if that is not possible.
async function putLuma(slot, frame) {
  if (!/^(I42[024]|NV12)/.test(frame.format ?? "") || frame.rotation || frame.flip ||
      frame.visibleRect.width !== frame.displayWidth || frame.visibleRect.height !== frame.displayHeight) {
    return false;
  }
  try {
    const bytes = frame.allocationSize();
    const address = room(bytes);
    const [{offset, stride}] = await frame.copyTo(new Uint8Array(memory.buffer, address, bytes));
    if (offset !== 0 || stride !== frame.displayWidth) {
      return false;
    }
  } catch {
    return false;
  }
  detector.luma(slot, frame.displayWidth, frame.displayHeight, Boolean(frame.colorSpace.fullRange));
  return true;
}

// putColors gives the program the colors of a picture, strip by strip, since browsers limit the
// size of a canvas. They go straight to the program's memory.
function putColors(slot, bitmap, width, height) {
  const rows = Math.min(height, Math.max(1, Math.floor(stripPixels / width)));
  if (reader.width !== width || reader.height !== rows) {
    reader.width = width;
    reader.height = rows;
  }
  const address = room(4 * Math.max(stripPixels, width));
  for (let y = 0; y < height; y += rows) {
    readerContext.fillRect(0, 0, width, rows); // black where it is transparent
    readerContext.drawImage(bitmap, 0, -y);
    const {data} = readerContext.getImageData(0, 0, width, Math.min(rows, height - y));
    new Uint8Array(memory.buffer, address, data.length).set(data);
    detector.rows(slot, y, data.length);
  }
}

// scene returns the photo of the loop, which the program has in a slot of its own.
async function scene() {
  if (!scenery) {
    const response = await fetch(loop.photo);
    if (!response.ok) {
      throw new Error(`The photo cannot be loaded: the server answers ${response.status}.`);
    }
    scenery = await decode(await response.blob());
    detector.resize(2, scenery.width, scenery.height, false);
    putColors(2, scenery, scenery.width, scenery.height);
  }
  return scenery;
}

// shake puts a frame of the loop into the first slot. The program warps the photo, and drawImage
// draws it by the same transform.
async function shake(frame) {
  await scene();
  const through = loop.camera(frame);
  empty(0);
  empty(1);
  slots[0] = {bitmap: scenery, width: loop.width, height: loop.height, through};
  detector.shake(loop.width, loop.height, ...through);
}

// tilt puts a frame of the sample for markers or for a calibration into the first slot. The program
// draws it.
async function tilt(frame, {method, family}) {
  const drawn = detector.tilt(method, family, frame);
  if (typeof drawn === "string") {
    throw new Error(drawn);
  }
  const {address, width, height} = drawn;
  empty(0);
  empty(1);
  const {canvas, context, pixels} = copyOf(0, width, height);
  const gray = new Uint8Array(memory.buffer, address, width * height), colors = new Int32Array(pixels.data.buffer);
  for (let i = 0; i < gray.length; i++) {
    colors[i] = 255 << 24 | gray[i] * 0x10101;
  }
  context.putImageData(pixels, 0, 0);
  slots[0] = {bitmap: canvas, width, height};
}

// empty empties a slot.
function empty(slot) {
  const old = slots[slot]?.bitmap;
  slots[slot] = null;
  if (old?.close && old !== scenery && !slots.some((s) => s?.bitmap === old)) {
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
  if (found?.panorama) {
    return [found.panorama];
  }
  return two(kind) ? slots : slots.slice(0, 1);
}

// show sends the page a message with drawings of what is seen.
function show(message) {
  const {width, height, unit, split} = view;
  const transfer = message.steady ? [message.steady] : [];
  message.marks = null;
  message.bare = bare;
  if (found?.kind === kind) { // otherwise a run is in progress, which will be shown
    const places = zoomed(place(shown(), width, height, gap(unit)), view);
    if (!bare && (stale || found.source)) {
      resize(surface, width, height);
      drawPictures(surfaceContext, shown(), places, found.source, split * width);
      message.drawn = surface.transferToImageBitmap();
      transfer.push(message.drawn);
      stale = false;
    }
    if (marked(found.kind)) {
      const pixels = spares.pop();
      message.marks = {width, height, pixels: pixels?.byteLength === 4 * width * height ? pixels : new ArrayBuffer(4 * width * height)};
      drawMarks(message.marks, places, unit);
      transfer.push(message.marks.pixels);
    }
  }
  postMessage(message, transfer);
}

// drawMarks draws what was found into pixels, which are all 0.
function drawMarks({width, height, pixels}, places, unit) {
  mark({width, height, pixels: new Int32Array(pixels)}, places, found, unit);
}

// renderSteady returns the stabilized frame in its own size.
function renderSteady() {
  const {width, height} = slots[0];
  resize(recorder, width, height);
  placeFrame(recorderContext, slots[0], {x: 0, y: 0, scale: 1}, found.source);
  return recorder.transferToImageBitmap();
}

function resize(canvas, width, height) {
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
}

// save returns what is shown as a PNG file that is large enough for all pixels.
async function save() {
  await keep();
  const pictures = shown();
  const at = place(pictures, view.width, view.height, gap(view.unit));
  const larger = Math.max(...at.map((p) => 1 / p.scale));
  const extent = (from, length) =>
    Math.round(larger * (Math.max(...at.map((p) => p[from] + p[length])) - Math.min(...at.map((p) => p[from]))));
  const whole = new OffscreenCanvas(extent("x", "width"), extent("y", "height"));
  const unit = 1 + Math.floor(Math.max(whole.width, whole.height) / 1500); // as in package overlay
  const places = place(pictures, whole.width, whole.height, larger * gap(view.unit));
  const context = whole.getContext("2d");
  drawPictures(context, pictures, places, found.source, view.split * whole.width);
  if (marked(found.kind)) {
    putMarks(context, places, unit);
  }
  return whole.convertToBlob();
}

// putMarks draws what was found on a canvas, strip by strip, since a picture may be large.
function putMarks(context, places, unit) {
  const {width, height} = context.canvas;
  const strip = new OffscreenCanvas(width, Math.min(height, Math.ceil(stripPixels / width)));
  const pixels = new ImageData(width, strip.height);
  for (let top = 0; top < height; top += strip.height) {
    pixels.data.fill(0);
    drawMarks({width, height: strip.height, pixels: pixels.data.buffer}, places.map((at) => ({...at, y: at.y - top})), unit);
    strip.getContext("2d").putImageData(pixels, 0, 0);
    context.drawImage(strip, 0, top);
  }
}
