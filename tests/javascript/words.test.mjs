// A message of the table, with values and by count.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SCRIPT = readFileSync(new URL("../../dpviz/pages/words.js", import.meta.url), "utf-8");
const dpvizWords = {
  "player.place": "{now} of {last}",
  "proof.left": { one: "one line", other: "{count} lines" },
};
const window = { dpvizWords };
vm.runInNewContext(SCRIPT, { window });

test("values stand where their names are", () => {
  assert.equal(window.dpvizSay("player.place", { last: 9, now: 2 }), "2 of 9");
  assert.equal(window.dpvizSay("player.place", { now: "$&", last: "{now}" }), "$& of {now}");
});

test("one and several differ", () => {
  assert.equal(window.dpvizSay("proof.left", { count: 1 }), "one line");
  assert.equal(window.dpvizSay("proof.left", { count: 3 }), "3 lines");
});
