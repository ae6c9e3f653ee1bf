"""Noise that OpenDP draws: exactly, on a grid so fine that no float betrays what it was added to.

Laplace and Gaussian noise of floating-point arithmetic leaves marks in the last bits of a result
(Mironov 2012). OpenDP draws discrete noise with exact arithmetic (Canonne, Kamath and Steinke 2020)
and adds it to the value rounded to a grid. What is computed before the noise, a sum of floats,
stays rounded as floats are: that is not mended here.

The scales are ours, so the laws are those of `dpviz.privacy.additive_noise` and
`dpviz.privacy.exponential_mechanism`, up to the grid; OpenDP's own privacy map agrees with what is
charged, which a test compares.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from dpviz.privacy.exponential_mechanism import StepFunction
from dpviz.privacy.ledger import Charge, Question

if TYPE_CHECKING:
    import opendp.prelude as dp

VERBS = ("laplace", "gaussian", "average", "choose")


def check_installed() -> None:
    """Raise ``ModuleNotFoundError`` that says how to install OpenDP, unless it is there."""
    if find_spec("opendp") is None:
        raise ModuleNotFoundError("noise='opendp' needs OpenDP: pip install 'dpviz[safe]'")


def reply(question: Question, *, pay: Callable[[Charge], None]) -> int | np.ndarray:
    """Pay, then draw what one of ``VERBS`` asks: the mechanism is made before it is paid."""
    measurement = measurement_for(question)
    values = np.asarray(question.private, dtype=float)
    pay(question.charge)
    drawn = measurement(values.ravel().tolist())
    return drawn if question.charge.verb == "choose" else np.reshape(drawn, values.shape)


def measurement_for(question: Question) -> dp.Measurement:
    """OpenDP's mechanism for a question of one of ``VERBS``.

    Raises ``ValueError`` for scores that stand as a step function: they are too many to list.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    charge = question.charge
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    if charge.verb == "laplace":
        return dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=charge.scale)
    if charge.verb in ("gaussian", "average"):
        return dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=charge.scale)
    if isinstance(question.private, StepFunction):
        raise ValueError("noise='opendp' chooses from a list of scores, not from a step function")
    # Gumbel noise on the scores is the exponential mechanism; OpenDP has it under zCDP's measure.
    epsilon = charge.cost.epsilon or math.sqrt(8 * charge.cost.rho)
    space = domain, dp.linf_distance(T=float), dp.zero_concentrated_divergence()
    return dp.m.make_noisy_max(*space, scale=2 * charge.sensitivity / epsilon)
