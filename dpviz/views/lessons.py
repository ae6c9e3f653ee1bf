"""The first page: its table of lessons, its check of the installation; the parts of a lesson."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from IPython.display import Markdown

from dpviz.data.real_sets import SETS

PARTS = re.compile(r"^(###?) (.+)$", re.MULTILINE)


def lessons(folder: str | Path = ".") -> Markdown:
    """The lessons found in a folder, in order, each with its title and its promise.

    Parameters
    ----------
    folder : where the notebooks are; each begins with a title and a line "**Promise.** ..."

    Raises
    ------
    ValueError
        If there is no notebook.
    """
    paths = sorted(Path(folder).glob("[0-9][0-9]_*.ipynb"))
    if not paths:
        raise ValueError(f"folder {str(folder)!r} holds no lesson (a notebook like 02_learner)")
    rows = [f"| [{path.stem}]({path.name}) | {' | '.join(heading(path))} |" for path in paths]
    return Markdown("\n".join(["| lesson | question | promise |", "|:--|:--|:--|", *rows]))


def heading(path: Path) -> tuple[str, str]:
    """Title and promise from the first cell."""
    cell = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
    lines = "".join(cell["source"]).split("\n")
    title = lines[0].lstrip("# ").partition(" ")[2]
    promise = next(line for line in lines if line.startswith("**Promise.**"))
    return title, promise.removeprefix("**Promise.**").strip()


def parts(cells: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each cell of a lesson with the section, or further part of one, in which it stands.

    What stands before the first section is "Title"; a part under "### Further: ..." stands by
    itself. A cell of text with headings inside is cut at them; the headings are left out.

    >>> cells = [{"cell_type": "markdown", "source": "# A\\n## B\\nIt is.\\n### Further: C\\nNo."}]
    >>> [(part, cell["source"]) for part, cell in parts(cells)]
    [('Title', '# A\\n'), ('B', '\\nIt is.\\n'), ('Further: C', '\\nNo.')]
    """
    section = part = "Title"
    for cell in cells:
        if cell["cell_type"] == "code":
            yield part, cell
            continue
        before, *cut = PARTS.split("".join(cell["source"]))
        yield part, {**cell, "source": before}
        for level, title, words in zip(cut[::3], cut[1::3], cut[2::3], strict=True):
            section = title if level == "##" else section
            part = title if title.startswith("Further: ") else section
            yield part, {**cell, "source": words}


def core(first: dict[str, Any]) -> tuple[str, ...]:
    """The parts that a lesson's first cell marks as its core."""
    return tuple(
        re.findall(r"^\| (.+?) \| \d+ \| core \|$", "".join(first["source"]), re.MULTILINE)
    )


def picture(path: str | Path, words: str) -> bytes:
    """The first stored picture of a notebook whose alt text begins with ``words``: PNG bytes.

    Raises ``ValueError`` if there is none.
    """
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    stored = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    for data in stored:
        if "image/png" in data and "".join(data["text/plain"]).startswith(words):
            return base64.b64decode("".join(data["image/png"]))
    raise ValueError(f"no picture in {str(path)!r} begins with {words!r}")


def records() -> Markdown:
    """The real sets: how many records, and what one is.

    >>> records().data.split("\\n")[2][:12]
    '| wine | 178'
    """
    rows = []
    for load in SETS.values():
        real = load()
        n, d = real.data.shape
        rows.append(f"| {real.name} | {n} | {d} | {real.record} |")
    head = ["| set | records | columns | what a record is |", "|:--|--:|--:|:--|"]
    return Markdown("\n".join([*head, *rows]))


def check_installation() -> str:
    """One sentence: is everything that the lessons need here, and new enough?

    Raises
    ------
    RuntimeError
        If something is missing or too old; the message lists it and says what to type.

    >>> check_installation()
    'Ready: all 12 packages that dpviz needs are here.'
    """
    from packaging.requirements import Requirement

    needed = [Requirement(line) for line in metadata.requires("dpviz") or []]
    needed = [need for need in needed if need.marker is None or need.marker.evaluate()]
    wrong = [str(need) for need in needed if not _installed(need)]
    if wrong:
        raise RuntimeError(f"missing or too old: {', '.join(wrong)}; run `make lab` again")
    return f"Ready: all {len(needed)} packages that dpviz needs are here."


def _installed(need) -> bool:
    """Whether a requirement is met."""
    try:
        return need.specifier.contains(metadata.version(need.name), prereleases=True)
    except metadata.PackageNotFoundError:
        return False
