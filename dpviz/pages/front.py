"""The page that a reader sees first: what is loaded, how much, and the list of lessons."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from importlib import metadata
from pathlib import Path

from dpviz import lesson as lessons

HERE = Path(__file__).parent
LESSON = "jupyter/lab/index.html?path="
STORED = "jupyter/files/"
BYTES = {"notebook": 90_000, "phone": 60_000}  # of the explorer that opens the page
# What may stand beside the lab, and the words that lead there.
BESIDE = {
    "pages": '<a href="pages/index.html">Read without Python</a>',
    "reference": '<a href="reference/index.html">Reference</a>',
}
# Common lines and what they bring, in megabits a second.
LINES = {"a mobile or slow line": 10, "a line at home": 50, "a line at a university": 250}


def write(made: Path, source: Path, python: int, others: int, beside: Collection[str] = ()) -> None:
    """Write ``index.html``, which opens with an explorer that a hand can move.

    Parameters
    ----------
    made : the folder of the site
    source : the folder of notebooks
    python, others : bytes of Python with its library, and of all else that a browser keeps
    beside : which of ``BESIDE`` the site has
    """
    pages = "pages" in beside
    rows = [lesson(path, pages) for path in lessons.paths(source)]
    words = {
        "start": f"{LESSON}00_start.ipynb",
        "read": stored("00_start.ipynb", pages),
        "readable": "pages that need no Python" if pages else "the stored notebooks",
        "beside": " ".join(BESIDE[name] for name in BESIDE if name in beside),
        "picture": live(),
        "style": style(),
        "scripts": scripts(),
        "python": str(megabytes(python)),
        "whole": str(megabytes(python + others)),
        "times": "\n".join(times(python + others)),
        "lessons": "\n".join(rows),
        "repository": repository_link(),
    }
    filled(made / "index.html", HERE / "landing.html", words)


def filled(target: Path, template: Path, words: dict[str, str]) -> None:
    """Write a page: the template with each ``{name}`` in it replaced."""
    page = template.read_text("utf-8")
    for name, text in words.items():
        page = page.replace(f"{{{name}}}", text)
    target.write_text(page, "utf-8")


def megabytes(size: int) -> int:
    """Bytes in millions, rounded up: nobody is told less than what comes.

    >>> megabytes(1_000_001)
    2
    """
    return -(-size // 1_000_000)


def times(size: int) -> list[str]:
    """One row for each common line: how long that many bytes take.

    >>> times(60_000_000)[1]
    '<li>10 seconds on a line at home (50 Mbit/s)</li>'
    """
    return [
        f"<li>{spoken(8 * size / (rate * 1e6))} on {line} ({rate} Mbit/s)</li>"
        for line, rate in LINES.items()
    ]


def spoken(seconds: float) -> str:
    """A duration as one says it.

    >>> spoken(8.2), spoken(75)
    ('9 seconds', '1.2 minutes')
    """
    if seconds > 60:
        return f"{seconds / 60:.1f} minutes"
    return f"{-int(-seconds // 1)} seconds"


def lesson(path: Path, pages: bool = False) -> str:
    """One lesson with its title, its sentence, and where it opens."""
    book = lessons.read(path)
    title = prose(book.title)
    promise = prose(book.promise)
    link = f'<a href="{LESSON}{path.name}" data-read="{stored(path.name, pages)}">{title}</a>'
    number = f'<span class="number">{path.stem[:2]}</span>'
    return f"<li><h3>{number}{link}</h3><p>{promise}</p></li>"


def prose(text: str) -> str:
    r"""A sentence of a lesson as HTML.

    >>> prose(r"distances into $\ell_1$, n < 3")
    'distances into ℓ<sub>1</sub>, n &lt; 3'

    Raises ``ValueError`` for a formula that this page cannot show.
    """
    page = re.sub(r"\$\\ell_(\w)\$", r"ℓ<sub>\1</sub>", html.escape(text))
    if "$" in page:
        raise ValueError(f"the first page shows no formula but norms: {text}")
    return page


def repository() -> str:
    """The repository's address as ``pyproject.toml`` sets it, or nothing."""
    lines = metadata.metadata("dpviz").get_all("Project-URL") or []
    urls = dict(line.split(", ", 1) for line in lines)
    return urls.get("Repository", "").removesuffix("/").removesuffix(".git")


def stored(name: str, pages: bool = False) -> str:
    """Where a lesson can be read without Python: its page, in the repository, or its file here.

    >>> stored("00_start.ipynb", pages=True)
    'pages/00_start.html'
    """
    if pages:
        return f"pages/{name.removesuffix('.ipynb')}.html"
    return f"{repository()}/blob/HEAD/notebooks/{name}" if repository() else STORED + name


def repository_link() -> str:
    """The words for the repository, a link where it has an address."""
    where = html.escape(repository())
    return f'<a href="{where}">the repository</a>' if where else "the repository"


def live() -> str:
    """The explorer that opens lesson 02, stored: the bottles and the queries can be dragged."""
    from dpviz.lessons.learner import explore_bottles
    from dpviz.pages.run import READ, Room, moved

    return moved(explore_bottles(), READ, Room(1, dict(BYTES)))


def style() -> str:
    """What the explorer's marks look like, on a dark ground too."""
    from dpviz.drawing.page import HELD
    from dpviz.drawing.palette import dark

    return f"{HELD}@media (prefers-color-scheme: dark) {{ :root {{ {dark()} }} }}"


def scripts() -> str:
    """What moves it, as on the pages without Python."""
    from dpviz.drawing.page import PICTURE
    from dpviz.pages.sheet import together

    return f"{PICTURE}\n<script>{together('js', ['from_disk'])}</script>"


def portrait() -> str:
    """The README's picture: the same explorer with three queries, in the colours of paper.

    >>> portrait()[:19]
    '<svg xmlns="http://'
    """
    from dpviz.lessons.learner import explore_bottles

    explorer = explore_bottles()
    explorer.set(**explorer.presets["Three"])
    return re.sub(r"var\(--[\w-]+,([^)]*)\)", r"\1", explorer.screen.picture)
