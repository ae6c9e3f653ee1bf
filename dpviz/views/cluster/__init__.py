"""Lesson 07: its pictures, explorers, player and exercises.

=============  =========================================================
``pictures``   the score and the first ideas: ``figure_maximum`` ... ``figure_attempts``
``plane``      ``figure_plane`` and ``explore_cluster``: one search
``losses``     ``figure_losses`` and ``explore_losses``: rows lost by each method
``runs``       ``figure_ratio``, ``figure_captured``: stored trials against n
``digit_dct``  a public projection of the digits
``play``       ``play_cluster``
``ask``        the exercises
=============  =========================================================
"""

from dpviz.views.cluster.losses import explore_losses, figure_losses
from dpviz.views.cluster.pictures import (
    figure_attempts,
    figure_cut,
    figure_maximum,
    figure_score,
)
from dpviz.views.cluster.plane import explore_cluster, figure_plane
from dpviz.views.cluster.play import play_cluster
from dpviz.views.cluster.runs import figure_captured, figure_ratio

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
    "play_cluster",
]
