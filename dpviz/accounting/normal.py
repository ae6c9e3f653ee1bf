"""The tail of the normal law from ``math.erfc`` alone, to a few units of the last place.

scipy.special has the same functions, but to load it takes longer than to load numpy. Assumed of the
platform: ``math.exp`` errs by at most 1 unit of the last place and ``math.erfc`` by at most 8;
a test compares with numbers of 60 digits.
"""

from __future__ import annotations

import math

FAR = 10.0  # from here on the asymptotic series has a term below 1e-17
STEPS = 50  # of Newton's method; six suffice


def erfcx(x: float) -> float:
    """exp(x^2) erfc(x) for x >= 0, where neither over- nor underflows; off by at most 2^-49 of it.

    Below 10: x = h + l with h a multiple of 2^-16, so that h^2 and l are exact, and exp(x^2) =
    exp(h^2) exp(l (x + h)). From 10 on: the series 1 - 1 / (2 x^2) + 3 / (2 x^2)^2 - ..., off by
    less than the first term that is left out.

    >>> erfcx(0.0), erfcx(1.0), 1e9 * erfcx(1e9)
    (1.0, 0.42758, 0.56419)
    """
    if x < FAR:
        head = math.ldexp(round(math.ldexp(x, 16)), -16)
        return math.exp(head * head) * math.exp((x - head) * (x + head)) * math.erfc(x)
    step = 0.5 / x / x
    term = total = 1.0
    k = 1
    while abs(term) > 1e-17:
        term *= -(2 * k - 1) * step
        total += term
        k += 1
    return total / (x * math.sqrt(math.pi))


def quantile(log_share: float) -> float:
    """z > 0 with Phi(-z) = exp(``log_share``), for any share below one half.

    Newton's method on ln Phi(-z) = -z^2 / 2 + ln(erfcx(z / sqrt 2) / 2), which is concave: from
    a place to the right of the root it falls towards it.

    >>> quantile(math.log(0.025)), quantile(-1e6)
    (1.95996, 1414.21)
    """
    z = math.sqrt(-2 * log_share)
    for _ in range(STEPS):
        tail = erfcx(z / math.sqrt(2))
        gap = math.log(tail / 2) - z * z / 2 - log_share
        after = z + gap * tail * math.sqrt(math.pi / 2)
        if abs(after - z) <= 1e-15 * z:
            break
        z = after
    return after
