"""Private scores of very many candidates, as the intervals on which they are constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.privacy.private_data import finite

LARGEST = 2**53  # places: up to here a double counts them exactly


@dataclass(frozen=True, eq=False)
class StepFunction:
    """Scores on 0 ... size - 1: ``values[i]`` from ``starts[i]`` to the next start.

    It stands for the vector of all scores, and no more than for that: where the intervals begin
    depends on the data, so nobody but the curator may look at them, and every verb that takes a
    step function draws with the law it has on the vector.

    Attributes
    ----------
    starts : array (p,) of whole numbers, private: 0 first, rising, below ``size``
    values : array (p,), private
    size : int in [1, 2^53], public: places

    Raises
    ------
    ValueError, TypeError
        If they are no such thing. Nothing of ``starts`` or ``values`` is shown.

    >>> StepFunction([0, 3], [1.0, 2.0], 5).at([0, 2, 3, 4]).tolist()
    [1.0, 1.0, 2.0, 2.0]
    """

    starts: np.ndarray
    values: np.ndarray
    size: int

    def __post_init__(self) -> None:
        size = checks.integer("size", self.size, at_least=1, at_most=LARGEST)
        starts, values = finite(self.starts, "starts"), finite(self.values, "values")
        if values.ndim != 1 or starts.shape != values.shape:
            raise ValueError("starts and values must be vectors of equal length")
        ends = np.append(starts[1:], size)
        if not len(starts) or starts[0] != 0 or (ends <= starts).any() or (starts % 1).any():
            raise ValueError("starts must be whole numbers that rise from 0 and stay below size")
        starts, values = starts.astype(np.int64), values.copy()
        starts.flags.writeable = values.flags.writeable = False
        for name, value in {"starts": starts, "values": values, "size": size}.items():
            object.__setattr__(self, name, value)

    @property
    def lengths(self) -> np.ndarray:
        """Places of each interval; (p,)."""
        return np.diff(self.starts, append=self.size)

    def at(self, places: np.ndarray) -> np.ndarray:
        """Scores at given places in [0, size)."""
        return self.values[np.searchsorted(self.starts, places, side="right") - 1]

    def between(self, begin: int, end: int) -> StepFunction:
        """The scores from ``begin`` on, before ``end``.

        >>> StepFunction([0, 3], [1.0, 2.0], 5).between(1, 4).starts.tolist()
        [0, 2]
        """
        inside = self.starts[(self.starts > begin) & (self.starts < end)]
        starts = np.append(begin, inside)
        return StepFunction(starts - begin, self.at(starts), end - begin)

    def then(self, other: StepFunction) -> StepFunction:
        """These scores, and another's after them.

        >>> StepFunction([0], [1.0], 5).then(StepFunction([0], [2.0], 1)).starts.tolist()
        [0, 5]
        """
        starts = np.append(self.starts, other.starts + self.size)
        return StepFunction(starts, np.append(self.values, other.values), self.size + other.size)

    def highest(self) -> tuple[int, float]:
        """The first place with the highest score, and its lead over the highest of all others.

        >>> StepFunction([0, 3], [1.0, 2.0], 5).highest()
        (3, 0.0)
        """
        best = int(np.argmax(self.values))
        second = float(np.delete(self.values, best).max(initial=-np.inf))
        lead = 0.0 if self.lengths[best] > 1 else float(self.values[best]) - second
        return int(self.starts[best]), lead

    def movement(self, other: StepFunction) -> float:
        """The largest difference of two scores at one place; infinite if the sizes differ.

        >>> StepFunction([0, 3], [1.0, 2.0], 5).movement(StepFunction([0], [1.5], 5))
        0.5
        """
        if self.size != other.size:
            return np.inf
        places = np.union1d(self.starts, other.starts)
        return float(np.abs(self.at(places) - other.at(places)).max())
