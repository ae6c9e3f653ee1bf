// The system that the page's Python asks: files in memory, clock, chance (WASI preview 1).
// Written for one program: one folder "/", no links, no users, no sockets. A file of the library is
// asked of its source when it is read, and let go when nobody has it open: most are never read.

const OK = 0,
  BADF = 8,
  EXIST = 20,
  INVAL = 28,
  ISDIR = 31,
  IO = 29,
  NOENT = 44,
  NOSYS = 52;
const NOTDIR = 54,
  NOTEMPTY = 55,
  NOTSUP = 58;
const DEVICE = 2,
  FOLDER = 3,
  FILE = 4;
const ROOT = 3; // the number of the folder "/", the first that a program finds open
const encoder = new TextEncoder(),
  decoder = new TextDecoder();
let numbers = 1;

class Folder {
  kind = FOLDER;
  size = 0;
  number = numbers++;
  entries = new Map();
}

class File {
  kind = FILE;
  number = numbers++;
  /** @type {(() => Uint8Array) | null} */
  source = null;
  changed = Date.now();
  // With a size, the bytes are those that a function gives when they are read.
  constructor(bytes = new Uint8Array(0), size = null) {
    if (size === null) this.bytes = bytes;
    else this.source = /** @type {any} */ (bytes);
    this.size = size ?? bytes.length;
    this.own = false;
  }
  get bytes() {
    return (this.held ??= this.source());
  }
  set bytes(bytes) {
    this.held = bytes;
    this.source = null;
  }
  rest() {
    if (this.source) this.held = null;
  }
  resize(size) {
    if (!this.own || size > this.bytes.length) {
      // a file of the library is a view: copied when written
      const grown = new Uint8Array(Math.max(size, 2 * Math.min(this.size, size)));
      grown.set(this.bytes.subarray(0, Math.min(this.size, size)));
      [this.bytes, this.own] = [grown, true];
    }
    if (size < this.size) this.bytes.fill(0, size, this.size);
    this.size = size;
    this.changed = Date.now();
  }
  read(into, at) {
    const part = this.bytes.subarray(at, Math.min(this.size, at + into.length));
    into.set(part);
    return part.length;
  }
  write(from, at) {
    if (!this.own || at + from.length > this.size) this.resize(Math.max(this.size, at + from.length));
    this.bytes.set(from, at);
    return from.length;
  }
}

// What a source throws that cannot be reached now: Python is told, and may ask again.
export class Lost extends Error {}

function reached(act) {
  try {
    return act();
  } catch (problem) {
    if (problem instanceof Lost) return IO;
    throw problem;
  }
}

// Where the page and its Python meet: what is read is the page's message, what is written leaves.
export class Channel {
  kind = DEVICE;
  size = 0;
  number = numbers++;
  input = new Uint8Array(0);
  constructor(leave) {
    this.leave = leave;
  }
  read(into) {
    const part = this.input.subarray(0, into.length);
    into.set(part);
    this.input = this.input.subarray(part.length);
    return part.length;
  }
  write(from) {
    this.leave(from);
    return from.length;
  }
}

export class System {
  root = new Folder();
  open = [];
  memory = null;

  constructor(environment, devices) {
    this.environment = Object.entries(environment).map(([name, value]) =>
      encoder.encode(`${name}=${value}\0`),
    );
    this.words = [encoder.encode("python\0")];
    for (const [path, device] of Object.entries(devices)) this.put(path, device);
    for (let i = 0; i < 3; i++) this.start(`/dev/std${i}`);
    this.start("/", this.root);
  }
  start(path, node = this.find(path)) {
    this.open.push({ path, node, at: 0, append: false });
  }

  // A node at a path; the folders above are made.
  put(path, node) {
    const names = path.split("/").filter(Boolean),
      last = names.pop();
    let folder = this.root;
    for (const name of names) {
      if (!folder.entries.has(name)) folder.entries.set(name, new Folder());
      folder = folder.entries.get(name);
    }
    folder.entries.set(last, node);
  }
  // A small file of text, seen from the page: null where there is none.
  load(path) {
    const node = this.find(path);
    return node instanceof File ? decoder.decode(node.bytes.subarray(0, node.size)) : null;
  }
  save(path, text) {
    if (text !== null) this.add(path, encoder.encode(text));
    else this.find(path.slice(0, path.lastIndexOf("/")))?.entries.delete(path.split("/").at(-1));
  }
  add(path, bytes, size = null) {
    this.put(path, bytes ? new File(bytes, size) : new Folder());
  }
  find(path) {
    let node = this.root;
    for (const name of parts(path)) {
      if (node?.kind !== FOLDER) return undefined;
      node = node.entries.get(name);
    }
    return node;
  }

  get view() {
    return new DataView(this.memory.buffer);
  }
  bytes(at, size) {
    return new Uint8Array(this.memory.buffer, at, size);
  }
  text(at, size) {
    return decoder.decode(this.bytes(at, size).slice());
  }
  // The folder and the name that a path ends in, seen from an open folder.
  place(number, at, size) {
    const base = this.open[number];
    const names = parts(`${base ? base.path : "/"}/${this.text(at, size)}`);
    const name = names.pop(),
      path = `/${names.join("/")}`;
    return {
      folder: this.find(path),
      name,
      path: name === undefined ? "/" : `${path === "/" ? "" : path}/${name}`,
    };
  }
  describe(node, at) {
    const view = this.view,
      time = BigInt(node.changed ?? 0) * 1000000n;
    this.bytes(at, 64).fill(0);
    view.setBigUint64(at, 1n, true);
    view.setBigUint64(at + 8, BigInt(node.number), true);
    view.setUint8(at + 16, node.kind);
    view.setBigUint64(at + 24, 1n, true);
    view.setBigUint64(at + 32, BigInt(node.size), true);
    for (const place of [40, 48, 56]) view.setBigUint64(at + place, time, true);
    return OK;
  }
  // Read or write the pieces of a list, one after the other, until one is not filled.
  pieces(list, count, result, act) {
    let whole = 0;
    for (let i = 0; i < count; i++) {
      const view = this.view,
        size = view.getUint32(list + 8 * i + 4, true);
      const done = size ? act(this.bytes(view.getUint32(list + 8 * i, true), size), whole) : 0;
      whole += done;
      if (done < size) break;
    }
    this.view.setUint32(result, whole, true);
    return OK;
  }
  list(words, at, buffer) {
    for (const word of words) {
      this.view.setUint32(at, buffer, true);
      this.bytes(buffer, word.length).set(word);
      [at, buffer] = [at + 4, buffer + word.length];
    }
    return OK;
  }
  sizes(words, count, size) {
    this.view.setUint32(count, words.length, true);
    this.view.setUint32(
      size,
      words.reduce((sum, word) => sum + word.length, 0),
      true,
    );
    return OK;
  }

  // What is imported as wasi_snapshot_preview1.
  get imports() {
    const known = { ...this.process(), ...this.descriptors(), ...this.paths() };
    return new Proxy({}, { get: (_, name) => known[name] ?? (() => NOSYS), has: () => true });
  }

  process() {
    return {
      args_sizes_get: (count, size) => this.sizes(this.words, count, size),
      args_get: (at, buffer) => this.list(this.words, at, buffer),
      environ_sizes_get: (count, size) => this.sizes(this.environment, count, size),
      environ_get: (at, buffer) => this.list(this.environment, at, buffer),
      clock_res_get: (_, at) => {
        this.view.setBigUint64(at, 100000n, true);
        return OK;
      },
      clock_time_get: (clock, _, at) => {
        this.view.setBigUint64(at, now(clock), true);
        return OK;
      },
      random_get: (at, size) => {
        for (let i = 0; i < size; i += 65536)
          crypto.getRandomValues(this.bytes(at + i, Math.min(65536, size - i)));
        return OK;
      },
      sched_yield: () => OK,
      proc_exit: (code) => {
        throw new Error(`Python ended with ${code}`);
      },
      poll_oneoff: (asked, told, count, result) => this.poll(asked, told, count, result),
    };
  }
  poll(asked, told, count, result) {
    let wait = Infinity;
    const view = this.view;
    for (let i = 0; i < count; i++) {
      const at = asked + 48 * i,
        event = told + 32 * i,
        kind = view.getUint8(at + 8);
      this.bytes(event, 32).fill(0);
      view.setBigUint64(event, view.getBigUint64(at, true), true);
      view.setUint8(event + 10, kind);
      const time = view.getBigUint64(at + 24, true),
        absolute = view.getUint16(at + 40, true) & 1;
      const left = kind ? 0n : absolute ? time - now(view.getUint32(at + 16, true)) : time;
      wait = Math.min(wait, Number(left) / 1e6);
    }
    if (wait > 0 && wait < Infinity) Atomics.wait(sleeper(), 0, 0, wait);
    view.setUint32(result, count, true);
    return OK;
  }

  descriptors() {
    const on =
      (act) =>
      (number, ...rest) =>
        this.open[number] ? act(this.open[number], ...rest) : BADF;
    const file = (act) =>
      on((f, ...rest) => (f.node.kind === FOLDER ? ISDIR : reached(() => act(f, ...rest))));
    return {
      fd_advise: on(() => OK),
      fd_datasync: on(() => OK),
      fd_sync: on(() => OK),
      fd_fdstat_set_flags: on((f, flags) => {
        f.append = Boolean(flags & 1);
        return OK;
      }),
      fd_filestat_set_times: on(() => OK),
      fd_close: (number) => {
        const node = this.open[number]?.node;
        if (!node) return BADF;
        this.open[number] = null;
        if (node.kind === FILE && !this.open.some((f) => f?.node === node)) node.rest();
        return OK;
      },
      fd_fdstat_get: on((f, at) => {
        this.bytes(at, 24).fill(0);
        this.view.setUint8(at, f.node.kind);
        this.view.setUint16(at + 2, f.append ? 1 : 0, true);
        for (const place of [8, 16]) this.view.setBigUint64(at + place, (1n << 30n) - 1n, true);
        return OK;
      }),
      fd_filestat_get: on((f, at) => this.describe(f.node, at)),
      fd_filestat_set_size: file((f, size) => {
        f.node.resize(Number(size));
        return OK;
      }),
      fd_prestat_get: (number, at) => {
        if (number !== ROOT) return BADF;
        this.view.setUint32(at, 0, true);
        this.view.setUint32(at + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (number, at) => {
        this.bytes(at, 1)[0] = 47;
        return number === ROOT ? OK : BADF;
      },
      fd_read: file((f, list, count, result) =>
        this.pieces(list, count, result, (into) => {
          const done = f.node.read(into, f.at);
          f.at += done;
          return done;
        }),
      ),
      fd_pread: file((f, list, count, at, result) =>
        this.pieces(list, count, result, (into, whole) => f.node.read(into, Number(at) + whole)),
      ),
      fd_write: file((f, list, count, result) => {
        return this.pieces(list, count, result, (from) => {
          if (f.append) f.at = f.node.size;
          f.at += f.node.write(from, f.at);
          return from.length;
        });
      }),
      fd_pwrite: file((f, list, count, at, result) => {
        return this.pieces(list, count, result, (from, whole) => f.node.write(from, Number(at) + whole));
      }),
      fd_seek: file((f, step, from, result) => {
        const at = [0, f.at, f.node.size][from] + Number(step);
        if (!(at >= 0)) return INVAL;
        f.at = at;
        this.view.setBigUint64(result, BigInt(at), true);
        return OK;
      }),
      fd_tell: file((f, result) => {
        this.view.setBigUint64(result, BigInt(f.at), true);
        return OK;
      }),
      fd_readdir: on((f, buffer, size, cookie, result) =>
        this.listing(f.node, buffer, size, Number(cookie), result),
      ),
    };
  }
  listing(folder, buffer, size, cookie, result) {
    if (folder.kind !== FOLDER) return NOTDIR;
    const names = [...folder.entries];
    let used = 0;
    for (let i = cookie; i < names.length && used < size; i++) {
      const [name, node] = names[i],
        word = encoder.encode(name);
      const entry = new Uint8Array(24 + word.length),
        view = new DataView(entry.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setBigUint64(8, BigInt(node.number), true);
      view.setUint32(16, word.length, true);
      view.setUint8(20, node.kind);
      entry.set(word, 24);
      const part = entry.subarray(0, size - used);
      this.bytes(buffer + used, part.length).set(part);
      used += part.length;
    }
    this.view.setUint32(result, used, true);
    return OK;
  }

  paths() {
    const at =
      (act) =>
      (number, start, size, ...rest) => {
        const found = this.place(number, start, size);
        if (!found.folder) return NOENT;
        if (found.folder.kind !== FOLDER) return NOTDIR;
        return act(
          found,
          found.name === undefined ? this.root : found.folder.entries.get(found.name),
          ...rest,
        );
      };
    const open = at((found, node, wanted, flags, result) => this.opened(found, node, wanted, flags, result));
    const stat = at((found, node, into) => (node ? this.describe(node, into) : NOENT));
    return {
      path_open: (number, _, start, size, wanted, r1, r2, flags, result) =>
        open(number, start, size, wanted, flags, result),
      path_filestat_get: (number, _, start, size, into) => stat(number, start, size, into),
      path_filestat_set_times: () => OK,
      path_create_directory: at((found, node) => {
        if (node) return EXIST;
        found.folder.entries.set(found.name, new Folder());
        return OK;
      }),
      path_unlink_file: at((found, node) =>
        node ? this.remove(found, node.kind === FOLDER && ISDIR) : NOENT,
      ),
      path_remove_directory: at((found, node) => {
        if (!node) return NOENT;
        return this.remove(found, node.kind !== FOLDER ? NOTDIR : node.entries.size && NOTEMPTY);
      }),
      path_rename: (number, start, size, other, start2, size2) => {
        const from = this.place(number, start, size),
          to = this.place(other, start2, size2);
        const node = from.folder?.entries?.get(from.name);
        if (!node || to.folder?.kind !== FOLDER) return NOENT;
        from.folder.entries.delete(from.name);
        to.folder.entries.set(to.name, node);
        return OK;
      },
      path_readlink: () => INVAL,
      path_link: () => NOTSUP,
      path_symlink: () => NOTSUP,
    };
  }
  remove(found, problem) {
    if (problem) return problem;
    found.folder.entries.delete(found.name);
    return OK;
  }
  opened(found, node, wanted, flags, result) {
    const [create, folder, fresh, empty] = [1, 2, 4, 8].map((bit) => wanted & bit);
    if (node && create && fresh) return EXIST;
    if (node && folder && node.kind !== FOLDER) return NOTDIR;
    if (!node && !create) return NOENT;
    if (!node) {
      node = new File();
      found.folder.entries.set(found.name, node);
    }
    if (empty && node.kind === FILE) node.resize(0);
    let number = this.open.indexOf(null);
    if (number < 0) number = this.open.length;
    this.open[number] = { path: found.path, node, at: 0, append: Boolean(flags & 1) };
    this.view.setUint32(result, number, true);
    return OK;
  }
}

function parts(path) {
  const names = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name && name !== ".") names.push(name);
  }
  return names;
}

// Nanoseconds: of the day for clock 0, since the start for the others.
function now(clock) {
  return BigInt(Math.round((clock ? performance.now() : performance.timeOrigin + performance.now()) * 1e6));
}

let shared;
function sleeper() {
  shared ??= new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  return new Int32Array(shared.buffer);
}
