"""Lesson 06: its pictures, explorers, player and exercises.

=================  ==========================================================================
``population``     records in fixed proportions
``bias_variance``  the bias-variance trade-off: ``figure_bias_variance`` and its explorer
``approximation``  the Jackson kernel and truncation: ``explore_approximation``, ``figure_slopes``
``compare``        errors side by side: ``figure_errors`` ... ``figure_exponents``
``play``           ``play_terms``
``ask``            the exercises
=================  ==========================================================================
"""

from dpviz.views.smooth.approximation import (
    FUNCTIONS,
    approximate,
    errors_of,
    explore_approximation,
    figure_approximation,
    figure_slopes,
)
from dpviz.views.smooth.bias_variance import (
    START,
    explore_bias_variance,
    figure_bias_variance,
    median_trade_off,
    trade_off,
)
from dpviz.views.smooth.compare import (
    errors,
    figure_clinic,
    figure_errors,
    figure_exponents,
    figure_spent,
    stored_errors,
)
from dpviz.views.smooth.play import play_terms

__all__ = [
    "FUNCTIONS",
    "START",
    "approximate",
    "errors",
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
    "stored_errors",
    "trade_off",
]
