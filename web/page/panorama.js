// Puts two photos together.

// compose returns the first picture and the second one, which the program has moved to where it
// belongs, as one picture, or null if there is none. At its edges the first one fades into the
// second, so that no seam is seen.
export function compose([first, second], moved, memory) {
  if (!moved) {
    return null;
  }
  const {address, x, y, width, height} = moved;
  const left = Math.min(0, x), top = Math.min(0, y);
  const whole = new OffscreenCanvas(Math.max(first.width, x + width) - left, Math.max(first.height, y + height) - top);
  const pixels = new OffscreenCanvas(width, height);
  pixels.getContext("2d").putImageData(new ImageData(inside(memory.buffer.slice(address, address + 4 * width * height)), width, height), 0, 0);
  const c = whole.getContext("2d");
  c.drawImage(first.bitmap, -left, -top);
  c.drawImage(pixels, x - left, y - top);
  c.drawImage(faded(first), -left, -top);
  return {bitmap: whole, width: whole.width, height: whole.height, first, second, origin: [-left, -top]};
}

// inside returns pixels without those at the edge, of which a part is transparent: their colors are
// mixed with black, and would be seen as a line.
function inside(buffer) {
  const pixels = new Uint32Array(buffer);
  for (let i = 0; i < pixels.length; i++) {
    if (pixels[i] >>> 24 !== 255) {
      pixels[i] = 0;
    }
  }
  return new Uint8ClampedArray(buffer);
}

// faded returns a picture that is transparent at its edges.
function faded({bitmap, width, height}) {
  const canvas = new OffscreenCanvas(width, height);
  const c = canvas.getContext("2d");
  c.drawImage(bitmap, 0, 0);
  c.globalCompositeOperation = "destination-out";
  const depth = Math.min(width, height) / 8;
  for (const [x0, y0, x1, y1] of [[0, 0, depth, 0], [width, 0, width - depth, 0], [0, 0, 0, depth], [0, height, 0, height - depth]]) {
    const gradient = c.createLinearGradient(x0, y0, x1, y1);
    gradient.addColorStop(0, "black");
    gradient.addColorStop(1, "transparent");
    c.fillStyle = gradient;
    c.fillRect(0, 0, width, height);
  }
  return canvas;
}
