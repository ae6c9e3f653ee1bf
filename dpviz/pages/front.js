// On the first page the states of a picture are loaded when it comes near, or is touched before.
(() => {
  const narrow = matchMedia("(max-width: 480px)");
  const say = window.dpvizSay; // of words.js
  /** @type {NodeListOf<HTMLElement>} */
  const roots = document.querySelectorAll("[data-stored]");
  /** @param {HTMLElement} root */
  const load = (root) => {
    if (root.dataset.asked) return;
    root.dataset.asked = "yes";
    const script = document.createElement("script");
    script.src = `pictures/${root.dataset.stored}_${narrow.matches ? "phone" : "notebook"}.js`;
    script.onerror = () => {
      const note = document.createElement("p");
      note.className = "note";
      note.textContent = say("front.gone");
      root.querySelector(".panel").replaceChildren(note);
    };
    document.head.append(script);
  };
  // Each file calls this.
  window.dpvizStored = (name, mode, record) => {
    /** @type {HTMLElement} */
    const root = document.querySelector(`[data-stored="${name}"]`);
    const states = document.createElement("script");
    states.type = "text/plain";
    states.className = mode;
    states.textContent = record;
    root.append(states);
    window.dpvizWake(root);
  };
  const near = new IntersectionObserver(
    (all) => {
      for (const { isIntersecting, target } of all)
        if (isIntersecting) load(/** @type {HTMLElement} */ (target));
    },
    { rootMargin: "50% 0px" },
  );
  for (const root of roots) {
    near.observe(root);
    root.addEventListener("pointerdown", () => load(root));
  }
  narrow.addEventListener("change", () => {
    for (const root of roots)
      if (root.dataset.asked) {
        delete root.dataset.asked;
        load(root);
      }
  });
})();
