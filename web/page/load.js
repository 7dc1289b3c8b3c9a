// Loads the program that finds corners.

import {name, size} from "./program.js";

// load returns the compiled program, and calls progress with the part of it that is there,
// 0 to 1. The file is compressed with gzip, whatever the server does.
export async function load(progress = () => {}) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) {
    throw new Error(`the server answers ${response.status} for ${name}`);
  }
  let done = 0;
  const counter = new TransformStream({
    transform(chunk, controller) {
      done += chunk.length;
      progress(done / size);
      controller.enqueue(chunk);
    },
  });
  const program = response.body.pipeThrough(counter).pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(program, {headers: {"Content-Type": "application/wasm"}}));
}
