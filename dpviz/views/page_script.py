"""What a page with live widgets adds for a keyboard and a screen reader (WAI-ARIA).

ipywidgets gives its sliders neither a name nor the value that is shown beside them (a screen
reader hears the index of the option), and play and its kin no name at all. A kernel cannot reach
those elements. So the words that an instrument stores bring a short script, which a trusted page
runs once: it names what is there, and what appears later, and keeps the spoken value equal to the
shown one. A page that does not trust the notebook leaves it out; nothing is drawn by it. What a
player brings besides, motion and keys, stands in `player.js`.
"""

from importlib.resources import files

_LINES = map(str.strip, files("dpviz.views").joinpath("player.js").read_text("utf-8").splitlines())
# It is stored with each player: without whole-line comments and indents.
PLAYER = "\n".join(line for line in _LINES if line and not line.startswith("//"))
PLAYER = f"<script>{PLAYER}</script>"

SCRIPT = """<script>(() => {
if (window.dpvizNames) return;
const set = (e, k, v) => { if (e && v && e.getAttribute(k) !== v) e.setAttribute(k, v); };
const text = (e) => e?.textContent.trim();
const name = () => {
  for (const root of document.querySelectorAll(".dpviz-live")) {
    for (const row of root.querySelectorAll(".widget-inline-hbox, .widget-inline-vbox")) {
      const label = text(row.querySelector(".widget-label")) || row.title || "position";
      for (const handle of row.querySelectorAll(".noUi-handle")) {
        set(handle, "aria-label", label);
        if (row.matches(".widget-inline-hbox")) set(handle, "aria-orientation", "horizontal");
        set(handle, "aria-valuetext", text(row.querySelector(".widget-readout")));
      }
      for (const input of row.querySelectorAll("select, input, textarea"))
        set(input, "aria-label", label);
    }
    for (const button of root.querySelectorAll("button")) {
      const icon = button.querySelector("i")?.className.match(/fa-(play|pause|stop|repeat)/);
      if (icon && !text(button)) set(button, "aria-label", icon[1]);
    }
  }
};
let waits = 0;
const soon = () => { waits ||= requestAnimationFrame(() => { waits = 0; name(); }); };
window.dpvizNames = new MutationObserver(soon);
window.dpvizNames.observe(document.body, { subtree: true, childList: true, characterData: true });
soon();
})();</script>"""
