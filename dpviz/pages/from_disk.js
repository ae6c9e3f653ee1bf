// What moves on a page without Python: explorers and players show stored states, questions judge a
// number, a choice or a drawn curve (`curve.js`). Without this script the page shows the start of each, and folds every answer.
(() => {
  const say = window.dpvizSay; // of words.js
  const { lang } = document.documentElement; // in which it says so: a lesson may be in another
  const make = (tag, more = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(more)) k in e ? (e[k] = v) : e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const reduced = matchMedia("(prefers-reduced-motion: reduce)");
  const narrow = matchMedia("(max-width: 480px)"); // pictures drawn for a telephone

  // Picture, sentence and table of a state, where they stand; an open table stays open.
  const show = (root, pieces, [picture, sentence, table]) => {
    const text = (numbers) => numbers.map((i) => pieces[i]).join("");
    root.querySelector(".dpviz-picture").innerHTML = text(picture);
    root.querySelector(".sentence").innerHTML = text(sentence);
    const place = root.querySelector(".table"),
      open = place.querySelector("details")?.open;
    place.innerHTML = text(table);
    if (open) place.querySelector("details").open = true;
  };

  // A control over shown values: a slider or a list; `told` is what stands beside a slider.
  const control = ({ label, kind, shown }, moved) => {
    const told = make("output");
    const input =
      kind === "choice"
        ? make("select", {}, ...shown.map((word, i) => make("option", { value: i, textContent: word })))
        : make("input", { type: "range", min: 0, max: shown.length - 1, step: 1 });
    input.addEventListener("input", () => moved(Number(input.value)));
    const put = (i, acts = true) => {
      input.value = i;
      input.disabled = !acts;
      if (kind === "choice") return;
      told.textContent = shown[i];
      input.setAttribute("aria-valuetext", shown[i]);
    };
    const parts = kind === "choice" ? [input] : [input, told];
    return { put, row: make("label", {}, make("span", { textContent: label }), ...parts) };
  };

  const hands = new WeakMap(), // of each instrument what hears a hand
    chosen = new WeakMap(); // and the preset, or the state, that it shows
  // A hand moves a mark among the values that are stored; small dots show where they are.
  const hand = (root, { controls, handles }, now, base, move) => {
    const away = (value, at) => Math.hypot(...at.map((x, k) => (x === null ? 0 : value[k] - x)));
    const moved = ({ detail: { mark, act, numbers } }) => {
      const [name, record] = mark.split(":"),
        ways = handles[name];
      const [pressed, follows] = ways?.press ?? [];
      if (act === "press" && follows) move(pressed, follows[now()[pressed]][+record]);
      for (const [k, axis] of ["x", "y"].entries()) {
        const [i, values] = ways?.[axis] ?? [];
        if (i === undefined || typeof numbers[k] !== "number") continue;
        const both = ways.x?.[0] === ways.y?.[0];
        if (controls[i].kind !== "points") {
          const far = values.map((value) => (value === null ? Infinity : Math.abs(value - numbers[k])));
          if (act === "to") move(i, far.indexOf(Math.min(...far)));
          const rising = values.at(-1) >= values[0] ? 1 : -1;
          if (act === "by") move(i, Math.min(Math.max(now()[i] + rising * numbers[k], 0), values.length - 1));
          continue;
        }
        if (act === "to" && both && axis === "y") continue; // x has moved both
        const alone = (value, from) =>
          value.length === from.length
          && value.every((at, r) => r === +record || at.join() === from[r].join());
        const here = values[now()[i]][+record],
          wanted = act === "by" ? here : both ? numbers : [numbers[k]];
        const onward = (at) => act === "to" || (at[both ? k : 0] - here[both ? k : 0]) * numbers[k] > 0;
        const near = [...values.keys()] // only what this record alone changes, from now or from where all began
          .filter((j) => alone(values[j], values[now()[i]]) || alone(values[j], values[base()[i]]))
          .filter((j) => onward(values[j][+record]))
          .sort((a, b) => away(values[a][+record], wanted) - away(values[b][+record], wanted));
        const step = act === "by" ? Math.min(Math.abs(numbers[k]), near.length) : 1;
        if (act !== "add" && near.length) move(i, near[step - 1]);
      }
    };
    root.removeEventListener("dpviz-hand", hands.get(root)); // of the picture in another size
    hands.set(root, moved);
    root.addEventListener("dpviz-hand", moved);
    const dots = () => {
      const svg = root.querySelector(".dpviz-picture svg[role]");
      for (const old of root.querySelectorAll(".dpviz-ghost")) old.remove();
      for (const [mark, ways] of Object.entries(handles))
        for (const e of svg?.querySelectorAll(`[data-held="${CSS.escape(mark)}"]`) ?? [])
          for (const axis of ["x", "y"]) {
            const [i, values] = ways[axis] ?? [],
              way = window.dpvizPicture.way(e, axis);
            const other = window.dpvizPicture.way(e, axis === "x" ? "y" : "x");
            if (!way || controls[i].kind === "points" || values.length > 60) continue;
            const box = e.getBBox();
            for (const at of values.filter((value) => value !== null)) {
              const dot = document.createElementNS(svg.namespaceURI, "circle");
              const across = other?.now ?? (axis === "x" ? box.y + box.height / 2 : box.x + box.width / 2);
              const [cx, cy] = axis === "x" ? [way.px(at), across] : [across, way.px(at)];
              for (const [k, v] of Object.entries({
                cx,
                cy,
                r: 2,
                fill: "currentColor",
                class: "dpviz-ghost",
              }))
                dot.setAttribute(k, v);
              svg.append(dot);
            }
          }
    };
    // On a slide that is hidden a mark has no place; dots are drawn again when it is seen.
    new ResizeObserver(dots).observe(root.querySelector(".dpviz-picture"));
    return dots;
  };

  const explorer = (root, data) => {
    const { controls, start, presets, whole, pieces, points } = data;
    let base = start,
      now = start,
      named = say("explorer.base");
    const many = Object.keys(points).length,
      panel = root.querySelector(".panel");
    const note = make("p", { className: "note" });
    const tell = () => {
      const [picture, sentence, table, problem, idle, acts] = points[now.join()];
      if (!problem) show(root, pieces, [picture, sentence, table]); // else the last good one stays
      inputs.forEach((input, i) => input?.put(now[i], Boolean(acts[i])));
      ghosts();
      const stored = whole ? say("explorer.all", { many }) : say("explorer.some", { many, base: named });
      note.replaceChildren(`${[problem, idle].filter(Boolean).join(" ")} `, make("span", { lang }, stored));
    };
    const move = (i, value) => {
      const stored = (from) => from.with(i, value).join() in points;
      if (![now, base].some(stored)) [base, named] = [start, say("explorer.base")];
      now = (stored(now) ? now : base).with(i, value); // the others go back
      tell();
    };
    const go = (name, places, preset = "") => {
      chosen.set(root, preset);
      base = now = places;
      named = name;
      tell();
    };
    const inputs = controls.map((one, i) =>
      one.kind === "points" ? null : control(one, (value) => move(i, value)),
    );
    const ghosts = hand(
      root,
      data,
      () => now,
      () => base,
      move,
    );
    const preset = (name) => go(say("explorer.preset", { name }), presets[name], name);
    const button = (textContent, onclick) => make("button", { type: "button", textContent, onclick });
    const buttons = [
      Object.assign(
        button(say("explorer.start"), () => go(say("explorer.base"), start)),
        { lang },
      ),
      ...Object.keys(presets).map((name) => button(name, () => preset(name))),
    ];
    panel.replaceChildren(
      make("div", { className: "presets" }, ...buttons),
      make("div", { className: "controls" }, ...inputs.filter(Boolean).map(({ row }) => row)),
      note,
    );
    chosen.get(root) in presets ? preset(chosen.get(root)) : tell();
  };

  const player = (root, { pieces, states, start, speeds, pace }) => {
    let now = start,
      timer = 0;
    const last = states.length - 1,
      panel = root.querySelector(".panel");
    const go = (i) => {
      now = Math.min(Math.max(i, 0), last);
      chosen.set(root, now);
      show(root, pieces, states[now]);
      position.value = now;
      told.textContent = say("player.place", { now: now + 1, last: last + 1 });
      position.setAttribute("aria-valuetext", told.textContent);
      if (now === last) stop();
    };
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      play.textContent = say("player.play");
    };
    const run = (most = Infinity) => {
      if (now === last) go(0);
      const every = Number(speed.value),
        end = performance.now() + most;
      play.textContent = say("player.pause");
      timer = setInterval(() => (performance.now() > end || !play.isConnected ? stop() : go(now + 1)), every);
    };
    const button = (text, onclick) => make("button", { type: "button", textContent: text, onclick });
    const play = button(say("player.play"), () => (timer ? stop() : run()));
    const back = button(say("player.back"), () => {
      stop();
      go(now - 1);
    });
    const step = button(say("player.step"), () => {
      stop();
      go(now + 1);
    });
    const told = make("output");
    // player.js sends arrow keys to this class wherever the focus is in a player.
    const position = make("input", { type: "range", min: 0, max: last, step: 1 });
    position.className = "noUi-handle";
    position.addEventListener("input", () => {
      stop();
      go(Number(position.value));
    });
    position.addEventListener("keydown", (event) => {
      if (event.isTrusted) return; // the browser moves the slider itself
      const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
      if (to !== undefined) {
        stop();
        go(to);
      }
    });
    const speed = make(
      "select",
      {},
      ...Object.entries(speeds).map(([name, ms]) =>
        make("option", { value: ms, textContent: name, selected: ms === pace }),
      ),
    );
    const named = (text, ...parts) => make("label", {}, make("span", { textContent: text }), ...parts);
    panel.replaceChildren(
      make(
        "div",
        { className: "controls" },
        make("div", { className: "buttons" }, play, back, step),
        make("div", { className: "dpviz-position" }, named(say("player.position"), position, told)),
        named(say("player.speed"), speed),
      ),
    );
    const again = chosen.has(root);
    go(chosen.get(root) ?? start);
    // Once, for at most five seconds, when it is first seen; not for who asks for stillness.
    if (reduced.matches || again) return;
    const seen = new IntersectionObserver(
      ([{ isIntersecting }]) => {
        if (!isIntersecting) return;
        seen.disconnect();
        if (now === start && !timer) run(5000);
      },
      { threshold: 0.6 },
    );
    seen.observe(root.querySelector(".dpviz-picture"));
  };

  const readings = window.dpvizReadings; // of numbers.js
  const RIGHT = "Yes."; // the verdict, of which a reader is told in the page's language
  const judged = (told, given) => {
    if (told.kind === "choice") return told.options[given];
    const found = readings(given);
    if (!given.trim()) return say("answer.missing");
    if (!found.length) return say("answer.unknown");
    if (found.length > 1) return say("answer.either", { numbers: found.join(say("answer.or")) });
    if (Math.abs(found[0] - told.value) <= told.within) return RIGHT;
    const slip = told.slips.find(([value, within]) => Math.abs(found[0] - value) <= within);
    return slip ? slip[2] : told.otherwise;
  };
  const predictions = []; // in the order of the page
  const review = () => {
    const place = document.querySelector(".review"),
      open = predictions.filter(({ done }) => done);
    if (!place || !open.length) return;
    const cell = (text) => make("td", { textContent: text });
    const rows = open.map(({ question, first, right }) =>
      make("tr", {}, cell(question), cell(first || say("prediction.waived")), cell(right)),
    );
    const head = [say("prediction.question"), say("prediction.yours"), say("prediction.happened")];
    const met = open.filter(({ good }) => good).length;
    place.replaceChildren(
      make("table", {}, make("tr", {}, ...head.map((h) => make("th", { textContent: h }))), ...rows),
      make("p", {
        textContent: say("prediction.met", { met, all: open.length, left: predictions.length - open.length }),
      }),
    );
  };
  // A reader's answers are kept where a page brings `record.js`.
  const kept = window.dpvizRecord;
  const question = (root, told) => {
    const held = root.querySelector(".dpviz-held"),
      list = root.querySelector("ul");
    const mine = { question: root.firstElementChild?.textContent ?? "", right: told.right };
    for (const old of root.querySelectorAll("form, .said")) old.remove(); // a page saved in use
    const said = make("p", { className: "said", role: "status" });
    const input =
      told.kind === "choice"
        ? make(
            "select",
            {},
            ...[say("answer.choose"), ...Object.keys(told.options)].map((word) =>
              make("option", { textContent: word, value: word }),
            ),
          )
        : make("input", { type: "text", placeholder: say("answer.number"), size: 18 });
    const drawn = told.kind === "curve" && window.dpvizCurve.live(root, told, narrow.matches);
    const asked = { ...told, prediction: Boolean(held) };
    const tell = (reply) => {
      const verdict = reply === RIGHT ? say("answer.right") : reply;
      said.textContent = [verdict, kept?.problem].filter(Boolean).join(" ");
      said.classList.toggle("right", reply === RIGHT);
    };
    const open = () => {
      mine.done = true;
      if (held) {
        held.hidden = false;
        held.open = true;
      }
      if (drawn) drawn.show();
      review();
    };
    const check = () => {
      const given = drawn ? drawn.heights().join(", ") : input.value;
      const reply = drawn
        ? window.dpvizCurve.judged(told, drawn.heights())
        : (judged(told, given) ?? say("answer.pick"));
      const read = told.kind === "number" ? readings(given).length === 1 : drawn || given in told.options;
      if (read) {
        if (!mine.first) [mine.first, mine.good] = [given, reply === RIGHT];
        kept?.tried(asked, given, reply);
        open();
      }
      tell(reply);
    };
    const button = (text, onclick) => make("button", { type: "button", textContent: text, onclick });
    const form = make(
      "form",
      {},
      ...(drawn ? [] : [make("label", {}, make("span", { textContent: say("answer.answer") }), input)]),
      button(say("answer.check"), check),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      check();
    });
    if (held) {
      form.append(
        button(say("answer.waive"), () => {
          kept?.waived(asked);
          open();
          tell("");
        }),
      );
      held.hidden = true;
      held.open = false;
      predictions.push(mine);
    }
    if (told.kind === "choice" && list) list.hidden = true;
    (list ?? (drawn ? root.querySelector(".sentence") : root.firstElementChild)).after(form, said);
    const earlier = kept?.entries()[told.name];
    if (earlier?.tries.length) {
      [mine.first, mine.good] = [earlier.tries[0][0], earlier.tries[0][1] === RIGHT];
      tell(say("exercise.answered", { answers: earlier.tries.map(([given]) => given).join("; ") }));
    }
    if (earlier?.tries.length || earlier?.waived) open();
  };

  // What is wider than its place can be scrolled by keyboard too.
  const reach = () => {
    /** @type {NodeListOf<HTMLElement>} */
    const all = document.querySelectorAll("main :is(pre, table, p, li, td, math)");
    for (const e of all)
      if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === "auto") e.tabIndex = 0;
  };
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);

  // An explorer or a player whose states have come; without them it shows its start.
  /** @param {HTMLElement} root */
  const rouse = async (root) => {
    const sizes = [...root.querySelectorAll('script[type="text/plain"]')];
    const told = sizes.find((e) => e.matches(narrow.matches ? ".phone" : ".notebook")) ?? sizes[0];
    if (!told) return;
    try {
      const data = await unpack(told.textContent);
      (root.matches(".dpviz-player") ? player : explorer)(root, data);
      root.dataset.awake = "yes";
      performance.mark("dpviz-awake");
    } catch (problem) {
      console.warn(problem);
      const note = make("p", { className: "note", textContent: say("instrument.still") });
      root.querySelector(".panel").replaceChildren(note);
    }
  };
  window.dpvizWake = rouse;

  const wake = async () => {
    delete document.documentElement.dataset.awake; // of a page that was saved in use
    for (const root of document.querySelectorAll(".prediction, .exercise")) {
      const data = root.querySelector('script[type="application/json"]');
      if (data) question(root, JSON.parse(data.textContent));
    }
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = document.querySelectorAll("a.live");
    for (const link of links) link.hidden = location.protocol === "file:";
    /** @type {NodeListOf<HTMLElement>} */
    const roots = document.querySelectorAll(".dpviz-explorer, .dpviz-player");
    reach();
    for (const root of roots) await rouse(root);
    narrow.addEventListener("change", () => roots.forEach(rouse));
    document.documentElement.dataset.awake = "yes";
  };
  wake();
})();
