"""Who holds each cell: from the stored trials, or with rivals that are new, run here.

python benchmarks/challenge/table.py                       # writes TABLE.md
python benchmarks/challenge/table.py quadruples --draws 100    # prints, nothing is stored
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from dpviz.comparison import experiments, guide
from dpviz.comparison.mechanisms.kinds import KINDS, WITHOUT
from dpviz.sweeps.experiment import Experiment

FOLDER = Path(__file__).parent
HEAD = (
    "# Who holds each cell\n\n"
    "Stored trials at ε = 1, δ = 10⁻⁶ (`dpviz experiments compare_cells_cluster` and "
    "its neighbours; {draws} draws unless it says fewer), made by "
    "`python benchmarks/challenge/table.py`. "
    "A mechanism holds a cell if its median error is {clear} times smaller than that of every "
    "other, its 0.95 quantile no larger, and its error the smaller one in {sure:.0%} of the draws; "
    "else it is a tie. *Fails*: share of draws in which it is not better than an answer without "
    "data.\n\n"
    "| kind | records, n | holds it | median | 0.95 quantile | fails "
    "| best of a paper: median | quantile | fails |\n"
    "|:--|:--|:--|--:|--:|--:|:--|--:|--:|\n"
)


def rivals() -> dict[str, ModuleType]:
    """The files of this folder by name, without this one."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        if path.stem != Path(__file__).stem:
            spec = importlib.util.spec_from_file_location(f"challenge_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found[path.stem] = module
    return found


def lines() -> Iterator[str]:
    """A line for each cell."""
    for places in experiments.PLACES.values():
        for name in places:
            yield line(experiments.kind_of(name), name, guide.cell(name))


def line(kind: str, name: str, draws: dict[str, np.ndarray]) -> str:
    """A row of the table."""
    advised = guide.judged(draws)
    names = {each.key: each.name for each in KINDS[kind].mechanisms}
    holders = [names.get(key, key) for key in advised.keys]
    words = "nobody" if not holders else holders[0] if len(holders) == 1 else "tie: "
    words = f"leads in {advised.draws} draws: {words}" if advised.key != advised.winner else words
    words += ", ".join(holders) if len(holders) > 1 else ""
    papers = [each.key for each in KINDS[kind].mechanisms if each.origin == "paper"]
    best = min(papers, key=lambda key: np.median(draws[key]))
    shown = [numbers(draws[key], draws[WITHOUT]) for key in (advised.best, best)]
    return f"| {kind} | {name} | {words} | {shown[0]} | {names[best]}: {shown[1]} |"


def numbers(errors: np.ndarray, without: np.ndarray) -> str:
    """Median, quantile and share of failures, as cells of the table."""
    if np.isinf(errors).all():
        return "refuses | – | –"
    fails = np.mean(errors >= without)
    return f"{np.median(errors):.3g} | {guide.quantile(errors):.3g} | {fails:.0%}"


def fresh(experiment: Experiment, rival: ModuleType, *, draws: int) -> Iterator[str]:
    """Cells with a rival that is not stored, on the records of the stored trials."""
    kind = rival.KIND
    for i, name in enumerate(experiments.PLACES[kind]):
        errors = []
        for draw in range(draws):
            rng = np.random.default_rng(
                np.random.SeedSequence(experiment.rng, spawn_key=(i * experiment.repeats + draw,))
            )
            task, instance = experiments.instance_of(name, rng)
            errors.append(rival.MECHANISM.outcome(task, instance, rng=rng).error)
        stored = {key: each[:draws] for key, each in guide.cell(name).items()}
        yield line(kind, name, {**stored, rival.MECHANISM.key: np.array(errors)})


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the stored table, or print one with a new rival."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rival", nargs="?", choices=sorted(rivals()))
    parser.add_argument("--draws", type=int, default=experiments.DRAWS)
    asked = parser.parse_args(arguments)
    if asked.rival is None:
        words = {"draws": experiments.DRAWS, "clear": guide.CLEAR, "sure": guide.SURE}
        text = HEAD.format(**words) + "\n".join(lines()) + "\n"
        (FOLDER / "TABLE.md").write_text(text, encoding="utf-8")
        return
    rival = rivals()[asked.rival]
    for row in fresh(experiments.CELLS[rival.KIND], rival, draws=asked.draws):
        print(row)


if __name__ == "__main__":
    main()
