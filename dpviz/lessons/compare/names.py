"""Short names of the mechanisms of lesson 09, their colours, and settings in words."""

from __future__ import annotations

from dpviz.comparison import guide
from dpviz.comparison.mechanisms.kinds import KINDS

ROLES = {  # of the maps; who leads nowhere has no colour of its own
    "distance": {
        "interactive": "released",
        "offline": "paper",
        "release": "other",
        "tree": "baseline2",
        "grid": "public",
        "noise": "bound",
        "joint": "baseline",
    },
    "sparse": {
        "weights": "paper",
        "thumb": "released",
        "mwem": "lattice",
        "stable": "public",
        "lazy": "other",
        "hashed": "baseline2",
        "noise": "baseline",
        "projected": "bound",
        "dense": "lattice",
        "joint": "event",
        "sketch": "lattice",
    },
    "smooth": {
        "paper": "paper",
        "truncation": "released",
        "functional": "other",
        "mwem": "public",
        "histogram": "baseline2",
        "noise": "baseline",
        "projected": "bound",
        "learner": "lattice",
        "shaped": "event",
        "measure": "lattice",
        "bernstein": "lattice",
        "joint": "lattice",
    },
    "cluster": {
        "solver": "released",
        "theorem": "paper",
        "pairs": "public",
        "triples": "other",
        "tree": "baseline2",
        "medians": "baseline",
        "mean": "lattice",
        "all balls": "bound",
        "axes": "event",
        "intervals": "lattice",
        "closest": "lattice",
    },
    "linear": {
        "net": "released",
        "median": "lattice",
        "weights": "paper",
        "mwem": "bound",
        "gaussian": "event",
        "factor": "baseline2",
        "histogram": "public",
        "projected": "other",
        "noise": "lattice",
        "joint": "baseline",
        "pmw": "lattice",
    },
}
ORIGINS = {"paper": "released", "other": "other", "baseline": "baseline"}
NAMED = {"paper": "of the papers", "other": "elsewhere", "baseline": "baseline"}
SHORT = {
    "interactive": "interactive",
    "offline": "offline form",
    "release": "one release",
    "tree": "tree",
    "grid": "grid weights",
    "noise": "noise, adaptive",
    "joint": "noise on each",
    "weights": "weights",
    "thumb": "quick weights",
    "mwem": "MWEM",
    "stable": "common names",
    "lazy": "lazy hist.",
    "hashed": "hashed hist.",
    "paper": "Jackson",
    "truncation": "moments",
    "functional": "functional",
    "solver": "1-cluster",
    "theorem": "theorem",
    "medians": "medians",
    "mean": "noisy mean",
    "all balls": "all balls",
    "axes": "axis by axis",
    "intervals": "intervals",
    "net": "net",
    "median": "median mech.",
    "histogram": "histogram",
    "projected": "projected",
    "dense": "MWEM, dense",
    "learner": "learner",
    "shaped": "shaped noise",
    "measure": "measure",
    "bernstein": "Bernstein",
    "pairs": "pairs",
    "triples": "triples",
    "gaussian": "proj. Gaussian",
    "factor": "factorization",
    "sketch": "sketch",
    "closest": "closest pairs",
    "pmw": "weights, zCDP",
}


def origin(kind: str, key: str) -> str:
    """The role of a mechanism's origin.

    >>> origin("linear", "net")
    'released'
    """
    return ORIGINS[KINDS[kind].mechanism(key).origin]


def asked(where: guide.Setting) -> str:
    """A setting in words.

    >>> asked(guide.Setting(kind="smooth", d=2, k=1000, delta=0.0))
    'smooth, d 2, k 1000, δ 0'
    """
    many = "" if where.kind == "cluster" else f", k {where.k}"
    more = ", hidden" if where.hidden else "" if where.delta else ", δ 0"
    return f"{where.kind}, d {where.d}{many}{more}"
