// Draws pictures and results.

// The colors of package overlay, from the weakest to the strongest.
const palette = ["#6090ff", "#00c0ff", "#00f0c0", "#20ff40", "#b0ff00", "#ffe000", "#ff9000", "#ff2020"];
const rim = "rgb(0 0 0 / 50%)";
const strongest = palette.length - 1;

// The maximum number of corners that get rings. More would hide the picture, and get dots.
const mostRings = 5000;

// The scale from which on pixels are squares.
const squares = 4;

// place returns the places of pictures in a given width and height: an array with the x, y,
// width, height and scale of each. Two pictures have a gap between them, and are side by
// side or one above the other, whichever makes them larger.
export function place(pictures, width, height, gap) {
  if (pictures.length === 1) {
    const [p] = pictures;
    const scale = Math.min(width / p.width, height / p.height);
    const w = p.width * scale, h = p.height * scale;
    return [{x: (width - w) / 2, y: (height - h) / 2, width: w, height: h, scale}];
  }
  // Side by side they have the same height, and one above the other the same width.
  const [a, b] = pictures.map((p) => p.width / p.height);
  const h = Math.min(height, (width - gap) / (a + b));
  const w = Math.min(width, (height - gap) / (1 / a + 1 / b));
  const beside = h * h * (a + b) >= w * w * (1 / a + 1 / b);
  const sizes = beside ? [[h * a, h], [h * b, h]] : [[w, w / a], [w, w / b]];
  const [first, second] = sizes;
  const total = beside ? [first[0] + gap + second[0], h] : [w, first[1] + gap + second[1]];
  let x = (width - total[0]) / 2, y = (height - total[1]) / 2;
  return sizes.map(([w, h], i) => {
    const at = {x, y, width: w, height: h, scale: w / pictures[i].width};
    if (beside) {
      x += w + gap;
    } else {
      y += h + gap;
    }
    return at;
  });
}

// gap returns the distance between two pictures.
export function gap(unit) {
  return 8 * unit;
}

// zoomed returns places, enlarged and then moved.
export function zoomed(places, {zoom, x, y}) {
  return places.map((at) => ({
    x: at.x * zoom + x,
    y: at.y * zoom + y,
    width: at.width * zoom,
    height: at.height * zoom,
    scale: at.scale * zoom,
  }));
}

// draw draws pictures at their places, and the result if there is one. Unit is the width of
// a thin line, and split where frames before they are stabilized end.
export function draw(context, pictures, places, found, unit, split) {
  if (found?.source) {
    drawStabilized(context, pictures[0], places[0], found.source, split);
    return;
  }
  pictures.forEach((p, i) => {
    const at = places[i];
    context.imageSmoothingQuality = at.scale < 0.6 ? "medium" : "low";
    context.imageSmoothingEnabled = at.scale < squares;
    if (p.through) {
      clipped(context, at, -Infinity, Infinity, () => placeFrame(context, p, at));
    } else {
      context.drawImage(p.bitmap, at.x, at.y, at.width, at.height);
    }
  });
  if (found) {
    context.lineCap = "round";
    ({corners: drawCorners, keypoints: drawKeypoints, matches: drawMatches, track: drawTrails})[found.kind]?.(context, places, found, unit);
  }
}

// placeFrame draws a frame at a place. Source, if it is given, maps pixels to where they come
// from in the frame. Coordinates in it are those of the centers of pixels.
export function placeFrame(context, {bitmap, width, height, through}, at, source) {
  const matrix = new DOMMatrix([at.scale, 0, 0, at.scale, at.x, at.y]).translate(0.5, 0.5);
  if (source) {
    matrix.multiplySelf(new DOMMatrix([source[0], source[3], source[1], source[4], source[2], source[5]]).inverse());
  }
  if (through) {
    const [a, b, c, d, e, f] = through;
    matrix.multiplySelf(new DOMMatrix([a, d, b, e, c, f]).inverse());
  }
  matrix.translateSelf(-0.5, -0.5);
  context.save();
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "low";
  context.setTransform(matrix);
  if (through) {
    context.drawImage(bitmap, 0, 0);
  } else {
    context.drawImage(bitmap, 0, 0, width, height);
  }
  context.restore();
}

// clipped draws inside of a place, from a column to another one.
function clipped(context, at, from, to, draw) {
  const left = Math.max(at.x, from), right = Math.min(at.x + at.width, to);
  if (right > left) {
    context.save();
    context.beginPath();
    context.rect(left, at.y, right - left, at.height);
    context.clip();
    draw();
    context.restore();
  }
}

// drawStabilized draws a frame as it is, left of a column, and stabilized, right of it.
function drawStabilized(context, picture, at, source, split) {
  clipped(context, at, -Infinity, split, () => placeFrame(context, picture, at));
  clipped(context, at, split, Infinity, () => placeFrame(context, picture, at, source));
}

// onto returns functions from the coordinates of a pixel to the place of its center.
function onto(at) {
  return [(x) => at.x + (x + 0.5) * at.scale, (y) => at.y + (y + 0.5) * at.scale];
}

// The levels of what is drawn, which are the indices of its colors; memory for all drawings. Paths
// of the context are used and no Path2D, since browsers keep those until they collect garbage.
let levels = new Uint8Array(0);

// levelsFor returns the levels of count things, which have any values.
function levelsFor(count) {
  if (levels.length < count) {
    levels = new Uint8Array(2 * count);
  }
  return levels;
}

// stroke draws lines of several colors, over one dark rim for all: trace(i) adds that of a thing
// to the path.
function stroke(context, count, trace, width, rimWidth) {
  if (rimWidth > 0) {
    context.beginPath();
    for (let i = 0; i < count; i++) {
      trace(i);
    }
    context.strokeStyle = rim;
    context.lineWidth = width + 2 * rimWidth;
    context.stroke();
  }
  context.lineWidth = width;
  eachLevel(context, count, trace, (color) => {
    context.strokeStyle = color;
    context.stroke();
  });
}

// eachLevel makes a path of all things that have the same level, and draws it.
function eachLevel(context, count, trace, draw) {
  palette.forEach((color, level) => {
    context.beginPath();
    let some = false;
    for (let i = 0; i < count; i++) {
      if (levels[i] === level) {
        trace(i);
        some = true;
      }
    }
    if (some) {
      draw(color);
    }
  });
}

function ring(context, x, y, radius) {
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

// The pictures that sprite has made, by what they depend on.
const made = new Map();

// sprite returns a picture of a ring, around a dot if there is one, of odd width. To draw it again
// and again takes a fraction of the time of as many paths.
function sprite(level, radius, unit, dot) {
  const key = `${level} ${radius} ${unit} ${dot}`;
  if (!made.has(key)) {
    const half = Math.ceil(radius + 2 * unit), side = 2 * half + 1;
    const canvas = new OffscreenCanvas(side, side);
    const c = canvas.getContext("2d");
    for (const [color, width] of [[rim, 3.25], [palette[level], 1.25]]) {
      c.beginPath();
      ring(c, side / 2, side / 2, radius);
      c.strokeStyle = color;
      c.lineWidth = width * unit;
      c.stroke();
    }
    if (dot) {
      c.fillStyle = palette[level];
      c.fillRect(side / 2 - unit, side / 2 - unit, 2 * unit, 2 * unit);
    }
    if (made.size > 100) {
      made.clear(); // there were many zooms
    }
    made.set(key, canvas);
  }
  return made.get(key);
}

// stamp draws a sprite around a point.
function stamp(context, picture, x, y) {
  context.drawImage(picture, x - picture.width / 2, y - picture.width / 2);
}

function drawCorners(context, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  const count = values.length / stride;
  let low = Infinity, high = -Infinity;
  for (let i = 2; i < values.length; i += stride) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  const levels = levelsFor(count);
  for (let i = 0; i < count; i++) {
    // Most are low. The root spreads them.
    levels[i] = high > low ? Math.floor(strongest * Math.sqrt((values[i * stride + 2] - low) / (high - low))) : strongest;
  }
  if (count > mostRings) {
    eachLevel(context, count, (i) => context.rect(px(values[i * stride]) - unit, py(values[i * stride + 1]) - unit, 2 * unit, 2 * unit), (color) => {
      context.fillStyle = color;
      context.fill();
    });
    return;
  }
  // In a small picture, rings of full size would hide it.
  const size = Math.round(8 * Math.min(1, Math.max(0.5, Math.sqrt(at.width * at.height / count) / (16 * unit)))) / 8;
  const sprites = palette.map((_, level) => sprite(level, size * unit * (3.5 + 3 * level / strongest), unit, true));
  for (let i = 0; i < count; i++) {
    stamp(context, sprites[levels[i]], px(values[i * stride]), py(values[i * stride + 1]));
  }
}

function drawKeypoints(context, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  const count = values.length / stride;
  let last = 1;
  for (let i = 4; i < values.length; i += stride) {
    last = Math.max(last, values[i]);
  }
  const levels = levelsFor(count);
  for (let i = 0; i < count; i++) {
    levels[i] = Math.floor(values[i * stride + 4] * strongest / last);
  }
  const radius = (i) => values[i * stride + 2] / 2 * at.scale;
  // Large circles would bury the picture if they were as heavy as what they are around.
  context.globalAlpha = 0.7;
  stroke(context, count, (i) => ring(context, px(values[i * stride]), py(values[i * stride + 1]), radius(i)), 0.6 * unit, 0.25 * unit);
  context.globalAlpha = 1;
  stroke(context, count, (i) => {
    const x = px(values[i * stride]), y = py(values[i * stride + 1]), angle = values[i * stride + 3] * Math.PI / 180;
    context.moveTo(x, y);
    context.lineTo(x + radius(i) * Math.cos(angle), y + radius(i) * Math.sin(angle));
  }, 1.25 * unit, 0.5 * unit);
}

function apply([a, b, c, d, e, f, g, h, i], x, y) {
  const w = g * x + h * y + i;
  return [(a * x + b * y + c) / w, (d * x + e * y + f) / w];
}

// The level of matches that do not agree with a transform, which have no color of the palette.
const other = 255;

// farthest is the distance, in pixels, at which a match agrees, as in package geometry.
const farthest = 3;

function drawMatches(context, [from, to], {values, stride, transform}, unit) {
  const [ax, ay] = onto(from), [bx, by] = onto(to);
  const count = values.length / stride;
  const levels = levelsFor(count);
  for (let i = 0; i < count; i++) {
    levels[i] = i % palette.length;
    if (transform) {
      const [x, y] = apply(transform, values[i * stride], values[i * stride + 1]);
      if (!(Math.hypot(x - values[i * stride + 2], y - values[i * stride + 3]) <= farthest)) {
        levels[i] = other;
      }
    }
  }
  const line = (i) => {
    context.moveTo(ax(values[i * stride]), ay(values[i * stride + 1]));
    context.lineTo(bx(values[i * stride + 2]), by(values[i * stride + 3]));
  };
  context.beginPath();
  for (let i = 0; i < count; i++) {
    if (levels[i] === other) {
      line(i);
    }
  }
  context.strokeStyle = "rgb(255 255 255 / 35%)";
  context.lineWidth = 0.75 * unit;
  context.stroke();
  stroke(context, count, (i) => {
    if (levels[i] !== other) {
      line(i);
    }
  }, unit, 0.5 * unit);
  const sprites = palette.map((_, level) => sprite(level, 3 * unit, unit, false));
  for (let i = 0; i < count; i++) {
    if (levels[i] !== other) {
      stamp(context, sprites[levels[i]], ax(values[i * stride]), ay(values[i * stride + 1]));
      stamp(context, sprites[levels[i]], bx(values[i * stride + 2]), by(values[i * stride + 3]));
    }
  }
  if (transform) {
    drawOutline(context, from, to, transform, unit);
  }
}

// drawOutline draws where the first picture is in the second one.
function drawOutline(context, from, to, transform, unit) {
  const [bx, by] = onto(to);
  const w = from.width / from.scale - 1, h = from.height / from.scale - 1;
  clipped(context, to, -Infinity, Infinity, () => {
    context.beginPath();
    for (const [x, y] of [[0, 0], [w, 0], [w, h], [0, h]]) {
      const [u, v] = apply(transform, x, y);
      context.lineTo(bx(u), by(v));
    }
    context.closePath();
    for (const [color, width] of [[rim, 4], ["white", 2]]) {
      context.strokeStyle = color;
      context.lineWidth = width * unit;
      context.stroke();
    }
  });
}

// The number of frames that the speed of a point is measured over.
const speedFrames = 4;

// drawTrails draws points, and where they have been. The color tells how fast they are.
function drawTrails(context, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  const count = values.length / stride;
  const levels = levelsFor(count);
  for (let i = 0; i < count; i++) {
    const now = i * stride, before = now + 2 * speedFrames;
    const speed = Math.hypot(values[now] - values[before], values[now + 1] - values[before + 1]) / speedFrames;
    levels[i] = Math.min(strongest, Math.floor(speed));
  }
  stroke(context, count, (i) => {
    context.moveTo(px(values[i * stride]), py(values[i * stride + 1]));
    for (let k = i * stride + 2; k < (i + 1) * stride; k += 2) {
      context.lineTo(px(values[k]), py(values[k + 1]));
    }
  }, 1.25 * unit, 0);
  eachLevel(context, count, (i) =>
    context.rect(px(values[i * stride]) - 1.5 * unit, py(values[i * stride + 1]) - 1.5 * unit, 3 * unit, 3 * unit), (color) => {
    context.fillStyle = color;
    context.fill();
  });
}
