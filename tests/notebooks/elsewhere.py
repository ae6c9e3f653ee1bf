"""What is left of a lesson on a page that trusts nothing, such as GitHub's view of a notebook.

There a notebook is first a page of nbconvert's; then elements and attributes that are not on a list
are taken out. The list here is that of html-pipeline's ``SanitizationFilter``, on which GitHub's
own pages were built, with two things more that its view of notebooks is known for: styles go with
their rules, and a PNG within the page stays. Other images within the page go, because what was
published about them disagrees, so this list is stricter than some places.
"""

from __future__ import annotations

import html
from html.parser import HTMLParser

ELEMENTS = """
a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 h7 h8 hr i img ins kbd li ol p
pre q rp rt ruby s samp strike strong sub summary sup table tbody td tfoot th thead tr tt ul var
"""
# Those of the list that a page of a lesson could have.
ATTRIBUTES = """
align alt border cellpadding cellspacing checked colspan dir disabled height label lang name open
rel rowspan scope span start summary tabindex target title type valign value width
"""
EMPTY = {"script", "style"}  # are taken out with what they hold
ADDRESSES = {"a": "href", "img": "src"}
PNG = "data:image/png;base64,"


class Sanitizer(HTMLParser):
    """Writes a page again without what is not on the list; the text of what goes stays."""

    def __init__(self) -> None:
        super().__init__()
        self.page: list[str] = []
        self.within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in EMPTY:
            self.within = tag
        if tag not in ELEMENTS.split():
            return
        left = "".join(
            f' {name}="{html.escape(value or "")}"'
            for name, value in attrs
            if name in ATTRIBUTES.split() or self.leads(tag, name, value or "")
        )
        self.page.append(f"<{tag}{left}>")

    def leads(self, tag: str, name: str, value: str) -> bool:
        """Whether an attribute is an address that may stay."""
        scheme, colon, _ = value.partition(":")
        known = {"http", "https"} | ({"mailto"} if tag == "a" else set())
        relative = not colon or not scheme.isalpha()
        png = tag == "img" and value.startswith(PNG)
        return ADDRESSES.get(tag) == name and (relative or scheme in known or png)

    def handle_endtag(self, tag: str) -> None:
        if tag == self.within:
            self.within = ""
        if tag in ELEMENTS.split():
            self.page.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.within:
            self.page.append(html.escape(data, quote=False))


def sanitized(page: str) -> str:
    """A page without what is not on the list.

    >>> sanitized('<p onclick="f()" title="so"><svg><text>4</text></svg><style>p {}</style></p>')
    '<p title="so">4</p>'
    >>> sanitized('<img alt="A" src="data:image/svg+xml,"><a href="javascript:f()">B</a>')
    '<img alt="A"><a>B</a>'
    >>> sanitized('<img src="data:image/png;base64,iVBO"> <a href="01.ipynb">B</a> &lt;')
    '<img src="data:image/png;base64,iVBO"> <a href="01.ipynb">B</a> &lt;'
    >>> sanitized('<picture><source srcset="data:image/svg+xml,"><img alt="A"></picture>')
    '<img alt="A">'
    """
    sanitizer = Sanitizer()
    sanitizer.feed(page)
    sanitizer.close()
    return "".join(sanitizer.page)
