// What a page with a player adds: keys step it, and playing ends when no picture comes.
//
// Arrows, Home and End step a player wherever it has the focus, but in a field that needs them. If
// playing brings no new picture for some seconds, the script stops it and says so: a page whose
// kernel is gone can say that only by itself.
(() => {
  if (window.dpvizMoves) return;
  window.dpvizMoves = true;
  const PATIENCE = 4000; // ms
  const PICTURE = ".dpviz-player .dpviz-picture";
  const drawn = new WeakMap(),
    pressed = new WeakMap(); // when a picture came, play was pressed
  addEventListener("dpviz-drawn", (event) => {
    const player = met(event)?.closest(".dpviz-player");
    if (player) drawn.set(player, performance.now());
  });

  const plays = (player) => player.querySelector(".dpviz-play .fa-pause")?.closest("button");
  const watch = (player) => {
    const last = drawn.get(player),
      button = plays(player);
    // Of few states the page is at the end before it is patient; then no picture came at all.
    if (!button && last !== pressed.get(player)) return;
    if (performance.now() - last < PATIENCE) return void setTimeout(watch, 500, player);
    button?.click();
    const told = document.createElement("p"),
      place = player.querySelector(".dpviz-notice .widget-html-content");
    [told.className, told.textContent] = [
      "dpviz-warning dpviz-gone",
      place.querySelector("[data-stopped]").dataset.stopped,
    ];
    told.setAttribute("role", "alert");
    place.prepend(told);
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

  const FIELDS = "input, textarea, select, [contenteditable], .noUi-handle, [data-held]";
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
