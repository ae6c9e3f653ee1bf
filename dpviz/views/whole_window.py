"""An explorer or player alone on a page: projected, as wide as the window, its presets on keys."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML, display

# Margins of Voila's page; what a notebook keeps for readers without a kernel, and tells them;
# the key of each preset.
STYLE = """<style>
body.jp-Notebook, #rendered_cells { padding: 0 !important; margin: 0 !important; }
#rendered_cells .jp-Cell, #rendered_cells .jp-OutputArea-child { padding: 0 8px; margin: 0; }
.dpviz-words, .dpviz-live .dpviz-notice { display: none; }
.dpviz-presets { counter-reset: key; }
.dpviz-presets button::before {
  counter-increment: key; content: counter(key); opacity: 0.7; margin-right: 0.5em;
}
</style>"""
KEYS = """<script>(() => {
if (window.dpvizKeys) return;
window.dpvizKeys = (event) => {
  const typed = event.target.matches?.("input, textarea, select");
  if (typed || event.ctrlKey || event.altKey || event.metaKey) return;
  if (/^[1-9]$/.test(event.key))
    document.querySelectorAll(".dpviz-presets button")[event.key - 1]?.click();
  if (event.key === "f" && document.fullscreenElement) document.exitFullscreen();
  else if (event.key === "f") document.documentElement.requestFullscreen();
};
document.addEventListener("keydown", window.dpvizKeys);
})();</script>"""


def show(instrument: Any) -> None:
    """Show an instrument in a page of its own.

    Parameters
    ----------
    instrument : an explorer or a player, as the functions of a lesson's views return it

    The switch *projector* is on at first. The keys 1 to 9 press an explorer's presets, F fills
    the screen.
    """
    from dpviz.views.faces import projector

    projector().value = True
    display(HTML(STYLE + KEYS))
    display(instrument)
