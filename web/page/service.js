// The service worker: it keeps the files of the page, which then works without a network.
// What it keeps belongs to one version, since files of different ones do not fit together.

importScripts("files.js"); // version, and files with their names

// Pages of the same server in other folders have names of their own.
const mine = `fast ${registration.scope} `;
const name = mine + version;

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(forget()));
addEventListener("message", () => skipWaiting());
addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(registration.scope)) {
    event.respondWith(answer(event.request));
  }
});

// keep fetches all files but the programs that not all rooms need, which are kept when a room has asked
// for them. The name of a program changes with its content.
async function keep() {
  const cache = await caches.open(name);
  await cache.addAll(files.map((file) => new Request(file, {cache: file.endsWith(".bin") ? "default" : "no-cache"})));
}

// forget removes other versions.
async function forget() {
  for (const other of await caches.keys()) {
    if (other.startsWith(mine) && other !== name) {
      await caches.delete(other);
    }
  }
}

async function answer(request) {
  const cache = await caches.open(name);
  const kept = await cache.match(request, {ignoreSearch: true});
  if (kept) {
    return kept;
  }
  const response = await fetch(request);
  if (response.ok && request.url.endsWith(".bin")) {
    await cache.put(request, response.clone());
  }
  return response;
}
