"""Public networks that come with networkx: who is tied to whom. Nothing here is private."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Network:
    """A public network: who is tied to whom, and how often they met.

    Attributes
    ----------
    names : tuple of str
    ties : int array (m, 2), codes of the two ends
    counts : array (m,), how often they met
    """

    names: tuple[str, ...]
    ties: np.ndarray
    counts: np.ndarray


def les_miserables_network() -> Network:
    """77 characters, 254 ties, counted in chapters in which both appear.

    >>> novel = les_miserables_network()
    >>> len(novel.names), novel.ties.shape, int(novel.counts.sum())
    (77, (254, 2), 820)
    """
    import networkx

    return _network(networkx.les_miserables_graph(), str)


def karate_network() -> Network:
    """34 members, 78 ties, counted in kinds of activity that both shared.

    >>> karate_network().ties.shape, karate_network().names[:2]
    ((78, 2), ('1', '2'))
    """
    import networkx

    return _network(networkx.karate_club_graph(), lambda node: str(node + 1))


def _network(graph: Any, name: Callable[[Any], str]) -> Network:
    """A networkx graph with its nodes in sorted order."""
    nodes = sorted(graph)
    codes = {node: code for code, node in enumerate(nodes)}
    ties = np.array([(codes[a], codes[b]) for a, b in graph.edges])
    counts = np.array([weight for _, _, weight in graph.edges.data("weight")], dtype=float)
    return Network(tuple(map(name, nodes)), ties, counts)
