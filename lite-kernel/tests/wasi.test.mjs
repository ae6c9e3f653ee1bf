// The system that the page's Python asks, asked directly.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Channel, Lost, System } from "../lite_kernel/wasi.js";

const [ROOT, AT, LIST, RESULT, DATA] = [3, 0, 1000, 2000, 3000];
const [BADF, EXIST, INVAL, IO, ISDIR, NOENT, NOSYS, NOTDIR, NOTEMPTY] = [8, 20, 28, 29, 31, 44, 52, 54, 55];
const CREATE = 1,
  EXCLUSIVE = 4,
  EMPTY = 8;
const encoder = new TextEncoder(),
  decoder = new TextDecoder();
let system, call, printed;

const word = (text, at = AT) => {
  const bytes = encoder.encode(text);
  system.bytes(at, bytes.length).set(bytes);
  return [at, bytes.length];
};
const number = (at = RESULT) => system.view.getUint32(at, true);
const open = (path, wanted = 0, append = 0) => {
  const code = call.path_open(ROOT, 0, ...word(path), wanted, 0n, 0n, append, RESULT);
  return code ? { code } : { code, file: number() };
};
const list = (...sizes) => {
  let data = DATA;
  for (const [i, size] of sizes.entries()) {
    system.view.setUint32(LIST + 8 * i, data, true);
    system.view.setUint32(LIST + 8 * i + 4, size, true);
    data += size;
  }
  return [LIST, sizes.length];
};
const write = (file, text) => {
  const [, size] = word(text, DATA);
  const code = call.fd_write(file, ...list(size), RESULT);
  return code || number();
};
const read = (file, ...sizes) => {
  assert.equal(call.fd_read(file, ...list(...sizes), RESULT), 0);
  return decoder.decode(system.bytes(DATA, number()).slice());
};
const seek = (file, step, from) => call.fd_seek(file, BigInt(step), from, RESULT);

beforeEach(() => {
  printed = "";
  const device = new Channel((bytes) => (printed += decoder.decode(bytes.slice())));
  system = new System({ HOME: "/tmp" }, { "/dev/std0": device, "/dev/std1": device, "/dev/std2": device });
  system.memory = { buffer: new ArrayBuffer(65536) };
  system.add("/tmp");
  call = system.imports;
});

test("what is written is read, in pieces, and by the page", () => {
  const { file } = open("tmp/a", CREATE);
  assert.equal(write(file, "hello world"), 11);
  assert.equal(seek(file, 0, 0), 0);
  assert.equal(read(file, 5, 1, 50), "hello world");
  assert.equal(seek(file, -5, 2), 0);
  assert.equal(read(file, 50), "world");
  assert.equal(seek(file, -1, 0), INVAL);
  assert.equal(system.load("/tmp/a"), "hello world");
  assert.equal(system.load("/tmp/none"), null);
  assert.equal(system.load("/tmp"), null);
});

test("a file of the library is copied when it is written, and grows and shrinks", () => {
  const library = encoder.encode("library");
  system.add("/lib/m.py", library.subarray(0, 3));
  const { file } = open("lib/m.py", 0, 1);
  assert.equal(write(file, "XYZ"), 3);
  assert.equal(system.load("/lib/m.py"), "libXYZ");
  assert.equal(decoder.decode(library), "library");
  assert.equal(call.fd_filestat_set_size(file, 2n), 0);
  assert.equal(call.fd_filestat_set_size(file, 4n), 0);
  assert.equal(system.load("/lib/m.py"), "li\0\0");
  assert.equal(open("lib/m.py", EMPTY).code, 0);
  assert.equal(system.load("/lib/m.py"), "");
});

test("what a program may not do has the number of its fault", () => {
  assert.equal(open("none").code, NOENT);
  assert.equal(open("none/deeper", CREATE).code, NOENT);
  system.save("/tmp/a", "1");
  assert.equal(open("tmp/a/b", CREATE).code, NOTDIR);
  assert.equal(open("tmp/a", CREATE | EXCLUSIVE).code, EXIST);
  assert.equal(call.fd_read(ROOT, ...list(1), RESULT), ISDIR);
  assert.equal(call.fd_read(99, ...list(1), RESULT), BADF);
  assert.equal(call.path_create_directory(ROOT, ...word("tmp")), EXIST);
  assert.equal(call.path_unlink_file(ROOT, ...word("tmp")), ISDIR);
  assert.equal(call.path_remove_directory(ROOT, ...word("tmp")), NOTEMPTY);
  assert.equal(call.path_remove_directory(ROOT, ...word("tmp/a")), NOTDIR);
  assert.equal(call.sock_accept(0, 0, 0), NOSYS);
  assert.throws(() => call.proc_exit(3), /ended with 3/);
});

test("a closed number is given again", () => {
  const [one, two] = [open("tmp/a", CREATE).file, open("tmp/b", CREATE).file];
  assert.notEqual(one, two);
  assert.equal(call.fd_close(one), 0);
  assert.equal(call.fd_close(one), BADF);
  assert.equal(open("tmp/c", CREATE).file, one);
});

test("a file is moved over another; a folder lists what it holds, in pieces", () => {
  system.save("/tmp/a", "new");
  system.save("/tmp/b", "old");
  assert.equal(call.path_rename(ROOT, ...word("tmp/a"), ROOT, ...word("tmp/../tmp/b", 500)), 0);
  assert.equal(system.load("/tmp/b"), "new");
  assert.equal(system.load("/tmp/a"), null);
  system.save("/tmp/c", "");
  const { file } = open("tmp");
  const names = [];
  for (let cookie = 0n; ;) {
    assert.equal(call.fd_readdir(file, DATA, 30, cookie, RESULT), 0); // room for one entry and a part
    if (!number()) break;
    cookie = system.view.getBigUint64(DATA, true);
    names.push(decoder.decode(system.bytes(DATA + 24, system.view.getUint32(DATA + 16, true)).slice()));
  }
  assert.deepEqual(names, ["b", "c"]);
});

test("the page's channel gives a message piece by piece; what is printed leaves", () => {
  const channel = new Channel(() => {});
  system.put("/dev/page", channel);
  channel.input = encoder.encode("message");
  const { file } = open("dev/page");
  assert.equal(read(file, 3), "mes");
  assert.equal(read(file, 50), "sage");
  assert.equal(write(1, "words"), 5);
  assert.equal(printed, "words");
});

test("clock, chance and environment", () => {
  assert.equal(call.clock_time_get(0, 0n, RESULT), 0);
  const seconds = Number(system.view.getBigUint64(RESULT, true) / 1000000000n);
  assert.ok(Math.abs(seconds - Date.now() / 1000) < 5);
  assert.equal(call.random_get(DATA, 64), 0);
  assert.ok(new Set(system.bytes(DATA, 64)).size > 20); // fails with probability below 1e-20
  assert.equal(call.environ_sizes_get(RESULT, RESULT + 4), 0);
  assert.deepEqual([number(), number(RESULT + 4)], [1, 10]);
  assert.equal(call.environ_get(LIST, DATA), 0);
  assert.equal(decoder.decode(system.bytes(DATA, 10).slice()), "HOME=/tmp\0");
});

test("a file is asked of its source while it is open, and what is written into it stays", () => {
  const whole = encoder.encode("the library ".repeat(50));
  let asked = 0;
  system.add("/a.py", () => (asked++, whole), whole.length);
  const node = system.find("/a.py");
  assert.deepEqual([node.size, asked], [whole.length, 0]);
  const first = open("a.py").file,
    second = open("a.py").file;
  assert.equal(read(first, 11), "the library");
  call.fd_close(first);
  assert.equal(read(second, 3), "the");
  assert.deepEqual([node.held, asked], [whole, 1]);
  call.fd_close(second);
  assert.equal(node.held, null);
  const { file } = open("a.py");
  write(file, "The");
  call.fd_close(file);
  assert.equal(read(open("a.py").file, 11), "The library");
  assert.equal(decoder.decode(whole.subarray(0, 3)), "the");
});

test("a source that cannot be reached is a fault of that read alone", () => {
  let there = false;
  const source = () => {
    if (!there) throw new Lost("no network");
    return encoder.encode("here");
  };
  system.add("/a.py", source, 4);
  const { file } = open("a.py");
  assert.equal(call.fd_read(file, ...list(4), RESULT), IO);
  there = true;
  assert.equal(read(file, 4), "here");
});
