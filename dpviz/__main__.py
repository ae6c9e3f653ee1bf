"""The command: ``dpviz``, or ``python -m dpviz``.

``dpviz lab`` opens the lessons in JupyterLab, ``dpviz lessons`` lists or copies them (for students
without solutions), ``dpviz answers`` reads what readers answered into a table, ``dpviz
experiments`` lists the experiments behind the stored figures and runs them again, ``dpviz plan``
says which mechanism answers a question of yours, how well and from how many records on, ``dpviz
run`` runs a plan on a table of yours and charges it to the file that ``dpviz ledger`` begins, and
``dpviz theorems`` says in which module a statement of a paper stands; with ``--write`` it makes the
index THEOREMS.md anew. ``dpviz site`` writes the lessons, with the Python that runs them, as a
folder of web pages, ``dpviz pages`` as pages, handouts and slides that need no Python and open
from disk, ``dpviz lecture`` all of this for one lesson, and ``dpviz exam`` an exam whose numbers
are drawn.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpviz import __version__, lab, theorems
from dpviz.words import SOURCE, known

if TYPE_CHECKING:
    import argparse

PACKAGE = Path(__file__).parent


def parser() -> argparse.ArgumentParser:
    """The words that the command takes."""
    import argparse

    command = argparse.ArgumentParser(
        prog="dpviz", description=__doc__.split("\n\n")[1].replace("``", "")
    )
    command.add_argument("--version", action="version", version=f"dpviz {__version__}")
    words = command.add_subparsers(
        dest="word",
        metavar="lab | lessons | answers | theorems | experiments | plan | run | ledger | site "
        "| pages | lecture | exam",
        required=True,
    )
    add_lessons(words)
    finder = words.add_parser("theorems", help="where a statement of a paper or a lesson stands")
    finder.add_argument("words", nargs="*", help='only with these words, e.g. Roth "Theorem 7"')
    finder.add_argument("--write", action="store_true", help="make the index THEOREMS.md anew")
    add_experiments(words)
    add_plan(words)
    add_run(words)
    add_pages(words)
    return command


def add_lessons(words: argparse._SubParsersAction) -> None:
    """What ``dpviz lab``, ``dpviz lessons`` and ``dpviz answers`` take."""
    opened = words.add_parser("lab", help="open the lessons in JupyterLab")
    opened.add_argument("folder", nargs="?", type=Path, help="copied here first, over no edits")
    opened.add_argument("--language", default="", help="of the interface and the first lesson: de")
    opened.add_argument("--port", help="where JupyterLab listens, if it is free")
    opened.add_argument("--no-browser", action="store_true", help="print the address only")
    copied = words.add_parser("lessons", help="list the lessons, or copy them into a folder")
    copied.add_argument("folder", nargs="?", type=Path, help="copied here, over no edits")
    copied.add_argument("--student", action="store_true", help="without solutions and answers")
    copied.add_argument("--language", help="copy its translated lessons too: de")
    read = words.add_parser("answers", help="what readers answered, from the files they hand in")
    read.add_argument("files", nargs="+", type=Path, metavar="FILE", help="dpviz-answers.json each")
    read.add_argument("--table", type=Path, metavar="FILE.csv", help="every answer with its number")
    read.add_argument("--picture", type=Path, metavar="FILE.png", help="which went wrong how often")


def add_pages(words: argparse._SubParsersAction) -> None:
    """What ``dpviz site``, ``pages``, ``lecture`` and ``exam`` take."""
    site = words.add_parser("site", help="write JupyterLab with Python inside as web pages")
    site.add_argument("folder", type=Path, help="a new folder, or an older site")
    site.add_argument("--serve", action="store_true", help="and serve it to this computer")
    site.add_argument("--pages", type=Path, metavar="DIR", help="readable pages, to put beside it")
    site.add_argument("--reference", type=Path, metavar="DIR", help="the reference, likewise")
    pages = words.add_parser(
        "pages", help="write lessons, slides, handouts as pages that need no Python"
    )
    pages.add_argument("folder", type=Path, help="a folder; opens from disk")
    lecture = words.add_parser(
        "lecture", help="write slides, notes and handout of one lesson, for a stick"
    )
    lecture.add_argument("lesson", help="its number or name, such as 03")
    lecture.add_argument("folder", nargs="?", type=Path, help="a new folder; lecture_03_distance")
    exam = words.add_parser("exam", help="draw an exam: a sheet to print, and its solutions")
    exam.add_argument("folder", nargs="?", type=Path, help="a new folder; exam")
    exam.add_argument("--lessons", nargs="+", required=True, metavar="NN", help="such as 01 03")
    exam.add_argument("--level", type=int, required=True, help="1 apply, 2 derive, 3 prove")
    exam.add_argument("--seed", type=int, help="draw the same again; 128 random bits without it")


def add_experiments(words: argparse._SubParsersAction) -> None:
    """What ``dpviz experiments`` takes."""
    one = words.add_parser("experiments", help="list the experiments, or plan and run one again")
    one.add_argument("name", nargs="?", help="plan this one; with --out, run it")
    one.add_argument("--trials", type=int, metavar="N", help="at each point, not those stored")
    one.add_argument("--out", metavar="FILE", help="keep each result here, or continue this file")
    one.add_argument("--processes", type=int, default=1, metavar="N", help="-1: one for each core")
    one.add_argument("--scheduler", metavar="ADDRESS", help="run on this Dask cluster")


def add_plan(words: argparse._SubParsersAction) -> None:
    """What ``dpviz plan`` takes."""
    from dpviz.planner.questions import KINDS, MEANING

    types = {"width": float, "share": float, "sensitivity": float, "metric": str, "queries": str}
    one = words.add_parser("plan", help="which mechanism, what error, from how many records on")
    one.add_argument("--ask", required=True, choices=KINDS, help="the kind of question")
    one.add_argument("--n", type=int, help="records that there are, or may be")
    for word, meaning in MEANING.items():
        one.add_argument(f"--{word}", type=types.get(word, int), help=meaning)
    one.add_argument("--epsilon", type=float, default=1.0, help="of the whole budget; 1")
    one.add_argument("--delta", type=float, default=0.0, help="of the whole budget; 0")
    one.add_argument("--error", type=float, help="wanted, a share of the largest possible answer")
    one.add_argument("--beta", type=float, default=0.05, help="how often it may be larger; 0.05")
    one.add_argument("--sample", metavar="FILE.csv", help="public records to simulate on")
    one.add_argument("--bounds", metavar="LOW:HIGH", nargs="+", help="of each column, or of all")
    one.add_argument("--seed", type=int, default=2010, help="of the simulation")
    one.add_argument("--json", metavar="PLAN.json", help="write the plan, for dpviz run")


def add_run(words: argparse._SubParsersAction) -> None:
    """What ``dpviz run`` and ``dpviz ledger`` take."""
    one = words.add_parser("run", help="run a plan on a table of yours, charged to a ledger")
    one.add_argument("plan", nargs="+", metavar="PLAN.json", help="of dpviz plan")
    one.add_argument("data", metavar="DATA", help="the private table: CSV or Parquet")
    one.add_argument("--ledger", required=True, metavar="FILE.json", help="made by dpviz ledger")
    one.add_argument("--bounds", metavar="FILE.csv", help="public: a name, lower and upper a line")
    one.add_argument("--queries", metavar="FILE.csv", help="public: the questions, one a line")
    one.add_argument("--columns", nargs="+", metavar="NAME", help="else all that have bounds")
    one.add_argument("--out", metavar="FILE", help="answers, a new .csv or .json")
    one.add_argument("--dataset", metavar="NAME", help="as the ledger has it; else DATA's name")
    one.add_argument("--unit", default="one record", help="what a record stands for")
    one.add_argument("--decimal", metavar="MARK", help="of decimals in all files: . or ,")
    one.add_argument("--missing", metavar="VALUE", help="public: what a missing cell stands for")
    one.add_argument("--lines", action="store_true", help="refusals name lines: for your eyes only")
    one.add_argument("--in-pieces", action="store_true", help="for records that do not fit")
    one.add_argument("--numpy-noise", action="store_true", help="not by OpenDP: not for real data")
    one.add_argument("--measure", type=float, metavar="E", help="spend E on the largest error")
    one.add_argument("--select", type=int, metavar="RUNS", help="the best of runs of several plans")
    one.add_argument("--yes", action="store_true", help="spend what --measure or --select costs")
    book = words.add_parser("ledger", help="show a budget's file, or begin one")
    book.add_argument("file", metavar="FILE.json")
    book.add_argument("--dataset", metavar="NAME", help="of a new ledger")
    book.add_argument("--unit", default="one record", help="what a record stands for")
    book.add_argument("--epsilon", type=float, help="the whole budget")
    book.add_argument("--delta", type=float, default=0.0, help="the whole budget")
    book.add_argument("--rho", type=float, help="the whole budget by zCDP, without epsilon")


def print_statements(words: Sequence[str]) -> None:
    """Where the statements with these words stand."""
    statements = list(theorems.find(words))
    print(*statements, sep="\n", end="\n" * bool(statements))
    if not statements:
        raise ValueError(f"no statement of a paper or a lesson holds all of {words}")


def options(asked: argparse.Namespace) -> dict:
    """What was asked beside the word."""
    return {name: value for name, value in vars(asked).items() if name != "word"}


def do(asked: argparse.Namespace) -> None:
    """What one word stands for."""
    if asked.word == "lab":
        more = [f"--port={asked.port}"] if asked.port else []
        lab.start(asked.folder, more + ["--no-browser"] * asked.no_browser, asked.language)
    elif asked.word == "lessons":
        print(*copied(**options(asked)), sep="\n")
    elif asked.word == "answers":
        from dpviz.exercises import collected

        for line in collected.told(**options(asked)):
            print(line)
    elif asked.word == "experiments":
        from dpviz import experiments

        experiments.ask(**options(asked))
    elif asked.word == "plan":
        from dpviz.planner import command

        for line in command.lines(**options(asked)):
            print(line, flush=True)
    elif asked.word in ("run", "ledger"):
        from dpviz.door import run_command

        for line in getattr(run_command, asked.word)(**options(asked)):
            print(line, flush=True)
    elif asked.word in ("site", "pages", "lecture", "exam"):
        write_pages(asked)
    elif asked.write:
        theorems.write()
    else:
        print_statements(asked.words)


def write_pages(asked: argparse.Namespace) -> None:
    """What ``dpviz site``, ``pages``, ``lecture`` and ``exam`` stand for."""
    if asked.word == "site":
        write_site(**options(asked))
    elif asked.word == "lecture":
        from dpviz.pages import lecture

        lecture.ask(**options(asked))
    elif asked.word == "exam":
        from dpviz.pages import exam

        exam.ask(**options(asked))
    else:
        from dpviz.pages import from_disk

        from_disk.pages(asked.folder, lab.LESSONS, lab.kept("runs"))
        print(f"Open {asked.folder / 'index.html'} in a browser.")


def copied(folder: Path | None, student: bool, language: str | None) -> Iterator[str]:
    """What was copied into a folder; without one, the lessons."""
    if folder is None and (student or language):
        option = "--student" if student else "--language"
        raise ValueError(f"{option} needs a folder: dpviz lessons FOLDER {option}")
    if folder is None:
        return rows()
    copies = lab.copy(folder, student=student, language=known(language or SOURCE, "--language"))
    return lab.said(copies, folder)


def rows() -> Iterator[str]:
    """What each lesson is called, asks and promises."""
    for row in lab.listed():
        yield "{}  {}\n    {}".format(*row)


def write_site(folder: Path, serve: bool, **beside: Path | None) -> None:
    """Write the site and say how large it is; then serve it until interrupted, if asked."""
    from dpviz.pages import site

    folders = {name: path for name, path in beside.items() if path is not None}
    for name, path in folders.items():
        if not (path / "index.html").is_file():
            raise ValueError(f"--{name}: {path} holds no index.html")
    parts = site.build(folder, lab.LESSONS, lab.kept("parts"), folders, lab.kept("runs"))
    megabytes = sum(parts[part]["size"] for part in ("wasm", "library")) / 1e6
    size = f"Python and what it reads at once are {megabytes:.0f} MB"
    print(f"{folder}: site {parts['hash']}; {size}")
    if serve:
        with site.server(folder) as server:
            print(f"Open http://127.0.0.1:{server.server_port} in a browser; Ctrl-C ends this.")
            sys.stdout.flush()
            server.serve_forever()


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what was asked; 2 if it cannot be done here."""
    request = parser().parse_args(arguments)
    try:
        do(request)
    except BrokenPipeError:  # somebody read the first lines only
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ValueError as problem:
        print(f"dpviz: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print("dpviz:", *getattr(stopped, "__notes__", ["interrupted"]), file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
