"""What privacy costs: the one door to the accounting.

Every function is an exact formula or a proved bound, and every inverse is solved, to about
eleven digits. Neighbouring data sets differ in one replaced record.

* :mod:`dpviz.accounting.composition`: k pure steps, by four rules.
* :mod:`dpviz.accounting.zcdp`: zero-concentrated privacy and its conversion.
* :mod:`dpviz.accounting.gaussian`: Gaussian noise, exactly.
* :mod:`dpviz.accounting.subsampling`: a step on a secret random part of the data.
* :mod:`dpviz.accounting.normal`: the tail of the normal law, by ``math.erfc``.
* :mod:`dpviz.accounting.roots`: the one solver behind every inverse, and a search by halving.

>>> from dpviz.accounting import zcdp_rho
>>> zcdp_rho(epsilon=1, delta=1e-6)
0.024356
"""

from typing import TYPE_CHECKING

from dpviz.doors import lazy

if TYPE_CHECKING:
    from dpviz.accounting.composition import RULES as RULES
    from dpviz.accounting.composition import pure_advanced as pure_advanced
    from dpviz.accounting.composition import pure_basic as pure_basic
    from dpviz.accounting.composition import pure_exact as pure_exact
    from dpviz.accounting.composition import pure_exact_delta as pure_exact_delta
    from dpviz.accounting.composition import step_for as step_for
    from dpviz.accounting.gaussian import gaussian_delta as gaussian_delta
    from dpviz.accounting.gaussian import gaussian_epsilon as gaussian_epsilon
    from dpviz.accounting.gaussian import gaussian_sd as gaussian_sd
    from dpviz.accounting.gaussian import gaussian_sd_classical as gaussian_sd_classical
    from dpviz.accounting.subsampling import pure_profile as pure_profile
    from dpviz.accounting.subsampling import resample as resample
    from dpviz.accounting.subsampling import resample_budget as resample_budget
    from dpviz.accounting.subsampling import resample_step as resample_step
    from dpviz.accounting.subsampling import subsample as subsample
    from dpviz.accounting.zcdp import zcdp_choose as zcdp_choose
    from dpviz.accounting.zcdp import zcdp_delta as zcdp_delta
    from dpviz.accounting.zcdp import zcdp_epsilon as zcdp_epsilon
    from dpviz.accounting.zcdp import zcdp_pure as zcdp_pure
    from dpviz.accounting.zcdp import zcdp_rho as zcdp_rho

__getattr__, __dir__, __all__ = lazy(
    "dpviz.accounting",
    {
        "composition": "RULES pure_advanced pure_basic pure_exact pure_exact_delta step_for",
        "gaussian": "gaussian_delta gaussian_epsilon gaussian_sd gaussian_sd_classical",
        "subsampling": "pure_profile resample resample_budget resample_step subsample",
        "zcdp": "zcdp_choose zcdp_delta zcdp_epsilon zcdp_pure zcdp_rho",
    },
)
