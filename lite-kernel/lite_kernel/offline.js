// The site without network: all files of one edition are kept, each checked, or none.
// The build puts before this `const EDITION = { name, files: { path: digest } }`.

const OURS = `lite-kernel ${registration.scope} `;
const CACHE = OURS + EDITION.name;
const LIST = new URL("lite-kernel-kept.json", registration.scope).href; // stands in a cache that is whole
const AT_ONCE = 6; // requests side by side

/** @param {ExtendableEvent} event */
const installed = (event) => event.waitUntil(keepAll());
/** @param {ExtendableEvent} event */
const activated = (event) => event.waitUntil(forgetOthers());
/** @param {ExtendableMessageEvent} event */
const asked = (event) => event.waitUntil(takeOver(event.source));
/** @param {FetchEvent} event */
const fetched = (event) => {
  const path = pathOf(event.request.url);
  if (event.request.method === "GET" && path in EDITION.files) event.respondWith(answer(event.request, path));
};
addEventListener("install", installed);
addEventListener("activate", activated);
addEventListener("message", asked);
addEventListener("fetch", fetched);

const addressOf = (path) => new URL(path, registration.scope).href;
const pathOf = (address) => {
  const { origin, pathname } = new URL(address);
  const path = decodeURI((origin + pathname).replace(registration.scope, ""));
  return path.replace(/(^|\/)$/, "$1index.html");
};

async function keepAll() {
  const kept = await caches.open(CACHE),
    older = await olderFiles();
  const waiting = Object.entries(EDITION.files);
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, digest] = next,
        address = addressOf(path);
      // What an interrupted visit or an older edition has is not loaded again.
      if (await kept.match(address)) continue;
      await kept.put(address, (await older(digest)) ?? (await load(path)));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await kept.put(LIST, Response.json(EDITION.files));
  } catch (problem) {
    waiting.length = 0;
    if (problem.name === "QuotaExceededError") await caches.delete(CACHE); // room for the reader's own
    throw problem;
  }
}

// A function from a digest to the file that an older edition keeps with it.
async function olderFiles() {
  const places = new Map();
  for (const name of await caches.keys()) {
    if (!name.startsWith(OURS) || name === CACHE) continue;
    const cache = await caches.open(name);
    const files = (await (await cache.match(LIST))?.json()) ?? {};
    for (const [path, digest] of Object.entries(files))
      places.set(digest, () => cache.match(addressOf(path)));
  }
  return (digest) => places.get(digest)?.();
}

// Exactly the file of this edition: another one under its name is an error.
async function load(path) {
  const loaded = await fetch(addressOf(path), { integrity: EDITION.files[path], cache: "no-cache" });
  if (!loaded.ok) throw new Error(`${path}: ${loaded.status}`);
  const headers = { "Content-Type": loaded.headers.get("Content-Type") ?? "" };
  return new Response(loaded.body, { headers }); // without a host's redirection
}

async function forgetOthers() {
  for (const name of await caches.keys())
    if (name.startsWith(OURS) && name !== CACHE) await caches.delete(name);
}

// A page asks for the newer edition: not while another page shows the older one.
async function takeOver(page) {
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (pages.length > 1) page.postMessage({ others: pages.length - 1 });
  else await skipWaiting();
}

async function answer(request, path) {
  const opens = request.mode === "navigate";
  const found = await caches.match(addressOf(path), { cacheName: CACHE });
  // The cache may have been given up for room: then the page comes as the host has it.
  return found ?? (opens ? fetch(request) : load(path));
}
