"""A budget that lasts longer than a process: a ledger in a file, added up over all releases.

The file is JSON that a person can read: the data set's name, the unit of privacy, the budget, and
each charge with its date, its plan's digest and its mechanism. The charge is written before
anything is released, so a process that dies in between has lost budget, never privacy. Processes
take turns by a lock on a file beside it (the system's own: a dependency would save ten lines), and
the file is written anew, synchronized and renamed, so that it is whole at any time.

A chain of digests finds a file that was damaged, cut or edited by mistake. It is no seal: whoever
can write the file can reset it, and an older copy of it looks intact.
"""

from __future__ import annotations

import errno
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from dpviz import accounting, checks, files
from dpviz.privacy.ledger import BudgetExceeded, Charge, Cost, Ledger, line

WHAT = "privacy budget, kept by dpviz"
VERSION = 1
WARNING = (
    "Each release adds a charge. Whoever can write this file can reset it: let only those write it "
    "who answer for the data, and never put an older copy in its place."
)
NEIGHBOURS = "one replaced record; the number of records is public"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One charge.

    Attributes
    ----------
    date : str, in UTC; mechanism : str, what was released
    plan : str, the digest of the plan that was run
    """

    date: str
    cost: Cost
    mechanism: str
    plan: str


@dataclass(frozen=True, kw_only=True)
class FileLedger:
    """What a ledger's file holds, checked; printed, it is its table.

    Attributes
    ----------
    dataset : str, whose budget it is; unit : str, what one record stands for
    budget : Cost, (epsilon, delta), which add up, or rho by zCDP
    """

    dataset: str
    unit: str
    budget: Cost
    entries: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        for name in ("dataset", "unit"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} must be a text that is not empty")
        checks.number("delta", self.budget.delta, at_least=0, below=1)
        if bool(self.budget.epsilon) == bool(self.budget.rho):
            raise ValueError("budget must be an epsilon (and delta), or a rho")
        checks.number("epsilon", self.budget.epsilon or self.budget.rho, above=0)

    @property
    def ledger(self) -> Ledger:
        """The charges as those of a curator."""
        return Ledger(self.budget, tuple(map(_charge, self.entries)))

    def cost(self, *, epsilon: float, delta: float = 0.0) -> Cost:
        """What a release with (``epsilon``, ``delta``) costs here; in zCDP epsilon^2 / 2.

        Raises ``ValueError`` for numbers out of range, and for a delta in zCDP, of which (epsilon,
        delta) is no case.

        >>> FileLedger(dataset="clinic", unit="one patient", budget=Cost(rho=1)).cost(epsilon=0.5)
        Cost(epsilon=0.0, delta=0.0, rho=0.125)
        """
        checks.epsilon(epsilon)
        checks.number("delta", delta, at_least=0, below=1)
        if not self.budget.rho:
            return Cost(epsilon=epsilon, delta=delta)
        if delta:
            raise ValueError(
                "a ledger with a budget rho pays for mechanisms without delta only: plan with "
                "delta 0, or keep a ledger with a budget of epsilon and delta"
            )
        return Cost(rho=accounting.zcdp_pure(epsilon=epsilon))

    def __str__(self) -> str:
        head = f"{self.dataset}; unit of privacy: {self.unit}; neighbours: {NEIGHBOURS}"
        return "\n".join([head, *self.ledger.tree().splitlines()])


def create(path: str | Path, ledger: FileLedger) -> None:
    """Begin a ledger.

    Raises ValueError if the file exists already, or cannot be written.
    """
    place = _place(path)
    with _locked(place):
        if place.exists():
            raise ValueError(f"{path}: the ledger exists already; a budget is not begun twice")
        _write(place, ledger)


def read(path: str | Path) -> FileLedger:
    """What a file holds.

    Raises ValueError if there is no such file, it is damaged, or another version's.
    """
    place = _place(path)
    try:
        text = place.read_text("utf-8")
    except FileNotFoundError:
        raise ValueError(
            f"{path}: there is no such ledger; begin it once with: dpviz ledger {path} --dataset "
            "NAME --epsilon E --delta D"
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"{path}: the ledger cannot be read: {problem}") from None
    try:
        stored = json.loads(text)
        if stored["what"] == WHAT and stored["version"] != VERSION:
            raise _OtherVersion(f"{path}: this ledger is of version {stored['version']!r}, not "
                                f"{VERSION}: use the dpviz that wrote it")  # fmt: skip
        entries = tuple(
            Entry(**{**kept, "cost": Cost(**kept["cost"])})
            for kept in (
                {k: v for k, v in row.items() if k != "digest"} for row in stored["charges"]
            )
        )
        public = {name: stored[name] for name in ("dataset", "unit")}
        ledger = FileLedger(**public, budget=Cost(**stored["budget"]), entries=entries)
        intact = stored == _stored(ledger)
    except _OtherVersion:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        intact = False
    if not intact:
        raise ValueError(
            f"{path}: this ledger is damaged, so nothing is charged and nothing released: put its "
            "newest intact copy in its place, and add what was released since as charges"
        )
    return ledger


def reserve(
    path: str | Path,
    *,
    epsilon: float,
    delta: float = 0.0,
    dataset: str,
    unit: str,
    mechanism: str,
    plan: str,
) -> FileLedger:
    """Charge a release before it is made. Once this returns, the charge is on the disk.

    Parameters
    ----------
    path : of the ledger; epsilon, delta : what the release costs
    dataset, unit : must be those of the ledger
    mechanism, plan : what is released, and the digest of its plan

    Returns the ledger with the charge in it. Raises BudgetExceeded if too little is left,
    ValueError if the ledger belongs to another data set or unit, is damaged, or cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "budget.json"
    ...     create(path, FileLedger(dataset="clinic", unit="one patient", budget=Cost(epsilon=1)))
    ...     what = {"dataset": "clinic", "unit": "one patient", "mechanism": "laplace", "plan": "-"}
    ...     reserve(path, epsilon=0.25, **what).ledger.left
    Cost(epsilon=0.75, delta=0.0, rho=0.0)
    """
    place = _place(path)
    with _locked(place):
        ledger = read(place)
        fits(ledger, path, dataset=dataset, unit=unit)
        date = datetime.now(UTC).isoformat(timespec="seconds")
        cost = ledger.cost(epsilon=epsilon, delta=delta)
        entry = Entry(date=date, cost=cost, mechanism=mechanism, plan=plan)
        affordable(ledger, path, cost)
        charged = FileLedger(**{**vars(ledger), "entries": (*ledger.entries, entry)})
        _write(place, charged)
    return charged


def fits(ledger: FileLedger, path: str | Path, *, dataset: str, unit: str) -> None:
    """Raise ``ValueError`` unless a ledger is this data set's, by this unit."""
    for name, value in (("dataset", dataset), ("unit", unit)):
        if getattr(ledger, name) != value:
            raise ValueError(
                f"{path}: this ledger has {name} {getattr(ledger, name)!r}, not {value!r}: name "
                f"the ledger of these data, or say --{name} if they are the same"
            )


def affordable(ledger: FileLedger, path: str | Path, cost: Cost) -> None:
    """Raise ``BudgetExceeded`` unless a cost can be paid."""
    after = Ledger(ledger.budget, (*ledger.ledger.charges, line("", "", 0.0, 0.0, cost)))
    if not ledger.budget.covers(after.spent):
        raise BudgetExceeded(
            f"{path}: {cost} is asked for, but {ledger.ledger.left} of {ledger.budget} is left"
        )


class _OtherVersion(ValueError):
    """A ledger that is not damaged, but not ours to read."""


def _charge(entry: Entry) -> Charge:
    label = f"{entry.date} {entry.mechanism}"
    return line(label, f"plan {entry.plan[:12]}", 0.0, 0.0, entry.cost)


def _stored(ledger: FileLedger) -> dict[str, Any]:
    """All that stands in the file."""
    head = {
        "what": WHAT,
        "version": VERSION,
        "warning": WARNING,
        "dataset": ledger.dataset,
        "unit": ledger.unit,
        "neighbours": NEIGHBOURS,
        "budget": _numbers(ledger.budget),
    }
    rows = [{**vars(entry), "cost": _numbers(entry.cost)} for entry in ledger.entries]
    chain = list(_chain([head, *rows]))
    charges = [{**row, "digest": mark} for row, mark in zip(rows, chain[1:], strict=True)]
    return {**head, "spent": _numbers(ledger.ledger.spent), "charges": charges, "digest": chain[-1]}


def _numbers(cost: Cost) -> dict[str, float]:
    return {name: float(value) for name, value in asdict(cost).items() if value}


def _chain(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A digest of each row and of all before it."""
    mark = ""
    for row in rows:
        mark = hashlib.sha256(f"{mark}{json.dumps(row, sort_keys=True)}".encode()).hexdigest()
        yield mark


def _place(path: str | Path) -> Path:
    """The file itself, so that all names of it take one lock."""
    return Path(path).resolve()


def _write(place: Path, ledger: FileLedger) -> None:
    if place.exists() and place.stat().st_nlink > 1:  # its other name would keep the old charges
        raise ValueError(f"{place}: this ledger has a second name, a hard link: remove one of them")
    for rest in place.parent.glob(f"{place.name}.*.part"):  # of a process that was killed
        rest.unlink(missing_ok=True)
    data = json.dumps(_stored(ledger), indent=1, ensure_ascii=False)
    try:
        files.replace(place, f"{data}\n".encode(), durable=True)
    except OSError as problem:
        raise ValueError(
            f"{place}: the ledger cannot be written, so nothing is released: {problem.strerror}"
        ) from None


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    """One process at a time; the system frees the lock of one that dies."""
    try:
        file = place.with_name(f"{place.name}.lock").open("a+b")
    except OSError as problem:
        raise _unlocked(place, problem) from None
    with file:
        if sys.platform == "win32":
            import msvcrt

            _wait(lambda: msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1), file, place)
            try:
                yield
            finally:  # Windows frees it some time after the file is closed
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _wait(lock: Callable[[], None], file: BinaryIO, place: Path) -> None:
    """Lock the first byte on Windows, which gives up after ten seconds."""
    while True:
        try:
            file.seek(0)
            return lock()
        except OSError as problem:
            if problem.errno != errno.EDEADLK:
                raise _unlocked(place, problem) from None


def _unlocked(place: Path, problem: OSError) -> ValueError:
    return ValueError(
        f"{place}: the ledger cannot be locked, so nothing is released: {problem.strerror}"
    )
