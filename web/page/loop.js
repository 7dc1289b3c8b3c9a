// A camera that somebody holds in front of a photo: what there is to see before there is another
// video. It comes back to where it began, so that the video has no end.

// The photo, and the size of frames.
export const photo = "samples/mountains.webp";
export const width = 640, height = 360;

// parts returns two pictures, which overlap, of what one could take of the photo: the second one
// with a camera that is held otherwise.
export function parts(scenery) {
  return [[420, 320, 0, 1], [830, 330, 0.07, 0.94]].map(([x, y, angle, zoom]) => {
    const canvas = new OffscreenCanvas(640, 520);
    const c = canvas.getContext("2d", {alpha: false});
    c.imageSmoothingQuality = "high";
    c.translate(320, 260);
    c.rotate(angle);
    c.scale(zoom, zoom);
    c.drawImage(scenery, -x, -y);
    return canvas.transferToImageBitmap();
  });
}

const period = 240; // frames
const scale = 1.25; // pixels of the photo for one of a frame

// camera returns what the camera sees in a frame: the pixel x, y is a*x+b*y+c, d*x+e*y+f of the
// photo. It glides from side to side, and shakes 2 to 6 times a second in 30 frames.
export function camera(frame) {
  const t = frame % period * 2 * Math.PI / period;
  const x = 640 + 190 * Math.sin(t) + 7 * Math.sin(19 * t) + 5 * Math.sin(31 * t + 1) + 4 * Math.sin(47 * t + 2);
  const y = 320 + 40 * Math.sin(2 * t + 1) + 6 * Math.sin(23 * t + 4) + 5 * Math.sin(37 * t + 3) + 3 * Math.sin(43 * t);
  const angle = 0.012 * Math.sin(17 * t) + 0.008 * Math.sin(29 * t + 1);
  const cos = scale * Math.cos(angle), sin = scale * Math.sin(angle);
  const cx = (width - 1) / 2, cy = (height - 1) / 2;
  return [cos, -sin, x - cos * cx + sin * cy, sin, cos, y - sin * cx - cos * cy];
}
