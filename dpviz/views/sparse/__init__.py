"""Lesson 05: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    Indexed elements as bars, the potential and the updates
``errors``     Errors against n, epsilon, m and k; winners; an adaptive analyst
``explorers``  ``explore_online``, ``explore_promise``
``player``     ``play_sparse_weights``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.sparse.errors import (
    figure_adaptive_analyst,
    figure_error,
    figure_published,
    figure_scaling,
    figure_winners,
)
from dpviz.views.sparse.explorers import explore_online, explore_promise
from dpviz.views.sparse.figures import figure_indexed_weights, figure_potential, figure_updates
from dpviz.views.sparse.player import play_sparse_weights

__all__ = [
    "explore_online",
    "explore_promise",
    "figure_adaptive_analyst",
    "figure_error",
    "figure_indexed_weights",
    "figure_potential",
    "figure_published",
    "figure_scaling",
    "figure_updates",
    "figure_winners",
    "play_sparse_weights",
]
