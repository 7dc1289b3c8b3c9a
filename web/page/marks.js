// Draws what was found, over pictures, into pixels of its own: what is drawn are thousands of small
// things, each of which would cost a canvas more than its pixels take.

// The colors of package overlay, from the weakest to the strongest, as numbers of four bytes: red
// comes first, which is the lowest one, and alpha last.
const palette = ["6090ff", "00c0ff", "00f0c0", "20ff40", "b0ff00", "ffe000", "ff9000", "ff2020"].map((text) => {
  const color = parseInt(text, 16);
  return 255 << 24 | (color & 255) << 16 | color & 0xff00 | color >> 16;
});
const strongest = palette.length - 1;
const rim = 128 << 24; // black
const white = -1;

// The maximum number of corners that get rings. More would hide the picture, and get dots.
const mostRings = 5000;

// mark draws a result. Places are those of the pictures, and unit is the width of a thin line. A
// layer has a width, a height and pixels, an Int32Array of colors, which are all 0 at first.
export function mark(layer, places, found, unit) {
  ({
    corners: markCorners, keypoints: markKeypoints, matches: markMatches, track: markTrails, markers: markMarkers, calibrate: markBoard,
  })[found.kind](layer, places, found, unit);
}

// marked reports whether there is anything to draw for a result of a kind.
export function marked(kind) {
  return kind !== "stabilize" && kind !== "panorama";
}

// over returns a color with another one over it.
function over(below, color) {
  const alpha = color >>> 24, opacity = below >>> 24;
  if (alpha === 255 || below === 0) {
    return color;
  }
  const all = alpha + ((opacity * (255 - alpha) + 127) / 255 | 0);
  const part = (alpha << 8) / all | 0, other = 256 - part;
  const redBlue = Math.imul(below & 0xff00ff, other) + Math.imul(color & 0xff00ff, part);
  const green = Math.imul(below & 0xff00, other) + Math.imul(color & 0xff00, part);
  return all << 24 | redBlue >>> 8 & 0xff00ff | green >>> 8 & 0xff00;
}

// faded returns a color of which only a part, 0 to 1, covers a pixel.
function faded(color, part) {
  return color & 0xffffff | Math.round((color >>> 24) * part) << 24;
}

// covered returns which part of a pixel a line covers, from the distance of their middles.
function covered(distance, width) {
  return Math.max(0, Math.min(1, width, width / 2 + 0.5 - distance));
}

// The rings that ring has made, by what they depend on.
const made = new Map();

// ring returns the pixels of a ring of a color, with a square in the middle if dot is its width, and
// apart from them those of its rim: where they are, and their colors.
function ring(layer, color, radius, width, rimWidth, dot) {
  const key = `${layer.width} ${color} ${radius} ${width} ${rimWidth} ${dot}`;
  let r = made.get(key);
  if (r) {
    return r;
  }
  const half = Math.ceil(radius + rimWidth / 2 + 0.5), inside = Math.max(0, radius - rimWidth / 2 - 1);
  const inner = [], outer = []; // [x, y, color]
  for (let y = -half; y <= half; y++) {
    // In the hole of the ring there is nothing but the dot.
    const hole = Math.abs(y) > dot && Math.abs(y) < inside ? Math.floor(Math.sqrt(inside * inside - y * y)) : 0;
    for (let x = -half; x <= half; x++) {
      if (x > -hole && x < hole) {
        x = hole;
      }
      const distance = Math.abs(Math.hypot(x, y) - radius);
      const own = Math.max(covered(distance, width), dot > 0 ? covered(Math.abs(x), dot) * covered(Math.abs(y), dot) : 0);
      const dark = faded(rim, covered(distance, rimWidth) * (color >>> 24) / 255);
      if (own > 0) {
        inner.push([x, y, over(dark, faded(color, own))]);
      } else if (dark !== 0) {
        outer.push([x, y, dark]);
      }
    }
  }
  // The last pixel is repeated until there are a multiple of eight.
  const pixels = (list) => {
    const all = Array.from({length: Math.ceil(list.length / 8) * 8}, (_, i) => list[Math.min(i, list.length - 1)]);
    return {
      half,
      xs: all.map(([x]) => x),
      ys: all.map(([, y]) => y),
      offsets: Int32Array.from(all, ([x, y]) => y * layer.width + x),
      colors: Int32Array.from(all, ([, , color]) => color),
    };
  };
  r = {color: pixels(inner), rim: pixels(outer)};
  if (made.size > 100) {
    made.clear(); // there were many zooms
  }
  made.set(key, r);
  return r;
}

// rings draws rings over the rims of all: a list of what ring returns, and the coordinates of each.
// What is there is replaced: to look at it would take twice the time, and in a crowd it would be seen
// less clearly.
function rings(layer, list, places) {
  list.forEach((r, i) => stamp(layer, r.rim, places[2 * i], places[2 * i + 1]));
  list.forEach((r, i) => stamp(layer, r.color, places[2 * i], places[2 * i + 1]));
}

// stamp draws a part of a ring around a point.
function stamp({pixels, width, height}, {half, xs, ys, offsets, colors}, x, y) {
  const left = Math.floor(x), top = Math.floor(y);
  const start = top * width + left;
  if (left >= half && top >= half && left < width - half && top < height - half) {
    // Eight at a time take half the time.
    for (let i = 0; i < offsets.length; i += 8) {
      pixels[start + offsets[i]] = colors[i];
      pixels[start + offsets[i + 1]] = colors[i + 1];
      pixels[start + offsets[i + 2]] = colors[i + 2];
      pixels[start + offsets[i + 3]] = colors[i + 3];
      pixels[start + offsets[i + 4]] = colors[i + 4];
      pixels[start + offsets[i + 5]] = colors[i + 5];
      pixels[start + offsets[i + 6]] = colors[i + 6];
      pixels[start + offsets[i + 7]] = colors[i + 7];
    }
  } else if (left >= -half && top >= -half && left < width + half && top < height + half) {
    for (let i = 0; i < offsets.length; i++) {
      if (left + xs[i] >= 0 && left + xs[i] < width && top + ys[i] >= 0 && top + ys[i] < height) {
        pixels[start + offsets[i]] = colors[i];
      }
    }
  }
}

// square draws a square around a point.
function square({pixels, width, height}, x, y, side, color) {
  const from = (v) => Math.max(0, Math.round(v - side / 2)), to = (v, most) => Math.min(most, Math.round(v + side / 2));
  for (let row = from(y); row < to(y, height); row++) {
    pixels.fill(color, row * width + from(x), Math.max(row * width + from(x), row * width + to(x, width)));
  }
}

// The shades that shades has made, by what they depend on.
const mixed = new Map();

const steps = 16; // of the distance between pixels

// shades returns what pixels become at distances of 0, 1/16 and so on from the middle of a line of a
// color with a rim.
function shades(color, width, rimWidth) {
  const key = `${color} ${width} ${rimWidth}`;
  if (!mixed.has(key)) {
    mixed.set(key, Int32Array.from({length: steps * (Math.max(width, rimWidth) / 2 + 0.5)}, (_, i) =>
      over(faded(rim, covered(i / steps, rimWidth)), faded(color, covered(i / steps, width)))));
  }
  return mixed.get(key);
}

// line draws a line between two points, inside of a rectangle. Where it crosses others, what is more
// opaque is seen.
function line({pixels, width: columns, height: rows}, x0, y0, x1, y1, shades, within) {
  let left = 0, top = 0, right = columns, bottom = rows;
  if (within) {
    left = Math.max(0, Math.round(within.x));
    top = Math.max(0, Math.round(within.y));
    right = Math.min(columns, Math.round(within.x + within.width));
    bottom = Math.min(rows, Math.round(within.y + within.height));
  }
  // It goes along u, the direction in which it is longer, and is thick along v.
  const steep = Math.abs(y1 - y0) > Math.abs(x1 - x0);
  let [u0, v0, u1, v1] = steep ? [y0, x0, y1, x1] : [x0, y0, x1, y1];
  if (u1 < u0) {
    [u0, v0, u1, v1] = [u1, v1, u0, v0];
  }
  const slope = u1 > u0 ? (v1 - v0) / (u1 - u0) : 0;
  const stretch = Math.hypot(1, slope); // how much longer what is across the line is along v
  const reach = shades.length * stretch / steps, scale = steps / stretch;
  const [uLow, uHigh, vLow, vHigh] = steep ? [top, bottom, left, right] : [left, right, top, bottom];
  const [uStep, vStep] = steep ? [columns, 1] : [1, columns];
  for (let u = Math.max(uLow, Math.floor(u0)); u < Math.min(uHigh, Math.floor(u1) + 1); u++) {
    const middle = v0 + slope * (u + 0.5 - u0) - 0.5;
    const last = Math.min(vHigh - 1, Math.ceil(middle + reach) - 1);
    for (let v = Math.max(vLow, Math.floor(middle - reach) + 1); v <= last; v++) {
      const at = u * uStep + v * vStep, shade = shades[Math.abs(v - middle) * scale | 0];
      if (shade >>> 24 >= pixels[at] >>> 24) {
        pixels[at] = shade;
      }
    }
  }
}

// onto returns functions from the coordinates of a pixel to the place of its center.
function onto(at) {
  return [(x) => at.x + (x + 0.5) * at.scale, (y) => at.y + (y + 0.5) * at.scale];
}

function markCorners(layer, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  let low = Infinity, high = -Infinity;
  for (let i = 2; i < values.length; i += stride) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  // Most are low. The root spreads them.
  const level = (i) => (high > low ? Math.floor(strongest * Math.sqrt((values[i + 2] - low) / (high - low))) : strongest);
  const count = values.length / stride;
  if (count > mostRings) {
    for (let i = 0; i < values.length; i += stride) {
      square(layer, px(values[i]), py(values[i + 1]), 2 * unit, palette[level(i)]);
    }
    return;
  }
  // In a small picture, rings of full size would hide it.
  const size = Math.round(8 * Math.min(1, Math.max(0.5, Math.sqrt(at.width * at.height / count) / (16 * unit)))) / 8;
  const sizes = palette.map((color, i) => ring(layer, color, size * unit * (3.5 + 3 * i / strongest), 1.25 * unit, 3.25 * unit, 2 * unit));
  const list = [], places = [];
  for (let i = 0; i < values.length; i += stride) {
    list.push(sizes[level(i)]);
    places.push(px(values[i]), py(values[i + 1]));
  }
  rings(layer, list, places);
}

function markKeypoints(layer, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  let last = 1;
  for (let i = 4; i < values.length; i += stride) {
    last = Math.max(last, values[i]);
  }
  const color = (i) => palette[Math.floor(values[i + 4] * strongest / last)];
  const radius = (i) => values[i + 2] / 2 * at.scale;
  // Large circles would bury the picture if they were as heavy as what they are around.
  const list = [], places = [];
  for (let i = 0; i < values.length; i += stride) {
    list.push(ring(layer, faded(color(i), 0.7), radius(i), 0.6 * unit, 1.1 * unit, 0));
    places.push(px(values[i]), py(values[i + 1]));
  }
  rings(layer, list, places);
  for (let i = 0; i < values.length; i += stride) {
    const x = px(values[i]), y = py(values[i + 1]), angle = values[i + 3] * Math.PI / 180;
    line(layer, x, y, x + radius(i) * Math.cos(angle), y + radius(i) * Math.sin(angle), shades(color(i), 1.25 * unit, 2.25 * unit));
  }
}

function apply([a, b, c, d, e, f, g, h, i], x, y) {
  const w = g * x + h * y + i;
  return [(a * x + b * y + c) / w, (d * x + e * y + f) / w];
}

// farthest is the distance, in pixels, at which a match agrees, as in package geometry.
const farthest = 3;

function markMatches(layer, [from, to], {values, stride, transform}, unit) {
  const [ax, ay] = onto(from), [bx, by] = onto(to);
  const agrees = (i) => {
    if (!transform) {
      return true;
    }
    const [x, y] = apply(transform, values[i], values[i + 1]);
    return Math.hypot(x - values[i + 2], y - values[i + 3]) <= farthest;
  };
  const agreed = [], others = shades(faded(white, 0.35), 0.75 * unit, 0);
  for (let i = 0; i < values.length; i += stride) {
    if (agrees(i)) {
      agreed.push(i);
    } else {
      line(layer, ax(values[i]), ay(values[i + 1]), bx(values[i + 2]), by(values[i + 3]), others);
    }
  }
  const color = (i) => palette[i / stride % palette.length];
  for (const i of agreed) {
    line(layer, ax(values[i]), ay(values[i + 1]), bx(values[i + 2]), by(values[i + 3]), shades(color(i), unit, 2 * unit));
  }
  const list = [], places = [];
  for (const i of agreed) {
    const r = ring(layer, color(i), 3 * unit, 1.25 * unit, 3.25 * unit, 0);
    list.push(r, r);
    places.push(ax(values[i]), ay(values[i + 1]), bx(values[i + 2]), by(values[i + 3]));
  }
  rings(layer, list, places);
  if (transform) {
    markOutline(layer, from, to, transform, unit);
  }
}

// markOutline draws where the first picture is in the second one.
function markOutline(layer, from, to, transform, unit) {
  const [bx, by] = onto(to);
  const w = from.width / from.scale - 1, h = from.height / from.scale - 1;
  const corners = [[0, 0], [w, 0], [w, h], [0, h]].map(([x, y]) => apply(transform, x, y));
  corners.forEach(([x, y], i) => {
    const [u, v] = corners[(i + 1) % 4];
    line(layer, bx(x), by(y), bx(u), by(v), shades(white, 2 * unit, 4 * unit), to);
  });
}

// The number of frames that the speed of a point is measured over.
const speedFrames = 4;

// markTrails draws points, and where they have been. The color tells how fast they are.
function markTrails(layer, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  const color = (i) => {
    const before = i + 2 * speedFrames;
    const speed = Math.hypot(values[i] - values[before], values[i + 1] - values[before + 1]) / speedFrames;
    return palette[Math.min(strongest, Math.floor(speed))];
  };
  for (let i = 0; i < values.length; i += stride) {
    const own = shades(color(i), 1.25 * unit, 0);
    for (let k = i; k < i + stride - 2; k += 2) {
      line(layer, px(values[k]), py(values[k + 1]), px(values[k + 2]), py(values[k + 3]), own);
    }
  }
  for (let i = 0; i < values.length; i += stride) {
    square(layer, px(values[i]), py(values[i + 1]), 3 * unit, color(i));
  }
}

// polyline draws lines from each of some points to the next one, inside of a rectangle.
function polyline(layer, points, shades, within) {
  for (let i = 0; i + 1 < points.length; i++) {
    if (points[i].every(Number.isFinite) && points[i + 1].every(Number.isFinite)) {
      line(layer, ...points[i], ...points[i + 1], shades, within);
    }
  }
}

// The strokes of digits, as in package overlay: those at the top, the upper and the lower right, the
// bottom, the lower and the upper left, and across the middle. A digit is 2 by 4.
const strokes = [[0, 0, 2, 0], [2, 0, 2, 2], [2, 2, 2, 4], [0, 4, 2, 4], [0, 2, 0, 4], [0, 0, 0, 2], [0, 2, 2, 2]];
const digits = [0b0111111, 0b0000110, 0b1011011, 0b1001111, 0b1100110, 0b1101101, 0b1111101, 0b0000111, 0b1111111, 0b1101111];

// writeNumber writes a number around a point.
function writeNumber(layer, number, x, y, size, shades) {
  const advance = 3.5 * size, text = String(number);
  let left = x - (advance * (text.length - 1) + 2 * size) / 2;
  for (const digit of text) {
    strokes.forEach(([x0, y0, x1, y1], i) => {
      if (digits[digit] >> i & 1) {
        line(layer, left + x0 * size, y + (y0 - 2) * size, left + x1 * size, y + (y1 - 2) * size, shades);
      }
    });
    left += advance;
  }
}

// markMarkers draws the outlines of markers, with a dot at the first corner, the cubes that stand on
// them, and their numbers.
function markMarkers(layer, [at], {values, stride}, unit) {
  const [px, py] = onto(at);
  for (let i = 0; i < values.length; i += stride) {
    const color = palette[values[i] % palette.length];
    const point = (k) => [px(values[i + k]), py(values[i + k + 1])];
    const bottom = [1, 3, 5, 7].map(point), top = [11, 13, 15, 17].map(point);
    const edges = shades(color, 1.5 * unit, 3.5 * unit);
    polyline(layer, [...bottom, bottom[0]], shades(color, 2.5 * unit, 4.5 * unit), at);
    polyline(layer, [...top, top[0]], edges, at);
    bottom.forEach((from, k) => polyline(layer, [from, top[k]], edges, at));
    square(layer, ...bottom[0], 7 * unit, color);
    const [x, y] = [0, 1].map((axis) => bottom.reduce((sum, p) => sum + p[axis], 0) / 4);
    const side = Math.sqrt(Math.abs(area(bottom)));
    writeNumber(layer, values[i], x, y, Math.max(2 * unit, side / 16), shades(white, 2.5 * unit, 6 * unit));
  }
}

// area returns the area of a polygon.
function area(points) {
  return points.reduce((sum, [x, y], i) => {
    const [u, v] = points[(i + 1) % points.length];
    return sum + (x * v - u * y) / 2;
  }, 0);
}

// markBoard draws where views had corners, where the board should be next, and the board that is seen,
// a color for each row.
function markBoard(layer, [at], {values, board, calibration}, unit) {
  const [px, py] = onto(at);
  const {dots = [], hint} = calibration ?? {};
  for (let i = 0; i < dots.length; i += 2) {
    square(layer, px(dots[i]), py(dots[i + 1]), 2 * unit, faded(white, 0.6));
  }
  if (hint?.outline.length > 0) {
    const points = [];
    for (let i = 0; i <= hint.outline.length; i += 2) {
      const k = i % hint.outline.length;
      points.push([px(hint.outline[k]), py(hint.outline[k + 1])]);
    }
    polyline(layer, points, shades(white, 2 * unit, 4 * unit), at);
  }
  const [columns] = board;
  const list = [], places = [];
  let before = null;
  for (let i = 0; i < values.length; i += 2) {
    const row = Math.floor(i / 2 / columns), color = palette[row % palette.length];
    const p = Number.isFinite(values[i]) ? [px(values[i]), py(values[i + 1])] : null;
    if (p && before) {
      line(layer, ...before, ...p, shades(color, 1.25 * unit, 2.5 * unit));
    }
    if (p) {
      list.push(ring(layer, color, 4 * unit, 1.25 * unit, 3.25 * unit, 0));
      places.push(...p);
    }
    before = p;
  }
  rings(layer, list, places);
}
