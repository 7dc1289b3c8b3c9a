// What figures has measured: milliseconds for a frame of 640 x 480, of this page and of
// OpenCV.js in the same browser.

export const measured = {date: "", browser: "", machine: "", opencv: "", tests: {}};
