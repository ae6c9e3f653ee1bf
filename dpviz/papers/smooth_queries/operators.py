"""Ways to draw a function by few waves: the paper's kernel and what else there is.

**Paper.** Wang, Fan, Zhang and Wang (2013), section 4; de la Vallee Poussin (1919), Jackson
(1930) and Fejer (1904) for the others.

**Setting.** A table holds the waves cos(n theta), n = 0, ..., waves - 1, of each variable. An
operator keeps the share w_n of the n-th wave of a function and drops all above.

**Idea.** Cutting off keeps every wave it can; the others fade out. Fading costs smooth
functions dearly, and saves rough ones a logarithm at most.

**Symbols.**

===========  ================  ==========================================  ==============
paper        here              meaning                                     shape, unit
===========  ================  ==========================================  ==============
t            ``waves``         waves per variable, the constant included   whole number
I_{t-1,K}    "jackson K"       the paper's operator                        (waves,) shares
(none)       "truncation"      keep all: "L2-approximation" in the paper   (waves,) shares
(none)       "vallee poussin"  keep the lower half, fade the upper         (waves,) shares
(none)       "fejer"           fade from the start                         (waves,) shares
(none)       "jackson 0"       the classical, positive Jackson kernel      (waves,) shares
===========  ================  ==========================================  ==============

**Departures.** (1) I_{t,K} has degree t, but the table ends at t - 1: ``waves`` numbers go with
I_{t-1,K}. (2) If that operator is blind (waves < r + 1) an error says so, unless asked for.
(3) The paper says that cutting off "does not guarantee (worst case) accuracy". It does, up to
a logarithm: its norm is 4/pi^2 ln(waves) + 1.3, which ``jackson.lebesgue`` bounds.
"""

from __future__ import annotations

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries import jackson

JACKSON = ("jackson 1", "jackson 2", "jackson 3", "jackson 4")
OPERATORS = ("truncation", "vallee poussin", *JACKSON, "jackson 0", "fejer")


def weights(operator: str, waves: int, *, blind: bool = False) -> np.ndarray:
    """The share of each wave that an operator keeps; array (waves,), the first is 1.

    Parameters
    ----------
    operator : one of ``OPERATORS``
    waves : int >= 1
    blind : bool, whether a Jackson operator may keep the constant only

    Raises
    ------
    ValueError
        If the operator is unknown, or keeps nothing but the constant and ``blind`` is False.

    >>> weights("vallee poussin", 5).tolist(), weights("jackson 2", 4).round(2).tolist()
    ([1.0, 1.0, 1.0, 0.67, 0.33], [1.0, 1.4, 0.9, 0.15])
    """
    checks.choice("operator", operator, OPERATORS)
    n = np.arange(checks.integer("waves", waves, at_least=1))
    if operator == "truncation":
        return np.ones(waves)
    if operator == "fejer":
        return 1 - n / waves
    if operator == "vallee poussin":
        return np.minimum(1.0, (waves - n) / (waves - waves // 2))
    smoothness = int(operator[-1])
    if jackson.is_blind(waves - 1, smoothness) and not blind:
        least = jackson.order(smoothness) + 1
        raise ValueError(
            f"{operator!r} needs waves >= {least}, not {waves}: with fewer its kernel is constant "
            "and the answer does not depend on the data (blind=True allows that)"
        )
    return jackson.multipliers(waves - 1, smoothness)


def monomials(coefficients: np.ndarray) -> np.ndarray:
    """The same polynomial in powers of x: how large the naive coefficients become.

    The top wave alone has powers that add up to about (1 + sqrt 2)^n / 2 in size.

    Parameters
    ----------
    coefficients : array (waves,), of cos(n arccos x)

    >>> monomials(np.array([0.0, 0, 0, 0, 1])).tolist()
    [1.0, 0.0, -8.0, 0.0, 8.0]
    """
    return np.polynomial.chebyshev.cheb2poly(coefficients)
