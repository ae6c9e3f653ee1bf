"""A frozen hypothesis, the data structure of Theorem 2: its answers, and its file.

**Paper.** Huang and Roth (2014), section 3.3, the data structure of Theorem 2.

**Setting.** d sets of tangents in a public box; nothing private is left in them.

**Idea.** The max-affine lower bound of each coordinate, plus a shift that centres the error,
times the coordinate's width; add up.

**Symbols.**

==========  ==============  ====================================================  ==============
paper       here            meaning                                               shape
==========  ==============  ====================================================  ==============
F^          ``lines``       slope and intercept of each line, by coordinate       (d,) of (m, 2)
(none)      ``shift``       half of how much too low a hypothesis can be          coordinate
==========  ==============  ====================================================  ==============

**Departures.** None: the paper does not say how it is stored. Here it is JSON, which holds
numbers to the last bit and nothing that runs.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from dpviz.papers.distance_queries.learner.convex_learner import Tangents
from dpviz.privacy.box import Box

FORMAT = "dpviz distance release 1"


@dataclass(frozen=True, eq=False)
class Release:
    """All that the public sees.

    Attributes
    ----------
    box : Box
    lines : tuple (d,) of tuples of (slope, intercept), in rescaled coordinates
    shift : float, added to each coordinate's max-affine lower bound
    error : float, proved for all queries, with probability at least 1 - beta
    """

    box: Box
    lines: tuple[tuple[tuple[float, float], ...], ...]
    shift: float
    error: float

    def save(self, path: str | Path) -> None:
        """Write it as JSON; :func:`load` reads the same bits."""
        text = json.dumps({"format": FORMAT, **asdict(self)})
        Path(path).write_text(text + "\n", encoding="utf-8")


def answer(release: Release, queries: ArrayLike) -> np.ndarray:
    """Average distances from any number of queries. Free: post-processing.

    Parameters
    ----------
    queries : array (k, d) in the box; also (k,) if d = 1

    Returns
    -------
    array (k,)

    >>> release = Release(Box.of(1, lower=0, upper=2), (((0.0, 0.0), (1.0, -0.5)),), 0.125, 0.3)
    >>> answer(release, [0.0, 2.0]).tolist()
    [0.25, 1.25]
    """
    places, total = release.box.units(queries), 0.0
    for width, lines, column in zip(release.box.widths, release.lines, places.T, strict=True):
        total = total + width * (Tangents(lines).predict(column) + release.shift)
    return total


def load(path: str | Path) -> Release:
    """Read what :meth:`Release.save` wrote. Raises ``ValueError`` if the file is not whole."""
    try:
        kept = json.loads(Path(path).read_text(encoding="utf-8"))
        if kept["format"] != FORMAT:
            raise ValueError(f"format {kept['format']!r}")
        lower, upper = kept["box"]["lower"], kept["box"]["upper"]
        box = Box.of(len(lower), lower=lower, upper=upper)
        lines = tuple(tuple((float(a), float(b)) for a, b in each) for each in kept["lines"])
        numbers = [float(kept["shift"]), float(kept["error"])]
        whole = len(lines) == box.d and all(lines) and np.isfinite(numbers).all()
        if not (whole and all(np.isfinite(each).all() for each in lines)):
            raise ValueError("numbers are missing")
    except (ValueError, TypeError, KeyError) as problem:
        message = f"path {str(path)!r} holds no whole release of distances: {problem}"
        raise ValueError(message) from problem
    return Release(box, lines, *numbers)
