"""Do the tests see generated mutants? ``python tests/mutants/killed.py``; it can be continued.

One pytest session imports and collects everything. It runs each test once and notes which
functions it executes; then a mutant is a forked child, in which the code of one function is
exchanged and the tests that execute it run, quickest first, until one fails. A test that fails
without a mutant when it is run alone counts for nothing.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import functools
import gc
import json
import math
import os
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import generate

PATIENCE = 60, 600  # seconds, of the processor and of the clock, until tests do not end
IGNORED = ["tests/pages", "tests/browser", "tests/notebooks", "tests/mutants", "docs"]
UNKNOWN = 0.1  # seconds of a test that nobody noted; it is run if its name tells of the function
EQUIVALENT = Path(__file__).with_name("equivalent.tsv")  # key, reason


class Living:
    """All functions and caches of the process, looked up once: a child that looks copies memory."""

    def __init__(self) -> None:
        self.functions = defaultdict(list)
        self.caches = []
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                self.functions[_where(thing.__code__)].append(thing)
            elif isinstance(thing, functools._lru_cache_wrapper) and _is_ours(thing):
                self.caches.append(thing)
        gc.freeze()

    def exchange(self, pairs: list) -> None:
        """Give every function that has one of the codes the other; forget cached results."""
        for before, after in pairs:
            for function in self.functions[_where(before)]:
                if function.__code__.co_freevars == after.co_freevars:
                    function.__code__ = after
        for cache in self.caches:
            cache.cache_clear()


def _where(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _is_ours(thing: object) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("dpviz")


def noting(path: Path, room: str) -> list:
    """The codes of a file, before and after each outermost function notes that it runs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    before = list(generate.codes(compile(tree, str(path), "exec")))
    for name, function in generate.functions(tree):
        note = ast.parse(f"__executed__.add({place(room, path, name)!r})").body[0]
        for node in ast.walk(note):
            if hasattr(node, "lineno"):
                node.lineno = node.end_lineno = function.body[0].lineno
        function.body.insert(1 if ast.get_docstring(function) is not None else 0, note)
    ast.fix_missing_locations(tree)
    return list(zip(before, generate.codes(compile(tree, str(path), "exec")), strict=True))


def place(room: str, path: Path, name: str) -> str:
    """How a function is noted."""
    return f"{room}/{path.relative_to(generate.ROOT)}:{name}"


class Mutants:
    """The pytest plugin: notes which tests execute what, then runs the mutants."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.folder, self.given = given.folder.resolve(), given
        self.noted: dict[str, dict] = {}
        self.shared: dict[str, set[str]] = {}
        self.executed: set[str] = set()
        self.passes: dict[str, bool] = {}
        self.unexplained = 0
        self.failed = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        """What fixtures executed may serve all tests of a file."""
        self.shared.setdefault(item.nodeid.split("::")[0], set()).update(self.executed)
        self.executed.clear()
        return (yield)

    def pytest_runtest_logreport(self, report):
        """The first failure."""
        self.failed = self.failed or (report.nodeid if report.failed else "")

    def pytest_runtestloop(self, session):
        """Instead of pytest's own loop."""
        path = self.folder / "noted.json"
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            self.noted, shared = stored["noted"], stored["shared"]
            self.shared = {file: set(places) for file, places in shared.items()}
        if self.given.note:
            items = [item for item in session.items if item.nodeid not in self.noted]
            os.waitpid(self._start(lambda: self._note(items, path)), 0)
        else:
            self._run({item.nodeid: item for item in session.items})
        return True

    def _note(self, items: list, path: Path) -> None:
        """Run tests once and write down what each executes."""
        builtins.__executed__ = self.executed
        Living().exchange(
            [
                pair
                for room in generate.DRAWN
                for file in generate.files(room)
                for pair in noting(file, room)
            ]
        )
        for i, item in enumerate(items):
            self.executed.clear()
            self.failed, start = "", time.process_time()
            following = items[i + 1] if i + 1 < len(items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.noted[item.nodeid] = {
                "seconds": time.process_time() - start,
                "fails": bool(self.failed),
                "executes": sorted(self.executed),
            }
            if i % 100 == 99 or following is None:
                shared = {file: sorted(places) for file, places in self.shared.items()}
                path.write_text(json.dumps({"noted": self.noted, "shared": shared}))
                print(f"{i + 1} of {len(items)} tests noted", file=sys.stderr, flush=True)

    def _run(self, items: dict) -> None:
        """All mutants that have no result yet."""
        path = self.folder / "results.jsonl"
        results = _results(path)
        mutants, self.living = generate.drawn(self.given.room or generate.DRAWN), Living()
        open_ones = [
            mutant
            for mutant in mutants
            if mutant.key not in results or (self.given.again and not results[mutant.key])
        ]
        running: dict[int, tuple] = {}
        while open_ones or running:
            while open_ones and len(running) < self.given.processes:
                mutant = open_ones.pop(0)
                chosen = [items[name] for name in self._tests(mutant, items)]
                running[self._start(partial(self._try, mutant, chosen))] = mutant
            pid, status = os.wait()
            mutant, seen = running.pop(pid), self._answer(pid, status)
            if seen in items and not self._passes(items[seen]):
                self.noted[seen] = {"executes": [], "fails": True}
                open_ones.append(mutant)
                continue
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": mutant.key, "seen": seen}) + "\n")
            results[mutant.key] = seen
            print(f"{mutant.path.name}: {mutant.key}: {seen or 'SURVIVES'}", file=sys.stderr)
        self.unexplained = report(mutants, results)

    def _answer(self, pid: int, status: int) -> str:
        """The test that failed, "" if none did; how a child ended that was killed."""
        if os.WIFSIGNALED(status):
            return f"no end: {signal.Signals(os.WTERMSIG(status)).name}"
        path = self.folder / f"answer-{pid}"
        answer = path.read_text(encoding="utf-8")
        path.unlink()
        return answer

    def _passes(self, item) -> bool:
        """Whether a test passes alone, without a mutant."""
        if item.nodeid not in self.passes:
            pid = self._start(lambda: self._try(None, [item]))
            _, status = os.waitpid(pid, 0)
            self.passes[item.nodeid] = not self._answer(pid, status)
        return self.passes[item.nodeid]

    def _try(self, mutant: generate.Mutant | None, chosen: list) -> None:
        """Run the tests of one mutant, and write the first that fails, or nothing."""
        processor, clock = PATIENCE
        used = int(time.process_time())  # what a child inherits counts too
        resource.setrlimit(resource.RLIMIT_CPU, (used + processor, used + processor + 1))
        signal.alarm(clock)
        self.failed = ""
        if mutant is not None:
            self.living.exchange(mutant.exchanges())
        for item, following in zip_longest(chosen, chosen[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                break
        (self.folder / f"answer-{os.getpid()}").write_text(self.failed, encoding="utf-8")

    def _tests(self, mutant: generate.Mutant, items: dict) -> list[str]:
        """Tests that execute the function, by file, the quickest files first."""
        wanted = place(mutant.room, mutant.path, mutant.name)
        words = [word for word in mutant.name.split(".") if not word.startswith("_")]
        seconds = {}
        for name in items:
            if name in self.noted:
                noted, file = self.noted[name], name.split("::")[0]
                if wanted in noted["executes"] or wanted in self.shared.get(file, ()):
                    seconds[name] = math.inf if noted["fails"] else noted["seconds"]
            elif any(word in name for word in [mutant.path.stem, *words]):
                seconds[name] = UNKNOWN
        chosen, spent = [], 0.0
        for name in sorted(seconds, key=seconds.get):
            if spent + seconds[name] > self.given.budget and (chosen or seconds[name] == math.inf):
                break
            spent += seconds[name]
            chosen.append(name)
        files = Counter()
        for name in chosen:
            files[name.split("::")[0]] += seconds[name]

        def rank(name: str) -> tuple[bool, float, str]:
            """Tests that name the function first."""
            file = name.split("::")[0]
            return not any(word in name for word in words), files[file], file

        return sorted(chosen, key=rank)

    def _start(self, task) -> int:
        """A forked child that does a task; its process id."""
        pid = os.fork()
        if pid:
            return pid
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            if not os.environ.get("DPVIZ_MUTANTS_DEBUG"):
                os.dup2(null, 2)
            task()
        finally:
            os._exit(0)


def _results(path: Path) -> dict[str, str]:
    """Key -> the test that sees the mutant, "" if it survives."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["key"]: row["seen"] for row in rows}


def equivalent() -> dict[str, str]:
    """Key -> why the mutant changes nothing that is promised."""
    if not EQUIVALENT.exists():
        return {}
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line)


def report(mutants: list[generate.Mutant], results: dict[str, str]) -> int:
    """Print the share killed by room and the survivors; how many of them have no reason."""
    reasons = equivalent()
    for room in dict.fromkeys(mutant.room for mutant in mutants):
        keys = [mutant.key for mutant in mutants if mutant.room == room]
        killed = sum(bool(results.get(key)) for key in keys)
        same = sum(not results.get(key) and key in reasons for key in keys)
        share = killed / max(1, len(keys) - same)
        print(
            f"{room}: {killed} of {len(keys)} killed, {same} equivalent: {share:.0%}",
            file=sys.stderr,
        )
    survivors = [mutant for mutant in mutants if not results.get(mutant.key)]
    for mutant in survivors:
        reason = reasons.get(mutant.key, "no reason is known")
        print(f"SURVIVES {mutant.path.name}: {mutant.key}: {reason}", file=sys.stderr)
    return sum(mutant.key not in reasons for mutant in survivors)


def main() -> int:
    """Run what has no result yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=generate.ROOT / "build/mutants")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="also those that survived")
    budget = "seconds of the processor that the tests of a mutant may take"
    parser.add_argument("--budget", type=float, default=8.0, help=budget)
    parser.add_argument("--room", action="append", choices=generate.DRAWN, help="all if none")
    parser.add_argument("--note", action="store_true", help="only note what tests execute")
    parser.add_argument("tests", nargs="*", default=["dpviz", "tests"])
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    plugin = Mutants(given)
    os.chdir(generate.ROOT)
    command = [*given.tests, "-q", "-s", "-p", "no:cacheprovider", "--no-header"]
    code = pytest.main(command + [f"--ignore={name}" for name in IGNORED], plugins=[plugin])
    wrong = code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return int(wrong or plugin.unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
