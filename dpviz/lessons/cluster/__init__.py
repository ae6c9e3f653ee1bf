"""Lesson 07: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    The score, and the first ideas and how each of them fails
``errors``     Radius and captured share against n
``explorers``  ``explore_cluster``, ``explore_losses``
``player``     ``play_cluster``
``exercises``  the exercises
``toy``        ``explore_line``, the lesson in the hand
=============  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "errors": "figure_captured figure_ratio figure_theorem",
        "explorers": "explore_cluster explore_losses figure_losses figure_plane",
        "figures": "figure_attempts figure_cut figure_maximum figure_score",
        "player": "play_cluster",
        "toy": "explore_line",
    },
)
