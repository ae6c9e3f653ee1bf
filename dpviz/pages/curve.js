// A curve that is drawn by hand on a page without Python: the picture of `exercises/drawn.py`, whose dots
// a hand moves here, and its judgement, which is that of `exercises/answers.py`, step by step.
(() => {
  const say = window.dpvizSay; // of words.js
  const total = (some) => some.reduce((sum, x) => sum + x, 0);
  const mean = (some) => total(some) / some.length;
  const largest = (some) => Math.max(...some.map(Math.abs));

  // "" where the heights are right, else which slip it is.
  const slip = ({ heights, within }, drawn) => {
    const off = drawn.map((height, i) => height - heights[i]),
      level = mean(off);
    if (largest(off) <= within) return "";
    if (Math.max(...drawn) === Math.min(...drawn)) return "flat";
    if (largest(off.map((x) => x - level)) <= within) return "level";
    const [a, b] = [mean(drawn), mean(heights)];
    return total(drawn.map((height, i) => (height - a) * (heights[i] - b))) < 0 ? "way" : "shape";
  };
  const judged = (rule, drawn) => rule.said[slip(rule, drawn)];

  const short = (x, digits = 3) =>
    String(Number(x.toPrecision(digits)))
      .replace("-", "−")
      .replace(".", say("number.decimal"));
  const points = (xs, ys) => `M${xs.map((x, i) => `${x.toFixed(1)} ${ys[i].toFixed(1)}`).join("L")}`;

  // Lets a hand draw in a section; what is drawn, and how the truth is drawn over it.
  const live = (root, rule, narrow) => {
    const { places, heights, low, high } = rule;
    const place = root.querySelector(".dpviz-picture"),
      small = root.querySelector("template.phone");
    if (narrow && small) place.innerHTML = small.innerHTML;
    let drawn = places.map(() => (low + high) / 2),
      open = false;
    const svg = place.querySelector("svg[role]"),
      dots = [...svg.querySelectorAll('[data-held="guess"]')];
    const curve = svg.querySelector('[data-mark^="released line2d 1"] path'),
      leader = svg.querySelector('[data-mark^="released line2d 0"] path');
    const named = [...svg.querySelectorAll("text")].find((e) => e.textContent === say("curve.yours"));
    const circles = dots.map((e) => e.querySelector("circle"));
    const xs = circles.map((e) => Number(e.getAttribute("cx")));
    const { px } = window.dpvizPicture.way(dots[0], "y");
    const below = Number(named.getAttribute("y")) - Number(circles.at(-1).getAttribute("cy"));
    const ends = leader
      .getAttribute("d")
      .match(/-?[\d.]+/g)
      .map(Number);
    const line = 1.3 * Number(named.closest("[font-size]").getAttribute("font-size"));

    const draw = () => {
      const ys = drawn.map(px);
      for (const [i, e] of dots.entries()) {
        const told = e.dataset.y.split(" "),
          halo = e.querySelector("rect");
        told[3] = String(ys[i]);
        e.dataset.y = told.join(" ");
        e.querySelector("title").textContent = `${places[i]}, ${short(drawn[i])}`;
        e.setAttribute("aria-valuenow", String(drawn[i]));
        e.setAttribute("aria-valuetext", short(drawn[i]));
        circles[i].setAttribute("cy", String(ys[i]));
        halo.setAttribute("y", String(ys[i] - Number(halo.getAttribute("height")) / 2));
      }
      curve.setAttribute("d", points(xs, ys));
      const truth = px(heights.at(-1)),
        end = ys.at(-1);
      const near = open && Math.abs(end - truth) < line;
      const at = near ? truth + (end < truth ? -line : line) : end; // no word over another
      leader.setAttribute("d", points([ends[0], ends[2]], [end, at]));
      named.setAttribute("y", String(at + below));
      const told = drawn.map((height, i) => say("curve.at", { height: short(height), place: places[i] }));
      const off = largest(drawn.map((height, i) => height - heights[i]));
      const more = open ? ` ${say("curve.off", { off: short(off, 2) })}` : "";
      root.querySelector(".sentence p").textContent = say("curve.said", { heights: told.join("; ") }) + more;
    };

    // The truth as a copy of what stands for the curve, in ink.
    const inked = (e, change) => {
      const copy = e.closest("[data-mark]").cloneNode(true);
      copy.setAttribute("data-mark", "truth");
      for (const part of copy.querySelectorAll("[stroke], [fill]"))
        for (const name of ["stroke", "fill"])
          if (part.hasAttribute(name)) part.setAttribute(name, "var(--dpviz-ink, #1a1a1a)");
      change(copy);
      e.closest("[data-mark]").before(copy);
    };
    const show = () => {
      if (open) return;
      open = true;
      const ys = heights.map(px),
        end = ys.at(-1);
      inked(curve, (copy) => copy.querySelector("path").setAttribute("d", points(xs, ys)));
      inked(leader, (copy) =>
        copy.querySelector("path").setAttribute("d", points([ends[0], ends[2]], [end, end])),
      );
      inked(named, (copy) => {
        const text = copy.querySelector("text");
        text.textContent = say("curve.truth");
        text.removeAttribute("textLength");
        text.setAttribute("y", String(end + below));
      });
      draw();
    };

    root.addEventListener("dpviz-hand", ({ detail: { mark, act, numbers } }) => {
      const i = Number(mark.split(":")[1]),
        y = numbers[1];
      if (typeof y !== "number" || !(i < drawn.length)) return;
      const wanted = act === "to" ? y : drawn[i] + (y * (high - low)) / 100;
      drawn = drawn.with(i, Math.round(1000 * Math.min(Math.max(wanted, low), high)) / 1000);
      draw();
    });
    draw();
    return { show, heights: () => drawn };
  };

  window.dpvizCurve = { judged, live };
})();
