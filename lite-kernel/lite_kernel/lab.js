// JupyterLab's side: a kernel named "python3" whose messages go to a worker and come back.
// JupyterLab loads this file as an extension; it is written as one, so that nothing bundles it.

(() => {
  const HERE = new URL(".", /** @type {HTMLScriptElement} */ (document.currentScript).src);
  // A module of one function that catches an exception: what the runtime needs of a browser.
  const BYTES = "AGFzbQEAAAABBAFgAAADAgEACggBBgAfQAALCw==";
  const PROBE = Uint8Array.from(atob(BYTES), (letter) => letter.charCodeAt(0));
  // So many Pythons at once, of some 400 MB each; a browser that does not say has memory.
  const MOST = (navigator.deviceMemory ?? 8) < 8 ? 1 : 4;
  let scope;

  // Switched off, Firefox's storage is null, with which JupyterLab's packages do not start; refused,
  // as other browsers do it, they do without, and `reader.js` says that nothing is kept.
  const refused = () => {
    throw new DOMException("", "SecurityError");
  };
  try {
    if (window.localStorage === null) Object.defineProperty(window, "localStorage", { get: refused });
  } catch {
    // refused already
  }

  // Messages by language and name. They speak the language of the notebook in front if a folder of
  // that name holds it, else the site's; `path` where it is another notebook.
  let words, language;
  const front = () =>
    window.jupyterapp?.shell.currentWidget?.context?.path ?? new URLSearchParams(location.search).get("path");
  const say = (name, values = {}, path = front()) => {
    const messages = words[path?.split("/")[0]] ?? words[language];
    return messages[name].replace(/\{(\w+)\}/g, (_, value) => values[value]);
  };

  const shared = async (name) => (await Object.values(scope[name])[0].get())();

  // One line at the foot of the page while Python loads.
  function tell(text) {
    let line = document.getElementById("lite-kernel-loading");
    if (!line) {
      line = document.body.appendChild(document.createElement("div"));
      line.id = "lite-kernel-loading";
      line.setAttribute("role", "status");
      line.style.cssText =
        "position:fixed;bottom:28px;right:16px;z-index:9999;padding:6px 12px;"
        + "background:var(--jp-layout-color2,#eee);color:var(--jp-ui-font-color1,#000);border-radius:4px;font:14px sans-serif";
    }
    line.textContent = text;
    line.hidden = !text;
  }

  class Python {
    constructor(parts) {
      this.worker = new Worker(new URL("worker.js", HERE), { type: "module" });
      this.ready = /** @type {Promise<void>} */ (
        new Promise((resolve, reject) => {
          this.worker.onmessage = ({ data }) => {
            if (data.whole)
              tell(say("loading", { loaded: megabytes(data.loaded), whole: megabytes(data.whole) }));
            if (data.whole === data.loaded && data.whole) tell(say("starting"));
            if (data.ready) {
              tell("");
              resolve();
            }
            if (data.died) {
              tell(say("unstarted", { why: data.died }));
              reject(new Error(data.said));
            }
          };
          this.worker.onerror = (problem) => {
            tell(say("unstarted", { why: problem.message ?? problem.type }));
            reject(problem);
          };
        })
      );
      this.ready.catch((problem) => console.error(problem));
      this.worker.postMessage({ start: parts });
    }
  }
  const megabytes = (bytes) => Math.round(bytes / 1e6);

  const message = (kind, content, parent, channel = "iopub") => ({
    channel,
    content,
    metadata: {},
    buffers: [],
    parent_header: parent.header,
    header: {
      msg_id: crypto.randomUUID(),
      msg_type: kind,
      session: parent.header.session,
      username: "",
      date: new Date().toISOString(),
      version: "5.3",
    },
  });

  // A file beside the notebooks that Python writes and the browser's storage keeps, if the site names
  // one: one text for all kernels and the next visit; in this page only where nothing is kept.
  let kept = null,
    unkept; // of `kept`: file, name in the storage
  const record = {
    get text() {
      if (unkept !== undefined || !kept) return unkept ?? null;
      try {
        return localStorage.getItem(kept.name);
      } catch {
        return null;
      }
    },
    set text(text) {
      try {
        if (text === null) localStorage.removeItem(kept.name);
        else localStorage.setItem(kept.name, text);
        unkept = undefined;
      } catch {
        unkept = text;
        tell(say("record", kept));
        setTimeout(() => tell(""), 15000);
      }
    },
  };

  class Signal {
    listeners = [];
    connect(listener) {
      this.listeners.push(listener);
      return true;
    }
    disconnect(listener) {
      this.listeners = this.listeners.filter((each) => each !== listener);
      return true;
    }
    emit(sender) {
      for (const listener of [...this.listeners]) listener(sender, undefined);
    }
  }

  // Messages wait here, not in the worker, so that an error or a stop can answer those that wait.
  class Kernel {
    disposed = new Signal();
    isDisposed = false;
    awake = false;
    queue = [];
    current = null;
    failed = false;

    constructor({ id, name, location, sendMessage }, fresh) {
      this.id = id;
      this.name = name;
      this.location = location;
      this.send = sendMessage;
      this.fresh = fresh;
      this.take();
    }
    take() {
      this.record = null; // what its Python has of it
      const python = (this.python = this.fresh(this));
      this.ready = python.ready.then(() => {
        if (this.python !== python) return;
        python.worker.onmessage = ({ data }) => this.hear(data);
        python.worker.onerror = () => this.hear({ died: "no reason given" });
        this.awake = true;
        this.next();
      });
    }
    // Without a worker, until something is asked again.
    rest() {
      this.python?.worker.terminate();
      this.python = null;
      this.awake = false;
    }
    async handleMessage(asked) {
      this.queue.push(asked);
      this.next();
    }
    next() {
      if (this.current || this.isDisposed || !this.queue.length) return;
      if (!this.python) this.take();
      if (!this.awake) return; // it comes back when Python is there
      this.current = this.queue.shift();
      const { header, parent_header, metadata, content, buffers } = this.current;
      const frame = { header, parent_header, metadata, content, buffers: buffers ?? [] },
        now = record.text;
      this.python.worker.postMessage(
        now === this.record ? { message: frame } : { message: frame, record: now },
      );
      this.record = now;
    }
    hear(data) {
      if (data.message) {
        const { header, content } = data.message;
        this.send(data.message);
        if (header.msg_type === "execute_reply" && content.status === "error")
          this.failed = this.current?.content.stop_on_error ?? true;
      } else if (data.record !== undefined) {
        this.record = record.text = data.record;
      } else if (data.done) {
        this.current = null;
        if (this.failed) this.abort();
        this.failed = false;
        this.next();
      } else if (data.died) {
        console.error(data.died, data.said);
        this.again(say("ended"));
      }
    }
    // Every cell that waits is told that it will not run.
    abort() {
      const cells = this.queue.filter((asked) => asked.header.msg_type === "execute_request");
      this.queue = this.queue.filter((asked) => !cells.includes(asked));
      for (const asked of cells) this.answer(asked, { status: "aborted", execution_count: 0 });
    }
    answer(asked, content) {
      this.send(message("status", { execution_state: "busy" }, asked));
      if (content.ename) this.send(message("error", content, asked));
      this.send(message("execute_reply", content, asked, "shell"));
      this.send(message("status", { execution_state: "idle" }, asked));
    }
    stop() {
      if (this.current) this.again(say("stopped"));
    }
    again(why) {
      const asked = this.current;
      this.rest();
      this.current = null;
      if (asked?.header.msg_type === "execute_request")
        this.answer(asked, {
          status: "error",
          ename: "KeyboardInterrupt",
          evalue: why,
          traceback: [why],
          execution_count: 0,
          user_expressions: {},
          payload: [],
        });
      this.abort();
      this.queue = [];
      this.take();
    }
    dispose() {
      if (this.isDisposed) return;
      this.isDisposed = true;
      this.rest();
      this.disposed.emit(this);
    }
  }

  const SPEC = { name: "python3", display_name: "Python 3", language: "python", argv: [], resources: {} };

  async function reader() {
    const names = [
      "@jupyterlab/notebook",
      "@jupyterlab/apputils",
      "@jupyterlab/ui-components",
      "@jupyterlab/coreutils",
    ];
    const [notebook, apputils, ui, coreutils] = await Promise.all(names.map(shared));
    const { plugin } = await import(new URL("reader.js", HERE).href);
    return plugin({ tracker: notebook.INotebookTracker, apputils, ui, coreutils, say });
  }

  // Where Python cannot run a notebook is read, and JupyterLab need not ask for a kernel.
  async function still() {
    const { INotebookTracker } = await shared("@jupyterlab/notebook");
    const quiet = (_, { sessionContext: context }) => {
      context.kernelPreference = { ...context.kernelPreference, shouldStart: false };
    };
    const activate = (_, books) => books.widgetAdded.connect(quiet);
    return { id: "lite-kernel:kernel", autoStart: true, requires: [INotebookTracker], activate };
  }

  async function plugins() {
    const parts = await (await fetch(new URL("parts.json", HERE))).json();
    ({ words, language } = parts);
    if (!(self.DecompressionStream && self.WebAssembly?.validate(PROBE))) {
      // told before anything else is loaded
      tell(say("old"));
      return [await still()];
    }
    const { IKernelSpecs, IKernelClient } = await shared("@jupyterlite/services");
    const absolute = (part) => part && { ...part, url: new URL(part.url, HERE).href };
    kept = parts.kept;
    const wanted = {
      kept: kept?.file,
      soon: parts.soon,
      parts: { wasm: absolute(parts.wasm), library: absolute(parts.library) },
      index: new URL(parts.index, HERE).href,
    };
    let first = new Python(wanted); // begins before a notebook asks
    const kernels = new Map();
    const fresh = (kernel) => {
      const others = [...kernels.values()].filter((each) => each.python && each !== kernel);
      // One that still starts, or has something to answer, goes on.
      const free = others.filter((each) => each.awake && !each.current && !each.queue.length);
      const idle = free.slice(0, Math.max(0, others.length + 1 - MOST));
      const made = first ?? new Python(wanted);
      first = null;
      for (const each of idle) each.rest();
      if (idle.length)
        made.ready.then(() => tell(say("rests"))).then(() => setTimeout(() => tell(""), 15000));
      return made;
    };
    const create = async (options) => {
      const kernel = new Kernel(options, fresh);
      kernels.set(options.id, kernel);
      return kernel;
    };
    return [
      await reader(),
      {
        id: "lite-kernel:kernel",
        autoStart: true,
        requires: [IKernelSpecs],
        optional: [IKernelClient],
        activate: (_, specs, client) => {
          specs.register({ spec: SPEC, create });
          if (client) client.interrupt = async (id) => kernels.get(id)?.stop();
        },
      },
    ];
  }

  const modules = {
    "./extension": async () => {
      const found = await plugins();
      return () => ({ __esModule: true, default: found });
    },
    "./style": async () => () => ({}),
  };
  (window._JUPYTERLAB ??= {})["lite-kernel"] = {
    init: (given) => {
      scope = given;
    },
    get: (name) => modules[name](),
  };
})();
