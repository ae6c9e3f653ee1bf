"""Lesson 01: its toys, pictures, explorers, players and exercises.

=============  ===============================================================================
``toy``        in the hand: ``explore_coins``, randomized response; ``play_shift``, two moves
``figures``    Two laws and their ratio, totals by four rules, the two errors of a test
``explorers``  ``explore_auditor``, ``explore_evidence``, ``explore_laws`` ...
``player``     ``play_threshold``
``guesses``    ``play_guesses``: which of two neighbouring data sets was it?
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "explorers": "explore_auditor explore_evidence explore_laws explore_totals",
        "figures": (
            "OUTPUTS figure_free figure_laws figure_totals figure_trade_off free_from "
            "laplace_misses laplace_tail laws least_misses totals"
        ),
        "guesses": "play_guesses",
        "player": "play_threshold",
        "toy": "explore_coins play_shift",
    },
)
