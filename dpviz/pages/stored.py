"""What an explorer or a player shows, stored for a page without Python: pictures, words, what acts.

An explorer with few settings is stored whole. Of one with many, or with records to move, each
control is stored alone around the start and around each preset; with every second, third ... value
of the longer ones if the page would become too large, and at last around the start alone. Pictures
share most of their elements, so a picture is a list of numbers into one list of pieces, and all of
it is compressed.
"""

from __future__ import annotations

import base64
import itertools
import json
import math
import multiprocessing
import sys
import zlib
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache
from typing import Any, TypeAlias

from dpviz.drawing.live import Screen
from dpviz.instruments.controls import Choice, Click, Control, Handle, Points, Value
from dpviz.instruments.explorer import Explorer
from dpviz.instruments.player import Player
from dpviz.words import say

WHOLE = 1600  # settings that are stored whole, at most
SHARED = 0.65  # of the bytes of a setting, when there are many: they share their pieces
LEVEL = 7  # of compression: the highest takes four times as long for a fortieth of the bytes
BUDGET = 1_100_000  # bytes of one explorer in its page
STEPS = (1, 2, 3, 4, 6, 8, 12, 16)  # of a long slider every so many values
LAST = 17  # as few as with the last step, and of each preset its picture alone
FEW = 8  # settings that are not worth a process of their own
OFFERED = 24  # values of a slider, at most, before a page is too large
COUNTED = 60  # values that a hand goes through one by one: all of so few are offered
Point = tuple[int, ...]  # place of each control's value among those that are offered
State = tuple[
    tuple[str, ...], str, str, list[int]
]  # texts; what is wrong; what cannot act; what acts
Values: TypeAlias = tuple[Value, ...]  # of the controls, in order
States: TypeAlias = dict[Values, State]


class Pieces:
    """Texts cut after each tag; a piece that comes again is stored once.

    >>> pieces = Pieces()
    >>> pieces.cut("<b>a</b>"), pieces.cut("<b>c</b>"), pieces.known
    ([0, 1], [0, 2], ['<b>', 'a</b>', 'c</b>'])
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = defaultdict(itertools.count().__next__)

    @property
    def known(self) -> list[str]:
        """The pieces, in the order of their numbers."""
        return list(self._places)

    def cut(self, text: str) -> list[int]:
        """The numbers of a text's pieces."""
        parts = text.replace(">", ">\0").removesuffix("\0").split("\0") if text else ()
        return list(map(self._places.__getitem__, parts))


def packed(told: Mapping[str, Any]) -> str:
    """JSON, compressed, in letters that a page can hold.

    >>> unpacked(packed({"a": [1, 2]}))
    {'a': [1, 2]}
    """
    raw = json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(raw, LEVEL)).decode()


def unpacked(text: str) -> dict[str, Any]:
    """What :func:`packed` made, as a page reads it."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def shown(screen: Screen) -> tuple[str, ...]:
    """Picture, sentence and table of now."""
    return (screen.picture, *screen.words())


def player(instrument: Player) -> dict[str, Any]:
    """All states of a player; it ends where it began.

    Returns
    -------
    dict with ``pieces``, ``states`` (of each: picture, sentence and table as numbers of pieces),
    ``start``, ``speeds`` (ms by their names), ``pace`` (the first speed)
    """
    first = instrument.position
    pieces = Pieces()
    states = []
    for position in range(len(instrument.trace)):
        instrument.go(position)
        states.append([pieces.cut(text) for text in shown(instrument.screen)])
    instrument.go(first)
    states_told = {"pieces": pieces.known, "states": states, "start": first}
    speeds = {say(f"player.{name}"): ms for name, ms in instrument.speeds.items()}
    return {**states_told, "speeds": speeds, "pace": instrument.speeds[instrument.speed]}


def explorer(
    instrument: Explorer,
    budgets: Mapping[str, int],
    processes: int = 1,
    seen: dict[str, States] | None = None,
) -> dict[str, str]:
    """Of each size the settings of an explorer that fit a page, packed; it ends at its start.

    Parameters
    ----------
    instrument : an explorer at its start
    budgets : by mode the bytes that it may take; the coarsest is taken, fit or not.
        What cannot fit, by what a setting of the coarsest takes, is not drawn
    processes : that draw at the same time, forks of this one
    seen : by mode what was drawn of it before; what is drawn now is added

    Returns
    -------
    by mode, :func:`packed`: ``controls`` (label, kind and shown values of each), ``handles`` (of
    each mark that is held, along x and y, which control it moves and where each value stands),
    ``start`` and ``presets`` (places of values), ``whole``, ``pieces``, and ``points``: from
    places, joined with commas, to picture, sentence, table (nothing where something is wrong),
    what is wrong, what cannot act, and 1 for each control that acts
    """
    screen, instrument.grows = instrument.screen, False
    screens = {mode: copy(screen) for mode in budgets}
    for mode, each in screens.items():
        each.use(mode)
    seen = {} if seen is None else seen
    for mode in budgets:
        seen.setdefault(mode, {})
    choosing = {mode: fitting(instrument, budgets[mode], seen[mode]) for mode in budgets}
    records: dict[str, str] = {}
    while choosing:
        wanted: dict[Values, list[str]] = {}
        for mode, choice in list(choosing.items()):
            try:
                for values in next(choice):
                    wanted.setdefault(values, []).append(mode)
            except StopIteration as end:
                records[mode] = end.value
                del choosing[mode]
        for drawn in beside(instrument, screens, list(wanted.items()), processes):
            for mode, values, state in drawn:
                seen[mode][values] = state
    instrument.screen, instrument.grows = screen, True
    instrument.set(**start_of(instrument))
    return {mode: records[mode] for mode in budgets}


def fitting(instrument: Explorer, budget: int, seen: States) -> Generator[list[Values], None, str]:
    """The finest within a budget, packed; it yields what ``seen`` has to hold before it goes on."""
    placed = any(isinstance(control, Points) for control in instrument.controls.values())
    many = math.prod(len(control.values) for control in instrument.controls.values())
    offered = thinned(instrument, STEPS[-1])
    centres = bases(instrument, offered)
    idle = [without_effect(instrument, values) for values in settings(instrument)]
    points = list(around(centres, offered, idle))
    yield unseen(offered, points, seen)
    alone, coarsest = (
        packed(written(instrument, offered, some, seen)) for some in (centres[:1], points)
    )
    each = SHARED * (len(coarsest) - len(alone)) / max(len(points) - 1, 1)
    for step in (0, *STEPS[:-1]) if many <= WHOLE and not placed else STEPS[:-1]:
        offered = thinned(instrument, step or 1)
        every = itertools.product(*(range(len(some)) for some in offered))
        points = list(around(bases(instrument, offered), offered, idle) if step else every)
        if len(alone) + each * (len(points) - 1) > budget:
            continue
        yield unseen(offered, points, seen)
        finer = packed(written(instrument, offered, points, seen, whole=step == 0))
        if len(finer) <= budget:
            return finer
        # Fewer settings share less: those of a coarser step take no less each.
        each = max(each, (len(finer) - len(alone)) / max(len(points) - 1, 1))
    if len(coarsest) <= budget:
        return coarsest
    offered = thinned(instrument, LAST)
    first, *others = bases(instrument, offered)
    points = list(dict.fromkeys([*around([first], offered, idle), *others]))
    yield unseen(offered, points, seen)
    return packed(written(instrument, offered, points, seen))


def valued(offered: Sequence[Sequence[Value]], point: Point) -> Values:
    """The values at a point."""
    return tuple(some[place] for some, place in zip(offered, point, strict=True))


def unseen(
    offered: Sequence[Sequence[Value]], points: Iterable[Point], seen: States
) -> list[Values]:
    """What is not drawn yet of the settings at these points."""
    return [values for point in points if (values := valued(offered, point)) not in seen]


def processors(programs: int = 1) -> int:
    """Processes that may draw at the same time for each of some programs; a fork is safe on Linux.

    >>> processors(programs=10_000)
    1
    """
    from joblib import cpu_count

    return max(cpu_count() // programs, 1) if sys.platform == "linux" else 1


Drawn: TypeAlias = list[tuple[str, Values, State]]  # mode, setting, what is seen


def beside(
    instrument: Explorer,
    screens: Mapping[str, Screen],
    wanted: list[tuple[Values, list[str]]],
    processes: int,
) -> Iterator[Drawn]:
    """What :func:`drawn` gives, of each share of what is wanted, all drawn at the same time."""
    size = max(math.ceil(len(wanted) / processes), FEW)
    shares = max(math.ceil(len(wanted) / size), 1)  # of equal work: neighbours are alike
    first, *others = [wanted[at::shares] for at in range(shares)]
    waiting = []
    for share in others:
        forked = multiprocessing.get_context("fork")
        here, there = forked.Pipe(duplex=False)
        work = forked.Process(
            target=lambda told, some: told.send(drawn(instrument, screens, some)),
            args=(there, share),
        )
        work.start()
        there.close()  # if it dies, nothing holds the pipe open
        waiting.append((work, here))
    yield drawn(instrument, screens, first)
    for work, here in waiting:
        yield here.recv()
        work.join()


def drawn(
    instrument: Explorer, screens: Mapping[str, Screen], wanted: Iterable[tuple[Values, list[str]]]
) -> Drawn:
    """What is seen at each setting in its sizes, and is computed once for all of them."""
    told: Drawn = []
    compute = instrument.compute
    for values, modes in wanted:
        instrument.compute = cache(compute)
        seen = []
        for mode in modes:
            instrument.screen = screens[mode]
            instrument.set(**dict(zip(instrument.controls, values, strict=True)))
            # What cannot be drawn leaves the last good picture, in the lab and in the page.
            now = ("", "", "") if instrument.problem else shown(instrument.screen)
            seen.append((now, instrument.problem))
        acts = [int(instrument.acts(name)) for name in instrument.controls]
        idle = instrument.idle_of(instrument.controls)
        said = " ".join(filter(None, [instrument.movable, idle]))
        told += [(mode, values, (*now, said, acts)) for mode, now in zip(modes, seen, strict=True)]
    instrument.compute = compute
    return told


def thinned(instrument: Explorer, step: int) -> list[list[Value]]:
    """Of each control every so many values, and those of the start and of the presets.

    Of records: at each of these each record alone at every so many places; of one alone at all.
    """
    starts = settings(instrument)
    offered: list[list[Value]] = []
    for name, control in instrument.controls.items():
        if isinstance(control, Points):
            every = step if control.most > 1 else 1
            moved = [control.around(values[name], every) for values in starts]
            offered.append(list(dict.fromkeys(itertools.chain(*moved))))
            continue
        stops = {values[name] for values in starts} | {control.values[-1]}
        many = len(control.values)
        long = step * (1 if many <= COUNTED else math.ceil(many / OFFERED))
        stops |= set(control.values if isinstance(control, Choice) else control.values[::long])
        offered.append([value for value in control.values if value in stops])
    return offered


def start_of(instrument: Explorer) -> dict[str, Value]:
    """Where the controls start."""
    return {name: control.start for name, control in instrument.controls.items()}


def bases(instrument: Explorer, offered: Sequence[Sequence[Value]]) -> list[Point]:
    """Places of the start and of each preset."""
    return [
        tuple(
            some.index(values[name])
            for name, some in zip(instrument.controls, offered, strict=True)
        )
        for values in settings(instrument)
    ]


def settings(instrument: Explorer) -> list[dict[str, Value]]:
    """The start, and what each preset sets."""
    return [start_of(instrument), *instrument.presets.values()]


def without_effect(instrument: Explorer, values: Mapping[str, Value]) -> set[int]:
    """The controls, by their places, that change nothing where these values are set."""
    names = enumerate(instrument.controls)
    return {at for at, name in names if not instrument.acts(name, values)}


def around(
    centres: Iterable[Point], offered: Sequence[Sequence[Value]], idle: Iterable[set[int]] = ()
) -> Iterator[Point]:
    """Each centre, and what one control alone leads to from there; each point once.

    ``idle`` are, of each centre, the controls that lead nowhere.

    >>> list(around([(0, 1)], [[1, 2], [3, 4]])), list(around([(0, 1)], [[1, 2], [3, 4]], [{0}]))
    ([(0, 1), (1, 1), (0, 0)], [(0, 1), (0, 0)])
    """
    met = set()
    for centre, still in zip(centres, itertools.chain(idle, itertools.repeat(set())), strict=False):
        changes = ((at, place) for at, some in enumerate(offered) for place in range(len(some)))
        for at, place in changes:
            here = place == centre[at]
            if not here and (
                at in still or not neighbours(offered[at][centre[at]], offered[at][place])
            ):
                continue
            point = (*centre[:at], place, *centre[at + 1 :])
            if point not in met:
                met.add(point)
                yield point


def neighbours(one: Value, other: Value) -> bool:
    """Whether a hand leads from one to the other at once: of records at most one has moved.

    >>> neighbours(1, 5), neighbours(((0.1,), (0.2,)), ((0.3,), (0.4,)))
    (True, False)
    """
    if not isinstance(one, tuple) or not isinstance(other, tuple):
        return True
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= 1


def written(
    instrument: Explorer,
    offered: Sequence[Sequence[Value]],
    points: Iterable[Point],
    seen: States,
    whole: bool = False,
) -> dict[str, Any]:
    """The settings at these points, as a page reads them, each of which was seen before."""
    pieces = Pieces()
    points_told = {}
    for point in points:
        texts, *others = seen[valued(offered, point)]
        points_told[",".join(map(str, point))] = [*map(pieces.cut, texts), *others]
    controls = zip(instrument.controls.values(), offered, strict=True)
    places = {name: (i, offered[i]) for i, name in enumerate(instrument.controls)}
    handles = {mark: led(handle, places) for mark, handle in instrument.handles.items()}
    first, *others = bases(instrument, offered)
    return {
        "controls": [faced(control, some) for control, some in controls],
        "start": first,
        "presets": dict(zip(instrument.presets, others, strict=True)),
        "handles": handles,
        "pieces": pieces.known,
        "points": points_told,
        "whole": whole,
    }


def led(
    handle: Handle | Click, places: Mapping[str, tuple[int, Sequence[Value]]]
) -> dict[str, list[Any]]:
    """What a handle moves: along x and y, or when pressed, a control's number and where it goes.

    Of what is pressed: for each value, and each mark, the place of the value that follows; where
    that one is not offered, the value stays.
    """
    if isinstance(handle, Click):
        i, values = places[handle.control]
        after = [[handle.to(value, k) for k in range(len(handle.names))] for value in values]
        follows = [
            [values.index(to) if to in values else now for to in row]
            for now, row in enumerate(after)
        ]
        return {"press": [i, follows]}
    return {
        axis: [places[name][0], where(handle, name, places[name][1])]
        for axis, name in (("x", handle.x), ("y", handle.y))
        if name
    }


def where(handle: Handle, name: str, values: Sequence[Value]) -> list[Any]:
    """Of each value the coordinate on its axis; of records those of each; of a word None."""
    return [
        value
        if isinstance(value, tuple)
        else None
        if isinstance(value, str)
        else handle.place(name, value)
        for value in values
    ]


def faced(control: Control, values: Sequence[Value]) -> dict[str, Any]:
    """What stands beside a control, its kind, and its values as a reader sees them."""
    show = getattr(control, "show", str)
    kind = {Choice: "choice", Points: "points"}.get(type(control), "slider")
    return {"label": control.label, "kind": kind, "shown": [show(value) for value in values]}
