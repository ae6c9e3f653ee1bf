// Slides by keys. Without this script they stand one below another.
(() => {
  const say = window.dpvizSay; // of words.js
  const html = document.documentElement,
    slides = [...document.querySelectorAll(".slide")];
  const make = (tag, more = {}, ...children) => {
    const e = Object.assign(document.createElement(tag), more);
    e.append(...children);
    return e;
  };
  html.dataset.deck = "yes";
  // What happened has a slide of its own.
  for (const folded of document.querySelectorAll("details.held"))
    folded.replaceWith(make("div", { className: "held" }, ...[...folded.children].slice(1)));
  // What a question is about comes along, as it was left, to the slide of the answer.
  const along = new Map();
  for (const answer of slides.filter((e) => e.querySelector(".body:empty"))) {
    const asked = answer.previousElementSibling,
      seen = [...asked.querySelector(".body").childNodes];
    along.set(answer, seen).set(asked, seen);
  }
  const bring = (slide) => slide.querySelector(".body").append(...(along.get(slide) ?? []));

  // Words become smaller until nothing is cut; a size that was found once is kept for its window.
  let now = 0;
  const found = new Map();
  const cut = (on) =>
    on.scrollHeight > on.clientHeight + 1
    || on.scrollWidth > on.clientWidth + 1
    || [...on.querySelectorAll(".body, .instrument, .panel")].some(
      (e) => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1,
    );
  const wide = (on) => {
    // a long line becomes smaller by itself
    for (const e of on.querySelectorAll('.body :is(pre, math[display="block"])')) {
      e.style.fontSize = "";
      const room = e.parentElement.clientWidth,
        size = parseFloat(getComputedStyle(e).fontSize);
      if (e.scrollWidth > room) e.style.fontSize = `${(0.98 * size * room) / e.scrollWidth}px`;
    }
  };
  const fit = (slide) => {
    const on = slide.querySelector(".on"),
      key = [slide.id, on.clientWidth, on.clientHeight].join();
    const put = (size) => {
      on.style.setProperty("--fit", size);
      wide(on);
      return cut(on);
    };
    if (getComputedStyle(on).overflowY === "visible") return; // a telephone: the page scrolls
    let high = found.get(key) ?? 1,
      low = 0.3;
    if (put(high)) {
      while (high - low > 0.02) {
        const middle = (low + high) / 2;
        if (put(middle)) high = middle;
        else low = middle;
      }
      put((high = low));
    }
    found.set(key, high);
  };

  const active = () => /** @type {HTMLElement} */ (document.activeElement);
  const place = make("output"),
    other = { window: null };
  const go = (to, told = true) => {
    slides[now].classList.remove("now");
    now = Math.min(Math.max(to, 0), slides.length - 1);
    slides[now].classList.add("now");
    bring(slides[now]);
    place.textContent = `${now + 1} / ${slides.length}`;
    fit(slides[now]);
    history.replaceState(null, "", `#${now + 1}`);
    if (active()?.closest(".slide")) active().blur();
    if (told) other.window?.postMessage({ dpvizSlide: now }, "*");
  };
  const notes = () => {
    html.toggleAttribute("data-noted");
    fit(slides[now]);
  };
  // The notes in a second window: both show the same slide.
  const second = () => {
    other.window = open(location.href.split("#")[0] + `#${now + 1}n`, "", "width=900,height=700");
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== other.window || !Number.isInteger(data?.dpvizSlide)) return;
    if (data.dpvizSlide !== now) go(data.dpvizSlide, false);
  });

  const FIRST =
    ".said-first, .body > :is(p, ul, [alt], pre), .exercise > div, .held > :first-child, .sentence";
  const list = make(
    "ol",
    {},
    ...slides.map((slide, i) => {
      const words = slide.querySelector(FIRST);
      const told = (words?.getAttribute("alt") ?? words?.textContent ?? "").replace(/\s+/g, " ").trim();
      const more = told.length > 70 ? `${told.slice(0, 70).replace(/\s\S*$/, "")} …` : told;
      const link = make("a", { href: `#${i + 1}` }, slide.querySelector("h1").textContent);
      return make("li", {}, link, ` ${more}`);
    }),
  );
  const overview = make("dialog", { className: "overview" }, make("h2", {}, say("slides.title")), list);
  overview.setAttribute("aria-label", say("slides.overview"));
  const look = () => (overview.open ? overview.close() : overview.showModal());
  list.addEventListener("click", ({ target }) => {
    if (target.closest("a")) overview.close();
  });

  const click = (selector, i = 0) => {
    /** @type {NodeListOf<HTMLElement>} */
    const all = slides[now].querySelectorAll(selector);
    all[i]?.click();
  };
  const last = slides.length - 1;
  const keys = {
    PageDown: () => go(now + 1),
    PageUp: () => go(now - 1),
    ArrowRight: () => go(now + 1),
    ArrowDown: () => go(now + 1),
    " ": () => go(now + 1),
    ArrowLeft: () => go(now - 1),
    ArrowUp: () => go(now - 1),
    Home: () => go(0),
    End: () => go(last),
    n: notes,
    o: look,
    w: second,
    p: () => click(".buttons button"),
    f: () => (document.fullscreenElement ? document.exitFullscreen() : html.requestFullscreen()),
    Escape: () => active()?.blur(),
  };
  // A slider keeps its arrows, notes their scrolling, a field its letters; a presenter's keys go on.
  addEventListener(
    "keydown",
    (event) => {
      const { key } = event,
        digit = /^[0-9]$/.test(key);
      const target = /** @type {Element} */ (event.target);
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
      if (overview.open && key !== "o") return;
      if (target.closest("input[type=text], select, textarea") && !/^(Escape|Page)/.test(key)) return;
      if (target.closest("input, .notes") && !/^([0-9nowpf]$|Escape|Page)/.test(key)) return;
      if (target.closest("button, summary") && key === " ") return;
      const act = digit ? () => click(".presets button", Number(key)) : keys[key];
      if (!act) return;
      event.preventDefault();
      act();
    },
    true,
  );

  const button = (textContent, title, onclick) =>
    make("button", { type: "button", textContent, title, onclick });
  const nav = make(
    "nav",
    {},
    button("‹", say("slides.back"), () => go(now - 1)),
    place,
    button("›", say("slides.on"), () => go(now + 1)),
    button(say("slides.notes"), say("slides.noted"), notes),
    button(say("slides.list"), "(o)", look),
    button(say("slides.full"), "(f)", keys.f),
  );
  nav.setAttribute("aria-label", say("slides.bar"));
  document.querySelector("header").append(nav);
  document.body.append(overview);
  /** @type {NodeListOf<HTMLElement>} */
  const noted = document.querySelectorAll(".notes");
  for (const e of noted) e.tabIndex = 0;

  const asked = () => Number(/^#(\d+)/.exec(location.hash)?.[1] ?? 1) - 1;
  if (location.hash.endsWith("n")) {
    html.toggleAttribute("data-noted", true);
    other.window = opener;
  }
  go(asked(), false);
  addEventListener("hashchange", () => {
    if (asked() !== now) go(asked());
  });
  const again = () => {
    found.clear();
    fit(slides[now]);
  };
  for (const what of ["resize", "input", "click"]) addEventListener(what, () => fit(slides[now]));
  addEventListener("beforeprint", () => {
    html.dataset.print = "yes"; // slides have the size of the paper
    for (const slide of slides) slide.classList.add("now");
    [...along.keys()].forEach(bring); // to the questions
    slides.forEach(fit);
  });
  addEventListener("afterprint", () => {
    delete html.dataset.print;
    for (const slide of slides) slide.classList.remove("now");
    go(now);
  });
  new MutationObserver(again).observe(html, { attributeFilter: ["data-awake"] });
})();
