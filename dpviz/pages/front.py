"""The page that a reader sees first: of each lesson the picture that opens it, to be moved.

The first picture stands in the page with its states. The others are small images, of which a
browser loads those that come near; then their states follow, a file for each size, so that a
first visit loads little. Without a script, or in an old browser, the images stay.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dpviz import lesson as lessons

if TYPE_CHECKING:
    from dpviz.instruments.explorer import Explorer

HERE = Path(__file__).parent
Picture: TypeAlias = tuple[str, dict[str, str]]  # of a lesson: its HTML, files by name
LESSON = "jupyter/lab/index.html?path="
STORED = "jupyter/files/"
PICTURES = "pictures"  # the folder of images and states
BYTES = {"notebook": 90_000, "phone": 60_000}  # of an explorer's states
# What may stand beside the lab, and the words that lead there.
BESIDE = {
    "pages": '<a href="pages/index.html">lessons to read</a>',
    "reference": '<a href="reference/index.html">reference</a>',
}
LINE = 50  # Mbit/s, a line at home
# What to do with each picture, and what is then seen.
SENTENCES = {
    "00_start": "A clinic publishes the mean of 569 tumour radii. The circle marks you: press it, "
    "and see how far the mean moves when a 0 stands in the place of your radius.",
    "01_privacy": "A clinic adds random noise, drawn from a Laplace curve, to a count of "
    "diagnoses. The two curves show how likely each noisy count is with one diagnosis and without "
    "it. Drag the yellow line: there, one curve is at most e<sup>ε</sup> times the other, 2.72 "
    "times, because ε is 1. (Some mechanisms let a chance exceed this by a small δ; here δ is 0.)",
    "02_learner": "Questions about private data cost privacy, so few must do. The curve is the "
    "average distance from each place to bottles whose places are private. One question tells its "
    "height and slope at a place, a tangent, and the curve is convex, so it lies above its "
    "tangents. Drag the yellow dot, and see how much of the curve one question teaches.",
    "03_distance": "Questions about the same curve are answered from a public guess. The privacy "
    "budget is four coins, and one is spent to improve the guess only where it is too far off. "
    "Drag the blue dots, which are questions, and see which of them cost a coin.",
    "04_embedding": "Lesson 03 answers average distances along one line; an ℓ<sub>1</sub> "
    "distance is a sum of such distances, one for each coordinate. Projections onto a few lines "
    "turn distances on a map nearly into such sums. Drag a town, and see by which factor its "
    "distances are stretched.",
    "05_sparse": "A public guess has a probability for each string, of which there may be a "
    "billion, at first the same for all. Drag the blue dot to correct one: all others are "
    "multiplied by the same number (the method is called multiplicative weights). So all strings "
    "that were never asked about keep one common value, the grey line, and one number stores them.",
    "06_smooth": "A question here is the average of a function over the records. A smooth "
    "function, such as this bell (a kernel), is nearly a sum of a few cosines, the same ones for "
    "all of them. So the averages of these cosines, published once, answer each such question "
    "whenever it is asked. Drag the yellow cross, the middle of the bell.",
    "07_cluster": "Yellow is the shortest interval that holds four of nine private records. Drag "
    "a record: the interval can jump far, so its place could reveal the record of one person, but "
    "the count in each cell of the public grid changes by at most&nbsp;1.",
    "08_fat_shattering": "For every group among four patients, a clinic publishes how many are "
    "ill, with an error of at most E. Drag the yellow dial, E: the lists of diagnoses that fit "
    "every count are yellow, and where only the true one (marked +) is left, every diagnosis is "
    "given away.",
    "09_compare": "A mechanism is a private way to answer. Each colour is one: its line is the "
    "error that is proved of it, its dots the error that is expected, over the number of records "
    "n. The star is the n that you have and the error that you want. Drag it: the title names the "
    "mechanism to take, and from which n on it has that error.",
}


def write(
    made: Path,
    pictures: Mapping[Path, Picture],
    python: int,
    others: int,
    beside: Collection[str] = (),
) -> None:
    """Write ``index.html`` and, into a folder beside it, the pictures that it loads.

    Parameters
    ----------
    made : the folder of the site
    pictures : of each notebook, in order, what :func:`pictured` made
    python, others : bytes of Python with its library, and of all else that a browser keeps
    beside : which of ``BESIDE`` the site has

    Raises
    ------
    ValueError
        If a lesson has no sentence in ``SENTENCES``.
    """
    pages = "pages" in beside
    (made / PICTURES).mkdir(exist_ok=True)
    rows: list[str] = []
    for path, (picture, files) in pictures.items():
        for name, text in files.items():
            (made / PICTURES / name).write_text(text, "utf-8")
        rows.append(exhibit(path, picture, pages, 0 if rows else megabytes(python)))
    words = {
        "readable": "pages that need no Python" if pages else "the stored notebooks",
        "beside": " ".join(BESIDE[name] for name in BESIDE if name in beside),
        "style": style(),
        "scripts": scripts(),
        "python": str(megabytes(python)),
        "whole": str(megabytes(python + others)),
        "time": spoken(8 * python / (LINE * 1e6)),
        "line": str(LINE),
        "pictures": "\n".join(rows),
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


def spoken(seconds: float) -> str:
    """A duration as one says it.

    >>> spoken(8.2), spoken(75)
    ('9 seconds', '1.2 minutes')
    """
    if seconds > 60:
        return f"{seconds / 60:.1f} minutes"
    return f"{-int(-seconds // 1)} seconds"


def exhibit(path: Path, picture: str, pages: bool = False, size: int = 0) -> str:
    """One lesson: its question, a sentence, where it opens, its picture.

    ``size`` is what a first run loads, in MB, where that is to be said.
    """
    book = lessons.read(path)
    if path.stem not in SENTENCES:
        raise ValueError(f"{path.name} has no sentence on the first page: see front.SENTENCES")
    places = {"read": f'href="{stored(path.name, pages)}"'}
    places["run in the page"] = f'href="{LESSON}{path.name}" data-run'
    if pages:
        places["slides"] = f'href="pages/{path.stem}_slides.html"'
    title = html.escape(book.title)
    number = f'<span class="number">{path.stem[:2]}</span>'
    links = " ".join(
        f'<a {place} aria-label="{words}: {title}">{words}</a>' for words, place in places.items()
    )
    if size:
        links += f"<small>The first run loads {size} MB.</small>"
    text = f'<div class="text"><h2>{number} {title}</h2><p>{SENTENCES[path.stem]}</p></div>'
    return f'<li id="{path.stem}">{text}{picture}<p class="ways">{links}</p></li>'


def opening(path: Path) -> Explorer | None:
    """The explorer that opens a lesson, which is the value of its first cell of that kind."""
    cell = next((cell for cell in lessons.read(path).cells if "explorer" in cell.tags), None)
    if cell is None:
        return None
    *before, last = cell.source.rstrip().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(before), names)
    return eval(last, names)


def pictures(source: Path) -> dict[Path, Picture]:
    """Of each notebook of a folder its picture; the first one stands inside the page."""
    paths = lessons.paths(source)
    return {path: pictured(path, inside=path == paths[0]) for path in paths}


def pictured(path: Path, *, inside: bool) -> Picture:
    """The picture that opens a lesson, and what it loads: texts by the names of their files.

    Its SVG and its states stand ``inside`` the page; else an image, and its states are loaded.
    """
    from dpviz.pages import run

    explorer = opening(path)
    if explorer is None:
        return "", {}
    states = run.records(explorer, run.READ, run.Room(1, dict(BYTES)))
    small, wide = (run.use(explorer, mode).screen.picture for mode in ("phone", "notebook"))
    panel = '<div class="panel"></div>'
    if inside:
        both = f'<span class="sizes">{wide}{small}</span>'
        return run.section(explorer, f"{run.framed(both)}{panel}", run.scripts(states)), {}
    name = path.stem[:2]
    files = {
        f"{name}_{mode}.js": f'dpvizStored("{name}", "{mode}", "{record}");\n'
        for mode, record in states.items()
    }
    files |= {
        f"{name}_phone.svg": in_both_themes(small),
        f"{name}_notebook.svg": in_both_themes(wide),
    }
    image = (
        f'<picture><source media="(max-width: 480px)" {size(small)} '
        f'srcset="{PICTURES}/{name}_phone.svg"><img src="{PICTURES}/{name}_notebook.svg" '
        f'{size(wide)} loading="lazy" alt="{html.escape(explorer.screen.sentence)}"></picture>'
    )
    return run.section(
        explorer, f"{run.framed(image)}{panel}", marks=f' data-stored="{name}"'
    ), files


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
