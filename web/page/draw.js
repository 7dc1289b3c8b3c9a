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
// a thin line.
export function draw(context, pictures, places, found, unit) {
  context.imageSmoothingQuality = "medium";
  pictures.forEach((p, i) => {
    const at = places[i];
    context.imageSmoothingEnabled = at.scale < squares;
    context.drawImage(p.bitmap, at.x, at.y, at.width, at.height);
  });
  if (found) {
    context.lineCap = "round";
    ({corners: drawCorners, keypoints: drawKeypoints, matches: drawMatches})[found.kind](context, places, found, unit);
  }
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
  const size = Math.min(1, Math.max(0.5, Math.sqrt(at.width * at.height / count) / (16 * unit)));
  const paths = newPaths(), dots = newPaths();
  for (let i = 0; i < values.length; i += stride) {
    // Most are low. The root spreads them.
    const level = high > low ? Math.floor(strongest * Math.sqrt((values[i + 2] - low) / (high - low))) : strongest;
    const x = px(values[i]), y = py(values[i + 1]);
    if (!many) {
      ring(paths[level], x, y, size * unit * (3.5 + 3 * level / strongest));
    }
    dots[level].rect(x - unit, y - unit, 2 * unit, 2 * unit);
  }
  stroke(context, paths, 1.25 * unit, unit);
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

function drawMatches(context, [from, to], {values, stride}, unit) {
  const [ax, ay] = onto(from), [bx, by] = onto(to);
  const lines = newPaths(), rings = newPaths();
  for (let i = 0; i < values.length; i += stride) {
    const color = (i / stride) % palette.length;
    const x0 = ax(values[i]), y0 = ay(values[i + 1]), x1 = bx(values[i + 2]), y1 = by(values[i + 3]);
    lines[color].moveTo(x0, y0);
    lines[color].lineTo(x1, y1);
    ring(rings[color], x0, y0, 3 * unit);
    ring(rings[color], x1, y1, 3 * unit);
  }
  stroke(context, lines, unit, 0.5 * unit);
  stroke(context, rings, 1.25 * unit, 0.75 * unit);
}
