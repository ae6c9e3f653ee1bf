"""What an instrument adds to a page: tables, layout, names for a keyboard and a screen reader.

*Layout* (``STYLE``). Controls stand beside the picture where the output is at least 1100 px wide,
above it elsewhere; the picture shrinks with the window, so that controls, picture and sentence are
seen together. Words and pictures take the theme's colours. A notebook in which one
picture is projected is projected as a whole: from 1000 px, which JupyterLab leaves of 1280 with its
side bar closed, all controls stand left, in the room of the output's number too, and every letter
of a picture is at least 16 pt tall; what cannot act is then said below.

*Size* (``SCRIPT``). A page tells the kernel when its instruments have less than 480 pixels: then
everything is drawn for a telephone. On a screen as narrow as that the lab's side bars go, and what
stands beside its cells, so that a picture is as wide as the screen. The projector's switch closes
the lab's left side bar, whose room it needs, and no picture is smaller projected than before.

*Names* (``SCRIPT``, after WAI-ARIA). ipywidgets gives its sliders neither a name nor the value that
is shown beside them (a screen reader hears the index of the option), and play and its kin no name
at all. A kernel cannot reach those elements. So the words that an instrument stores bring a short
script, which a trusted page runs once: it names what is there, and what appears later, and keeps
the spoken value equal to the shown one. A page that does not trust the notebook leaves it out;
nothing is drawn by it. What moves in pictures stands in `picture.js`, a player's keys in
`player.js`.
"""

import html
import re
from collections.abc import Callable, Sequence
from importlib.resources import files

from dpviz.drawing.palette import dark, themed
from dpviz.drawing.roles import INK, ROLES, WARNING


def _stored(script: str) -> str:
    """A script as each instrument stores it: one line, without comments and indents.

    >>> _stored("// What it does.\\n//\\n  let a = 1; // one\\n  a += 1;")
    '<script>let a = 1; a += 1;</script>'
    """
    untyped = re.sub(r"/\*\* .*? \*/", "", script)
    lines = (f"{line} ".split("// ")[0].strip() for line in untyped.splitlines())
    return f"<script>{' '.join(filter(None, lines))}</script>"


PICTURE, PLAYER = (
    _stored(files("dpviz.drawing").joinpath(name).read_text("utf-8"))
    for name in ("picture.js", "player.js")
)
SCRIPT = _stored("""(() => {
if (window.dpvizNames) return;
const set = (e, k, v) => { if (e && v && e.getAttribute(k) !== v) e.setAttribute(k, v); };
const text = (e) => e?.textContent.trim();
const name = (roots) => {
  for (const root of roots) {
    const book = root.closest(".jp-Notebook");
    const words = (book ?? root).querySelector(".dpviz-notice [lang]");
    set(root, "lang", words?.lang);
    set(book, "lang", words?.dataset.lesson);
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
      if (icon && !text(button)) set(button, "aria-label", words?.dataset[icon[1]] ?? icon[1]);
    }
  }
};
const watched = new WeakSet();
const measure = new ResizeObserver((all) => {
  for (const { target, contentRect } of all) {
    const input = target.querySelector(".dpviz-narrow input");
    const said = contentRect.width < 480 ? "phone" : "";
    if (!input || !contentRect.width || input.value === said) continue;
    input.value = said;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
});
const measured = () => {
  for (const field of document.querySelectorAll(".dpviz-narrow input")) {
    const root = field.closest(".dpviz-live");
    if (root && !watched.has(root)) watched.add(root), measure.observe(root);
  }
};
const LEFT = ".jp-SideBar.jp-mod-left .lm-TabBar-tab";
const press = (tab) => {
  const box = tab.getBoundingClientRect();
  const at = { bubbles: true, button: 0, clientX: box.x + 4, clientY: box.y + 4 };
  for (const kind of ["pointerdown", "pointerup"]) tab.dispatchEvent(new PointerEvent(kind, at));
};
addEventListener("click", ({ target }) => {
  const button = target.closest?.(".dpviz-projector button, button.dpviz-projector");
  const open = document.querySelector(`${LEFT}.lm-mod-current`);
  if (button && !button.matches(".mod-active") && open) press(open);
}, true);
let narrowed = false;
const narrow = () => { // the lab lays itself out anew when what stands beside a notebook is closed
  if (narrowed || innerWidth > 480 || !document.querySelector(LEFT)) return;
  narrowed = true;
  const current = () => document.querySelector(`${LEFT}.lm-mod-current`);
  setTimeout(() => {
    if (!current()) press(document.querySelector(LEFT));
    setTimeout(() => {
      press(current() ?? document.querySelector(LEFT));
      document.body.classList.add("dpviz-slim");
    }, 200);
  }, 2000); // ms: after a lab that opens has put everything in its place
};
addEventListener("resize", narrow);
const rules = new Set();
const once = () => {
  for (const style of document.querySelectorAll(":is(.dpviz-notice, .dpviz-words) style")) {
    if (rules.has(style.textContent)) style.remove();
    else rules.add(style.textContent), document.body.append(style);
  }
};
const enlarge = () => {
  const books = document.querySelectorAll(".jp-Notebook");
  for (const whole of books.length ? books : [document.body])
    whole.classList.toggle("dpviz-large", !!whole.querySelector(".dpviz-projected"));
};
const WORDS = ".dpviz-sentence, .dpviz-table, .dpviz-reply, .dpviz-tip";
const APART = `svg, ${WORDS}, .cm-editor, .jp-Toolbar, .jp-StatusBar-Widget`;
const changed = new Set();
let waits = 0;
const told = () => {
  const all = changed.has(null);
  name(all ? document.querySelectorAll(".dpviz-live") : changed);
  if (all) once(), measured();
  enlarge();
  narrow();
  changed.clear();
  waits = 0;
};
const soon = (records) => {
  for (const { target } of records) {
    const e = target.closest ? target : target.parentElement;
    if (e?.isConnected && !e.closest(APART)) changed.add(e?.closest(".dpviz-live") ?? null);
  }
  if (changed.size) waits ||= requestAnimationFrame(told);
};
window.dpvizNames = new MutationObserver(soon);
window.dpvizNames.observe(document.body, { subtree: true, childList: true, characterData: true });
soon([{ target: document.body }]);
})();""")


# Pixels of a window that are not the picture's: bars of JupyterLab, and what stands above or
# below the picture. Ratio and full width come with each picture.
BELOW = 380
BESIDE = 300
PROJECTED = 238
OPENED = 405
STILL = 130
LINE = 44  # of the size of the type: a line of text has at most 90 characters

OPENING = '.jp-Notebook:not(.dpviz-large) .jp-Cell[data-windowed-list-index="2"]'

# Of marks that can be taken hold of, wherever they stand.
HELD = f""":is(.dpviz-wire, .dpviz-reply) {{ display: none; }}
[data-held] {{ cursor: grab; outline: none; }}
[data-held]:is(:hover, :focus-visible) > :last-child {{ stroke: currentColor; }}
svg[role="group"] {{ color: {themed(ROLES["released"].colour)}; }}
svg[data-jumps] {{ cursor: crosshair; }}
.dpviz-lit {{ filter: drop-shadow(0 0 2px {ROLES["event"].colour}); }}
.dpviz-tip {{ position: fixed; left: 0; top: 0; z-index: 99; pointer-events: none; padding: 0 6px;
  border-radius: 4px; background: {INK}; color: white; font: 13px/1.5 sans-serif; }}
"""
STYLE = f"""<style>
[data-jp-theme-light="false"] {{ {dark()} }}
[data-jp-theme-light="false"] .jp-OutputArea-output img {{ color-scheme: dark; }}
{HELD}
.jp-MarkdownCell .jp-RenderedHTMLCommon > :is(p, ul, ol, h1, h2, h3, h4, blockquote, details) {{
  max-width: {LINE}em;
}}
.dpviz-live, .dpviz-live .widget-box {{ overflow: visible; }}
.dpviz-live {{ max-width: 100%; }}
.dpviz-live .jupyter-widgets-disconnected::before {{ content: none; }} /* once is enough */
.dpviz-narrow {{ display: none; }}
.dpviz-explorer, .dpviz-player {{ container: dpviz / inline-size; width: 100%; --wide: 760px; }}
.dpviz-live .dpviz-body {{
  display: grid; gap: 4px 20px; grid-template-columns: minmax(0, var(--wide)); align-items: start;
  --least: {BELOW}px;
}}
.dpviz-live .dpviz-panel, .dpviz-live .dpviz-stage {{ display: block; min-width: 0; }}
.dpviz-live .dpviz-presets {{
  display: flex; flex-flow: row wrap; gap: 0 4px; grid-column: 1 / -1;
}}
.dpviz-presets button {{ padding: 0 8px; margin: 2px 0; }}
.dpviz-live .dpviz-controls {{
  display: grid; gap: 0 16px; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr));
}}
.dpviz-controls > * {{ width: auto; margin: 1px 0; }}
.dpviz-live .noUi-handle {{ border-color: var(--jp-ui-font-color2); }}
.dpviz-live .dpviz-picture, .dpviz-live .dpviz-sentence, .dpviz-live .dpviz-table,
.dpviz-live .dpviz-notice, .dpviz-live .dpviz-idle, .dpviz-live .dpviz-problem {{
  height: auto; margin: 0; overflow: visible; max-width: var(--wide);
}}
.dpviz-live .widget-html-content {{ line-height: 1.35; overflow: visible; }}
.dpviz-live .dpviz-sentence {{ min-height: 4.2em; }}
.dpviz-live .dpviz-picture svg[role] {{
  width: max(300px, min(100%, var(--wide), (100vh - var(--rest, {BELOW}px)) * var(--ratio)));
}}
.dpviz-live p.dpviz-warning {{
  margin: 2px 0; padding-left: 8px; border-left: 4px solid {WARNING}; color: inherit;
}}
@container dpviz (min-width: 1100px) {{
  .dpviz-live .dpviz-body {{
    grid-template-columns: minmax(300px, 380px) minmax(0, var(--wide)); --rest: {BESIDE}px;
    --least: {BESIDE}px; grid-template-rows: auto 1fr;
  }}
  .dpviz-explorer .dpviz-presets {{ grid-column: 1; }}
  .dpviz-explorer .dpviz-stage {{ grid-column: 2; grid-row: 1 / 3; }}
  .dpviz-live .dpviz-controls {{ grid-template-columns: minmax(0, 1fr); }}
}}
.dpviz-live.dpviz-player .dpviz-body {{
  grid-template-columns: minmax(0, var(--wide)); --rest: {BESIDE}px; --least: {BESIDE}px;
}}
.dpviz-player .dpviz-panel .widget-hbox {{ flex-flow: row wrap; }}
/* An opening, the third cell, shows its whole picture on a low screen: it is held there, so that
   what else moves it stands below. */
@container dpviz (max-width: 1099px) {{
  @media (max-height: 760px) and (min-width: 481px) {{
    {OPENING} .dpviz-explorer:has([data-held]) .dpviz-body {{ --rest: {OPENED}px; }}
    {OPENING} .dpviz-explorer:has([data-held]) :is(.dpviz-presets, .dpviz-panel) {{ order: 1; }}
  }}
}}
@media (max-height: 760px) {{
  {OPENING} .jp-Placeholder-content {{
    height: 14px; font-size: 10px; line-height: 14px; padding-block: 0;
  }}
  .jp-Cell[data-windowed-list-index="0"] h1 {{ font-size: 1.6em; margin-block: 0 !important; }}
}}
.dpviz-slim .jp-SideBar {{
  min-width: 1px !important; max-width: 1px !important; overflow: hidden;
}}
@media (max-width: 480px) {{
  .jp-WindowedPanel-viewport, .jp-Notebook .jp-Cell {{ padding-inline: 0 !important; }}
  .jp-Notebook .jp-Cell :is(.jp-Collapser, .jp-InputPrompt, .jp-OutputPrompt) {{ display: none; }}
  .jp-Notebook .jp-MarkdownOutput {{ padding-inline: 6px; }}
  .jp-Notebook .jp-Placeholder-content {{ max-width: 100%; overflow: hidden; }}
  .dpviz-live {{ --jp-widgets-inline-height: 44px; }}
}}
@container dpviz (max-width: 479px) {{
  .dpviz-live .dpviz-presets {{ flex-wrap: nowrap; overflow-x: auto; }}
  .dpviz-live .dpviz-again {{ order: -1; }}
  .dpviz-live .dpviz-projector:not(:has(.mod-active)) {{ display: none; }}
  .dpviz-live .dpviz-controls {{
    grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 8px;
  }}
  .dpviz-live .dpviz-controls .widget-inline-hbox {{ flex-wrap: wrap; height: auto; }}
  .dpviz-live .dpviz-controls .widget-label {{
    flex: 1 1 0; width: auto !important; text-align: left; height: auto; line-height: 1.2;
    min-width: 0; white-space: normal;
  }}
  .dpviz-controls .widget-readout {{
    order: 1; text-align: right; margin-left: auto; height: auto; line-height: 1.2;
    width: auto; min-width: 0;
  }}
  .dpviz-controls .slider-container {{ order: 2; flex: 1 0 100%; }}
  .dpviz-live .slider-container {{ height: 44px; display: grid; align-items: center; }}
  .dpviz-controls .widget-dropdown select {{
    order: 2; flex: 1 0 100%; width: auto; max-width: 100%; height: 44px;
  }}
  .dpviz-live button {{ min-height: 44px; flex: none; }}
  .dpviz-live .dpviz-sentence {{ min-height: 0; }}
  .dpviz-live .dpviz-picture svg[role] {{ width: 100%; }}
}}
.dpviz-large {{
  --jp-content-font-size1: 21.5px; --jp-code-font-size: 18px;
  .dpviz-live {{
    --wide: 1600px; --jp-widgets-font-size: 21.5px; --jp-widgets-inline-height: 38px;
    --jp-ui-font-size1: 21.5px; font-size: 21.5px;
  }}
  .dpviz-live .widget-html-content {{ font-size: 21.5px; line-height: 1.25; }}
  .dpviz-live .widget-label {{ width: auto !important; }}
  .dpviz-live .widget-readout {{ width: auto; min-width: 3.5em; }}
  .dpviz-live .dpviz-body {{ --rest: 460px; }}
  .dpviz-live .dpviz-picture svg[role] {{ /* never smaller than before */
    width: max(
      300px, min(100%, var(--wide), (100vh - var(--rest)) * var(--ratio)),
      min(100%, 760px, (100vh - var(--least)) * 76 / 42)
    );
  }}
  .dpviz-live .dpviz-controls {{ grid-template-columns: repeat(auto-fill, minmax(400px, 1fr)); }}
  .jp-OutputArea-child:has(.dpviz-live, img) > .jp-OutputPrompt {{ display: none; }}
  .jp-OutputArea-promptOverlay {{ display: none; }} /* else it lies over the controls */
  @container dpviz (min-width: 1000px) {{
    .dpviz-live .dpviz-body {{
      --left: max(220px, min(320px, 100cqw - 16px - (100vh - {PROJECTED}px) * 16 / 9));
      grid-template: auto auto 1fr auto / var(--left) minmax(0, var(--wide)); gap: 4px 16px;
      --rest: {PROJECTED}px;
    }}
    .dpviz-explorer .dpviz-panel {{ display: contents; }}
    .dpviz-live :is(.dpviz-presets, .dpviz-controls, .dpviz-problem) {{ grid-column: 1; }}
    .dpviz-live .dpviz-idle {{ grid-column: 1 / -1; grid-row: 4; max-width: none; }}
    .dpviz-live .dpviz-stage {{ grid-column: 2; grid-row: 1 / 4; }}
    .dpviz-live .dpviz-controls {{
      grid-template-columns: minmax(0, 1fr); gap: 4px; --jp-widgets-inline-height: 28px;
    }}
    .dpviz-live .dpviz-controls :is(.widget-inline-hbox, .widget-hbox) {{
      flex-wrap: wrap; height: auto;
    }}
    .dpviz-live .dpviz-controls .widget-label {{ flex: 1 0 auto; text-align: left; }}
    .dpviz-controls .widget-readout {{ order: 1; text-align: right; margin-left: auto; }}
    .dpviz-controls .slider-container {{ order: 2; flex: 1 0 100%; margin-top: 8px; }}
    .dpviz-controls .widget-dropdown select {{
      order: 2; flex: 1 0 auto; width: auto; max-width: 100%; height: 32px;
    }}
    .dpviz-live :is(.dpviz-again, .dpviz-preset) {{
      height: auto; min-height: 32px; max-width: 100%; white-space: normal; line-height: 1.1;
      margin: 1px 0;
    }}
  }}
  .jp-OutputArea-output img {{
    width: min(100%, 1600px, (100vh - {STILL}px) * 16 / 9); height: auto;
  }}
  .dpviz-live.dpviz-exercise {{ width: 100% !important; }} /* what happened, too */
}}
</style>"""


def table(rows: Sequence[Sequence[object]], said: Callable[[str], str] = html.escape) -> str:
    """HTML of rows of words and numbers; the first row is the head, where no word heads nothing.

    ``said`` makes HTML of a cell's text: ``str`` where it is HTML already.

    >>> table([["n"], ["< 9"]])
    '<table><tr><th scope="col">n</th></tr><tr><td>&lt; 9</td></tr></table>'
    """
    head, *body = [[said(str(cell)) for cell in row] for row in rows]
    first = "".join(f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in head)
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in body]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in [first, *lines])}</table>"
