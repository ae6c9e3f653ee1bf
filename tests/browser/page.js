// What the browser tests put into every page, as window.dpviz.
window.dpviz = (() => {
  const sent = new Set(); // messages from widgets that the kernel has not finished with
  const complaints = []; // errors and warnings of the kernel outside any cell
  // Every wait ends: what does not come is a failure that says what it was, after so many seconds.
  const limits = { frame: 60, kernel: 300 };
  function within(seconds, what, promise) {
    let timer = 0;
    const late = new Promise((_, fail) => {
      const words = () => fail(new Error(`${what} did not come within ${seconds} s; ${state()}`));
      timer = setTimeout(words, 1000 * seconds);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }
  const state = () => {
    const { status, connectionStatus } =
      window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel ?? {};
    return `the page is ${document.visibilityState}, its kernel ${status ?? "none"}, ${connectionStatus ?? "not connected"}`;
  };
  // A window in the background may get no frame at all.
  const frame = () => within(limits.frame, "a frame", new Promise(requestAnimationFrame));
  const execute = (name) =>
    within(limits.kernel, name, window.jupyterapp.commands.execute(`notebook:${name}`));
  // Frame by frame, as long as a condition holds.
  async function passing(condition, what) {
    for (const end = performance.now() + 1000 * limits.kernel; condition(); await frame())
      if (performance.now() > end) await within(0, what, new Promise(() => {}));
  }
  const WORKED = "button, select, input, textarea, summary, .noUi-handle";
  const panel = () => window.jupyterapp.shell.currentWidget;
  const kernel = () => panel().sessionContext.session.kernel;

  function listen(connection) {
    connection.anyMessage.connect((_, { msg, direction }) => {
      if (direction === "send" && msg.header.msg_type === "comm_msg") sent.add(msg.header.msg_id);
    });
    connection.iopubMessage.connect((_, msg) => {
      const { msg_type: kind } = msg.header,
        parent = msg.parent_header;
      if (kind === "status" && msg.content.execution_state === "idle") sent.delete(parent.msg_id);
      const bad = kind === "error" || (kind === "stream" && msg.content.name === "stderr");
      const text = msg.content.text ?? msg.content.evalue ?? "";
      // A page asks a new kernel for the widgets it does not have yet.
      const greeting = text.startsWith("No such comm");
      if (bad && !greeting && parent.msg_type !== "execute_request") complaints.push(text);
    });
  }

  // The notebook is there and its kernel answers.
  async function ready() {
    await within(limits.kernel, "JupyterLab", window.jupyterapp.restored);
    await within(limits.kernel, "the notebook", panel().context.ready);
    await within(limits.kernel, "its session", panel().sessionContext.ready);
    await within(limits.kernel, "its kernel", kernel().info);
    listen(kernel());
  }

  // For each code cell: its number, its stored or live outputs, whether it ran.
  function cells() {
    return panel().content.widgets.map((cell, index) => ({
      index,
      type: cell.model.type,
      source: cell.model.sharedModel.getSource(),
      count: cell.model.executionCount ?? null,
      outputs: cell.model.type === "code" ? cell.model.outputs.toJSON() : [],
    }));
  }

  // Whether the outputs of all cells are trusted.
  function trusted() {
    return panel().content.widgets.every((cell) => cell.model.type !== "code" || cell.model.trusted);
  }

  // Bring a cell on screen and give its element once its outputs are drawn.
  async function show(index) {
    const book = panel().content;
    await book.scrollToItem(index, "center");
    await book.widgets[index].ready;
    await frame();
    const { node } = book.widgets[index];
    node.style.contentVisibility = "visible"; // also when what is drawn above moves it away
    await frame();
    return node;
  }

  // What a person sees below a cell: how many pictures, and the words.
  async function seen(index) {
    const cell = await show(index);
    const area = cell.querySelector(".jp-Cell-outputWrapper");
    const images = [...area.querySelectorAll("img, svg[role=img], svg[role=group]")];
    const shown = images.filter((image) => image.naturalWidth !== 0 && image.checkVisibility());
    return { pictures: shown.length, words: area.innerText, hidden: area.textContent };
  }

  // Select a cell, run all above it, then it.
  async function wake(index) {
    await show(index);
    panel().content.activeCellIndex = index;
    await execute("run-all-above");
    await execute("run-cell");
    await show(index);
    await settled();
  }

  // Save and end the kernel.
  async function leave() {
    await within(limits.kernel, "the saved notebook", panel().context.save());
    await within(limits.kernel, "the kernel's end", panel().sessionContext.shutdown());
  }

  // Run Python in the notebook's kernel and give what it prints.
  async function ask(code) {
    let printed = "";
    const future = kernel().requestExecute({ code, store_history: false });
    future.onIOPub = (msg) => {
      if (msg.header.msg_type === "stream") printed += msg.content.text;
      if (msg.header.msg_type === "error") printed += msg.content.traceback.join("\n");
    };
    await within(limits.kernel, "an answer of the kernel", future.done);
    return printed;
  }

  // The picture of an instrument without what is only told of it, which the sentence tells too.
  function picture(root) {
    const shown = root.querySelector(".dpviz-picture svg")?.cloneNode(true);
    for (const told of shown?.querySelectorAll(":scope > title, :scope > desc") ?? []) told.remove();
    return shown?.innerHTML ?? "no picture";
  }

  // Everything that an instrument shows, once the kernel has finished with all that was sent.
  async function read(root) {
    await settled();
    const text = (name) => root.querySelector(`.dpviz-${name}`)?.textContent.trim() ?? "";
    return {
      picture: picture(root),
      sentence: text("sentence"),
      table: text("table"),
      problem: text("problem"),
    };
  }

  // Until the kernel has finished with all that was sent and the page has shown it.
  async function settled() {
    let still = 0; // frames without a message that waits
    await passing(() => (still = sent.size ? 0 : still + 1) <= 2, "an answer to every message");
  }

  // Until the page has laid itself out anew, and the kernel has drawn what fits into it.
  async function laid() {
    for (let i = 0; i < 4; i++) await frame();
    await settled();
  }

  // The numbers of each element that a picture draws; what is leaving it apart.
  const PLACES = ["d", "x", "y", "cx", "cy"];
  function drawn(root) {
    const all = [...root.querySelectorAll(".dpviz-picture svg[role] :is(path, circle, text)")];
    return all
      .filter((e) => !e.closest(".dpviz-leaving"))
      .map((e) => ({
        kind: e.tagName + (e.getAttribute("d") ?? "").replace(/[-\d. ]+/g, " "),
        at: PLACES.flatMap((k) => e.getAttribute(k)?.match(/-?[\d.]+/g) ?? []).map(Number),
      }));
  }

  // What a picture draws, frame by frame, from now until its next state stands still.
  async function film(root) {
    const shown = () => root.querySelector(".dpviz-picture svg[role]");
    const first = shown(),
      frames = [drawn(root)];
    await passing(() => shown() === first, "the next picture");
    const moves = () => shown().matches(".dpviz-moving") && frames.push(drawn(root));
    await passing(moves, "the end of a glide");
    return [...frames, drawn(root)];
  }

  // The smallest type of a picture, in pixels of the screen.
  function smallest(root) {
    const svg = root.querySelector(".dpviz-picture svg[role]");
    const words = [...svg.querySelectorAll("text")].filter((e) => e.textContent.trim());
    return (
      (Math.min(...words.map((e) => parseFloat(getComputedStyle(e).fontSize)))
        * svg.getBoundingClientRect().width)
      / svg.viewBox.baseVal.width
    );
  }

  // Lead a mark to and fro along its way, a move a frame; what is seen of it meanwhile.
  // A second: answers, and new pictures among them; of each move the ms until an answer that knows
  // of it; of each frame how far mark and hand are apart, in moves.
  async function swing(root, mark, seconds) {
    const place = root.querySelector(".dpviz-picture"),
      wire = root.querySelector(".dpviz-wire");
    const held = () => place.querySelector(`[data-mark="${CSS.escape(mark)}"][data-held]`);
    place.scrollIntoView({ block: "nearest" });
    await frame();
    const svg = place.querySelector("svg[role]"),
      whole = svg.getBoundingClientRect(),
      scale = whole.width / svg.viewBox.baseVal.width;
    const axis = held().dataset.x ? "x" : "y",
      zero = axis === "x" ? whole.left : whole.top;
    const [now, ...ends] = held()
      .dataset[axis].split(" ")
      .slice(3)
      .map((px) => zero + Number(px) * scale);
    const middle = () => {
      const box = held()?.lastElementChild.getBoundingClientRect();
      return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const at = { ...middle(), [axis]: now },
      [low, high] = [Math.min(...ends), Math.max(...ends)];
    const met = { answers: 0, pictures: 0, times: [], lags: [], frames: 0 };
    let waits = [],
      moved = 0;
    const answered = (done, fresh) => {
      met.answers += 1;
      met.pictures += fresh;
      met.times.push(...waits.filter(([n]) => n <= done).map(([, t]) => performance.now() - t));
      waits = waits.filter(([n]) => n > done);
    };
    const observer = new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        const reply = /** @type {Element} */ (target).closest?.(".dpviz-reply");
        for (const e of reply ? addedNodes : []) {
          const { done, new: fresh } = /** @type {HTMLElement} */ (e).dataset ?? {};
          if (done) answered(Number(done), fresh === "");
        }
      }
    });
    observer.observe(root, { childList: true, subtree: true });
    const asked = ({ detail }) => waits.push([detail.serial, moved]);
    const came = () => wire || answered(Infinity, true);
    root.addEventListener("dpviz-hand", asked);
    root.addEventListener("dpviz-drawn", came);
    const point = (kind, e) => {
      const button = kind === "pointermove" ? -1 : 0,
        more = { bubbles: true, cancelable: true, pointerId: 1, pointerType: "mouse" };
      moved = performance.now();
      e.dispatchEvent(new PointerEvent(kind, { ...more, button, clientX: at.x, clientY: at.y }));
    };
    point("pointerdown", held());
    const start = performance.now(),
      stride = (4 * 0.9 * (high - low)) / (60 * seconds);
    for (let share = 0; share < 1; share = (performance.now() - start) / 1000 / seconds) {
      at[axis] = low + (0.05 + 0.9 * Math.abs(((share * 4 + 1) % 2) - 1)) * (high - low);
      point("pointermove", place);
      await frame();
      const mid = middle();
      if (mid) met.lags.push(Math.abs(mid[axis] - at[axis]) / stride);
      met.frames += 1;
    }
    const elapsed = (performance.now() - start) / 1000;
    for (const end = performance.now() + 3000; waits.length && performance.now() < end;) await frame();
    met.times.push(...waits.map(([, t]) => performance.now() - t)); // never answered
    observer.disconnect();
    root.removeEventListener("dpviz-hand", asked);
    root.removeEventListener("dpviz-drawn", came);
    point("pointerup", place);
    for (const name of ["answers", "pictures", "frames"]) met[name] /= elapsed;
    return met;
  }

  // The cells whose outputs hold still figures, each with the smallest type of them, in pixels.
  async function stills() {
    const found = {};
    for (const { index, outputs } of cells()) {
      if (!outputs.some(({ data }) => data?.["text/html"]?.toString().startsWith("<picture>"))) continue;
      const node = await show(index);
      const types = [...node.querySelectorAll(".jp-OutputArea-output picture > img")]
        .filter((image) => image.checkVisibility())
        .map((image) => {
          const svg = decodeURIComponent(image.currentSrc),
            wide = +svg.match(/viewBox='0 0 ([\d.]+)/)[1];
          const type = [...svg.matchAll(/font-size='([\d.]+)/g)].map(([, size]) => +size);
          return (Math.min(...type) * image.getBoundingClientRect().width) / wide;
        });
      if (types.length) found[index] = Math.min(...types);
    }
    return found;
  }

  // Where a slider's handle and its track are, once they are on the screen.
  async function track(handle) {
    handle.scrollIntoViewIfNeeded();
    const box = handle.getBoundingClientRect();
    const base = handle.closest(".noUi-base").getBoundingClientRect();
    return {
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      left: base.x,
      width: base.width,
      value: handle.ariaValueText,
    };
  }

  // The elements of an instrument that a person works.
  function worked(root) {
    const all = root.querySelectorAll(WORKED);
    return [...all].filter((element) => !element.disabled && element.checkVisibility());
  }

  // Focus the first of them; from then on it is noted which of them has the focus, -1 for another.
  let trailed = new AbortController(),
    seenThere = [];
  function trail(root) {
    trailed.abort();
    trailed = new AbortController();
    const all = worked(root),
      note = () => seenThere.push(worked(root).indexOf(document.activeElement));
    all[0].focus();
    seenThere = [0];
    addEventListener("focusin", note, { signal: trailed.signal });
    return all.length;
  }
  const visited = () => seenThere;

  // The middle of an element, once it is on the screen, stands still there and nothing covers it.
  async function aim(e) {
    const place = () => {
      const { left, top, width, height } = e.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    };
    let last = place();
    for (let calm = 3, tries = 0; tries < 600; tries++) {
      e.scrollIntoViewIfNeeded();
      const at = place();
      calm = at.y === last.y ? calm + 1 : 0; // frames since it moved
      if (calm > 3 && e.contains(document.elementFromPoint(at.x, at.y))) return at;
      last = at;
      await frame();
    }
    throw new Error(`no hand can reach ${e.outerHTML.slice(0, 100)}`);
  }

  // Milliseconds from the next key to the new picture, laid out; null if it stays the same.
  function clock(root) {
    const place = root.querySelector(".dpviz-picture");
    window.dpviz.elapsed = new Promise((resolve, reject) => {
      document.addEventListener(
        "keydown",
        () => {
          const start = performance.now();
          let changed = false;
          const observer = new MutationObserver(() => {
            changed = true;
            observer.disconnect();
            place.querySelector("svg").getBoundingClientRect();
            resolve(performance.now() - start);
          });
          observer.observe(place, { childList: true, subtree: true });
          settled()
            .then(frame)
            .then(() => changed || resolve(null), reject);
        },
        { once: true, capture: true },
      );
    });
  }

  return {
    limits,
    execute,
    ready,
    cells,
    trusted,
    show,
    seen,
    wake,
    leave,
    ask,
    read,
    settled,
    laid,
    drawn,
    film,
    swing,
    smallest,
    stills,
    track,
    trail,
    visited,
    aim,
    clock,
    complaints,
    kernel,
  };
})();
