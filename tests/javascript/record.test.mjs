// What a reader answered, with a storage that keeps, is full, or holds something else.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import vm from "node:vm";

const SCRIPT = readFileSync(new URL("../../dpviz/pages/record.js", import.meta.url), "utf-8");
const KEY = "dpviz answers";
const ASKED = { name: "sparse.1", question: "How many?", prediction: true };
let storage, full, window;

const open = () => {
  const localStorage = {
    getItem: (key) => storage.get(key) ?? null,
    setItem: (key, text) => {
      if (full) throw new Error("QuotaExceededError");
      storage.set(key, text);
    },
    removeItem: (key) => storage.delete(key),
  };
  window = { dpvizSay: (name) => name };
  const document = { querySelectorAll: () => [] };
  vm.runInNewContext(SCRIPT, { window, localStorage, document, addEventListener: () => {} });
  return window.dpvizRecord;
};
const tries = (record) => JSON.parse(JSON.stringify(record.entries()["sparse.1"].tries));

beforeEach(() => {
  storage = new Map();
  full = false;
});

test("an answer is there on the next visit, the same one only once", () => {
  const record = open();
  record.tried(ASKED, "  1   2 ", "No.");
  record.tried(ASKED, "1 2", "No.");
  record.tried(ASKED, "3", "Yes.");
  assert.deepEqual(tries(open()), [
    ["1 2", "No."],
    ["3", "Yes."],
  ]);
  assert.equal(JSON.parse(storage.get(KEY))[KEY], 1);
});

test("of many answers the first stay and the last is exchanged; long ones are cut", () => {
  const record = open();
  for (let i = 0; i < 120; i++) record.tried(ASKED, `${i}`, "No.");
  record.tried(ASKED, "x".repeat(1000), "No.");
  const kept = tries(record);
  assert.equal(kept.length, 100);
  assert.equal(kept[0][0], "0");
  assert.equal(kept.at(-1)[0], "x".repeat(300));
});

test("a question is waived only where nothing was answered before", () => {
  const record = open();
  record.waived(ASKED);
  assert.equal(record.entries()["sparse.1"].waived, true);
  record.erase();
  record.tried(ASKED, "1", "No.");
  record.waived(ASKED);
  assert.equal(record.entries()["sparse.1"].waived, false);
});

test("what cannot be read is put aside, not overwritten", () => {
  for (const [i, damaged] of [
    "{",
    '{"dpviz answers": 2, "entries": {}}',
    '{"dpviz answers": 1, "entries": {"a": 3}}',
  ].entries()) {
    storage.set(KEY, damaged);
    const record = open();
    record.tried(ASKED, "1", "No.");
    assert.match(record.problem, /record.unread/);
    assert.equal(storage.get(`${KEY} unread ${i}`), damaged);
    assert.equal(tries(record).length, 1);
  }
});

test("a full storage loses nothing in this page, and says so", () => {
  const record = open();
  full = true;
  record.tried(ASKED, "1", "No.");
  assert.match(record.problem, /record.full/);
  assert.equal(tries(record).length, 1);
  full = false;
  record.tried(ASKED, "2", "Yes.");
  assert.equal(record.problem, "");
  assert.deepEqual(tries(open()), [
    ["1", "No."],
    ["2", "Yes."],
  ]);
});

test("an answer without a name is judged and not kept; what another page wrote is kept", () => {
  const [one, other] = [open(), open()];
  one.tried({ ...ASKED, name: "" }, "1", "No.");
  assert.equal(storage.size, 0);
  other.tried(ASKED, "1", "No.");
  one.tried({ ...ASKED, name: "sparse.2" }, "2", "No.");
  one.mark("sparse.1", "done");
  assert.deepEqual(Object.keys(open().entries()), ["sparse.1", "sparse.2"]);
  assert.equal(other.entries()["sparse.1"].mark, "done");
});
