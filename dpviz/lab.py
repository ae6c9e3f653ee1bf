"""The lessons in JupyterLab: a checkout's own, or a copy of those that were installed.

A reader edits the lessons, so a copy is made once: what was edited since is never overwritten,
what was not follows a newer version of dpviz. A small file beside the lessons remembers what was
copied.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from dpviz import lesson
from dpviz.files import digest, replace
from dpviz.words import SOURCE, interface, known

PACKAGE = Path(__file__).parent
# An installation holds a copy of what a checkout has beside the package (setup.py makes it).
CHECKOUT = PACKAGE.parent
HOME = CHECKOUT if (CHECKOUT / "notebooks" / "00_start.ipynb").is_file() else PACKAGE / "installed"
LESSONS = HOME / "notebooks"
CONFIG = HOME / "binder" / "jupyter_server_config.py"
RECORD = ".dpviz-lessons.json"
STUDENT = "student"  # in that file, of a folder whose lessons have no solutions


def listed(folder: Path = LESSONS) -> Iterator[tuple[str, str, str]]:
    """Name, title and promise of each lesson, in order.

    >>> next(listed())[:2]
    ('00_start', 'What does one person change?')
    """
    for path in lesson.paths(folder):
        lesson_read = lesson.read(path)
        yield lesson_read.name, lesson_read.title, lesson_read.promise


def copy(
    target: Path, source: Path = LESSONS, student: bool = False, language: str = SOURCE
) -> dict[str, list[str]]:
    """Copy the lessons into a folder, but over none that was edited there.

    Parameters
    ----------
    target : the folder, made if it is missing
    source : where the lessons are
    student : without solutions and answers (`dpviz.student`); a folder that holds such copies
        keeps them, whatever is asked for
    language : whose translated lessons are copied too, into a folder of its name

    Returns
    -------
    the names that are "new", "renewed" (not edited since an older version was copied), "kept"
    (edited, and other than this version) and "same"

    Raises
    ------
    ValueError
        If there are no lessons, the folder cannot be written, or it holds lessons with their
        solutions and ``student`` asks for copies without.
    """
    from dpviz.student import stripped

    outcome: dict[str, list[str]] = {"new": [], "renewed": [], "kept": [], "same": []}
    books = [*lesson.paths(source), *lesson.translations(source, language)]
    try:
        target.mkdir(parents=True, exist_ok=True)
        record = target / RECORD
        digests = remembered(record)
        student = kind_of(digests, student, target)
        for book in [*books, *lesson.beside(source)]:
            bare = student and book in books
            data = stripped(book.read_bytes()) if bare else book.read_bytes()
            name = book.relative_to(source).as_posix()
            path = target / name
            state = compared(path, digest(data), digests.get(name))
            if book in books:
                outcome[state].append(name)
            if state in ("new", "renewed"):
                if path.parent.is_symlink() and path.parent != target:
                    raise OSError(errno.ELOOP, "it is a symbolic link", str(path.parent))
                path.parent.mkdir(exist_ok=True)
                replace(path, data)
            if state != "kept":
                digests[name] = digest(data)
        replace(record, json.dumps(digests, indent=1).encode())
    except OSError as problem:
        raise ValueError(f"the lessons cannot be copied to {target}: {problem}") from problem
    return outcome


def kind_of(known: dict[str, str], student: bool, target: Path) -> bool:
    """Whether a folder holds copies for students, or will; remembered with what was copied."""
    if student and known and STUDENT not in known:
        raise ValueError(f"{target} holds the lessons with solutions: give students another folder")
    if student:
        known[STUDENT] = "without solutions"
    return STUDENT in known


def kept(name: str) -> Path:
    """A folder for what was built once: in a checkout ``build``, else the user's cache."""
    if HOME == CHECKOUT:
        return CHECKOUT / "build" / name
    from platformdirs import user_cache_path

    return user_cache_path("dpviz") / name


def remembered(record: Path) -> dict[str, str]:
    """Digests of what was copied before; none if the record is missing or damaged."""
    try:
        return dict(json.loads(record.read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return {}


def compared(path: Path, ours: str, copied: str | None) -> str:
    """How a lesson that a reader has stands to ours, by what was copied there before."""
    if not path.exists():
        return "new"
    theirs = digest(path.read_bytes())
    if theirs == ours:
        return "same"
    return "renewed" if theirs == copied else "kept"


def said(told: dict[str, list[str]], target: Path) -> Iterator[str]:
    """What a copy did, a sentence for each kind of lesson.

    >>> list(said({"new": ["00_start.ipynb"], "renewed": [], "kept": [], "same": []}, Path("x")))
    ['Copied to x: 00_start.ipynb.']
    """
    words = {
        "new": "Copied to {}: {}.",
        "renewed": "Brought up to date in {}: {}.",
        "kept": "Edited in {}, so left as they are: {}. Rename one to get this version beside it.",
    }
    for state, sentence in words.items():
        if told[state]:
            yield sentence.format(target, ", ".join(told[state]))


def command(
    more: Sequence[str] = (),
    *,
    folder: Path = LESSONS,
    root: bool,
    screen: bool,
    language: str = SOURCE,
) -> list[str]:
    """What ``dpviz lab`` runs: JupyterLab on the first lesson, with further options.

    Parameters
    ----------
    more : options for JupyterLab
    folder : where the lessons are; in a checkout the whole of it is shown
    root : whether the user is root, for whom JupyterLab must be told that this is meant
    screen : whether a browser can be opened
    language : in which the first lesson is opened, if it is translated

    Raises
    ------
    ValueError
        If the folder has no lessons.
    """
    english = lesson.paths(folder)[0].resolve()
    place = CHECKOUT if CHECKOUT in english.parents else english.parent
    first = next(iter(lesson.translations(folder, language)), english).resolve()
    return [
        *(sys.executable, "-m", "jupyterlab", f"--config={CONFIG}", "--ip=127.0.0.1"),
        f"--ServerApp.root_dir={place}",
        f"--LabApp.default_url=/lab/workspaces/dpviz/tree/{first.relative_to(place).as_posix()}",
        *(["--allow-root"] if root else []),
        *([] if screen else ["--no-browser"]),
        *more,
    ]


def start(folder: Path | None, more: Sequence[str], language: str = "") -> None:
    """Become JupyterLab on the lessons; says first what a user of a server should know.

    Without a folder a checkout shows its own lessons, an installation a copy in ``dpviz-lessons``;
    without a language the interface speaks that of ``DPVIZ_LANGUAGE``.

    Raises
    ------
    ValueError
        If the language is none of `dpviz.words.languages`.
    """
    os.environ["DPVIZ_LANGUAGE"] = known(language) if language else interface()
    language = os.environ["DPVIZ_LANGUAGE"]
    if folder is None and HOME != CHECKOUT:
        folder = Path("dpviz-lessons")
    if folder is not None:
        for line in said(copy(folder, language=language), folder):
            print(line)
    root = getattr(os, "getuid", lambda: 1)() == 0
    folder = folder or LESSONS
    arguments = command(more, folder=folder, root=root, screen=screen(), language=language)
    if root:
        print("You are root: JupyterLab gets --allow-root and listens on 127.0.0.1 only.")
    if not screen():
        print("There is no screen here: open the address printed below in a browser.")
    sys.stdout.flush()
    os.execv(arguments[0], arguments)


def screen() -> bool:
    """Whether a browser can be opened here."""
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform != "linux" or bool(display)
