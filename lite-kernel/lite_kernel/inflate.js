// Bytes packed by DEFLATE (RFC 1951), unpacked while Python waits: a browser's own way is a stream.

const MOST = 15; // bits of a code
// How many bytes a match has, and how far back it lies: where each code begins, and its further bits.
const EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const FAR = Array.from({ length: 30 }, (_, i) => Math.max(0, (i >> 1) - 1));
const starts = (extra, first) => extra.reduce((all, bits) => [...all, all.at(-1) + 2 ** bits], [first]);
const SIZES = starts(EXTRA, 3).with(28, 258);
const DISTANCES = starts(FAR, 1);
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// From the next bits of a stream to symbol and length of its code: `symbol << 4 | length`.
function table(lengths) {
  const bits = Math.max(1, ...lengths);
  const codes = new Uint16Array(1 << bits);
  let code = 0;
  for (let length = 1; length <= bits; length++, code <<= 1)
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      let turned = 0;
      for (let i = 0; i < length; i++) turned |= ((code >> i) & 1) << (length - 1 - i);
      for (let at = turned; at < codes.length; at += 1 << length) codes[at] = (symbol << 4) | length;
      code++;
    }
  return { codes, bits };
}
const FIXED = [
  table(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  table(Array(30).fill(5)),
];

/** @param {Uint8Array} packed @param {number} size bytes of the whole @returns {Uint8Array} */
export function inflate(packed, size) {
  const out = new Uint8Array(size);
  let bit = 0,
    at = 0;
  const peek = (count) => {
    const i = bit >> 3;
    return (
      (((packed[i] | (packed[i + 1] << 8) | (packed[i + 2] << 16)) >>> (bit & 7)) & ((1 << count) - 1)) >>> 0
    );
  };
  const take = (count) => {
    const value = peek(count);
    bit += count;
    return value;
  };
  const symbol = ({ codes, bits }) => {
    const found = codes[peek(bits)];
    if (!found) broken();
    bit += found & MOST;
    return found >> 4;
  };
  const broken = () => {
    throw new Error("a file of the library is not whole: load the page again");
  };
  const described = () => {
    const [literals, distances, orders] = [take(5) + 257, take(5) + 1, take(4) + 4];
    const first = Array(19).fill(0);
    for (const place of ORDER.slice(0, orders)) first[place] = take(3);
    const small = table(first),
      lengths = [];
    while (lengths.length < literals + distances) {
      const next = symbol(small);
      if (next < 16) lengths.push(next);
      else {
        const [value, count] =
          next === 16 ? [lengths.at(-1), take(2) + 3] : [0, next === 17 ? take(3) + 3 : take(7) + 11];
        for (let i = 0; i < count; i++) lengths.push(value);
      }
    }
    return [table(lengths.slice(0, literals)), table(lengths.slice(literals))];
  };
  for (let last = 0; !last;) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) {
      const start = ((bit + 7) >> 3) + 4,
        count = packed[start - 4] | (packed[start - 3] << 8);
      if (start + count > packed.length || at + count > size) broken();
      out.set(packed.subarray(start, start + count), at);
      at += count;
      bit = 8 * (start + count);
      continue;
    }
    if (kind === 3) broken();
    const [literals, distances] = kind === 1 ? FIXED : described();
    for (let next = symbol(literals); next !== 256; next = symbol(literals)) {
      if (at >= size || bit > 8 * packed.length) broken();
      if (next < 256) {
        out[at++] = next;
        continue;
      }
      const count = SIZES[next - 257] + take(EXTRA[next - 257]),
        place = symbol(distances),
        back = DISTANCES[place] + take(FAR[place]);
      if (!(back <= at && at + count <= size)) broken();
      for (const end = at + count; at < end; at++) out[at] = out[at - back];
    }
  }
  if (at !== size) broken();
  return out;
}
