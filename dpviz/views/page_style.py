"""How an instrument is laid out in a page: one block of style.

Controls stand beside the picture where the output is at least 1100 px wide, above it elsewhere;
the picture shrinks with the window, so that controls, picture and sentence are seen together.
Words take the theme's colours; pictures stand on white. A notebook in which one picture is
projected is projected as a whole: from 1000 px, which JupyterLab leaves of 1280 with its side bar
closed, all controls stand left, in the room of the output's number too, and every letter of a live
picture is at least 16 pt tall; what cannot act is then said below.
"""

from dpviz.views.roles import WARNING

# Pixels of a window that are not the picture's: bars of JupyterLab, and what stands above or
# below the picture. Ratio and full width come with each picture.
BELOW, BESIDE, PROJECTED = 380, 300, 238

STYLE = f"""<style>
.dpviz-live, .dpviz-live .widget-box {{ overflow: visible; }}
.dpviz-live {{ max-width: 100%; }}
.dpviz-live .jupyter-widgets-disconnected::before {{ content: none; }} /* once is enough */
.dpviz-explorer, .dpviz-player {{ container: dpviz / inline-size; width: 100%; --wide: 760px; }}
.dpviz-live .dpviz-body {{
  display: grid; gap: 4px 20px; grid-template-columns: minmax(0, var(--wide)); align-items: start;
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
  }}
  .dpviz-live .dpviz-controls {{ grid-template-columns: minmax(0, 1fr); }}
}}
.dpviz-live.dpviz-player .dpviz-body {{
  grid-template-columns: minmax(0, var(--wide)); --rest: {BESIDE}px;
}}
.dpviz-player .dpviz-panel .widget-hbox {{ flex-flow: row wrap; }}
:is(.jp-Notebook, body:not(:has(.jp-Notebook))):has(.dpviz-projected) {{
  --jp-content-font-size1: 21.5px; --jp-code-font-size: 18px;
  .dpviz-live {{
    --wide: 1600px; --jp-widgets-font-size: 21.5px; --jp-widgets-inline-height: 38px;
    --jp-ui-font-size1: 21.5px; font-size: 21.5px;
  }}
  .dpviz-live .widget-html-content {{ font-size: 21.5px; line-height: 1.25; }}
  .dpviz-live .widget-label {{ width: auto !important; }}
  .dpviz-live .widget-readout {{ width: auto; min-width: 3.5em; }}
  .dpviz-live .dpviz-body {{ --rest: 460px; }}
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
      order: 2; flex: 1 0 auto; width: auto; height: 32px;
    }}
    .dpviz-live :is(.dpviz-again, .dpviz-preset) {{
      height: auto; min-height: 32px; max-width: 100%; white-space: normal; line-height: 1.1;
      margin: 1px 0;
    }}
  }}
  .jp-OutputArea-output img {{ width: min(100%, 1600px); height: auto; }}
}}
</style>"""
