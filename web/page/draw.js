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
  context.imageSmoothingQuality = "medium";
  pictures.forEach((p, i) => {
    const at = places[i];
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

// stroke draws lines of several colors, given as paths, over one dark rim for all.
function stroke(context, paths, width, unit) {
  const all = new Path2D();
  for (const path of paths) {
    all.addPath(path);
  }
  context.strokeStyle = rim;
  context.lineWidth = width + 2 * unit;
  context.stroke(all);
  context.lineWidth = width;
  paths.forEach((path, i) => {
    context.strokeStyle = palette[i];
    context.stroke(path);
  });
}

function newPaths() {
  return palette.map(() => new Path2D());
}

function ring(path, x, y, radius) {
  path.moveTo(x + radius, y);
  path.arc(x, y, radius, 0, 2 * Math.PI);
}

// The pictures that sprite has made, by what they depend on.
const made = new Map();

// sprite returns a picture of a ring around a dot, of odd width. To draw it again and again
// takes a fraction of the time of as many paths.
function sprite(level, radius, unit) {
  const key = `${level} ${radius} ${unit}`;
  if (!made.has(key)) {
    const half = Math.ceil(radius + 2 * unit), side = 2 * half + 1;
    const canvas = new OffscreenCanvas(side, side);
    const c = canvas.getContext("2d");
    const paths = newPaths();
    ring(paths[level], side / 2, side / 2, radius);
    stroke(c, paths, 1.25 * unit, unit);
    c.fillStyle = palette[level];
    c.fillRect(side / 2 - unit, side / 2 - unit, 2 * unit, 2 * unit);
    if (made.size > 100) {
      made.clear(); // many zooms
    }
    made.set(key, canvas);
  }
  return made.get(key);
}

function drawCorners(context, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  let low = Infinity, high = -Infinity;
  for (let i = 2; i < values.length; i += stride) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  const count = values.length / stride;
  const many = count > mostRings;
  // In a small picture, rings of full size would hide it.
  const size = Math.round(8 * Math.min(1, Math.max(0.5, Math.sqrt(at.width * at.height / count) / (16 * unit)))) / 8;
  const sprites = many ? [] : palette.map((_, level) => sprite(level, size * unit * (3.5 + 3 * level / strongest), unit));
  const dots = newPaths();
  for (let i = 0; i < values.length; i += stride) {
    // Most are low. The root spreads them.
    const level = high > low ? Math.floor(strongest * Math.sqrt((values[i + 2] - low) / (high - low))) : strongest;
    const x = px(values[i]), y = py(values[i + 1]);
    if (many) {
      dots[level].rect(x - unit, y - unit, 2 * unit, 2 * unit);
    } else {
      const side = sprites[level].width / 2;
      context.drawImage(sprites[level], x - side, y - side);
    }
  }
  dots.forEach((path, i) => {
    context.fillStyle = palette[i];
    context.fill(path);
  });
}

function drawKeypoints(context, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  let last = 1;
  for (let i = 4; i < values.length; i += stride) {
    last = Math.max(last, values[i]);
  }
  const circles = newPaths(), hands = newPaths();
  for (let i = 0; i < values.length; i += stride) {
    const x = px(values[i]), y = py(values[i + 1]), radius = values[i + 2] / 2 * at.scale;
    const angle = values[i + 3] * Math.PI / 180;
    const level = Math.floor(values[i + 4] * strongest / last);
    ring(circles[level], x, y, radius);
    hands[level].moveTo(x, y);
    hands[level].lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  // Large circles would bury the picture if they were as heavy as what they are around.
  context.globalAlpha = 0.7;
  stroke(context, circles, 0.6 * unit, 0.25 * unit);
  context.globalAlpha = 1;
  stroke(context, hands, 1.25 * unit, 0.5 * unit);
}

// agreeing returns a function that tells whether a match agrees with a transform.
function agreeing(transform) {
  return (x0, y0, x1, y1) => {
    const [x, y] = apply(transform, x0, y0);
    return Math.hypot(x - x1, y - y1) <= 3; // as package geometry
  };
}

function apply([a, b, c, d, e, f, g, h, i], x, y) {
  const w = g * x + h * y + i;
  return [(a * x + b * y + c) / w, (d * x + e * y + f) / w];
}

function drawMatches(context, [from, to], {values, stride, transform}, unit) {
  const [ax, ay] = onto(from), [bx, by] = onto(to);
  const lines = newPaths(), rings = newPaths(), others = newPaths();
  const agrees = transform ? agreeing(transform) : () => true;
  for (let i = 0; i < values.length; i += stride) {
    const color = (i / stride) % palette.length;
    const x0 = ax(values[i]), y0 = ay(values[i + 1]), x1 = bx(values[i + 2]), y1 = by(values[i + 3]);
    const right = agrees(...values.subarray(i, i + 4));
    const path = (right ? lines : others)[color];
    path.moveTo(x0, y0);
    path.lineTo(x1, y1);
    if (right) {
      ring(rings[color], x0, y0, 3 * unit);
      ring(rings[color], x1, y1, 3 * unit);
    }
  }
  context.globalAlpha = 0.3;
  stroke(context, others, 0.75 * unit, 0);
  context.globalAlpha = 1;
  stroke(context, lines, unit, 0.5 * unit);
  stroke(context, rings, 1.25 * unit, 0.75 * unit);
  if (transform) {
    drawOutline(context, from, to, transform, unit);
  }
}

// drawOutline draws where the first picture is in the second one.
function drawOutline(context, from, to, transform, unit) {
  const [bx, by] = onto(to);
  const w = from.width / from.scale - 1, h = from.height / from.scale - 1;
  const path = new Path2D();
  for (const [x, y] of [[0, 0], [w, 0], [w, h], [0, h]]) {
    const [u, v] = apply(transform, x, y);
    path.lineTo(bx(u), by(v));
  }
  path.closePath();
  clipped(context, to, -Infinity, Infinity, () => {
    for (const [color, width] of [[rim, 4], ["white", 2]]) {
      context.strokeStyle = color;
      context.lineWidth = width * unit;
      context.stroke(path);
    }
  });
}

// drawTrails draws points, and where they have been. The color tells how fast they are.
function drawTrails(context, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  const paths = newPaths(), dots = newPaths();
  for (let i = 0; i < values.length; i += stride) {
    const speed = Math.hypot(values[i] - values[i + 8], values[i + 1] - values[i + 9]) / 4;
    const level = Math.min(strongest, Math.floor(speed));
    const x = px(values[i]), y = py(values[i + 1]);
    paths[level].moveTo(x, y);
    for (let k = 2; k < stride; k += 2) {
      paths[level].lineTo(px(values[i + k]), py(values[i + k + 1]));
    }
    dots[level].rect(x - 1.5 * unit, y - 1.5 * unit, 3 * unit, 3 * unit);
  }
  paths.forEach((path, i) => {
    context.strokeStyle = context.fillStyle = palette[i];
    context.lineWidth = 1.25 * unit;
    context.stroke(path);
    context.fill(dots[i]);
  });
}
