// A typed number, read as `exercises/answers.py` reads it, step by step and by the same patterns, which
// the page brings (`sheet.words`): all numbers that a person could mean.
(() => {
  const { letters, raised, parts, plain, either, longest } = window.dpvizGrammar;
  const whole = (pattern) => new RegExp(`^(?:${pattern})$`);
  const [PLAIN, EITHER, POWER] = [plain.map(whole), whole(either), /^[+-]?[0-9]{1,4}$/];
  const trimmed = (text) => text.replace(/^[ \n]+|[ \n]+$/g, "");
  const finite = (values) => (values.every(Number.isFinite) ? values : []);

  const decimal = (typed) => {
    const sign = typed.startsWith("-") ? -1 : 1;
    const text = /^[+-]/.test(typed) ? typed.slice(1).replace(/^[ \n]+/, "") : typed;
    const [first, last] = [text.slice(0, -1), text.slice(-1)];
    if (last in parts && /^[0-9]*$/.test(first)) {
      const [top, bottom] = parts[last].split("/").map(Number);
      return [sign * (Number(first) + top / bottom)];
    }
    const at = text.search(/e/i),
      digits = at < 0 ? text : text.slice(0, at);
    if (at >= 0 && !POWER.test(text.slice(at + 1))) return [];
    const scale = at < 0 ? "e0" : `e${text.slice(at + 1)}`;
    const two = digits.match(EITHER);
    if (two) return ["", "."].map((mark) => sign * Number(`${two[1]}${mark}${two[2]}${scale}`));
    const one = PLAIN.map((pattern) => digits.match(pattern)).find(Boolean);
    return one ? [sign * Number(`${one[1].replace(/[ .,]/g, "") || "0"}.${one[2] || 0}${scale}`)] : [];
  };
  const power = (factor) => {
    const text = trimmed(factor),
      at = text.indexOf("^"),
      exponent = trimmed(text.slice(at + 1));
    if (at < 0) return decimal(text);
    if (!POWER.test(exponent)) return [];
    return finite(decimal(trimmed(text.slice(0, at))).map((base) => base ** Number(exponent)));
  };
  const product = (text) => {
    const flat = text.replace(
      new RegExp(`[${Object.keys(raised).join("")}]+`, "g"),
      (high) => "^" + [...high].map((c) => raised[c]).join(""),
    );
    return finite(
      flat
        .replaceAll("**", "^")
        .split(/[×·*x]/)
        .map(power)
        .reduce((some, more) => some.flatMap((a) => more.map((b) => a * b)), [1]),
    );
  };
  window.dpvizReadings = (typed) => {
    let text = trimmed([...typed].map((c) => letters[c] ?? c).join("")).replace(/^[=≈~ ]+/, "");
    if ([...text].length > longest) return [];
    const share = text.endsWith("%") ? 0.01 : 1;
    if (share < 1) text = trimmed(text.slice(0, -1));
    const at = text.indexOf("/"),
      below = at < 0 ? [1] : product(text.slice(at + 1));
    const found = product(at < 0 ? text : text.slice(0, at)).flatMap((a) =>
      below.filter((b) => b).map((b) => (share * a) / b),
    );
    return [...new Set(found.filter(Number.isFinite))];
  };
})();
