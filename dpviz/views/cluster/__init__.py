"""Lesson 07: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    The score, and the first ideas and how each of them fails
``errors``     Radius and captured share against n
``explorers``  ``explore_cluster``, ``explore_losses``
``player``     ``play_cluster``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.cluster.errors import figure_captured, figure_ratio, figure_theorem
from dpviz.views.cluster.explorers import (
    explore_cluster,
    explore_losses,
    figure_losses,
    figure_plane,
)
from dpviz.views.cluster.figures import (
    figure_attempts,
    figure_cut,
    figure_maximum,
    figure_score,
)
from dpviz.views.cluster.player import play_cluster

__all__ = [
    "explore_cluster",
    "explore_losses",
    "figure_attempts",
    "figure_captured",
    "figure_cut",
    "figure_losses",
    "figure_maximum",
    "figure_plane",
    "figure_ratio",
    "figure_score",
    "figure_theorem",
    "play_cluster",
]
