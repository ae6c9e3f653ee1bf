// JupyterLab's side with workers that only note what they are told.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const HERE = new URL("../lite_kernel/", import.meta.url);
const PARTS = {
  wasm: { url: "a" },
  library: { url: "b" },
  index: "i",
  soon: [],
  kept: { file: "f", name: "n" },
  language: "en",
  words: { en: {}, de: {} },
};
for (const [code, words] of Object.entries(PARTS.words))
  for (const name of ["old", "stopped", "ended", "rests"]) words[name] = `${code} ${name}`;
let workers, sent, stored, create, client;

class Worker {
  told = [];
  constructor() {
    workers.push(this);
  }
  postMessage(message) {
    this.told.push(message);
  }
  terminate() {
    this.ended = true;
  }
  say(data) {
    this.onmessage({ data });
  }
}
const turn = () => new Promise((resolve) => setTimeout(resolve));
const ready = async (worker) => {
  worker.say({ ready: true });
  await turn();
};
const cell = (id, more = {}) => ({
  header: { msg_id: id, msg_type: "execute_request", session: "s" },
  parent_header: {},
  metadata: {},
  content: { code: id, stop_on_error: true, ...more },
});
const finish = async (worker, status = "ok") => {
  worker.say({ message: { header: { msg_type: "execute_reply" }, content: { status } } });
  worker.say({ done: true });
  await turn();
};
const codes = (worker) => worker.told.filter((one) => one.message).map((one) => one.message.content.code);
const replies = () =>
  sent.filter((one) => one.header.msg_type === "execute_reply").map((one) => one.content.status);

const line = { setAttribute: () => {}, style: {} };
Object.assign(globalThis, {
  window: { localStorage: null },
  location: { search: "" },
  self: globalThis,
  Worker,
  document: {
    currentScript: { src: new URL("lab.js", HERE).href },
    getElementById: () => line,
    addEventListener: () => {},
  },
  fetch: async () => ({ json: async () => PARTS }),
});
globalThis.localStorage = {
  getItem: () => stored,
  setItem: (_, text) => (stored = text),
  removeItem: () => (stored = null),
};
WebAssembly.validate = () => true; // node may be older than the browsers that are asked for
await import(new URL("lab.js", HERE));

beforeEach(async () => {
  [workers, sent, stored] = [[], [], null];
  const module = (exports) => ({ any: { get: async () => () => exports } });
  const names = ["notebook", "apputils", "ui-components", "coreutils"].map((name) => `@jupyterlab/${name}`);
  const extension = globalThis.window._JUPYTERLAB["lite-kernel"];
  extension.init({
    "@jupyterlite/services": module({}),
    ...Object.fromEntries(names.map((name) => [name, module({})])),
  });
  const { default: plugins } = (await extension.get("./extension"))();
  client = {};
  plugins[1].activate(null, { register: (kernel) => ({ create } = kernel) }, client);
});
const begin = (id = "k") =>
  create({ id, name: "python3", location: "", sendMessage: (message) => sent.push(message) });

test("storage that is switched off, null in Firefox, is refused", () => {
  assert.throws(() => globalThis.window.localStorage, { name: "SecurityError" });
});

test("Python begins before a notebook asks, and cells run one after another", async () => {
  assert.equal(workers.length, 1);
  const kernel = await begin();
  kernel.handleMessage(cell("1"));
  kernel.handleMessage(cell("2"));
  assert.deepEqual(codes(workers[0]), []);
  await ready(workers[0]);
  assert.deepEqual(codes(workers[0]), ["1"]);
  await finish(workers[0]);
  assert.deepEqual(codes(workers[0]), ["1", "2"]);
});

test("after an error the cells that wait are told that they will not run", async () => {
  const kernel = await begin();
  await ready(workers[0]);
  for (const name of ["1", "2", "3"]) kernel.handleMessage(cell(name));
  await finish(workers[0], "error");
  assert.deepEqual(replies(), ["error", "aborted", "aborted"]);
  kernel.handleMessage(cell("4", { stop_on_error: false }));
  kernel.handleMessage(cell("5"));
  await finish(workers[0], "error");
  assert.deepEqual(codes(workers[0]), ["1", "4", "5"]);
});

test("a stopped cell is answered, and Python starts again", async () => {
  const kernel = await begin();
  await ready(workers[0]);
  await client.interrupt("k");
  assert.equal(workers.length, 1); // nothing ran
  kernel.handleMessage(cell("1"));
  kernel.handleMessage(cell("2"));
  await client.interrupt("k");
  assert.deepEqual(replies(), ["error", "aborted"]);
  assert.equal(workers[0].ended, true);
  await ready(workers[1]);
  kernel.handleMessage(cell("3"));
  assert.deepEqual(codes(workers[1]), ["3"]);
});

test("a Python that ended says so to the cell that ran", async (context) => {
  context.mock.method(console, "error", () => {});
  const kernel = await begin();
  await ready(workers[0]);
  kernel.handleMessage(cell("1"));
  workers[0].say({ died: "RuntimeError: unreachable", said: "" });
  assert.deepEqual(replies(), ["error"]);
  assert.match(sent.find((one) => one.header.msg_type === "error").content.evalue, /^en ended$/);
  assert.equal(workers.length, 2);
});

test("what is said beside a notebook is in the language whose folder holds it", async () => {
  const kernel = await begin();
  await ready(workers[0]);
  const said = async () => {
    kernel.handleMessage(cell("1"));
    await client.interrupt("k");
    await ready(workers.at(-1));
    return sent.findLast((one) => one.header.msg_type === "error").content.evalue;
  };
  globalThis.location.search = "?path=de/a.ipynb"; // no notebook is in front yet
  assert.equal(await said(), "de stopped");
  const context = { path: "fr/a.ipynb" };
  globalThis.window.jupyterapp = { shell: { currentWidget: { context } } };
  assert.equal(await said(), "en stopped");
  context.path = "de/a.ipynb";
  assert.equal(await said(), "de stopped");
  delete globalThis.window.jupyterapp;
  globalThis.location.search = "";
});

test("a browser without WebAssembly is told, nothing is loaded, and no kernel asked for", async (context) => {
  const { WebAssembly } = globalThis;
  context.after(() => Object.assign(globalThis, { WebAssembly }));
  for (const there of [undefined, { validate: () => false }]) {
    globalThis.WebAssembly = there;
    workers = [];
    const { default: plugins } = (await globalThis.window._JUPYTERLAB["lite-kernel"].get("./extension"))();
    assert.deepEqual([plugins.length, workers, line.textContent], [1, [], "en old"]);
    const panel = { sessionContext: { kernelPreference: { name: "python3" } } };
    plugins[0].activate(null, { widgetAdded: { connect: (listener) => listener(null, panel) } });
    assert.deepEqual(panel.sessionContext.kernelPreference, { name: "python3", shouldStart: false });
    line.textContent = "";
  }
});

test("more kernels than memory holds: one at rest gives its Python up, until it is asked again", async () => {
  const kernels = [];
  for (let i = 0; i < 4; i++) {
    kernels.push(await begin(`k${i}`));
    await ready(workers[i]);
  }
  kernels[0].handleMessage(cell("busy"));
  await begin("k4");
  assert.deepEqual(
    workers.map((worker) => Boolean(worker.ended)),
    [false, true, false, false, false],
  );
  await ready(workers[4]);
  kernels[1].handleMessage(cell("again"));
  assert.equal(workers.length, 6);
});

test("the kept file goes with a message only when it changed", async () => {
  const kernel = await begin();
  await ready(workers[0]);
  stored = "one";
  kernel.handleMessage(cell("1"));
  assert.equal(workers[0].told.at(-1).record, "one");
  workers[0].say({ record: "two" });
  assert.equal(stored, "two");
  await finish(workers[0]);
  kernel.handleMessage(cell("2"));
  assert.ok(!("record" in workers[0].told.at(-1)));
});
