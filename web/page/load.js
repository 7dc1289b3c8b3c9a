// Loads the programs that find things. The page has this file read before its others, so that the
// program that is needed first is loaded at the same time as those.

import {programs} from "./program.js";

// programOf returns the name of the program that a room needs.
export function programOf(room) {
  return ["markers", "calibrate"].includes(room) ? "boards" : "first";
}

const loads = new Map(); // by names of programs: {program: a promise, done: the part that is there, tell}

// load returns a compiled program, and calls progress with the part of it that is there, 0 to 1. The
// file is compressed with gzip, whatever the server does.
export function load(name = "first", progress = () => {}) {
  if (!loads.has(name)) {
    const own = {done: 0, tell: () => {}};
    own.program = compile(programs[name], (done) => {
      own.done = done;
      own.tell(done);
    });
    own.program.catch(() => loads.delete(name)); // it may be there the next time
    loads.set(name, own);
  }
  const own = loads.get(name);
  own.tell = progress;
  progress(own.done);
  return own.program;
}

async function compile({name, size}, progress) {
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

load(programOf(new URLSearchParams(globalThis.location?.hash.slice(1)).get("show"))).catch(() => {}); // who needs it is told
