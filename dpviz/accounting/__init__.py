"""What privacy costs: the one door to the accounting.

Every function is an exact formula or a proved bound, and every inverse is solved, to about
eleven digits. Neighbouring data sets differ in one replaced record.

* :mod:`dpviz.accounting.composition`: k pure steps, by four rules.
* :mod:`dpviz.accounting.zcdp`: zero-concentrated privacy and its conversion.
* :mod:`dpviz.accounting.gaussian`: Gaussian noise, exactly.
* :mod:`dpviz.accounting.subsampling`: a step on a secret random part of the data.
* :mod:`dpviz.accounting.normal`: the tail of the normal law, by ``math.erfc``.
* :mod:`dpviz.accounting.roots`: the one solver behind every inverse.

>>> zcdp_rho(epsilon=1, delta=1e-6)
0.024356
"""

from dpviz.accounting.composition import (
    RULES,
    pure_advanced,
    pure_basic,
    pure_exact,
    pure_exact_delta,
    step_for,
)
from dpviz.accounting.gaussian import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sd,
    gaussian_sd_classical,
)
from dpviz.accounting.subsampling import (
    pure_profile,
    resample,
    resample_budget,
    resample_level,
    resample_step,
    subsample,
    subsample_poisson,
    subsample_step,
)
from dpviz.accounting.zcdp import (
    zcdp_choose,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_gaussian,
    zcdp_pure,
    zcdp_rho,
)

__all__ = [
    "RULES",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sd",
    "gaussian_sd_classical",
    "pure_advanced",
    "pure_basic",
    "pure_exact",
    "pure_exact_delta",
    "pure_profile",
    "resample",
    "resample_budget",
    "resample_level",
    "resample_step",
    "step_for",
    "subsample",
    "subsample_poisson",
    "subsample_step",
    "zcdp_choose",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_gaussian",
    "zcdp_pure",
    "zcdp_rho",
]
