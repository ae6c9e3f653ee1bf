"""The real data sets, each with its record and its public bounds in words and numbers.

The sets come with scikit-learn and networkx: nothing is downloaded. For each, the text says
what a record is, and public bounds are stated by hand as round numbers. They were chosen by
people who had seen the ranges that the libraries print, so "public" is a convention of
teaching here; with your own data, bounds must come from what you know without looking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


def _real(name: str, record: str, bounds: list[tuple], data: Any, categories=()) -> RealData:
    """Put a set together from its table of (column, low, high, unit)."""
    columns, lower, upper, units = zip(*bounds, strict=True)
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    data = np.asarray(data, dtype=float)
    return RealData(name, record, columns, units, lower, upper, data, tuple(categories))


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
    record = (
        "One record is one bottle: the laboratory results of one sample from one region of "
        "Italy, made by one of three growers. Thirteen columns give strength, acids, minerals, "
        "phenols, colour and proline. Nobody's health is at stake, only a grower's recipe."
    )
    return _real("wine", record, WINE, bundled("wine_data.csv")[:, :-1])


def growers() -> RealData:
    """178 bottles of :func:`wine`, in the same order: who made each, 0, 1 or 2.

    >>> [int((growers().data == grower).sum()) for grower in range(3)]
    [59, 71, 48]
    """
    record = "One record is one bottle: which of three growers of one region made it."
    names = ("grower A", "grower B", "grower C")
    return _real(
        "growers", record, [("grower", 0, 2, "code")], bundled("wine_data.csv")[:, -1:], names
    )


def breast_cancer() -> RealData:
    """569 patients, 30 measurements of cell nuclei each; bundled with scikit-learn.

    >>> breast_cancer().data.shape, breast_cancer().columns[0]
    ((569, 30), 'mean radius')
    """
    record = (
        "One record is one patient's sample: cells drawn by a needle from a lump in the breast, "
        "photographed and outlined. Ten properties of the cell nuclei are each given as mean, "
        "standard error, and mean of the three largest. The radius is that of the nuclei, not "
        "of the tumour, in units of the image."
    )
    return _real("breast cancer", record, BREAST_CANCER, bundled("breast_cancer.csv")[:, :-1])


def diagnoses() -> RealData:
    """569 patients of the breast cancer data: 1 if the lump was malignant, else 0.

    >>> int(diagnoses().data.sum())
    212
    """
    record = "One record is one patient's diagnosis: malignant or benign."
    bounds = [("malignant", 0, 1, "yes or no")]
    return _real("diagnoses", record, bounds, 1.0 - bundled("breast_cancer.csv")[:, -1:])


def diabetes() -> RealData:
    """442 patients, 10 raw measurements each; bundled with scikit-learn.

    The library's default is rescaled by everybody's values, which would leak; this is raw.

    >>> diabetes().data.shape, diabetes().columns[0]
    ((442, 10), 'age')
    """
    record = (
        "One record is one patient with diabetes, measured once: age, a code for sex, body mass "
        "index, average blood pressure and six results from a blood sample, mostly fats and "
        "sugar. Some columns are nearly functions of others, so a record says less than ten "
        "numbers would."
    )
    return _real("diabetes", record, DIABETES, bundled("diabetes_data_raw.csv.gz")[:, :10])


def digits() -> RealData:
    """1,797 handwritten digits of 8 x 8 pixels; bundled with scikit-learn.

    >>> digits().data.shape, float(digits().upper[0])
    ((1797, 64), 16.0)
    """
    record = (
        "One record is one picture: a handwritten figure, reduced to eight rows of eight "
        "blocks; each column counts the inked cells among the sixteen of its block. Thirteen "
        "people wrote them all, about 138 pictures each: what is protected is a picture, not "
        "its writer."
    )
    bounds = [(f"pixel_{i}_{j}", 0, 16, "inked cells") for i in range(8) for j in range(8)]
    return _real("digits", record, bounds, bundled("digits.csv.gz")[:, :-1])


def les_miserables() -> RealData:
    """1,640 appearances of 77 characters in Hugo's novel; bundled with networkx.

    The column is a code: ``categories[code]`` is the name, in alphabetical order.

    >>> novel = les_miserables()
    >>> codes = novel.data[:, 0].astype(int)
    >>> novel.data.shape, novel.categories[np.bincount(codes).argmax()]
    ((1640, 1), 'Valjean')
    """
    record = (
        "One record is one appearance: one end of one counted meeting of two characters in the "
        "novel. Its only column is the character, from a public list of 77 names. One meeting "
        "makes two records and a crowd makes many; each end is protected, not the meeting. Who "
        "could meet whom, the network itself, is taken as public."
    )
    return _ends("Les Misérables", record, "character", les_miserables_network())


def karate() -> RealData:
    """462 ends of shared activities of the 34 members of a karate club; bundled with networkx.

    The column is a code: ``categories[code]`` is the member, from "1" to "34".

    >>> karate().data.shape, karate().categories[-1]
    ((462, 1), '34')
    """
    record = (
        "One record is one end of one kind of activity that two members of a karate club shared "
        "outside the club, as an observer wrote it down in the 1970s. Its only column is the "
        "member, from a public list of 34. The end is protected, not the pair; who could meet "
        "whom is taken as public."
    )
    return _ends("karate", record, "member", karate_network())


def _ends(name: str, record: str, column: str, network: Network) -> RealData:
    """One record for each end of each counted meeting."""
    ends = network.ties.ravel().repeat(network.counts.repeat(2).astype(int))
    bounds = [(column, 0, len(network.names) - 1, "code of a name")]
    return _real(name, record, bounds, np.sort(ends)[:, None], network.names)


SETS = {
    "wine": wine,
    "breast cancer": breast_cancer,
    "diabetes": diabetes,
    "digits": digits,
    "Les Misérables": les_miserables,
    "karate": karate,
}


# Public bounds, stated by hand: (column, lower, upper, unit). The libraries name few units.
WINE = [
    ("alcohol", 11, 15, "% vol"),
    ("malic_acid", 0, 8, "g/L"),
    ("ash", 1, 4, "g/L"),
    ("alcalinity_of_ash", 0, 40, "meq/L"),
    ("magnesium", 50, 200, "mg/L"),
    ("total_phenols", 0, 5, "not documented"),
    ("flavanoids", 0, 6, "not documented"),
    ("nonflavanoid_phenols", 0, 1, "not documented"),
    ("proanthocyanins", 0, 5, "not documented"),
    ("color_intensity", 0, 15, "absorbance"),
    ("hue", 0, 2, "ratio"),
    ("od280/od315_of_diluted_wines", 0, 5, "ratio of absorbances"),
    ("proline", 0, 2000, "mg/L"),
]
BREAST_CANCER = [
    ("mean radius", 0, 30, "image length unit"),
    ("mean texture", 0, 50, "grey levels"),
    ("mean perimeter", 0, 200, "image length unit"),
    ("mean area", 0, 3000, "image length unit squared"),
    ("mean smoothness", 0, 0.25, "ratio"),
    ("mean compactness", 0, 0.5, "ratio"),
    ("mean concavity", 0, 0.5, "ratio"),
    ("mean concave points", 0, 0.25, "share"),
    ("mean symmetry", 0, 0.5, "ratio"),
    ("mean fractal dimension", 0, 0.2, "dimension minus 1"),
    ("radius error", 0, 4, "image length unit"),
    ("texture error", 0, 6, "grey levels"),
    ("perimeter error", 0, 30, "image length unit"),
    ("area error", 0, 600, "image length unit squared"),
    ("smoothness error", 0, 0.05, "ratio"),
    ("compactness error", 0, 0.2, "ratio"),
    ("concavity error", 0, 0.5, "ratio"),
    ("concave points error", 0, 0.1, "share"),
    ("symmetry error", 0, 0.1, "ratio"),
    ("fractal dimension error", 0, 0.05, "dimension minus 1"),
    ("worst radius", 0, 40, "image length unit"),
    ("worst texture", 0, 60, "grey levels"),
    ("worst perimeter", 0, 300, "image length unit"),
    ("worst area", 0, 5000, "image length unit squared"),
    ("worst smoothness", 0, 0.3, "ratio"),
    ("worst compactness", 0, 1.5, "ratio"),
    ("worst concavity", 0, 1.5, "ratio"),
    ("worst concave points", 0, 0.5, "share"),
    ("worst symmetry", 0, 1, "ratio"),
    ("worst fractal dimension", 0, 0.3, "dimension minus 1"),
]
DIABETES = [
    ("age", 0, 100, "years"),
    ("sex", 1, 2, "code, meaning not documented"),
    ("bmi", 10, 50, "kg/m²"),
    ("bp", 40, 160, "mmHg"),
    ("s1", 50, 400, "mg/dL"),
    ("s2", 0, 300, "mg/dL"),
    ("s3", 0, 150, "mg/dL"),
    ("s4", 1, 10, "ratio"),
    ("s5", 2, 7, "natural log of mg/dL"),
    ("s6", 40, 300, "mg/dL"),
]
