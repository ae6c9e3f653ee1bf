// What a reader answered, kept in the browser's storage in the form of exercises/record.py and never sent
// anywhere; and the page that shows it. Each change reads what is kept anew: other pages write it too.
(() => {
  const say = window.dpvizSay; // of words.js
  const KEY = "dpviz answers",
    FORMAT = "dpviz answers",
    VERSION = 1,
    FILE = "dpviz-answers.json";
  const RIGHT = "Yes.",
    MARKS = ["", "done", "to do again"],
    LONGEST = 300,
    MOST = 100;
  let waiting = [],
    problem = "";

  const packed = (entries) => JSON.stringify({ [FORMAT]: VERSION, entries }, null, 1);

  // Whether an entry is what exercises/record.py would take for one.
  const plain = (e) => typeof e === "object" && e !== null && !Array.isArray(e);
  const whole = (e) =>
    plain(e)
    && Object.keys(e).sort().join() === "mark,prediction,question,tries,waived"
    && [e.prediction, e.waived].every((flag) => typeof flag === "boolean")
    && typeof e.question === "string"
    && MARKS.includes(e.mark)
    && Array.isArray(e.tries)
    && e.tries.every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === "string"),
    );

  // What is kept; null if it cannot be read as answers.
  const stored = () => {
    const text = localStorage.getItem(KEY);
    if (text === null) return {};
    try {
      const told = JSON.parse(text);
      return told[FORMAT] === VERSION && plain(told.entries) && Object.values(told.entries).every(whole)
        ? told.entries
        : null;
    } catch {
      return null;
    }
  };
  const entries = () => {
    let found;
    try {
      found = stored() ?? {};
    } catch {
      found = {};
    }
    for (const act of waiting) act(found);
    return found;
  };
  const change = (act) => {
    waiting.push(act);
    problem = "";
    try {
      let found = stored();
      if (!found) {
        const free = [...Array(1000).keys()].find((i) => localStorage.getItem(`${KEY} unread ${i}`) === null);
        localStorage.setItem(`${KEY} unread ${free}`, localStorage.getItem(KEY));
        [found, problem] = [{}, say("record.unread")];
      }
      for (const each of waiting) each(found);
      localStorage.setItem(KEY, packed(found));
      waiting = [];
    } catch {
      problem = say("record.full");
    }
    for (const place of document.querySelectorAll(".done")) show(place);
  };

  const short = (text) => [...text.trim().replace(/\s+/g, " ")].slice(0, LONGEST).join("");
  const entry = (all, { name, question, prediction }) =>
    (all[name] ??= { question, prediction, tries: [], waived: false, mark: "" });
  const record = {
    entries,
    packed,
    get problem() {
      return problem;
    },
    tried(asked, given, said) {
      const kept = [short(given), short(said)];
      if (asked.name)
        change((all) => {
          const { tries } = entry(all, asked),
            last = tries.at(-1);
          if (`${last}` !== `${kept}`) tries.splice(MOST - 1, 1, kept);
        });
    },
    waived(asked) {
      if (asked.name)
        change((all) => {
          const one = entry(all, asked);
          one.waived ||= !one.tries.length;
        });
    },
    mark(name, mark) {
      change((all) => {
        if (all[name]) all[name].mark = mark;
      });
    },
    erase() {
      [waiting, problem] = [[], ""];
      try {
        localStorage.removeItem(KEY);
      } catch {
        problem = say("record.full");
      }
      for (const place of document.querySelectorAll(".done")) show(place);
    },
  };
  window.dpvizRecord = record;

  // The page "what you have done": a table for each lesson, marks, download, erase.
  const make = (tag, more = {}, ...children) => {
    const e = Object.assign(document.createElement(tag), more);
    e.append(...children);
    return e;
  };
  const HEAD = [say("done.question"), say("done.first"), say("done.answers"), say("done.right")];
  HEAD.push(say("done.mark"));
  const MARKED = [say("done.none"), say("done.finished"), say("done.again")]; // of each mark
  const row = ([name, { question, tries, waived, mark }]) => {
    const right = tries.findIndex(([, said]) => said === RIGHT);
    const chosen = make(
      "select",
      { onchange: () => record.mark(name, chosen.value) },
      ...MARKS.map((word, i) =>
        make("option", { value: word, textContent: MARKED[i], selected: word === mark }),
      ),
    );
    chosen.setAttribute("aria-label", say("done.marked", { question }));
    const cells = [
      question,
      tries[0]?.[0] ?? (waived ? say("done.shown") : ""),
      tries.length,
      right < 0 ? say("done.unsolved") : right ? say("done.solved") : say("done.once"),
      chosen,
    ];
    return make(
      "tr",
      {},
      ...cells.map((cell, i) => {
        const made = make("td", {}, cell);
        made.dataset.head = HEAD[i]; // where a window is too narrow for columns
        return made;
      }),
    );
  };
  const download = () => {
    const link = make("a", {
      download: FILE,
      href: URL.createObjectURL(new Blob([packed(entries())], { type: "application/json" })),
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  const show = (place) => {
    const all = Object.entries(entries()),
      tables = [],
      focused = document.activeElement?.ariaLabel;
    place.dataset.lessons.split(" ").forEach((lesson, i) => {
      const met = all.filter(([name]) => name.startsWith(`${lesson}.`));
      if (!met.length) return;
      const right = met.filter(([, { tries }]) => tries.some(([, said]) => said === RIGHT)).length;
      const named = `${String(i).padStart(2, "0")} ${lesson.replace("_", "-")}`;
      const title = say("done.count", { lesson: named, right, all: met.length });
      const head = make("tr", {}, ...HEAD.map((h) => make("th", { textContent: h, scope: "col" })));
      tables.push(
        make("table", {}, make("caption", { textContent: title }), make("tbody", {}, head, ...met.map(row))),
      );
    });
    const erase = make("button", {
      type: "button",
      textContent: say("done.erase"),
      onclick: () => {
        if (erase.textContent === say("done.sure")) record.erase();
        else erase.textContent = say("done.sure");
      },
    });
    const buttons = make(
      "div",
      { className: "buttons" },
      make("button", { type: "button", textContent: say("done.download"), onclick: download }),
      erase,
    );
    place
      .querySelector(".all")
      .replaceChildren(
        ...(all.length ? [...tables, buttons] : [make("p", { textContent: say("done.nothing") })]),
        make("p", { role: "alert", textContent: problem }),
      );
    if (focused) [...place.querySelectorAll("select")].find((e) => e.ariaLabel === focused)?.focus();
  };
  for (const place of document.querySelectorAll(".done")) show(place);
  addEventListener("storage", () => {
    for (const place of document.querySelectorAll(".done")) show(place);
  });
})();
