"""Lesson 08: its pictures, explorers, player and exercises.

==============  ==============================================================================
``figures``     Errors of small databases and a histogram; where they are worth it
``recovery``    What reconstruction attacks recover, bit by bit and against the size of the errors
``sufficiency`` Errors between both bounds by the dimension; a private learner by a release
``explorers``   ``explore_attack``, ``explore_dimension``
``player``      ``play_reconstruction``
``exercises``   the exercises
``toy``         ``explore_databases``, the lesson in the hand
``patterns``    ``explore_patterns``, shattering in the hand
``balance``     ``explore_rows``, how large a small database should be
==============  ==============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "explorers": "explore_attack explore_dimension figure_dimension",
        "figures": "figure_crossover figure_points figure_release figure_rows figure_winners",
        "balance": "explore_rows",
        "patterns": "explore_patterns",
        "player": "play_reconstruction",
        "recovery": "figure_guess figure_reconstruction figure_recovery",
        "sufficiency": "figure_regression figure_sufficiency",
        "toy": "explore_databases",
    },
)
