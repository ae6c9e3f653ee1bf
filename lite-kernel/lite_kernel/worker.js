// Python in a worker: loads it, hands it one message at a time, and passes on what it says.

import { inflate } from "./inflate.js";
import { Channel, Lost, System } from "./wasi.js";

const INSIDE = "__import__('lite_kernel.inside', fromlist=['x'])";
const encoder = new TextEncoder(),
  decoder = new TextDecoder();
const HEAD = 4; // bytes of the length that begins a frame
const IDLE = 100; // ms without a message
/** @type {any} */
let python; // the functions that Python's module exports
let waiting,
  lost = "";
// The site's own: modules imported one after the other while nobody asks, so that a first cell finds
// them, and a file that the page keeps for the next visit.
let soon = [],
  kept = "";

const printed = (bytes) => {
  const text = decoder.decode(bytes.slice());
  lost = (lost + text).slice(-4000);
  console.log(text);
};
const channel = new Channel((bytes) => {
  const { message, buffers } = unpack(bytes.slice());
  postMessage({ message: { ...message, buffers } }, buffers);
});
const devices = {
  "/dev/std0": new Channel(printed),
  "/dev/std1": new Channel(printed),
  "/dev/std2": new Channel(printed),
};
const environment = { HOME: "/tmp", TMPDIR: "/tmp", MPLCONFIGDIR: "/tmp", MPLBACKEND: "agg" };
const system = new System(environment, { ...devices, "/dev/page": channel });

onmessage = async ({ data }) => {
  clearTimeout(waiting);
  try {
    if (data.start) {
      await start(data.start);
      postMessage({ ready: true });
    } else if (data.message) {
      channel.input = pack(data.message);
      if (data.record !== undefined) system.save(kept, data.record);
      const before = kept && system.find(kept);
      turn(`${INSIDE}.turn()`);
      if (kept && system.find(kept) !== before) postMessage({ record: system.load(kept) });
      postMessage({ done: true });
    }
  } catch (problem) {
    try {
      run("__import__('sys').stderr.flush()");
    } catch {
      /* it is too late for its words */
    }
    postMessage({ died: `${problem}`, said: lost });
    return;
  }
  waiting = setTimeout(importNext, IDLE);
};

// Names nothing for the cells, and shows nothing: a value would be said by the cell that ran last.
// What fails is told where a cell imports it.
function importNext() {
  if (!soon.length) return;
  run(`__import__("${soon.shift()}") and None`);
  waiting = setTimeout(importNext, IDLE);
}

async function start({ parts, index, ...own }) {
  soon = own.soon;
  kept = own.kept ? `/notebooks/${own.kept}` : "";
  const progress = { loaded: 0, whole: parts.wasm.size + parts.library.size };
  const [module, library, list] = await Promise.all([
    load(parts.wasm, progress).then(unzipped).then(WebAssembly.compileStreaming),
    load(parts.library, progress).then((stream) => new Response(stream).arrayBuffer()),
    fetch(index).then((answer) => answer.json()),
  ]);
  for (const [name, files] of Object.entries(list))
    fill(files, new URL(name, index).href, parts.library.url, new Uint8Array(library));
  system.add("/tmp");
  const { exports } = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: system.imports,
    host: { call: () => -1 },
  });
  python = exports;
  system.memory = python.memory;
  python._initialize();
  turn(`${INSIDE}.start()`);
}

// A file as it comes, counted.
async function load(part, progress) {
  const answer = await fetch(part.url);
  if (!answer.ok) throw new Error(`${part.url} does not load (${answer.status})`);
  return answer.body.pipeThrough(
    new TransformStream({
      transform(piece, out) {
        progress.loaded += piece.length;
        postMessage({ loaded: progress.loaded, whole: progress.whole });
        out.enqueue(piece);
      },
    }),
  );
}

function unzipped(stream) {
  const headers = { "Content-Type": "application/wasm" };
  return new Response(stream.pipeThrough(new DecompressionStream("gzip")), { headers });
}

// Each file lies packed in its piece; what does not shrink lies there as it is. The first piece is
// here, another comes when one of its files is read: Python waits for it, so this does too.
function fill(files, url, first, library) {
  const whole = files.reduce((sum, [, , packed]) => sum + packed, 0);
  let piece = url === first ? library : null,
    end = 0;
  if (piece && piece.length !== whole) throw new Error("the library is not whole: load the page again");
  for (const [path, size, packed] of files) {
    const at = end;
    end += packed;
    system.add(
      `/${path}`,
      () => {
        piece ??= asked(url, whole);
        const part = piece.subarray(at, at + packed);
        return packed < size ? inflate(part, size) : part;
      },
      size,
    );
  }
}

function asked(url, whole) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  try {
    request.send();
  } catch {
    throw new Lost(url);
  }
  if (!(request.response?.byteLength === whole)) throw new Lost(url);
  return new Uint8Array(request.response);
}

function turn(source) {
  if (run(source)) throw new Error("Python's own part failed");
}

// What the reactor says of a source: 0, or 1 after its error was printed.
function run(source) {
  const words = encoder.encode(source);
  const at = python.host_alloc(words.length);
  system.bytes(at, words.length).set(words);
  return python.turn(at, words.length);
}

// The frames of messages.py.
function pack({ buffers = [], ...message }) {
  const pieces = buffers.map(
    (buffer) => new Uint8Array(buffer.buffer ?? buffer, buffer.byteOffset ?? 0, buffer.byteLength),
  );
  const words = encoder.encode(JSON.stringify({ ...message, sizes: pieces.map((piece) => piece.length) }));
  const frame = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, HEAD + words.length));
  new DataView(frame.buffer).setUint32(0, words.length, true);
  frame.set(words, HEAD);
  let at = HEAD + words.length;
  for (const piece of pieces) {
    frame.set(piece, at);
    at += piece.length;
  }
  return frame;
}

function unpack(frame) {
  let at = HEAD + new DataView(frame.buffer).getUint32(0, true);
  const { sizes, ...message } = JSON.parse(decoder.decode(frame.subarray(HEAD, at)));
  const buffers = sizes.map((size) => frame.slice(at, (at += size)).buffer);
  return { message, buffers };
}
