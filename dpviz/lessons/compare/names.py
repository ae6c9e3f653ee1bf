"""Short names of the mechanisms of lesson 09, their colours, and settings in words."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product

from dpviz.comparison import guide
from dpviz.comparison.mechanisms.kinds import KINDS
from dpviz.drawing import style

# Of the maps: who leads most often has the first; who leads nowhere has none of its own.
HUES = ("released", "baseline", "paper", "baseline2", "bound", "event", "other", "public")
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
    "friendly": "friendly core",
    "adaptive": "adaptive proj.",
    "pmw": "weights, zCDP",
}


@lru_cache
def roles(kind: str) -> dict[str, str]:
    """The colour of each mechanism for a kind of query, the same on all of its maps.

    >>> roles("distance")["release"]
    'released'
    """
    leads = Counter[str]()
    for what in (what for what, (of, _) in guide.WHATS.items() if of == kind):
        questions = guide.SIZES[: 1 if kind == "cluster" else None]
        for size, many, n, epsilon in product(guide.SIZES, questions, guide.N, guide.EPSILONS):
            advised = guide.advice(guide.setting(what, size, many), n=n, epsilon=epsilon)
            leads.update([advised.key] if advised.key else [])
    hues = dict(zip([key for key, _ in leads.most_common()], HUES, strict=False))
    return {each.key: hues.get(each.key, "lattice") for each in KINDS[kind].mechanisms}


def origin(kind: str, key: str) -> str:
    """The role of a mechanism's origin.

    >>> origin("linear", "net")
    'released'
    """
    return ORIGINS[KINDS[kind].mechanism(key).origin]


def asked(where: guide.Setting) -> str:
    """A setting in words.

    >>> asked(guide.Setting(kind="smooth", d=2, k=1000, delta=0.0))
    'smooth, d 2, k 1\u202f000, δ 0'
    """
    many = "" if where.kind == "cluster" else f", k {style.number(where.k)}"
    more = ", hidden" if where.hidden else "" if where.delta else ", δ 0"
    return f"{where.kind}, d {where.d}{many}{more}"
