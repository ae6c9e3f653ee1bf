// What keeps a reader's work: two buttons on each notebook, and a sentence wherever it is at risk.
// JupyterLab stores a notebook in the browser as soon as it is changed; this looks after the copies.

const EDITION = new URL(".", import.meta.url).pathname.split("/").at(-2);

// A few words that are remembered, where the browser lets a page remember.
const memory = {
  get: (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set: (name, text) => {
    try {
      localStorage.setItem(name, text);
      return true;
    } catch {
      return false;
    }
  },
};

export const plugin = ({ tracker, apputils, ui, coreutils, say }) => ({
  id: "lite-kernel:reader",
  autoStart: true,
  requires: [tracker],
  activate: (app, books) => {
    const { Notification, showDialog, Dialog } = apputils;
    const base = coreutils.PageConfig.getBaseUrl();
    const untilClosed = { autoClose: false };
    const remembered = (name) => `lite-kernel ${new URL(base).pathname} ${name}`;

    // Storage: what a reader wrote goes before our own copy of the site.
    const { contents } = app.serviceManager;
    const save = contents.save.bind(contents);
    contents.save = (path, options) =>
      save(path, options)
        .catch(async () => {
          await giveUp(base);
          return save(path, options);
        })
        .catch((problem) => {
          console.error(problem);
          throw new Error(say("full"));
        });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) saveAll(books);
    });

    const original = async (path) => {
      const answer = await fetch(new URL(`files/${path}`, base));
      return answer.ok ? answer.json() : null;
    };
    const renew = async ({ context }, book) => {
      context.model.fromJSON(book);
      memory.set(remembered(context.path), mark(book));
      await context.save();
    };

    async function reset(panel) {
      const { path } = panel.context,
        book = await original(path);
      if (!book) return void Notification.info(say("own"));
      const { button, isChecked } = await showDialog({
        title: say("sure"),
        body: say("loss"),
        checkbox: { label: say("first"), checked: true },
        buttons: [Dialog.cancelButton({ label: say("cancel") }), Dialog.warnButton({ label: say("reset") })],
      });
      if (!button.accept) return;
      if (isChecked) download(panel.context);
      await renew(panel, book);
    }

    // Which original the reader's copy began with is remembered, to tell their changes from ours.
    async function compare(panel) {
      const { context } = panel,
        book = await original(context.path);
      if (!book) return;
      const name = remembered(context.path),
        began = memory.get(name);
      const [now, mine] = [mark(book), mark(context.model.toJSON())];
      if (mine === now || !began) memory.set(name, now);
      else if (began !== now && mine === began) {
        await renew(panel, book);
        Notification.info(say("renewed"), untilClosed);
      } else if (began !== now) Notification.warning(say("newer"), untilClosed);
    }

    // A notebook is held until its panel or its tab is closed.
    function alone({ context, disposed }) {
      navigator.locks?.request(remembered(context.path), { ifAvailable: true }, (lock) => {
        if (!lock) return void Notification.warning(say("twice"), untilClosed);
        return new Promise((closed) => disposed.connect(closed));
      });
    }

    // JupyterLab fills the toolbar again whenever it has read settings, which puts others in front.
    async function putButtons(panel, buttons) {
      const { toolbar } = panel;
      while (!panel.isDisposed && ![...toolbar.names()].includes("spacer"))
        await new Promise((next) => setTimeout(next, 50));
      for (const [name, button] of panel.isDisposed ? [] : buttons) {
        button.parent = null;
        toolbar.insertBefore("spacer", name, button);
      }
    }

    books.widgetAdded.connect(async (_, panel) => {
      await panel.context.ready;
      const here = (name) => say(name, {}, panel.context.path);
      const button = (name, tooltip, act) => [
        `lite-kernel-${name}`,
        new ui.ToolbarButton({ label: here(name), tooltip: here(tooltip), onClick: once(act) }),
      ];
      const buttons = [
        button("download", "file", () => download(panel.context)),
        button("reset", "original", () => reset(panel)),
      ];
      putButtons(panel, buttons);
      alone(panel);
      await compare(panel);
      panel.context.model.contentChanged.connect(persist);
      await panel.sessionContext.ready;
      await panel.sessionContext.session?.kernel?.info; // Python is here: the rest may load
      putButtons(panel, buttons);
      keep();
    });

    // Without this a browser may drop an old page's storage when the disk is full.
    let asked = false;
    function persist() {
      if (!asked) navigator.storage?.persist?.();
      asked = true;
    }

    let keeping;
    function keep() {
      keeping ??= withoutNetwork(new URL("../", base), {
        kept: () => Notification.success(say("kept"), { autoClose: 5000 }),
        failed: () => Notification.info(say("unkept"), { autoClose: 8000 }),
        newer: (take) =>
          Notification.info(say("waits"), {
            ...untilClosed,
            actions: [
              {
                label: say("load"),
                callback: async () => {
                  await saveAll(books);
                  take();
                },
              },
            ],
          }),
        others: () => Notification.warning(say("others")),
      });
    }

    const last = memory.get(remembered("edition"));
    if (last && last !== EDITION) Notification.info(say("updated"), untilClosed);
    if (!memory.set(remembered("edition"), EDITION)) Notification.warning(say("nothing"), untilClosed);
  },
});

// A toolbar's button hears Enter twice: as a key, and as the click that follows from it.
function once(act) {
  let last = 0;
  return () => {
    const again = Date.now() - last < 500; // ms
    last = Date.now();
    if (!again) act();
  };
}

function saveAll(books) {
  return Promise.all(books.filter(({ context }) => context.model.dirty).map(({ context }) => context.save()));
}

// A number for what a notebook says and asks, whatever it has put out.
function mark({ cells }) {
  const text = JSON.stringify(cells.map(({ cell_type, source }) => [cell_type, [source].flat().join("")]));
  let sum = 7;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
  return `${sum}`;
}

// As it stands in the page, saved or not.
function download({ model, path }) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(model.toJSON(), null, 1)], { type: "application/x-ipynb+json" }),
  );
  link.download = path.split("/").at(-1);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// offline.js keeps the site; here is told what becomes of it.
async function withoutNetwork(site, { kept, failed, newer, others }) {
  const workers = navigator.serviceWorker;
  try {
    const registration = await workers.register(new URL("offline.js", site), { scope: site.pathname });
    const wait = (worker) => newer(() => worker.postMessage("take over"));
    const seen = new Set();
    const watch = (worker) => {
      if (!worker || seen.has(worker)) return;
      seen.add(worker);
      worker.addEventListener(
        "statechange",
        () => {
          const whole = worker.state !== "redundant";
          if (!registration.active) (whole ? kept : failed)();
          else if (whole) wait(worker); // half a newer edition leaves the older one as it is
        },
        { once: true },
      );
    };
    workers.addEventListener("message", ({ data }) => data.others && others());
    workers.addEventListener("controllerchange", () => location.reload());
    watch(registration.installing);
    registration.addEventListener("updatefound", () => watch(registration.installing));
    if (registration.waiting && registration.active) wait(registration.waiting);
  } catch (problem) {
    console.warn(problem); // no such worker here: an old browser, its settings, a private window
    failed();
  }
}

async function giveUp(base) {
  const site = new URL("../", base).href;
  await (await navigator.serviceWorker?.getRegistration(site))?.unregister();
  for (const name of (await self.caches?.keys()) ?? [])
    if (name.startsWith(`lite-kernel ${site} `)) await caches.delete(name);
}
