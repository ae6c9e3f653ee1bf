"""What a picture claims, read back from what was drawn: titles, axes, bands, numbers in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import SimpleNamespace

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Polygon

# The field's letter for an argument, as titles and sentences write it.
LETTERS = {
    "n": "n",
    "d": "d",
    "k": "k",
    "m": "m",
    "epsilon": "ε",
    "delta": "δ",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "t": "t",
    "updates": "C",
    "subsets": "K",
}
# What may stand beside a control that sets an argument: one quantity, one set of words.
LABELS = {
    "aim": {"aim"},
    "alpha": {"α, error", "α, tolerated error"},
    "ask": {"ask"},
    "beta": {"β, chance to fail"},
    "budget": {"total ε"},
    "cells": {"cells", "N, cells"},
    "compared": {"compared"},
    "composition": {"budget adds as"},
    "corrupted": {"corrupted"},
    "d": {"d, columns", "d, coordinates", "d, variables", "d, dimension", "columns"},
    "decimals": {"decimals"},
    "delta": {"δ (Gauss)"},
    "distance": {"records that differ"},
    "epsilon": {"ε", "here: ε", "ε of each archive", "ε for each mean"},
    "function": {"function"},
    "gamma": {"γ"},
    "k": {"k, queries", "k, answers"},
    "kind": {"kind"},
    "learner": {"learner"},
    "m": {"m, names"},
    "mechanism": {"mechanism", "noise"},
    "method": {"method", "projections"},
    "answers": {"answers"},
    "bottles": {"bottle"},
    "centre": {"middle of the kernel"},
    "error": {"E, error"},
    "errors": {"error of A"},
    "lines": {"N, lines"},
    "coins": {"C, coins"},
    "factor": {"factor of a record"},
    "tuesday": {"record on Tuesday"},
    "n": {"n, records", "here: n", "n, patients", "n, people"},
    "name": {"class"},
    "noise": {"noise", "noise ÷ √n"},
    "operator": {"operator"},
    "oracle_error": {"oracle error"},
    "order": {"order"},
    "levels": {"level"},
    "rows": {"m, rows"},
    "p": {"p, the norm"},
    "product": {"εn"},
    "output": {"printed number"},
    "patient": {"patient"},
    "patients": {"patients"},
    "pattern": {"pattern"},
    "queries": {"queries", "query"},
    "query": {"names asked"},
    "questions": {"questions", "query"},
    "record": {"record"},
    "pin": {"pin"},
    "records": {"record"},
    "numbers": {"numbers guessed"},
    "truthful": {"true answer"},
    "word": {"word"},
    "others": {"other strings"},
    "value": {"your radius"},
    "ratio": {"queries ÷ n"},
    "repeats": {"repeats"},
    "runs": {"runs"},
    "samples": {"samples a side"},
    "share": {"t / n", "probability"},
    "shift": {"a line of the grid"},
    "side": {"side of a cell"},
    "size": {"d", "S, indices"},  # of the compared mechanisms: coordinates, or bits of a record
    "smallest": {"smallest α"},
    "source": {"data"},
    "space": {"metric"},
    "step": {"ε of each"},
    "subsets": {"K, subsets a scale"},
    "t": {"t", "t, terms"},
    "terms": {"t, cosines"},
    "cuts": {"cuts"},
    "network": {"network"},
    "towns": {"town"},
    "truth": {"bar"},
    "target": {"ℓ′, projections"},
    "update_rule": {"step"},
    "updates": {"C, tangents allowed"},
    "who": {"mechanism"},
    "width": {"width of the kernels", "width of the kernel"},
    "smoothness": {"K, derivatives"},
}
NUMBER = r"−?(?:10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d[\d\u202f]*(?:\.\d+)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)"
# One of several, and numbers that are not written as a picture writes them.
ODD = re.compile(
    r"(?<![\w.,\u202f])(?<!= )1 (?:noisy )?(?!has|is|was|times|yes)[a-z]+s\b|\de-\d|(?<!\w)-\d|\d%"
)
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def odd(*told: object) -> Iterator[str]:
    """What nobody says so, with what stands before it.

    >>> list(odd("1 of 4 coins, 1 row, −3; 1 rows"))
    ['row, −3; 1 rows']
    """
    words = " | ".join(map(str, told))
    for found in ODD.finditer(words):
        yield words[max(0, found.start() - 9) : found.end()]


def headline(figure, which: str) -> str:
    """The words of "title" or "subtitle"."""
    return " ".join(text.get_text() for text in figure.texts if text.get_gid() == which)


def axis_titles(ax) -> tuple[str, str]:
    """The words at the right end of the x axis, and above the y axis; "" where there are none."""
    places = {(1, 0, "right"): "", (0, 1, "left"): ""}
    for text in ax.texts:
        place = (*text.get_position(), text.get_ha())
        if place in places:
            places[place] = text.get_text()
    return tuple(places.values())


def letter(title: str) -> str:
    """The letter with which a title begins, or "".

    >>> letter("ε (log scale)"), letter("n, records"), letter("error")
    ('ε', 'n', '')
    """
    begin = re.match(r"(\w)(?=[, ]|$)", title)
    return begin[1] if begin else ""


def value(words: str) -> float:
    """A number as a label writes it.

    >>> value("12\u202f000"), value("−0.5"), value("2×10⁻⁵"), value("10⁻⁶")
    (12000.0, -0.5, 2e-05, 1e-06)
    """
    plain = words.replace("\u202f", "").replace("−", "-")
    power = re.fullmatch(r"(?:(.*)×)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain)
    if power:
        return float(f"{power[1] or 1}e{power[2].translate(RAISED)}")
    return float(plain)


def stated(words: str) -> Iterator[tuple[str, float]]:
    """Each "letter = number" of a sentence.

    >>> list(stated("n = 12\u202f000, ε = 0.5; d = 10⁻⁶ is not d1 = 3"))
    [('n', 12000.0), ('ε', 0.5), ('d', 1e-06)]
    """
    for name, number in re.findall(rf"(?<!\w)(\w) = ({NUMBER})", words):
        yield name, value(number)


def numbers(words: str) -> list[float]:
    """Every number of a sentence that stands for itself.

    >>> numbers("5 of 16 tangents of 1-cluster; error 0.016, off by 2×10⁻⁵")
    [5.0, 16.0, 0.016, 2e-05]
    """
    return [
        value(word) for word in re.findall(rf"(?<![\w.]){NUMBER}(?!\.?\d)(?!-(?!fold)\w)", words)
    ]


def marked(ax, which: int) -> list[float]:
    """Where something stands at one place of an axis: a point, a line across, words beside it."""
    places = [line.get_data()[which] for line in ax.lines]
    found = [
        float(place[0]) for place in map(np.asarray, places) if len(place) and np.ptp(place) == 0
    ]
    offsets = [np.asarray(zone.get_offsets()) for zone in ax.collections]
    return found + [float(place) for points in offsets for place in points[:, which]]


def echoes(result: object, name: str) -> Iterator[float]:
    """What a result, or the params inside it, says of an argument of that name."""
    if not is_dataclass(result):
        return
    for field in fields(result):
        inner = getattr(result, field.name)
        if field.name == name and isinstance(inner, int | float | str):
            yield inner
        elif field.name == "params":
            yield from echoes(inner, name)


def edges(artist: Polygon | PolyCollection) -> SimpleNamespace:
    """A band as it was drawn: each x once, with its lower and its upper end."""
    path = artist.get_xy() if isinstance(artist, Polygon) else artist.get_paths()[0].vertices
    x = np.unique(path[:, 0])
    ends = [path[path[:, 0] == place, 1] for place in x]
    low, high = (np.array([pick(end) for end in ends]) for pick in (np.min, np.max))
    return SimpleNamespace(x=x, low=low, high=high)


def bands(figure) -> list[SimpleNamespace]:
    """Every zone between two curves, in the order in which it was drawn."""
    drawn = []
    for ax in figure.axes:
        zones = [patch for patch in ax.patches if type(patch) is Polygon]
        zones += [zone for zone in ax.collections if isinstance(zone, PolyCollection)]
        drawn += [edges(zone) for zone in sorted(zones, key=lambda zone: zone.zorder)]
    return drawn


def quantile(values: np.ndarray, share: float) -> float:
    """By hand: between the two order statistics around share (m - 1).

    >>> quantile(np.array([3.0, 1.0, 2.0]), 0.25)
    1.5
    """
    order = np.sort(values)
    place = share * (len(order) - 1)
    below = int(place)
    return float(
        order[below] + (place - below) * (order[min(below + 1, len(order) - 1)] - order[below])
    )
