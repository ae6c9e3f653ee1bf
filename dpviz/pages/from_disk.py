"""A lesson as one page that needs no Python and no network: it opens from disk.

What is read comes from the notebook as it is stored. The lesson is run once more, in a process of
its own, only for its instruments: explorers and players with the states that fit the page,
predictions and exercises whose answers are a number or a choice. Formulas become MathML, which
browsers draw by themselves.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
VIEW = "application/vnd.jupyter.widget-view+json"
SIDE_BY_SIDE = 2  # lessons that are run at once
WIDE = 40  # signs of a formula that may not fit a column of a handout
FORMULA = re.compile(r"(```.*?```|`[^`\n]*`)|\$\$(.+?)\$\$|(?<!\\)\$([^$]+?)\$", re.DOTALL)
STATED = r"^\*\*(?:Definition|Theorem|Lemma|Proposition|Corollary) .*?(?=\n\n|\Z)\n*"
REVIEW = "<p>Nothing was predicted yet"  # the script fills it as predictions are answered
LINK = re.compile(r'href="(\d\d_\w+)\.ipynb')


def pages(target: Path, source: Path, cache: Path) -> list[Path]:
    """Write a page for each lesson, and an index; unchanged lessons come from the cache.

    Parameters
    ----------
    target : folder of the pages, made if it is missing
    source : folder of notebooks
    cache : where pages are kept, by the hash of all that they are made of

    Raises
    ------
    ValueError
        If a lesson does not run.
    """
    target.mkdir(parents=True, exist_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    books = sorted(source.glob("[0-9][0-9]_*.ipynb"))
    code = code_digest()
    waiting = []
    for book in books:
        name = hashlib.sha256(book.read_bytes() + code).hexdigest()[:16]
        waiting.append((book, cache / f"{name}.json"))
    missing = [pair for pair in waiting if not pair[1].exists()]
    for at in range(0, len(missing), SIDE_BY_SIDE):
        together(missing[at : at + SIDE_BY_SIDE])
    for book, kept in waiting:
        read, sheet = json.loads(kept.read_text("utf-8"))
        (target / f"{book.stem}.html").write_text(read, "utf-8")
        (target / f"{book.stem}_handout.html").write_text(sheet, "utf-8")
    (target / "index.html").write_text(index(books), "utf-8")
    return [target / f"{book.stem}.html" for book in books]


def together(some: list[tuple[Path, Path]]) -> None:
    """Make pages side by side, each in a process of its own, in the folder of the lessons."""
    command = [sys.executable, "-m", "dpviz.pages.from_disk"]
    running = [
        (
            book,
            subprocess.Popen(
                [*command, book.resolve(), kept.resolve()],
                cwd=book.parent,
                stderr=subprocess.PIPE,
            ),
        )
        for book, kept in some
    ]
    for book, process in running:
        _, said = process.communicate()
        if process.returncode:
            raise ValueError(f"{book.name} has no page: {said.decode()[-1500:]}")


def code_digest() -> bytes:
    """One hash of the package: what a lesson computes may change with any of it."""
    whole = hashlib.sha256()
    for path in sorted(HERE.parent.rglob("*")):
        if path.suffix in {".py", ".js", ".css", ".jsonl", ".html"}:
            whole.update(path.relative_to(HERE.parent).as_posix().encode() + path.read_bytes())
    return whole.digest()


def lesson(path: Path) -> tuple[str, str]:
    """The page of one lesson, all of its cells with its instruments woken; and its handout."""
    book = json.loads(path.read_text("utf-8"))
    cells = book["cells"]
    title = joined(cells[0]["source"]).partition("\n")[0].lstrip("# ")
    body, questions = [], []
    for cell, awake in zip(cells, instruments(cells), strict=True):
        markdown = cell["cell_type"] == "markdown"
        body.append(prose(joined(cell["source"])) if markdown else code(cell, awake))
        questions += [one.question for one in awake if asks(one)]
    words = handout([joined(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"])
    parts = [*words, picture(cells), "<h2>Exercises</h2>", listed(questions)]
    sheet = f'<article class="handout">{"".join(parts)}</article>'
    return page(title, "\n".join(body), path.name), page(f"{title}: handout", sheet)


def asks(instrument: Any) -> bool:
    """Whether it is an exercise, not a prediction: nothing is held back."""
    return hasattr(instrument, "question") and not instrument.held


def handout(texts: list[str]) -> Iterator[str]:
    """Of a lesson's texts: the problem, definitions and theorems, where paper and code differ."""
    whole = re.sub(r"<details>.*?</details>", "", "\n\n".join(texts), flags=re.DOTALL)
    sections = re.split(r"^## ", whole, flags=re.MULTILINE)
    first, *others = sections
    blocks = first.split("\n\n")
    yield prose("\n\n".join(block for block in blocks[:3] if not block.startswith("**You")))
    named = {part.partition("\n")[0].strip(): part.partition("\n")[2] for part in others}
    stated = re.findall(STATED, "\n\n".join(others), flags=re.MULTILINE | re.DOTALL)
    yield f"<h2>Question</h2>{prose(named.get('Question', ''))}"
    yield f"<h2>Definitions and theorems</h2>{prose(chr(10).join(stated))}"
    for title in ("Where the paper and this code differ", "Lessons"):
        yield f"<h2>{title}</h2>{prose(named.get(title, ''))}"


def picture(cells: list[dict[str, Any]]) -> str:
    """The first stored picture of a lesson."""
    outputs = (output.get("data", {}) for cell in cells for output in cell.get("outputs", []))
    for data in outputs:
        if "image/png" in data and "text/html" in data:
            return f"<figure>{joined(data['text/html'])}</figure>"
    return ""


def listed(questions: list[str]) -> str:
    """Questions with numbers."""
    return f"<ol>{''.join(f'<li>{question}</li>' for question in questions)}</ol>"


def page(title: str, body: str, book: str = "") -> str:
    """The whole of a page: its style and its script stand in it."""
    style, script = ((HERE / f"from_disk.{kind}").read_text("utf-8") for kind in ("css", "js"))
    from dpviz.views.page import PLAYER

    live = (
        f'<a class="live" hidden href="../jupyter/lab/index.html?path={book}">live</a>'
        if book
        else ""
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n"
        f'<header><a href="index.html">dpviz</a>{live}</header>\n'
        f"<main>\n{body}\n</main>\n{PLAYER}\n<script>{script}</script>\n</html>\n"
    )


def index(books: list[Path]) -> str:
    """The first page: what each lesson asks and promises."""
    from dpviz.views.lessons import heading

    rows = []
    for book in books:
        title, promise = heading(book)
        rows.append(
            f'<li><a href="{book.stem}.html">{book.stem[:2]} {title}</a> '
            f'<a class="more" href="{book.stem}_handout.html">handout</a>{prose(promise)}</li>'
        )
    lessons = "\n".join(rows)
    return page(
        "dpviz: lessons to read",
        f"<h1>How to answer very many questions about private data</h1>\n"
        f"<p>Ten lessons on differential privacy, to read anywhere: sliders move among stored "
        f"settings, players step, predictions and exercises with a number or a choice are checked. "
        f"Nothing is loaded from elsewhere, nothing leaves this page.</p>\n<ul>\n{lessons}\n</ul>",
    )


def joined(text: str | list[str]) -> str:
    """A notebook's text, which may be stored as lines."""
    return text if isinstance(text, str) else "".join(text)


def prose(text: str) -> str:
    """Markdown as HTML, formulas as MathML, links to lessons as links to their pages.

    >>> prose("a [link](01_privacy.ipynb)")
    '<p>a <a href="01_privacy.html">link</a></p>'
    """
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    formulas: list[str] = []

    def kept(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        from latex2mathml.converter import convert

        shape = "block" if found[2] else "inline"
        made = convert(known(found[2] or found[3]), display=shape)
        if shape == "block" and len(re.sub(r"<[^>]*>", "", made)) > WIDE:
            made = made.replace("<math ", '<math class="wide" ', 1)
        formulas.append(made)
        return f"FORMULA{len(formulas) - 1}Z"

    made = markdown2html_mistune(FORMULA.sub(kept, text)).strip()
    made = re.sub(r"FORMULA(\d+)Z", lambda found: formulas[int(found[1])], made)
    made = re.sub(r'<a class="anchor-link".*?</a>', "", made)
    return LINK.sub(r'href="\1.html', made)


def known(formula: str) -> str:
    """A formula in the words that the converter knows."""
    for size in ("big", "Big", "bigg", "Bigg"):
        formula = re.sub(rf"\\{size}[lr]?(?![A-Za-z])", "", formula)
    formula = re.sub(r"\\tag\{(.+?)\}", r"\\qquad(\1)", formula)
    return formula.replace(r"\varnothing", r"\emptyset").replace(r"\dfrac", r"\frac")


def code(cell: dict[str, Any], awake: list[Any]) -> str:
    """A cell of code, folded, and what it showed."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    source = joined(cell["source"])
    lines = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))
    folded = f'<details class="code"><summary>code</summary><pre>{lines}</pre></details>'
    return "\n".join([folded if source.strip() else "", *shown(cell.get("outputs", []), awake)])


def shown(outputs: list[dict[str, Any]], awake: list[Any]) -> Iterator[str]:
    """The outputs of a cell; an instrument's picture, words and widget become the instrument."""
    live = iter(awake)
    asleep = set()
    for place, output in enumerate(outputs):
        if VIEW in output.get("data", {}):
            words = joined(outputs[place - 1]["data"]["text/html"])
            pictured = "dpviz-pictured" in words.partition("<style>")[0]
            asleep |= {place - 1, place - 2} if pictured else {place - 1}
    for place, output in enumerate(outputs):
        data = output.get("data", {})
        if VIEW in data:
            yield moved(next(live))
        elif place in asleep:
            continue
        elif "text/html" in data:
            told = joined(data["text/html"])
            kind = "review" if told.startswith(REVIEW) else "output"
            yield f'<div class="{kind}">{told}</div>'
        elif "text/markdown" in data:
            yield f'<div class="output">{prose(joined(data["text/markdown"]))}</div>'
        else:
            told = joined(output.get("text") or data.get("text/plain") or "")
            yield f'<pre class="output">{html.escape(told)}</pre>'


def moved(instrument: Any) -> str:
    """An instrument for a page without Python."""
    from dpviz.pages import stored
    from dpviz.views.explorer import Explorer
    from dpviz.views.player import Player

    if not isinstance(instrument, (Explorer, Player)):
        return asked(instrument)
    screen = instrument.screen
    if screen is None:
        return instrument.still()[1]
    kind = "explorer" if isinstance(instrument, Explorer) else "player"
    sentence, table = screen.words()
    told = stored.packed(getattr(stored, kind)(instrument))
    return (
        f'<section class="instrument dpviz-{kind}">'
        f'<div class="panel"></div><div class="dpviz-picture">{screen.picture}</div>'
        f'<div class="sentence">{sentence}</div><div class="table">{table}</div>'
        f'<script type="text/plain">{told}</script></section>'
    )


def asked(exercise: Any) -> str:
    """A question; its answer is judged in the page if it is a number or a choice."""
    from dpviz.views.answers import Number, Pick

    answer, told = exercise.answer, {}
    if isinstance(answer, Pick):
        told = {"kind": "choice", "options": dict(answer.options)}
    elif isinstance(answer, Number):
        slips = [
            [slip, max(answer.within, 0.01 * abs(slip)), said]
            for slip, said in answer.slips.items()
        ]
        within = answer.within + 1e-9 * abs(answer.value)
        told = {"kind": "number", "value": answer.value, "within": within, "slips": slips}
        told["otherwise"] = answer.otherwise
    more = json.dumps({**told, "right": exercise.right}).replace("</", "<\\/") if told else ""
    data = f'<script type="application/json">{more}</script>' if told else ""
    lab = "" if told else "<p><small>Answered in the lab, where Python checks it.</small></p>"
    kind = "prediction" if exercise.held else "exercise"
    return f'<section class="instrument {kind}">{exercise.page()}{lab}{data}</section>'


def instruments(cells: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """Of each cell the instruments that it shows, from a run of the lesson in this process.

    Raises
    ------
    ValueError
        If a cell fails.
    """
    import contextlib
    import io

    from IPython.core.interactiveshell import InteractiveShell

    from dpviz.views.exercise import Exercise
    from dpviz.views.explorer import Explorer
    from dpviz.views.player import Player

    met: list[Any] = []
    for kind in (Exercise, Explorer, Player):
        kind._ipython_display_ = lambda self, **more: met.append(self)
    shell = InteractiveShell.instance()
    for cell in cells:
        met.clear()
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                done = shell.run_cell(joined(cell["source"]))
            if not done.success:
                raise ValueError(f"a cell fails: {done.error_in_exec or done.error_before_exec!r}")
        yield list(met)


if __name__ == "__main__":
    made = lesson(Path(sys.argv[1]))
    Path(sys.argv[2]).write_text(json.dumps(made), "utf-8")
