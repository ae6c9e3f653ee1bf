"""A lesson's text for a page without Python: Markdown as HTML, formulas as MathML.

Browsers draw MathML by themselves, so nothing has to be loaded for it.
"""

from __future__ import annotations

import re
import sys

WIDE = 40  # signs of a formula that may not fit a column of a handout
FORMULA = re.compile(r"(```.*?```|`[^`\n]*`)|\$\$(.+?)\$\$|(?<!\\)\$([^$]+?)\$", re.DOTALL)
LINK = re.compile(r'href="(?:\.\./)?(\d\d_\w+\.ipynb|frontier\.md)')


def prose(text: str) -> str:
    """Markdown as HTML, formulas as MathML, links to lessons as links to pages.

    >>> prose("a [link](01_privacy.ipynb)")
    '<p>a <a href="01_privacy.html">link</a></p>'
    >>> prose("for $n$, all")[:25], prose("for $n$, all")[-17:]
    ('<p>for <span class="whole', '>,</span> all</p>')
    """
    # What nbconvert would ask of it is not asked here, and its grammars take a second.
    sys.modules["rfc3987_syntax"] = None
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    formulas: list[str] = []

    def kept(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        from latex2mathml.converter import convert

        shape = "block" if found[2] else "inline"
        formula = convert(known(found[2] or found[3]), display=shape)
        if shape == "block" and len(re.sub(r"<[^>]*>", "", formula)) > WIDE:
            formula = formula.replace("<math ", '<math class="wide" ', 1)
        formulas.append(formula)
        return f"FORMULA{len(formulas) - 1}Z"

    page = markdown2html_mistune(FORMULA.sub(kept, text)).strip()
    # A browser may break a line between a formula and its comma or bracket.
    beside = r"\(FORMULA\d+Z[,.;:?!)]*|FORMULA\d+Z[,.;:?!)]+"
    page = re.sub(beside, r'<span class="whole">\g<0></span>', page)
    page = re.sub(r"FORMULA(\d+)Z", lambda found: formulas[int(found[1])], page)
    page = re.sub(r'<a class="anchor-link".*?</a>', "", page)
    return LINK.sub(lambda link: f'href="{link[1].partition(".")[0]}.html', page)


def known(formula: str) -> str:
    r"""A formula in the words that the converter knows, and in signs that fonts have.

    >>> known(r"\dfrac12 \setminus \varnothing")
    '\\frac12 \\smallsetminus \\emptyset'
    """
    for size in ("big", "Big", "bigg", "Bigg"):
        formula = re.sub(rf"\\{size}[lr]?(?![A-Za-z])", "", formula)
    formula = re.sub(r"\\tag\{(.+?)\}", r"\\qquad(\1)", formula)
    formula = formula.replace(r"\varnothing", r"\emptyset").replace(r"\dfrac", r"\frac")
    return formula.replace(r"\setminus", r"\smallsetminus")
