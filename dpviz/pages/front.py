"""The page that a reader sees first: of each lesson the picture that opens it, to be moved.

The first picture stands in the page with its states. The others are small images, of which a
browser loads those that come near; then their states follow, a file for each size, so that a
first visit loads little. Without a script, or in an old browser, the images stay.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpviz import lesson as lessons
from dpviz.pages.from_disk import OPENS, in_lab, places
from dpviz.pages.from_disk import name as book_name
from dpviz.pages.run import Opening
from dpviz.words import SOURCE, interface, other, say, spoken, table

if TYPE_CHECKING:
    from dpviz.instruments.explorer import Explorer

HERE = Path(__file__).parent
LESSON = "jupyter/lab/index.html?path="
STORED = "jupyter/files/"
PICTURES = "pictures"  # the folder of images and states
BESIDE = ("pages", "reference")  # what may stand beside the lab
LINE = 50  # Mbit/s, a line at home
MESSAGE = re.compile(r"\{(front\.\w+)\}")  # in the template


def write(
    made: Path,
    source: Path,
    openings: Mapping[Path, Opening],
    python: int,
    others: int,
    beside: Collection[str] = (),
) -> None:
    """Write ``index.html``, the same in each language of a lesson, and the pictures they load.

    Parameters
    ----------
    made : the folder of the site
    source : the folder of notebooks
    openings : of each of its notebooks what :func:`opening` gives
    python, others : bytes of Python with what it reads at once, and of all else that a browser
        keeps
    beside : which of ``BESIDE`` the site has

    Raises
    ------
    ValueError
        If a lesson has no sentence in the table of words, ``front.lessons``.
    """
    (made / PICTURES).mkdir(exist_ok=True)
    books = lessons.paths(source)
    translated = {(path.parent.name, path.stem): path for path in lessons.translations(source)}
    codes = [SOURCE, *sorted({code for code, _ in translated})]
    for path, each in openings.items():
        loaded = files(path.stem[:2], each) if path.stem != books[0].stem else {}
        for name, text in loaded.items():
            (made / PICTURES / name).write_text(text, "utf-8")
    pages = "pages" in beside
    for code in codes:
        with spoken(code):
            size = {"python": str(megabytes(python)), "whole": str(megabytes(python + others))}
            here = [translated.get((code, path.stem), path) for path in books]
            rows = [exhibit(path, openings[path], pages, path is here[0]) for path in here]
            first = f"<small>{say('front.load', **size)}</small></p></li>"
            rows[0] = rows[0].removesuffix("</p></li>") + first
            written(made / page_of(code), rows, size | told(python, pages), codes, beside)


def page_of(code: str) -> str:
    """The file of the first page in a language.

    >>> page_of("en"), page_of("de")
    ('index.html', 'index_de.html')
    """
    return "index.html" if code == SOURCE else f"index_{code}.html"


def told(python: int, pages: bool) -> dict[str, str]:
    """What the messages of the first page tell of this site, beside its size."""
    return {
        "time": duration(8 * python / (LINE * 1e6)),
        "line": str(LINE),
        "readable": say("front.pages" if pages else "front.stored"),
        "repository": repository_link(),
    }


def written(
    target: Path, rows: list[str], values: dict[str, str], codes: list[str], beside: Collection[str]
) -> None:
    """Write a first page: the template with its messages, links and pictures."""
    links = [f'<a href="{name}/index.html">{words}</a>' for name, words in named(beside)]
    for code in codes:
        if code != interface():
            words = table(code)["language.name"]
            links.append(f'<a href="{page_of(code)}" lang="{code}" hreflang="{code}">{words}</a>')
    page = (HERE / "landing.html").read_text("utf-8")
    page = MESSAGE.sub(lambda found: say(found[1], **values), page)
    more = {"code": interface(), "links": " ".join(links), "pictures": "\n".join(rows)}
    for name, text in (more | {"style": style(), "scripts": scripts()}).items():
        page = page.replace(f"{{{name}}}", text)
    target.write_text(page, "utf-8")


def named(beside: Collection[str]) -> Iterator[tuple[str, str]]:
    """What stands beside the lab, and its words."""
    words = {"pages": say("page.index"), "reference": say("front.reference")}
    yield from ((name, words[name]) for name in BESIDE if name in beside)


def megabytes(size: int) -> int:
    """Bytes in millions, rounded up: nobody is told less than what comes.

    >>> megabytes(1_000_001)
    2
    """
    return -(-size // 1_000_000)


def duration(seconds: float) -> str:
    """A duration as one says it.

    >>> duration(8.2), duration(75)
    ('9 seconds', '1.2 minutes')
    """
    if seconds > 60:
        return say("front.minutes", minutes=seconds / 60)
    return say("front.seconds", count=-int(-seconds // 1))


def files(name: str, opening: Opening) -> dict[str, str]:
    """What the first page loads of a lesson's opening, by file name."""
    states = {
        f"{name}_{mode}.js": f'dpvizStored("{name}", "{mode}", "{record}");\n'
        for mode, record in opening.states.items()
    }
    drawn = opening.pictures.items()
    return states | {f"{name}_{mode}.svg": in_both_themes(svg) for mode, svg in drawn}


def section(name: str, opening: Opening, marks: str, inside: bool) -> str:
    """A lesson's opening as a part of the page, with these attributes.

    Its SVG and its states stand ``inside`` the page; else an image, and its states are loaded.
    """
    from dpviz.pages import run

    if not opening.pictures:
        return ""
    small, wide = opening.pictures["phone"], opening.pictures["notebook"]
    shown = f'<span class="sizes">{wide}{small}</span>'
    if not inside:
        marks += f' data-stored="{name}"'
        shown = (
            f'<picture><source media="(max-width: 480px)" {size(small)} '
            f'srcset="{PICTURES}/{name}_phone.svg"><img src="{PICTURES}/{name}_notebook.svg" '
            f'{size(wide)} loading="lazy" alt="{html.escape(opening.sentence)}"></picture>'
        )
    states = run.scripts(opening.states) if inside else ""
    seen = f'{run.framed(shown)}<div class="panel"></div>'
    return run.section("explorer", seen, opening.words, states, marks)


def exhibit(path: Path, picture: Opening, pages: bool = False, inside: bool = False) -> str:
    """One lesson in the language of now: its question, a sentence, where it opens, its picture."""
    book = lessons.read(path)
    number, name = path.stem.split("_", 1)
    sentence = f"front.lessons.{name}"
    if sentence not in table(SOURCE):
        raise ValueError(f"{path.name} has no sentence on the first page: see {sentence}")
    abroad = other(book.language, interface())
    there = abroad.replace("lang", "hreflang")
    stem = book_name(path)
    places = {
        "front.read": f'href="{stored(path, pages)}"{there}',
        "front.run": f'href="{LESSON}{in_lab(path)}"{there} data-run',
    }
    if pages:
        places["page.slides"] = f'href="pages/{stem}_slides.html"{there}'
    title = html.escape(book.title)
    links = " ".join(
        f'<a {place} aria-label="{say(words)}: {title}">{say(words)}</a>'
        for words, place in places.items()
    )
    head = f'<h2><span class="number">{number}</span> <span{abroad}>{title}</span></h2>'
    text = f'<div class="text">{head}<p>{say(sentence)}</p></div>'
    with spoken(book.language):
        shown = section(number, picture, abroad, inside)
    return f'<li id="{path.stem}">{text}{shown}<p class="ways">{links}</p></li>'


def explorer_of(path: Path) -> Explorer | None:
    """The explorer that opens a lesson, which is the value of its first cell of that kind."""
    cell = next((cell for cell in lessons.read(path).cells if "explorer" in cell.tags), None)
    if cell is None:
        return None
    *before, last = cell.source.rstrip().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(before), names)
    return eval(last, names)


def openings(source: Path, processes: int = 1, runs: Path | None = None) -> dict[Path, Opening]:
    """Of each notebook of a folder its opening picture.

    Each is drawn by so many ``processes``, unless it is kept among the ``runs`` of lessons.
    """
    books = [*lessons.paths(source), *lessons.translations(source)]
    kept = {book: path.with_suffix(OPENS) for book, path in places(books, runs)} if runs else {}
    return {
        book: Opening(**json.loads(kept[book].read_text("utf-8")))
        if book in kept and kept[book].exists()
        else opening(book, processes)
        for book in books
    }


def opening(path: Path, processes: int = 1) -> Opening:
    """The picture that opens a lesson, in its language."""
    from dpviz.pages import run

    with spoken(lessons.read(path).language):
        explorer = explorer_of(path)
        return run.opening(explorer, processes) if explorer else Opening()


def size(picture: str) -> str:
    """The attributes of an image that say how large an SVG is.

    >>> size('<svg viewBox="0 0 760 420" width="760" height="420">')
    'width="760" height="420"'
    """
    return " ".join(re.findall(r'(?:width|height)="\d+"', picture)[:2])


def in_both_themes(picture: str) -> str:
    """An SVG with the dark theme's colours in it, for an image that no page's style reaches."""
    from dpviz.drawing.palette import dark

    rules = (f"{rule};" for rule in dark().split(";") if f"var({rule.split(':')[0]}," in picture)
    style = f"@media (prefers-color-scheme: dark) {{ svg {{ {''.join(rules)} }} }}"
    return picture.replace(">", f"><style>{style}</style>", 1)


def repository() -> str:
    """The repository's address as ``pyproject.toml`` sets it, or nothing."""
    lines = metadata.metadata("dpviz").get_all("Project-URL") or []
    urls = dict(line.split(", ", 1) for line in lines)
    return urls.get("Repository", "").removesuffix("/").removesuffix(".git")


def stored(path: Path, pages: bool = False) -> str:
    """Where a lesson can be read without Python: its page, in the repository, or its file here.

    >>> stored(Path("notebooks/de/00_start.ipynb"), pages=True)
    'pages/00_start_de.html'
    """
    if pages:
        return f"pages/{book_name(path)}.html"
    where = in_lab(path)
    return f"{repository()}/blob/HEAD/notebooks/{where}" if repository() else STORED + where


def repository_link() -> str:
    """The words for the repository, a link where it has an address."""
    where, words = html.escape(repository()), say("front.repository")
    return f'<a href="{where}">{words}</a>' if where else words


def style() -> str:
    """How pictures, their marks and their controls look, on a dark ground too."""
    from dpviz.drawing.page import HELD
    from dpviz.drawing.palette import dark
    from dpviz.pages.sheet import together

    return f"""{together("css", ["from_disk", "front"])}
{HELD}@media (prefers-color-scheme: dark) {{ :root {{ {dark()} }} }}"""


def scripts() -> str:
    """What moves them, as on the pages without Python, and loads what comes near."""
    from dpviz.drawing.page import PICTURE
    from dpviz.pages.sheet import together

    return f"{PICTURE}\n<script>{together('js', ['from_disk', 'front'])}</script>"


def portrait() -> str:
    """The README's picture: the same explorer with three queries, in the colours of paper.

    >>> portrait()[:19]
    '<svg xmlns="http://'
    """
    from dpviz.lessons.learner import explore_bottles

    explorer = explore_bottles()
    explorer.set(**explorer.presets["Three"])
    return re.sub(r"var\(--[\w-]+,([^)]*)\)", r"\1", explorer.screen.picture)
