"""Lesson 01: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    Two laws and their ratio, totals by four rules, the two errors of a test
``explorers``  ``explore_auditor``, ``explore_laws``, ``explore_totals``
``player``     ``play_threshold``
``guesses``    ``play_guesses``: which of two neighbouring data sets was it?
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.privacy.explorers import explore_auditor, explore_laws, explore_totals
from dpviz.views.privacy.figures import (
    OUTPUTS,
    figure_free,
    figure_laws,
    figure_totals,
    figure_trade_off,
    free_from,
    laplace_misses,
    laws,
    least_misses,
    totals,
)
from dpviz.views.privacy.guesses import play_guesses
from dpviz.views.privacy.player import play_threshold

__all__ = [
    "OUTPUTS",
    "explore_auditor",
    "explore_laws",
    "explore_totals",
    "figure_free",
    "figure_laws",
    "figure_totals",
    "figure_trade_off",
    "free_from",
    "laplace_misses",
    "laws",
    "least_misses",
    "play_guesses",
    "play_threshold",
    "totals",
]
