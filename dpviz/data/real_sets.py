"""The real data sets, each with its record and its public bounds in words and numbers.

The sets come with scikit-learn and networkx: nothing is downloaded. For each, the text says
what a record is, and public bounds are stated by hand as round numbers. They were chosen by
people who had seen the ranges that the libraries print, so "public" is a convention of
teaching here; with your own data, bounds must come from what you know without looking.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.privacy.private_data import unit_points


@dataclass(frozen=True, eq=False)
class Network:
    """A public network: who is tied to whom, and how often they met.

    Attributes
    ----------
    names : tuple of str; ties : int array (m, 2), codes of the two ends
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


@dataclass(frozen=True, eq=False)
class RealData:
    """A real data set with public bounds.

    Attributes
    ----------
    name : str; record : str, what one record is; columns : tuple of str; units : tuple of str
    lower, upper : arrays (d,), public bounds in those units
    data : array (n, d), the private records in those units
    categories : tuple of str, what the codes stand for if the one column is a code
    """

    name: str
    record: str
    columns: tuple[str, ...]
    units: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    data: np.ndarray
    categories: tuple[str, ...] = ()

    def column(self, name: str) -> np.ndarray:
        """One column, clipped to its public bounds and rescaled to [0, 1]; shape (n,).

        Raises ``ValueError`` if there is no such column.
        """
        checks.choice("name", name, self.columns)
        i = self.columns.index(name)
        return unit_points(self.data[:, i], self.lower[i], self.upper[i])[:, 0]

    def unit(self) -> np.ndarray:
        """All columns, clipped to their public bounds and rescaled to [0, 1]; shape (n, d)."""
        return unit_points(self.data, self.lower, self.upper)


def _real(key: str, data: Any, categories: Sequence[str] = (), columns: Any = None) -> RealData:
    """Put a set together from its table of (column, low, high, unit)."""
    about = _declared()[key]
    names, lower, upper, units = zip(*(columns or about["columns"]), strict=True)
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    record = " ".join(about["record"].split())
    data = np.asarray(data, dtype=float)
    return RealData(about["name"], record, names, units, lower, upper, data, tuple(categories))


@cache
def _declared() -> dict[str, Any]:
    """What is said of each set."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def bundled(name: str) -> np.ndarray:
    """A table that scikit-learn ships, as it stands there: numbers, without importing the library.

    >>> bundled("digits.csv.gz").shape
    (1797, 65)

    Raises ``ValueError`` if scikit-learn is not installed.
    """
    package = find_spec("sklearn")
    if package is None or not package.submodule_search_locations:
        raise ValueError("scikit-learn, which brings the data, is not installed")
    path = Path(next(iter(package.submodule_search_locations))) / "datasets" / "data" / name
    how = {"delimiter": None if "raw" in name else ",", "skiprows": int(name.endswith(".csv"))}
    return np.loadtxt(path, **how)


def wine() -> RealData:
    """178 bottles, 13 laboratory results each; bundled with scikit-learn.

    >>> wine().data.shape, wine().columns[0], float(wine().upper[0])
    ((178, 13), 'alcohol', 15.0)
    """
    return _real("wine", bundled("wine_data.csv")[:, :-1])


def growers() -> RealData:
    """178 bottles of :func:`wine`, in the same order: who made each, 0, 1 or 2.

    >>> [int((growers().data == grower).sum()) for grower in range(3)]
    [59, 71, 48]
    """
    names = ("grower A", "grower B", "grower C")
    return _real("growers", bundled("wine_data.csv")[:, -1:], names)


def breast_cancer() -> RealData:
    """569 patients, 30 measurements of cell nuclei each; bundled with scikit-learn.

    >>> breast_cancer().data.shape, breast_cancer().columns[0]
    ((569, 30), 'mean radius')
    """
    return _real("breast_cancer", bundled("breast_cancer.csv")[:, :-1])


def diagnoses() -> RealData:
    """569 patients of the breast cancer data: 1 if the lump was malignant, else 0.

    >>> int(diagnoses().data.sum())
    212
    """
    return _real("diagnoses", 1.0 - bundled("breast_cancer.csv")[:, -1:])


def diabetes() -> RealData:
    """442 patients, 10 raw measurements each; bundled with scikit-learn.

    The library's default is rescaled by everybody's values, which would leak; this is raw.

    >>> diabetes().data.shape, diabetes().columns[0]
    ((442, 10), 'age')
    """
    return _real("diabetes", bundled("diabetes_data_raw.csv.gz")[:, :10])


def digits() -> RealData:
    """1,797 handwritten digits of 8 x 8 pixels; bundled with scikit-learn.

    >>> digits().data.shape, float(digits().upper[0])
    ((1797, 64), 16.0)
    """
    pixels = [(f"pixel_{i}_{j}", 0, 16, "inked cells") for i in range(8) for j in range(8)]
    return _real("digits", bundled("digits.csv.gz")[:, :-1], columns=pixels)


def les_miserables() -> RealData:
    """1,640 appearances of 77 characters in Hugo's novel; bundled with networkx.

    The column is a code: ``categories[code]`` is the name, in alphabetical order.

    >>> novel = les_miserables()
    >>> codes = novel.data[:, 0].astype(int)
    >>> novel.data.shape, novel.categories[np.bincount(codes).argmax()]
    ((1640, 1), 'Valjean')
    """
    return _ends("les_miserables", les_miserables_network())


def karate() -> RealData:
    """462 ends of shared activities of the 34 members of a karate club; bundled with networkx.

    The column is a code: ``categories[code]`` is the member, from "1" to "34".

    >>> karate().data.shape, karate().categories[-1]
    ((462, 1), '34')
    """
    return _ends("karate", karate_network())


def _ends(key: str, network: Network) -> RealData:
    """One record for each end of each counted meeting."""
    ends = network.ties.ravel().repeat(network.counts.repeat(2).astype(int))
    return _real(key, np.sort(ends)[:, None], network.names)


SETS = {
    "wine": wine,
    "breast cancer": breast_cancer,
    "diabetes": diabetes,
    "digits": digits,
    "Les Misérables": les_miserables,
    "karate": karate,
}
