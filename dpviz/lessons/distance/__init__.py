"""Lesson 03: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    The question, the updates, the release and the running example of lesson 03
``methods``    Which method has the smallest error, in four directions and on a map
``explorers``  ``explore_curve``, ``explore_errors``, ``explore_growers``, ``explore_map``
``balance``    ``explore_balance``, how many coins
``coins``      ``explore_queries``, the lesson in the hand, before any noise
``toy``        ``explore_purse``, the same with noise
``player``     ``play_distance``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "balance": "explore_balance",
        "coins": "explore_queries",
        "explorers": "explore_curve explore_errors explore_growers explore_map",
        "figures": (
            "figure_cost figure_dimension figure_errors figure_question figure_release "
            "figure_updates"
        ),
        "player": "play_distance",
        "toy": "explore_purse",
    },
)
