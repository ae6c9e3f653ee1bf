// What a page with a player adds: what is in two states moves from one to the other, keys step.
//
// A kernel sends whole pictures. The script sees one replace another, pairs the elements of both
// (equal ones first, then those of one look and kind that share a coordinate or are the only ones),
// and leads each from its old place to its new one; a curve that gains points is followed along x.
// What has no partner fades. At the end the picture is, letter for letter, the one that was sent.
// Nothing moves for a reader who asks for reduced motion.
//
// Arrows, Home and End step a player wherever it has the focus, but in a field that needs them. If
// playing brings no new picture for some seconds, the script stops it and says so: a page whose
// kernel is gone can say that only by itself.
(() => {
  if (window.dpvizMoves) return;
  window.dpvizMoves = true;
  const TIME = 300,
    PATIENCE = 4000; // ms
  const NUMBER = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g;
  const PLACES = ["d", "x", "y", "cx", "cy", "r", "textLength", "transform"];
  const GONE = "The kernel does not answer, so playing has stopped.";
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  const mix = (a, b, t) => a.map((x, i) => x + t * (b[i] - x));

  // An element that draws: where it is, and what it must have in common with a partner.
  const leaf = (e, svg) => {
    const look = [e.tagName];
    for (let p = e.parentNode; p !== svg; p = p.parentNode)
      if (p.tagName === "g") look.push(p.cloneNode(false).outerHTML);
    const d = e.getAttribute("d") ?? "",
      line = /^M[^A-LN-Za-z]*L[^A-Za-z]*$/.test(d);
    const kind = line ? "line" : d.replace(NUMBER, "#") || e.textContent.replace(NUMBER, "#");
    const places = PLACES.filter((k) => e.hasAttribute(k)).map((k) => [k, e.getAttribute(k)]);
    const at = places.flatMap(([, v]) => v.match(NUMBER) ?? []).map(Number);
    return { e, line, at, places, key: look.join() + kind, all: look.join() + e.outerHTML };
  };
  const leaves = (svg) => {
    const drawn = [...svg.querySelectorAll("path, circle, text")];
    const all = drawn.filter((e) => !e.closest(".dpviz-leaving")).map((e) => leaf(e, svg));
    const many = {};
    for (const { key } of all) many[key] = (many[key] ?? 0) + 1;
    for (const one of all) one.only = many[one.key] === 1;
    return all;
  };

  // The longest common subsequence of two lists, as pairs of indices.
  const common = (a, b, same) => {
    const size = b.length + 1,
      best = new Uint16Array((a.length + 1) * size),
      pairs = [];
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        best[i * size + j] = same(a[i], b[j])
          ? best[(i + 1) * size + j + 1] + 1
          : Math.max(best[(i + 1) * size + j], best[i * size + j + 1]);
    for (let i = 0, j = 0; i < a.length && j < b.length;) {
      if (same(a[i], b[j])) pairs.push([i++, j++]);
      else best[(i + 1) * size + j] >= best[i * size + j + 1] ? i++ : j++;
    }
    return pairs;
  };
  const partners = (a, b) => {
    const kin = (p, q) => p.key === q.key && ((p.only && q.only) || p.at.some((x, i) => x === q.at[i]));
    const pairs = [];
    let i = 0,
      j = 0;
    for (const [u, v] of [...common(a, b, (p, q) => p.all === q.all), [a.length, b.length]]) {
      pairs.push(...common(a.slice(i, u), b.slice(j, v), kin).map(([x, y]) => [x + i, y + j]));
      if (u < a.length) pairs.push([u, v]);
      [i, j] = [u + 1, v + 1];
    }
    return pairs.map(([x, y]) => [a[x], b[y]]);
  };

  // Two curves with as many points each: where one has a point, the other gets one at that x.
  const dense = (one, other) => {
    const points = (at) => at.flatMap((x, i) => (i % 2 ? [] : [[x, at[i + 1]]]));
    const [p, q] = [points(one), points(other)];
    const turn = p.at(-1)[0] < p[0][0] ? -1 : 1;
    const rising = (some) => some.every(([x], i) => !i || turn * (x - some[i - 1][0]) >= 0);
    if (!rising(p) || !rising(q)) return null;
    const xs = [...new Set([...p, ...q].map(([x]) => x))].sort((u, v) => turn * (u - v));
    const along = (some) =>
      xs.flatMap((x) => {
        const k = some.findIndex(([z]) => turn * (z - x) >= 0);
        if (k < 1) return some.at(k);
        const [[x0, y0], [x1, y1]] = [some[k - 1], some[k]];
        return [x, y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)];
      });
    return [along(p), along(q)];
  };
  const mover = (from, to) => {
    if (from.line && from.at.length !== to.at.length) {
      const both = dense(from.at, to.at);
      return both && ((t) => to.e.setAttribute("d", "M" + mix(...both, t).join(" ")));
    }
    const ways = to.places.map(([k, v], i) => {
      const [old, now] = [from.places[i][1], v].map((text) => (text.match(NUMBER) ?? []).map(Number));
      return (t) => {
        const at = mix(old, now, t);
        to.e.setAttribute(
          k,
          v.replace(NUMBER, () => at.shift()),
        );
      };
    });
    return (t) => ways.forEach((way) => way(t));
  };
  const fade = (e) => (t) => e.setAttribute("opacity", t);

  // What leaves stands for a while where it stood, behind what stood before it.
  const ghost = (one, old, before, svg) => {
    let copy = one.e.cloneNode(true),
      top = before?.e;
    for (let p = one.e.parentNode; p !== old; p = p.parentNode) {
      const around = p.cloneNode(false);
      around.append(copy);
      copy = around;
    }
    const group = document.createElementNS(svg.namespaceURI, "g");
    group.setAttribute("class", "dpviz-leaving");
    group.append(copy);
    while (top && top.parentNode !== svg) top = top.parentNode;
    top ? top.after(group) : svg.querySelector("desc").after(group);
    return group;
  };

  const move = (old, svg) => {
    if (reduced.matches || document.hidden) return;
    if (old.getAttribute("viewBox") !== svg.getAttribute("viewBox")) return;
    const a = leaves(old),
      b = leaves(svg),
      acts = [],
      ghosts = [];
    const to = new Map(),
      spot = (one) => `${one.at[0]} ${one.at[1]}`;
    for (const [from, one] of partners(a, b)) {
      const act = from.all === one.all ? true : mover(from, one);
      if (act) to.set(from, one);
      if (act && act !== true) acts.push(act);
    }
    const met = new Set(to.values()),
      words = (one) => one.e.tagName === "text";
    const lost = a.filter((one) => !to.has(one)),
      come = b.filter((one) => !met.has(one));
    const said = (some) => new Set(some.filter(words).map(spot));
    const [before, now] = [said(lost), said(come)];
    for (const one of come) if (!words(one) || !before.has(spot(one))) acts.push(fade(one.e));
    for (const one of lost) {
      if (words(one) && now.has(spot(one))) continue;
      const last = a.slice(0, a.indexOf(one)).findLast((other) => to.has(other));
      ghosts.push(ghost(one, old, to.get(last), svg));
    }
    acts.push(...ghosts.map((e) => (t) => fade(e)(1 - t)));
    if (acts.length) run(svg, acts, b, ghosts);
  };
  const run = (svg, acts, drawn, ghosts) => {
    let begin;
    const tick = (now) => {
      const t = Math.min(1, (now - (begin ??= now)) / TIME);
      if (!svg.isConnected) return;
      if (t < 1) {
        acts.forEach((act) => act(t * t * (3 - 2 * t)));
        requestAnimationFrame(tick);
        return;
      }
      ghosts.forEach((e) => e.remove());
      for (const { e, places } of drawn) {
        places.forEach(([k, v]) => e.setAttribute(k, v));
        e.removeAttribute("opacity"); // the look, opacity too, is that of its group
      }
      svg.classList.remove("dpviz-moving");
    };
    svg.classList.add("dpviz-moving");
    acts.forEach((act) => act(0));
    requestAnimationFrame(tick);
  };

  const PICTURE = ".dpviz-player .dpviz-picture";
  const drawn = new WeakMap(),
    pressed = new WeakMap(); // when a picture came, play was pressed
  const seen = (records) => {
    const first = new Map();
    for (const { target, removedNodes, addedNodes } of records) {
      const place = /** @type {Element} */ (target).closest?.(PICTURE);
      if (!place || ![...addedNodes].some((e) => e.matches?.("svg[role]"))) continue;
      const old = [...removedNodes].find((e) => e.matches?.("svg[role]"));
      if (!first.has(place)) first.set(place, old);
    }
    for (const [place, old] of first) {
      const player = place.closest(".dpviz-player"),
        svg = place.querySelector("svg[role]");
      drawn.set(player, performance.now());
      player.querySelector(".dpviz-gone")?.remove();
      if (old && svg) move(old, svg);
    }
  };
  new MutationObserver(seen).observe(document.body, { subtree: true, childList: true });

  const plays = (player) => player.querySelector(".dpviz-play .fa-pause")?.closest("button");
  const watch = (player) => {
    const last = drawn.get(player),
      button = plays(player);
    // Of few states the page is at the end before it is patient; then no picture came at all.
    if (!button && last !== pressed.get(player)) return;
    if (performance.now() - last < PATIENCE) return void setTimeout(watch, 500, player);
    button?.click();
    const told = document.createElement("p");
    [told.className, told.textContent] = ["dpviz-warning dpviz-gone", GONE];
    told.setAttribute("role", "alert");
    player.querySelector(".dpviz-notice .widget-html-content").prepend(told);
  };
  // The element that an event met; what meets the document itself is in no player.
  const met = ({ target }) => (target instanceof Element ? target : null);
  addEventListener(
    "click",
    (event) => {
      const button = met(event)?.closest(".dpviz-play button"),
        player = button?.closest(".dpviz-player");
      if (!player) return;
      drawn.set(player, performance.now());
      pressed.set(player, button.querySelector(".fa-play") ? drawn.get(player) : null);
      setTimeout(watch, 500, player);
    },
    true,
  );

  const FIELDS = "input, textarea, select, [contenteditable], .noUi-handle";
  addEventListener(
    "keydown",
    (event) => {
      const { key } = event,
        target = met(event),
        player = target?.closest(".dpviz-player");
      const held = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
      if (!player || held || target.closest(FIELDS)) return;
      if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) return;
      event.preventDefault();
      event.stopPropagation();
      const handle = player.querySelector(".dpviz-position .noUi-handle");
      handle?.dispatchEvent(new KeyboardEvent("keydown", { key }));
    },
    true,
  );
  addEventListener(
    "pointerdown",
    (event) => {
      /** @type {HTMLElement} */
      const player = met(event)?.closest(PICTURE)?.closest(".dpviz-player");
      if (player) player.tabIndex = -1; // so that a click on the picture gives it the focus
    },
    true,
  );
})();
