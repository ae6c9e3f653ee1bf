"""Linear approximation operators by Fourier multipliers: truncation, de la Vallee-Poussin, Jackson.

**Paper.** Wang, Fan, Zhang and Wang (2013), section 4; de la Vallee-Poussin (1919), Jackson
(1930) and Fejer (1904) for the others.

**Setting.** A summary holds the moments of cos(n theta), n = 0, ..., terms - 1, of each variable.
An operator multiplies the n-th coefficient of a function by w_n and drops all above.

**Idea.** Truncation keeps every coefficient it can; the others damp the upper ones. Damping costs
smooth functions orders of magnitude, and saves rough ones a logarithm at most.

**Symbols.**

===========  ================  ==========================================  ==============
paper        here              meaning                                     shape, unit
===========  ================  ==========================================  ==============
t            ``terms``         degrees 0, ..., t - 1 per variable          whole number
I_{t-1,K}    "jackson K"       the paper's operator                        (terms,)
(none)       "truncation"      keep all: "L2-approximation" in the paper   (terms,)
(none)       "vallee poussin"  keep the lower half, damp the upper         (terms,)
(none)       "fejer"           damp from the start                         (terms,)
(none)       "jackson 0"       the classical, positive Jackson kernel      (terms,)
===========  ================  ==========================================  ==============

**Departures.** (1) I_{t,K} has degree t, but the summary ends at t - 1: ``terms`` coefficients go
with I_{t-1,K}. (2) If that operator is data-independent (terms < r + 1) an error says so, unless it
is allowed. (3) The paper says that truncation "does not guarantee (worst case) accuracy". It does,
up to a logarithm: its norm is 4/pi^2 ln(terms) + 1.3, which ``jackson.lebesgue`` bounds.
"""

from __future__ import annotations

import numpy as np

from dpviz import checks
from dpviz.papers.smooth_queries import jackson

JACKSON = ("jackson 1", "jackson 2", "jackson 3", "jackson 4")
OPERATORS = ("truncation", "vallee poussin", *JACKSON, "jackson 0", "fejer")


def multipliers(operator: str, terms: int, *, allow_data_independent: bool = False) -> np.ndarray:
    """What an operator multiplies each coefficient by; array (terms,), the first is 1.

    Parameters
    ----------
    operator : one of ``OPERATORS``
    terms : int >= 1
    allow_data_independent : bool, whether a Jackson operator may keep the constant only

    Raises
    ------
    ValueError
        If the operator is unknown, or keeps nothing but the constant and that is not allowed.

    >>> multipliers("vallee poussin", 5).tolist(), multipliers("jackson 2", 4).round(2).tolist()
    ([1.0, 1.0, 1.0, 0.67, 0.33], [1.0, 1.4, 0.9, 0.15])
    """
    checks.choice("operator", operator, OPERATORS)
    n = np.arange(checks.integer("terms", terms, at_least=1))
    if operator == "truncation":
        return np.ones(terms)
    if operator == "fejer":
        return 1 - n / terms
    if operator == "vallee poussin":
        return np.minimum(1.0, (terms - n) / (terms - terms // 2))
    smoothness = int(operator[-1])
    if jackson.is_data_independent(terms - 1, smoothness) and not allow_data_independent:
        least = jackson.order(smoothness) + 1
        raise ValueError(
            f"{operator!r} needs terms >= {least}, not {terms}: with fewer its kernel is constant "
            "and the answer does not depend on the data (allow_data_independent=True allows that)"
        )
    return jackson.multipliers(terms - 1, smoothness)


def monomials(coefficients: np.ndarray) -> np.ndarray:
    """The same polynomial in powers of x: how large the naive coefficients become.

    The coefficients of T_n alone add up to about (1 + sqrt 2)^n / 2 in size.

    Parameters
    ----------
    coefficients : array (terms,), of cos(n arccos x)

    >>> monomials(np.array([0.0, 0, 0, 0, 1])).tolist()
    [1.0, 0.0, -8.0, 0.0, 8.0]
    """
    return np.polynomial.chebyshev.cheb2poly(coefficients)
