"""What `make test` tries of the many instances of one machinery; `make test-all` tries them all.

``DPVIZ_EVERY=1`` takes the whole; without it a sample, which is the same in every run. No guard of
privacy, of a theorem or of a stored number is sampled.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

EVERY = bool(os.environ.get("DPVIZ_EVERY"))
Each = TypeVar("Each")


def spread(values: Sequence[Each], most: int, every: bool = EVERY) -> list[Each]:
    """At most so many values, evenly apart, both ends among them.

    >>> spread(range(11), 3, every=False), spread(range(2), 3, every=False)
    ([0, 5, 10], [0, 1])
    >>> spread(range(5), 3, every=True)
    [0, 1, 2, 3, 4]
    """
    if every or len(values) <= most:
        return list(values)
    return [values[k * (len(values) - 1) // (most - 1)] for k in range(most)]


def in_turn(values: Sequence[Each], k: int, every: bool = EVERY) -> list[Each]:
    """The k-th of some values that take turns.

    >>> [in_turn("ab", k, every=False) for k in range(3)], in_turn("ab", 0, every=True)
    ([['a'], ['b'], ['a']], ['a', 'b'])
    """
    return list(values) if every else [values[k % len(values)]]


def stills(sizes: Iterable[str], every: bool = EVERY) -> list[str]:
    """Sizes in which still figures are drawn: the eye looks at those of a notebook as stored.

    >>> stills(["notebook", "projector"], every=False)
    ['projector']
    """
    return [size for size in sizes if every or size != "notebook"]
