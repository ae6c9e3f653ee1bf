"""Lesson 06: its pictures, explorers, player and exercises.

=================  ===========================================================================
``figures``        Errors side by side, the exponents of Table 1, and how truncation falls
``bias_variance``  The bias-variance trade-off over the number of terms
``class_rates``    The error of a whole smooth class, against what no mechanism can beat
``explorers``      ``explore_approximation``, ``explore_bias_variance``
``player``         ``play_terms``
``exercises``      the exercises
``toy``            ``explore_kernel``, the lesson in the hand
``published``      ``explore_published``, the same with noise
``balance``        ``explore_cosines``: bias against noise
=================  ===========================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "balance": "explore_cosines",
        "bias_variance": "START figure_bias_variance median_trade_off trade_off",
        "class_rates": "exponents figure_class limit proved rows_of",
        "explorers": (
            "FUNCTIONS approximate explore_approximation explore_bias_variance figure_approximation"
        ),
        "figures": (
            "errors_of figure_clinic figure_errors figure_exponents figure_slopes figure_spent"
        ),
        "player": "play_terms",
        "published": "explore_published",
        "toy": "explore_kernel",
    },
)
