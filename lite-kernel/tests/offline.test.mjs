// The service worker with a cache and a network of plain maps.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import vm from "node:vm";

const SCRIPT = readFileSync(new URL("../lite_kernel/offline.js", import.meta.url), "utf-8");
const SCOPE = "https://host/site/";
let stores, network, loads, quota;

class Cache {
  files = new Map();
  match = async (address) => this.files.get(address)?.clone();
  put = async (address, response) => {
    if (this.files.size >= quota) throw Object.assign(new Error("no room"), { name: "QuotaExceededError" });
    this.files.set(address, response);
  };
}
const caches = {
  keys: async () => [...stores.keys()],
  open: async (name) => stores.get(name) ?? stores.set(name, new Cache()).get(name),
  delete: async (name) => stores.delete(name),
  match: async (address, { cacheName }) => stores.get(cacheName)?.match(address),
};
const worker = (name, files) => {
  const heard = {},
    windows = [];
  const fetch = async (address) => {
    const path = address.slice(SCOPE.length),
      text = network[path];
    loads.push(path);
    return new Response(text ?? "", { status: text === undefined ? 404 : 200 });
  };
  let taken = false;
  const context = { caches, fetch, Response, URL, Error, Map, Promise, Object, decodeURI };
  Object.assign(context, { EDITION: { name, files }, registration: { scope: SCOPE } });
  context.addEventListener = (kind, act) => (heard[kind] = act);
  context.clients = { matchAll: async () => windows };
  context.skipWaiting = async () => (taken = true);
  vm.runInNewContext(SCRIPT, context);
  const send = async (kind, event = {}) => {
    let result;
    heard[kind]({ ...event, waitUntil: (act) => (result = act), respondWith: (act) => (result = act) });
    return result;
  };
  return { send, windows, taken: () => taken };
};
const get = (path, mode = "cors") => ({ request: { url: SCOPE + path, method: "GET", mode } });
const FILES = { "index.html": "d1", "a.js": "d2", "b.js": "d3" };

beforeEach(() => {
  stores = new Map();
  network = { "index.html": "page", "a.js": "A", "b.js": "B" };
  loads = [];
  quota = Infinity;
});

test("all files of an edition are kept, and given without network", async () => {
  const { send } = worker("1", FILES);
  await send("install");
  network = {};
  assert.equal(await (await send("fetch", get("", "navigate"))).text(), "page");
  assert.equal(await (await send("fetch", get("b.js"))).text(), "B");
  assert.equal(await send("fetch", get("other.js")), undefined);
});

test("an interrupted visit is continued, not begun anew", async () => {
  const text = network["b.js"];
  delete network["b.js"];
  await assert.rejects(worker("1", FILES).send("install"), /b.js: 404/);
  network["b.js"] = text;
  const before = loads.filter((path) => path === "a.js").length;
  await worker("1", FILES).send("install");
  assert.equal(loads.filter((path) => path === "a.js").length, before);
});

test("a newer edition takes what did not change from the older, which then goes", async () => {
  await worker("1", FILES).send("install");
  loads = [];
  network["a.js"] = "A2";
  const { send } = worker("2", { ...FILES, "a.js": "d4" });
  await send("install");
  assert.deepEqual(loads, ["a.js"]);
  await caches.open("somebody else's");
  await send("activate");
  assert.deepEqual([...stores.keys()].sort(), [`lite-kernel ${SCOPE} 2`, "somebody else's"]);
  assert.equal(await (await send("fetch", get("a.js"))).text(), "A2");
});

test("where there is no room nothing of it stays", async () => {
  quota = 1;
  await assert.rejects(worker("1", FILES).send("install"), /no room/);
  assert.equal(stores.size, 0);
});

test("an edition is exchanged only when no other page shows the older", async () => {
  const { send, windows, taken } = worker("1", FILES),
    told = [];
  const source = { postMessage: (message) => told.push(message.others) };
  windows.push({}, {});
  await send("message", { source });
  assert.deepEqual([told, taken()], [[1], false]);
  windows.pop();
  await send("message", { source });
  assert.equal(taken(), true);
});
