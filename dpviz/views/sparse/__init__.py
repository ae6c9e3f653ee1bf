"""Lesson 05: its pictures, explorers, player and exercises.

===================  ==========================================================================
``indexed_weights``  ``figure_indexed_weights``: indexed elements as bars, the untouched as a line
``proof``            ``figure_potential``, ``figure_updates``
``errors``           ``figure_error``, ``figure_scaling``, ``figure_winners``,
                     ``figure_adaptive_analyst``
``promise``          ``explore_promise``: the smallest error bound
``explore``          ``explore_online``: one run
``play``             ``play_sparse_weights``
``runs``             the stored sweeps
``ask``              the exercises
===================  ==========================================================================
"""

from dpviz.views.sparse.errors import (
    figure_adaptive_analyst,
    figure_error,
    figure_scaling,
    figure_winners,
)
from dpviz.views.sparse.explore import explore_online
from dpviz.views.sparse.indexed_weights import figure_indexed_weights
from dpviz.views.sparse.play import play_sparse_weights
from dpviz.views.sparse.promise import explore_promise
from dpviz.views.sparse.proof import figure_potential, figure_updates

__all__ = [
    "explore_online",
    "explore_promise",
    "figure_adaptive_analyst",
    "figure_error",
    "figure_indexed_weights",
    "figure_potential",
    "figure_scaling",
    "figure_updates",
    "figure_winners",
    "play_sparse_weights",
]
