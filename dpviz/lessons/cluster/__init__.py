"""Lesson 07: its pictures, explorers, player and exercises.

=============  ===============================================================================
``toy``        ``explore_line``, the lesson on its first screen; ``explore_chances``, by hand
``promise``    ``explore_losses``: what each step takes of the records
``player``     ``play_cluster``: a search, step by step
``errors``     Radius and captured share against n
``explorers``  ``explore_cluster``, and rows lost
``figures``    The score, first ideas and how each of them fails, what came later
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "errors": "figure_captured figure_ratio figure_theorem",
        "explorers": "explore_cluster figure_losses figure_plane",
        "figures": "figure_attempts figure_cut figure_maximum figure_score figure_since",
        "player": "play_cluster",
        "promise": "explore_losses",
        "toy": "explore_chances explore_line",
    },
)
