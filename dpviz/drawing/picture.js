// What moves in a picture, wherever it stands: in the lab, in a page from disk, on a slide.
//
// Pictures come whole. Their marks have names; the script pairs marks of two pictures by name and
// leads each from its old place to its new one, a curve that gains points along x. What has no
// partner fades. At the end the picture is, letter for letter, the one that was sent. Nothing moves
// for a reader who asks for reduced motion, nor while a hand holds a mark: then each picture is
// shown at once, and the mark stays where the hand is.
//
// A mark that can be taken hold of follows the pointer, one finger or the arrow keys; what was done
// leaves as an event "dpviz-hand" of its instrument, and, where there is a kernel, through the
// hidden field that its face reads. If no answer comes, the mark goes back and a sentence says so.
(() => {
  if (window.dpvizPicture) return;
  const TIME = 300, // ms of a glide; answers that follow each other faster are shown at once
    PATIENCE = 4000,
    RESTS = 200, // ms without a move, after which a hand rests
    NEAR = 22, // px from a hand to what it takes
    KEPT = 20; // acts that a message repeats
  const NUMBER = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g;
  const PLACES = ["d", "x", "y", "cx", "cy", "r", "width", "height", "textLength", "transform"];
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  const mix = (a, b, t) => a.map((x, i) => x + t * (b[i] - x));
  const PICTURE = ".dpviz-picture";
  const ROOT = ".dpviz-explorer, .dpviz-player, .dpviz-exercise";

  // The elements that draw, by the names of their marks; of one name they come in order.
  const parts = (svg) => {
    const found = new Map(),
      many = {};
    for (const e of svg.querySelectorAll("path, circle, text, rect")) {
      const mark = e.closest("[data-mark]");
      if (!mark || e.closest(".dpviz-leaving")) continue;
      const name = `${mark.dataset.mark} ${e.tagName}`;
      many[name] = (many[name] ?? 0) + 1;
      const d = e.getAttribute("d") ?? "",
        line = /^M[^A-LN-Za-z]*L[^A-Za-z]*$/.test(d);
      const places = PLACES.filter((k) => e.hasAttribute(k)).map((k) => [k, e.getAttribute(k)]);
      const at = places.flatMap(([, v]) => v.match(NUMBER) ?? []).map(Number);
      const kind = line ? "line" : places.map(([k, v]) => k + v.replace(NUMBER, "#")).join();
      found.set(`${name} ${many[name]}`, { e, line, at, places, kind, words: e.textContent });
    }
    return found;
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
    if (from.kind !== to.kind || /#m/.test(to.kind)) return null; // in a cloud no dot has a name
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

  // What leaves stands for a while where it stood, behind all marks.
  const ghost = (e, old, svg) => {
    let copy = e.cloneNode(true);
    for (let p = e.parentNode; p !== old; p = p.parentNode) {
      const around = p.cloneNode(false);
      around.append(copy);
      copy = around;
    }
    const group = document.createElementNS(svg.namespaceURI, "g");
    group.setAttribute("class", "dpviz-leaving");
    group.append(copy);
    (svg.querySelector("[data-mark]") ?? svg.lastElementChild).before(group);
    return group;
  };

  const glide = (old, svg) => {
    if (old.getAttribute("viewBox") !== svg.getAttribute("viewBox")) return;
    const [before, now] = [parts(old), parts(svg)],
      acts = [],
      ghosts = [];
    for (const [name, to] of now) {
      const from = before.get(name);
      const act = from ? mover(from, to) : fade(to.e);
      if (act && !(from && to.e.outerHTML === from.e.outerHTML)) acts.push(act);
    }
    for (const [name, { e, words }] of before) if (!now.has(name) && !words) ghosts.push(ghost(e, old, svg));
    acts.push(...ghosts.map((e) => (t) => fade(e)(1 - t)));
    if (acts.length) run(svg, acts, now, ghosts);
  };
  const moving = new WeakMap(); // what ends the glide of a picture
  const run = (svg, acts, drawn, ghosts) => {
    let begin;
    const stop = () => {
      moving.delete(svg);
      ghosts.forEach((e) => e.remove());
      for (const { e, places } of drawn.values()) {
        places.forEach(([k, v]) => e.setAttribute(k, v));
        e.removeAttribute("opacity"); // the look, opacity too, is that of its group
      }
      svg.classList.remove("dpviz-moving");
    };
    const tick = (now) => {
      const t = Math.min(1, (now - (begin ??= now)) / TIME);
      if (!svg.isConnected || !moving.has(svg)) return;
      if (t === 1) return stop();
      acts.forEach((act) => act(t * t * (3 - 2 * t)));
      requestAnimationFrame(tick);
    };
    moving.set(svg, stop);
    svg.classList.add("dpviz-moving");
    acts.forEach((act) => act(0));
    requestAnimationFrame(tick);
  };

  // --- what a hand holds -------------------------------------------------------------------------
  const met = (event) => (event.target instanceof Element ? event.target : null);
  const held = (svg) => [...svg.querySelectorAll("[data-held]")];
  const named = (svg, name) => svg?.querySelector(`[data-mark="${CSS.escape(name)}"][data-held]`);
  const way = (e, axis) => {
    const told = e.dataset[axis]?.split(" ");
    if (!told) return null;
    const [zero, per, now, first, last] = told.slice(1).map(Number);
    const log = told[0] === "log";
    const [least, most] = [Math.min(first, last), Math.max(first, last)];
    return {
      now,
      px: (x) => zero + per * (log ? Math.log(x) : x),
      within: (px) => Math.min(Math.max(px, least), most),
      at: (px) => (log ? Math.exp((px - zero) / per) : (px - zero) / per),
    };
  };
  window.dpvizPicture = { way };
  // Where a pointer is, in the picture's own pixels, which may leave room beside it; ``frame``: its.
  const spot = (svg, event, frame = svg.getScreenCTM()) => ({
    x: (event.clientX - frame.e) / frame.a,
    y: (event.clientY - frame.f) / frame.d,
  });

  let serial = 0,
    turn = 0;
  const acts = new WeakMap(); // of each instrument the latest acts
  const send = (root, mark, act, ...numbers) => {
    serial = Math.max(serial + 1, Date.now()); // grows, over a page that was loaded again, too
    const all = acts.get(root) ?? [];
    const last = all.at(-1);
    if (act === "to" && last?.[1] === mark && last[2] === "to") all.pop(); // the latest place counts
    all.push([serial, mark, act, ...numbers]);
    acts.set(root, all.slice(-KEPT));
    root.dispatchEvent(new CustomEvent("dpviz-hand", { detail: { serial, mark, act, numbers } }));
    // A place waits for the answer to the one before: it would only stand in a queue behind it.
    if (act !== "to" || !waits(root)) post(root);
  };
  const post = (root) => {
    const wires = fields(root);
    if (!wires.length) return;
    const wire = wires[++turn % wires.length]; // they take turns
    wire.type = "hidden"; // a change of it is then no change of the page's selection
    wire.value = JSON.stringify(acts.get(root));
    sent.set(root, latest(root));
    wire.dispatchEvent(new Event("input", { bubbles: true }));
  };
  /** @returns {NodeListOf<HTMLInputElement>} */
  const fields = (root) => root.querySelectorAll(".dpviz-wire input");
  const done = new WeakMap(), // of each instrument the latest act that is answered
    sent = new WeakMap(); // and the latest that has left
  const waits = (root) => (sent.get(root) ?? 0) > (done.get(root) ?? 0);
  const latest = (root) => acts.get(root)?.at(-1)[0] ?? 0;
  const answered = (root) => !fields(root).length || (done.get(root) ?? 0) >= latest(root);

  // An answer to a hand stands in the place of what is shown: only what differs is changed, so the
  // mark in the hand stays the same element and keeps the focus.
  const become = (old, now) => {
    if (now.dataset?.same === "" || old.isEqualNode(now)) return;
    if (old.nodeType === 3 && now.nodeType === 3) return void (old.data = now.data);
    if (old.nodeType !== 1 || old.nodeName !== now.nodeName) return void old.replaceWith(now);
    const ours = hold && old.getAttribute("data-mark") === hold.mark; // it stands where the hand is
    for (const { name } of [...old.attributes])
      if (!now.hasAttribute(name) && !(ours && name === "transform")) old.removeAttribute(name);
    for (const { name, value } of now.attributes)
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    inside(old, now);
  };
  const inside = (old, now) => {
    const [before, after] = [[...old.childNodes], [...now.childNodes]];
    after.forEach((e, i) => (before[i] ? become(before[i], e) : old.append(e))); // the answer is used up
    before.slice(after.length).forEach((e) => e.remove());
  };
  const PARTS = ["picture", "sentence", "table"];
  const answer = (root, told) => {
    done.set(root, Number(told.dataset.done));
    if (latest(root) > sent.get(root)) post(root);
    root.querySelector(".dpviz-gone")?.remove();
    if ("new" in told.dataset) {
      moving.get(root.querySelector(`${PICTURE} svg[role]`))?.();
      PARTS.forEach((name, i) => {
        const part = root.querySelector(`.dpviz-${name} .widget-html-content`);
        if (part) inside(part, told.children[i]);
      });
      drawn(root.querySelector(PICTURE));
    }
    told.remove();
  };

  let hold = null; // what the pointer holds: place, mark, where it was taken, where it is now
  // The mark stands where the hand is, whatever picture is shown: as far as its ways go.
  const follow = () => {
    const e = named(hold.place.querySelector("svg[role]"), hold.mark);
    if (!e) return null;
    const to = { x: null, y: null },
      shift = { x: 0, y: 0 };
    for (const axis of ["x", "y"]) {
      const along = way(e, axis);
      if (!along) continue;
      const px = along.within(
        hold.jump ? hold.now[axis] : hold.from[axis] + hold.now[axis] - hold.taken[axis],
      );
      to[axis] = along.at(px);
      shift[axis] = px - along.now;
    }
    e.setAttribute("transform", `translate(${shift.x.toFixed(1)} ${shift.y.toFixed(1)})`);
    tip(e, { right: hold.pointer.clientX + NEAR, top: hold.pointer.clientY - NEAR });
    return to;
  };
  const ask = () => {
    if (!hold) return;
    const to = follow();
    if (to) send(hold.root, hold.mark, "to", to.x, to.y);
  };
  const move = (event) => {
    if (!hold || event.pointerId !== hold.id) return; // another finger
    event.preventDefault();
    const svg = hold.place.querySelector("svg[role]");
    hold.frame ??= svg.getScreenCTM();
    hold.now = spot(svg, event, hold.frame);
    hold.pointer = event;
    ask(); // browsers tell of a move once a frame
    clearTimeout(hold.timer);
    hold.timer = setTimeout(() => hold && send(hold.root, hold.mark, "rest"), RESTS);
  };
  // The last picture of a drag may be the one that stands there: then the mark goes back by itself.
  const rest = ({ root, place, mark }, since = performance.now()) => {
    const e = named(place.querySelector("svg[role]"), mark);
    const silent = performance.now() - since > PATIENCE;
    if (!answered(root) && !silent) return void setTimeout(rest, 100, { root, place, mark }, since);
    if (!hold) e?.removeAttribute("transform");
    if (silent && !answered(root)) complain(root);
  };
  const complain = (root) => {
    const place = root.querySelector(".dpviz-notice .widget-html-content");
    if (!place || root.querySelector(".dpviz-gone")) return;
    const told = document.createElement("p");
    const words = place.querySelector("[data-lost]").dataset;
    [told.className, told.textContent] = ["dpviz-warning dpviz-gone", words.lost];
    told.setAttribute("role", "alert");
    place.prepend(told);
  };
  const drop = (event) => {
    if (!hold || event.pointerId !== hold.id) return;
    ask();
    const last = hold;
    clearTimeout(last.timer);
    send(last.root, last.mark, "let");
    hold = null;
    tip(null);
    rest(last);
  };
  const take = (event) => {
    const target = met(event),
      place = target?.closest(PICTURE);
    const svg = place?.querySelector("svg[role]"),
      root = place?.closest(ROOT);
    if (hold || !root || event.button > 0 || !held(svg).length) return;
    const at = spot(svg, event);
    const far = (e) => {
      const box = e.lastElementChild.getBoundingClientRect(); // its halo: browsers differ about groups
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const off = (v, low, high) => Math.max(low - v, v - high, 0);
      const out = Math.max(off(event.clientX, box.left, box.right), off(event.clientY, box.top, box.bottom));
      return [out, Math.hypot(event.clientX - x, event.clientY - y)];
    };
    const ranked = held(svg).map((e) => [...far(e), e]);
    let [out, , e] = ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1])[0];
    let jump = false;
    if (out > NEAR) {
      e = held(svg).find((each) => {
        const [left, top, right, bottom] = (each.dataset.jump ?? "").split(" ").map(Number);
        return at.x >= left && at.x <= right && at.y >= top && at.y <= bottom;
      });
      if (!e) return;
      jump = true;
    }
    event.preventDefault();
    if (e.matches("[role=button]")) {
      e.focus({ preventScroll: true });
      send(root, e.dataset.mark, "press");
      return;
    }
    const from = { x: way(e, "x")?.now ?? 0, y: way(e, "y")?.now ?? 0 };
    const mark = e.dataset.mark;
    hold = {
      place,
      root,
      mark,
      id: event.pointerId,
      taken: at,
      now: at,
      from,
      jump,
      pointer: event,
      frame: null,
      timer: 0,
    };
    e.focus({ preventScroll: true });
    follow();
    if (jump) ask();
  };
  addEventListener("pointerdown", take, true);
  // A finger that holds a mark does not scroll the page; marks of a picture have no touch-action.
  for (const kind of ["touchstart", "touchmove"])
    addEventListener(kind, (event) => hold && event.preventDefault(), { capture: true, passive: false });
  addEventListener("scroll", () => hold && (hold.frame = null), { capture: true, passive: true });
  addEventListener("pointermove", move, { capture: true, passive: false });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, drop, true);

  // --- keys, and records that come and go --------------------------------------------------------
  // Of marks of one kind Tab stops at one, the last that had the focus; keys lead to the others.
  const kin = (e) => held(e.ownerSVGElement).filter((other) => other.dataset.held === e.dataset.held);
  const stop = (e) =>
    kin(e).forEach(
      (other) => other.tabIndex === (other === e ? 0 : -1) || (other.tabIndex = other === e ? 0 : -1),
    );
  const beside = (e, step) => {
    const all = kin(e);
    return all[(all.indexOf(e) + step + all.length) % all.length];
  };
  const NEXT = { n: 1, p: -1 };
  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
  const MORE = { PageUp: 10, PageDown: -10, Home: -1e6, End: 1e6 };
  addEventListener(
    "keydown",
    (event) => {
      /** @type {SVGElement} */
      const e = met(event)?.closest("[data-held]");
      if (!e || event.ctrlKey || event.altKey || event.metaKey) return;
      const { key } = event,
        root = e.closest(ROOT),
        both = "x" in e.dataset && "y" in e.dataset;
      let act = null;
      const other = e.matches("[role=button]") ? STEPS[key]?.find((n) => n) : NEXT[key];
      if (other && kin(e).length > 1) {
        event.preventDefault();
        event.stopPropagation();
        return void beside(e, other).focus({ preventScroll: true });
      }
      if (e.matches("[role=button]")) {
        act = key === "Enter" || key === " " ? ["press"] : null;
      } else if (key in STEPS) {
        const far = event.shiftKey ? 10 : 1;
        const [x, y] = STEPS[key].map((n) => n * far);
        act = both ? ["by", x || null, y || null] : ["by", x + y, x + y]; // one way: any arrow
      } else if (key in MORE) act = ["by", MORE[key], both ? null : MORE[key]];
      else if (key === "Delete" || key === "Backspace") act = "fewer" in e.dataset ? ["remove"] : null;
      else if ((key === "Insert" || key === "+") && "more" in e.dataset)
        act = [
          "add",
          ...["x", "y"].map(
            (axis) => way(e, axis) && way(e, axis).at(way(e, axis).within(way(e, axis).now + 12)),
          ),
        ];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      send(root, e.dataset.mark, ...act);
      tip(e);
    },
    true,
  );
  addEventListener(
    "dblclick",
    (event) => {
      const svg = met(event)?.closest(PICTURE)?.querySelector("svg[role]");
      if (!svg) return;
      const at = spot(svg, event);
      const e = held(svg).find((each) => {
        const [left, top, right, bottom] = (each.dataset.more ?? "").split(" ").map(Number);
        return at.x >= left && at.x <= right && at.y >= top && at.y <= bottom;
      });
      if (!e) return;
      const numbers = ["x", "y"].map(
        (axis) => way(e, axis) && way(e, axis).at(way(e, axis).within(at[axis])),
      );
      send(svg.closest(ROOT), e.dataset.mark, "add", ...numbers);
    },
    true,
  );

  // --- names: the same mark lights up in all panels, and says what it is -------------------------
  let told = null;
  // Beside a mark, or a place of the window; its own size is asked of nobody, as that lays out a page.
  const tip = (e, at = null) => {
    const name = e?.isConnected && e.getAttribute("aria-label");
    if (!name) {
      told?.remove();
      told = null;
      return;
    }
    const value = e.getAttribute("aria-valuetext"),
      words = value ? `${name}: ${value}` : name;
    const box = at ?? e.getBoundingClientRect();
    if (!told) {
      told = document.createElement("output");
      told.className = "dpviz-tip";
      told.setAttribute("aria-hidden", "true");
      document.body.append(told);
    }
    if (told.textContent !== words) told.textContent = words;
    told.style.transform = `translate(min(${box.right}px, 100vw - 100% - 4px), max(${box.top}px - 100%, 0px))`;
  };
  const light = (event) => {
    const mark = met(event)?.closest(`${PICTURE} [data-mark]`),
      svg = mark?.closest("svg[role]");
    if (hold) return;
    for (const e of document.querySelectorAll(".dpviz-lit")) e.classList.remove("dpviz-lit");
    const name = mark?.getAttribute("data-mark");
    const alike = name ? [...svg.querySelectorAll(`[data-mark="${CSS.escape(name)}"]`)] : [];
    if (alike.length > 1 || mark?.matches("[data-held]")) for (const e of alike) e.classList.add("dpviz-lit");
    tip(mark?.matches("[data-held]") ? mark : null);
  };
  addEventListener("pointerover", light);
  addEventListener("focusin", light);
  addEventListener("focusout", () => hold || tip(null));

  // --- one picture after another -----------------------------------------------------------------
  const came = new WeakMap(); // when the last picture of a place came
  const drawn = (place) => {
    place.dispatchEvent(new CustomEvent("dpviz-drawn", { bubbles: true }));
    const svg = place.querySelector("svg[role]"),
      last = focused.get(place),
      now = document.activeElement;
    // The mark that had the focus may be another element now.
    const lost = now === document.body || (place.contains(now) && now.getAttribute("data-mark") !== last);
    const again = last && named(svg, last);
    if (again) stop(again);
    if (again && lost) again.focus({ preventScroll: true });
    if (hold?.place !== place) return;
    hold.frame = null; // what stands above may have grown
    follow();
  };
  const seen = (records) => {
    const first = new Map();
    for (const { target, removedNodes, addedNodes } of records) {
      const reply = /** @type {Element} */ (target).closest?.(".dpviz-reply")?.querySelector("[data-done]");
      if (reply) answer(reply.closest(ROOT), reply);
      const place = /** @type {Element} */ (target).closest?.(PICTURE);
      if (!place || ![...addedNodes].some((e) => e.matches?.("svg[role]"))) continue;
      const old = [...removedNodes].find((e) => e.matches?.("svg[role]"));
      if (!first.has(place)) first.set(place, old);
    }
    for (const [place, old] of first) {
      const svg = place.querySelector("svg[role]");
      place.closest(ROOT)?.querySelector(".dpviz-gone")?.remove();
      drawn(place);
      if (!old || !svg) continue;
      // A player's states are looked at one by one; an explorer's answers may come in a stream.
      const quick = !place.closest(".dpviz-player") && performance.now() - (came.get(place) ?? -TIME) < TIME;
      came.set(place, performance.now());
      if (!quick && hold?.place !== place && !reduced.matches && !document.hidden) glide(old, svg);
    }
  };
  // A mark that has the focus keeps it over the next picture.
  const focused = new WeakMap();
  addEventListener("focusin", (event) => {
    const e = met(event),
      place = e?.closest(PICTURE);
    if (place) focused.set(place, e.getAttribute("data-mark"));
    if (place && e.matches("[data-held]")) stop(e);
  });
  addEventListener("focusout", (event) => {
    const e = met(event),
      place = e?.closest(PICTURE);
    if (place && e.isConnected && event.relatedTarget) focused.delete(place);
  });
  new MutationObserver(seen).observe(document.body, { subtree: true, childList: true });
})();
