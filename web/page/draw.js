// Draws pictures.

// The scale from which on pixels are squares.
export const squares = 4;

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

// drawPictures draws pictures at their places. Source, if it is given, maps pixels of the first one
// that is stabilized to where they come from, and split is where frames before that end.
export function drawPictures(context, pictures, places, source, split) {
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  if (source) {
    drawStabilized(context, pictures[0], places[0], source, split);
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
