"""Edit distance of words (Levenshtein 1966), for all pairs at once.

**Paper.** Huang and Roth (2014), section 1, names strings among the metrics that one would
like to ask about; the distance is Levenshtein's (1966).

**Setting.** Records and queries are words. The longest admissible word is public.

**Idea.** The usual dynamic program, letter by letter; here for all pairs at once.

**Symbols.**

=======  ===================  =================================  =================
paper    here                 meaning                            shape, unit
=======  ===================  =================================  =================
d        ``distances``        letters to change, of the longest  (n, k), [0, 1]
(none)   ``longest``          length of the longest word         letters, public
=======  ===================  =================================  =================

**Departures.** None: the paper leaves the metric open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.privacy.private_data import OUTSIDE


@dataclass(frozen=True, eq=False)
class Edit:
    """Edit distance of words: fewest letters inserted, removed or replaced (Levenshtein 1966).

    Attributes
    ----------
    longest : int, public; a longer record loses its end (or is refused)
    outside : "clip" or "refuse"
    scale : float, what a distance is divided by

    >>> words = edit(longest=7, unit=False)
    >>> words.distances(["kitten", "", "sitting"], ["sitting"]).ravel().tolist()
    [3.0, 7.0, 0.0]
    """

    longest: int
    outside: str
    scale: float

    @property
    def diameter(self) -> float:
        """Two words without a common letter are as far apart as the longer is long."""
        return self.longest / self.scale

    def distances(self, data: ArrayLike, queries: ArrayLike) -> NDArray:
        """Distance of each record to each query; shape (n, k)."""
        own = _letters("data", data, self.longest, self.outside)
        asked = _letters("queries", queries, self.longest, "refuse")
        blocks = [_edits(own[i : i + 256], asked) for i in range(0, len(own), 256)]
        return np.concatenate(blocks) / self.scale


def edit(*, longest: int, outside: str = "clip", unit: bool = True) -> Edit:
    """Edit distance of words of at most ``longest`` letters; ``unit`` divides by that.

    >>> edit(longest=4).distances(["list", "lists"], ["last"]).ravel().tolist()
    [0.25, 0.25]
    """
    longest = checks.integer("longest", longest, at_least=1)
    return Edit(
        longest, checks.choice("outside", outside, OUTSIDE), float(longest) if unit else 1.0
    )


def _letters(name: str, value: ArrayLike, longest: int, outside: str) -> NDArray:
    """Words as rows of letter codes, 0 after the end; shape (n, longest)."""
    if isinstance(value, str) or not all(isinstance(word, str) for word in value):
        raise TypeError(f"{name} must be a list of words, each a str")
    if not len(value):
        raise ValueError(f"{name} must hold at least one word")
    if outside == "refuse" and any(len(word) > longest for word in value):
        raise ValueError(f"{name} must hold words of at most {longest} letters")
    letters = np.zeros((len(value), longest), dtype=np.int32)
    for row, word in zip(letters, value, strict=True):
        row[: len(word)] = [ord(letter) + 1 for letter in word[:longest]]
    return letters


def _edits(own: NDArray, asked: NDArray) -> NDArray:
    """Edit distances by the usual table, a row of it for all pairs at a time; shape (n, k).

    ``best[i, j, m]``: distance of the letters read so far of record i to the first m of query
    j. An insertion looks at the entry to its left in the same row; a running minimum of
    ``best - m`` does that for the whole row.
    """
    ends, lengths = (asked > 0).sum(axis=1), (own > 0).sum(axis=1)
    places = np.arange(asked.shape[1] + 1, dtype=np.int32)
    best = np.broadcast_to(places, (len(own), len(asked), len(places))).copy()
    result = np.empty((len(own), len(asked)))
    for read in range(own.shape[1] + 1):
        here = lengths == read
        result[here] = best[here][:, np.arange(len(asked)), ends]
        if read == own.shape[1]:
            return result
        swapped = best[:, :, :-1] + (own[:, read, None, None] != asked)
        best += 1  # one letter of the record is removed
        np.minimum(best[:, :, 1:], swapped, out=best[:, :, 1:])
        best = np.minimum.accumulate(best - places, axis=2) + places
    return result
