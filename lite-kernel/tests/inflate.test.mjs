// What another program packed is unpacked to the same bytes, in every kind of block.
import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { inflate } from "../lite_kernel/inflate.js";

let seed = 1;
const chance = () => (seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
const bytes = (size, make) => Uint8Array.from({ length: size }, make);
const TEXT = new TextEncoder().encode(
  "def release(data, params, curator):\n    return curator.choose(scores)\n",
);
const WHOLE = {
  nothing: bytes(0, () => 0),
  "one byte": bytes(1, () => 7),
  "one byte, often": bytes(100_000, () => 7),
  "every byte by chance": bytes(70_000, () => chance() & 255),
  "text, far apart": bytes(90_000, (_, i) => (i % 40_000 < 3000 ? TEXT[i % TEXT.length] : chance() & 63)),
  "a few letters": bytes(50_000, () => (chance() % 7) ** 2),
};
const WAYS = {
  stored: { level: 0 },
  fast: { level: 1 },
  best: { level: 9 },
  fixed: { strategy: constants.Z_FIXED },
  "without matches": { strategy: constants.Z_HUFFMAN_ONLY },
};

for (const [what, whole] of Object.entries(WHOLE))
  for (const [way, options] of Object.entries(WAYS))
    test(`${what}, ${way}`, () =>
      assert.deepEqual(inflate(deflateRawSync(whole, options), whole.length), whole));

test("what is cut short, too long or no such thing is an error", () => {
  const whole = WHOLE["a few letters"],
    packed = deflateRawSync(whole);
  for (const [some, size] of [
    [packed.subarray(0, packed.length / 2), whole.length],
    [packed, whole.length - 1],
    [packed, whole.length + 1],
    [Uint8Array.of(7), 3],
  ])
    assert.throws(() => inflate(some, size), /not whole/);
});
