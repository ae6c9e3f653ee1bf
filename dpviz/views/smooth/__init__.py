"""Lesson 06: its pictures, explorers, player and exercises.

=================  ===========================================================================
``figures``        Errors side by side, the exponents of Table 1, and how truncation falls
``bias_variance``  The bias-variance trade-off over the number of terms
``explorers``      ``explore_approximation``, ``explore_bias_variance``
``player``         ``play_terms``
``exercises``      the exercises
=================  ===========================================================================
"""

from dpviz.views.smooth.bias_variance import (
    START,
    figure_bias_variance,
    median_trade_off,
    trade_off,
)
from dpviz.views.smooth.explorers import (
    FUNCTIONS,
    approximate,
    explore_approximation,
    explore_bias_variance,
    figure_approximation,
)
from dpviz.views.smooth.figures import (
    errors_of,
    figure_clinic,
    figure_errors,
    figure_exponents,
    figure_slopes,
    figure_spent,
)
from dpviz.views.smooth.player import play_terms

__all__ = [
    "FUNCTIONS",
    "START",
    "approximate",
    "errors_of",
    "explore_approximation",
    "explore_bias_variance",
    "figure_approximation",
    "figure_bias_variance",
    "figure_clinic",
    "figure_errors",
    "figure_exponents",
    "figure_slopes",
    "figure_spent",
    "median_trade_off",
    "play_terms",
    "trade_off",
]
