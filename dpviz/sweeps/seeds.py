"""The random seed of a lesson, which one environment variable can replace.

A lesson draws everything from one seed. What it claims must hold for any seed, so the checks
run it with others: ``DPVIZ_SEED=77 jupyter lab``.

A seed that stands in a file is for data that everyone has, as all data here are. Anyone who knows
the seed of a curator can draw its noise again and subtract it: where the data are private, the seed
must be secret (``numpy.random.SeedSequence().entropy`` is one from the system) and used once. And
two curators never share a seed, nor does one have the parent of the other's: they would add the
same noise to two numbers. :func:`spawn` makes as many seeds from one as there are curators.
"""

from __future__ import annotations

import os

import numpy as np

from dpviz import checks

VARIABLE = "DPVIZ_SEED"


def seed(default: int) -> int:
    """The seed written in the lesson, unless the environment variable ``DPVIZ_SEED`` names one.

    Parameters
    ----------
    default : int >= 0

    Raises ValueError if either is not a whole number of at least 0.

    >>> seed(2014)
    2014
    """
    default = checks.integer("default", default, at_least=0)
    if not (text := os.environ.get(VARIABLE, "").strip()):
        return default
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{VARIABLE} must be a whole number, at least 0, not {text!r}")
    return int(text)


def spawn(seed: int, count: int) -> list[np.random.SeedSequence]:
    """Independent seeds for ``count`` runs, all made from one.

    Parameters
    ----------
    seed : int >= 0; count : int >= 1

    >>> runs = [np.random.default_rng(child).normal() for child in spawn(2014, 3)]
    >>> len(set(runs))
    3
    """
    root = np.random.SeedSequence(checks.integer("seed", seed, at_least=0))
    return root.spawn(checks.integer("count", count, at_least=1))
