"""What axe-core finds wrong in our outputs: names, roles, contrast, order."""

from importlib.resources import files

SCRIPT = files("axe_playwright_python").joinpath("axe.min.js")
# Only what dpviz puts on the page: JupyterLab's own frame is not ours to mend.
OURS = [".dpviz-explorer", ".dpviz-player", ".dpviz-exercise", ".jp-OutputArea-output img"]
RUN = """async (selectors) => {
  const include = selectors.filter((selector) => document.querySelector(selector));
  const found = await axe.run({ include: include.map((selector) => [selector]) }, {
    resultTypes: ["violations"],
  });
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => ({ id, help, html, why: failureSummary })));
}"""


def faults(page, selectors=OURS):
    """A line for each element that breaks a rule: the rule, and how the element begins."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    for fault in page.evaluate(RUN, list(selectors)):
        yield f"{fault['id']}: {fault['help']}: {fault['html'][:120]}"


def violations(page):
    """What it finds on the whole page, by theme; empty if nothing."""
    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found[scheme] = list(faults(page, ["html"]))
    return {scheme: lines for scheme, lines in found.items() if lines}
