// What a typed number means, by the table of cases that Python's tests read too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf-8");
const window = { dpvizGrammar: JSON.parse(process.env.DPVIZ_GRAMMAR), dpvizReadings: undefined };
vm.runInNewContext(read("../../dpviz/pages/numbers.js"), { window });
const close = (a, b) => Math.abs(a - b) <= 1e-300 + 1e-12 * Math.abs(b); // powers round

for (const [text, values] of JSON.parse(read("../lessons/typed_numbers.json")))
  test(`${JSON.stringify(text)} is read as Python reads it`, () => {
    const found = window.dpvizReadings(text);
    assert.equal(found.length, values.length);
    assert.ok(
      values.every((value, i) => close(found[i], value)),
      `${found} for ${values}`,
    );
  });
