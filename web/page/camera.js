// Shows what is known of a camera that is being calibrated.

const byId = (id) => document.getElementById(id);

// The least number of views with which there is a calibration.
const leastViews = 3;

// The colors and limits of bands of uncertainty in pixels, as package calibrate draws them.
const bands = [[0.1, "#d8f5d0"], [0.3, "#b8eca0"], [1, "#f0d060"], [3, "#f08040"], [Infinity, "#c02020"]];
const nothing = "#404040"; // where the camera sees nothing

// The fields of a camera for each model, with their units and indices.
const fields = [
  [["fx", 0], ["fy", 1], ["cx", 2], ["cy", 3], ["k1", 4], ["k2", 5], ["p1", 6], ["p2", 7], ["k3", 8], ["k4", 9], ["k5", 10], ["k6", 11]],
  [["fx", 0], ["fy", 1], ["cx", 2], ["cy", 3], ["k1", 4], ["k2", 5], ["k3", 8], ["k4", 9]],
];
const inPixels = 4; // the first ones

const pixels = (value) => `${value < 10 ? value.toPrecision(2) : Math.round(value)} px`;

// showCamera shows a calibration, as the worker tells it.
export function showCamera({views, most, board, width, height, dots, known, deviations, rms, middle, worst, grid}) {
  byId("views").textContent = views;
  byId("board").textContent = views > 0 ? `${board.join(" × ")} corners${views === most ? ", and no more views are needed" : ""}` : "–";
  byId("middle").textContent = known ? pixels(middle) : "–";
  byId("worst").textContent = known ? pixels(worst) : "–";
  byId("rms").textContent = known ? pixels(rms) : "–";
  byId("fields").replaceChildren(...(known ? fields[known.model] : []).flatMap(([name, i], k) => {
    if (k >= inPixels && deviations[i] === 0) {
      return []; // it was not looked for
    }
    const term = document.createElement("dt"), value = document.createElement("dd");
    const digits = k < inPixels ? 1 : 4;
    term.textContent = name;
    value.textContent = `${known.fields[i].toFixed(digits)} ± ${Number(deviations[i].toPrecision(2)).toLocaleString("en", {maximumFractionDigits: 6})}`;
    return [term, value];
  }));
  byId("map").hidden = views === 0;
  if (views > 0) {
    drawMap(byId("map"), {width, height, dots, grid});
  }
}

// drawMap draws where views had corners, on bands of uncertainty.
function drawMap(canvas, {width, height, dots, grid}) {
  canvas.width = 640;
  canvas.height = Math.round(640 * height / width);
  const context = canvas.getContext("2d");
  const scale = canvas.width / width;
  context.fillStyle = grid ? nothing : "#e8e8e8";
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (grid) {
    drawBands(context, grid);
  }
  context.fillStyle = "black";
  for (let i = 0; i < dots.length; i += 2) {
    context.fillRect((dots[i] + 0.5) * scale - 1.5, (dots[i + 1] + 0.5) * scale - 1.5, 3, 3);
  }
}

// drawBands draws bands of what is known at the points of a grid.
function drawBands(context, {columns, rows, values}) {
  const {width, height} = context.canvas;
  const step = 2; // pixels
  for (let y = 0; y < height; y += step) {
    const v = y / height * (rows - 1), row = Math.min(rows - 2, Math.floor(v)), down = v - row;
    for (let x = 0; x < width; x += step) {
      const u = x / width * (columns - 1), column = Math.min(columns - 2, Math.floor(u)), right = u - column;
      const at = row * columns + column;
      const above = values[at] + right * (values[at + 1] - values[at]);
      const below = values[at + columns] + right * (values[at + columns + 1] - values[at + columns]);
      const value = above + down * (below - above);
      context.fillStyle = bands.find(([limit]) => value <= limit)?.[1] ?? nothing;
      context.fillRect(x, y, step, step);
    }
  }
}

// hintText says what to do next. The board is that which is seen: columns, rows, and how many corners.
export function hintText(calibration, [columns]) {
  const {views = 0, most, problem, hint, width, height} = calibration ?? {};
  if (views === most) {
    return "There are enough views.";
  }
  if (columns === 0 && views === 0) {
    return "Show a chessboard to the camera.";
  }
  if (views < leastViews) {
    return `Hold the board still, here and there, and tilted: ${leastViews - views} more ${leastViews - views === 1 ? "view" : "views"}.`;
  }
  if (problem) {
    return problem;
  }
  if (!hint || !(hint.after < hint.before)) {
    return "No other view would help much.";
  }
  const across = hint.x < 0.4 * width ? "left" : hint.x > 0.6 * width ? "right" : "";
  const down = hint.y < 0.4 * height ? "top" : hint.y > 0.6 * height ? "bottom" : "";
  const where = down || across ? `at the ${[down, across].filter(Boolean).join(" ")}` : "in the middle";
  const leaning = [
    hint.tiltX === 0 ? "" : hint.tiltX > 0 ? "top" : "bottom",
    hint.tiltY === 0 ? "" : hint.tiltY > 0 ? "right side" : "left side",
  ].filter(Boolean);
  const tilt = leaning.length === 0 ? "not tilted" : `its ${leaning.join(" and ")} ${Math.max(Math.abs(hint.tiltX), Math.abs(hint.tiltY))}° away from you`;
  return `Next, corners into the outline: ${where}, ${Math.round(hint.size * 100)} % as wide as the picture, ${tilt}: from ${pixels(hint.before)} of uncertainty to ${pixels(hint.after)}.`;
}
