"""Lesson 05: its pictures, explorers, player and exercises.

============  ==================================================================
``slots``     ``figure_slots``: owned slots as bars, all others one level
``proof``     ``figure_potential``, ``figure_updates``
``errors``    ``figure_error``, ``figure_scaling``, ``figure_winners``, ``figure_hunt``
``promise``   ``explore_promise``: who promises least
``explore``   ``explore_online``: one run
``play``      ``play_slots``
``runs``      the stored sweeps
``ask``       the exercises
============  ==================================================================
"""

from dpviz.views.sparse.errors import (
    figure_error,
    figure_hunt,
    figure_scaling,
    figure_winners,
)
from dpviz.views.sparse.explore import explore_online
from dpviz.views.sparse.play import play_slots
from dpviz.views.sparse.promise import explore_promise
from dpviz.views.sparse.proof import figure_potential, figure_updates
from dpviz.views.sparse.slots import figure_slots

__all__ = [
    "explore_online",
    "explore_promise",
    "figure_error",
    "figure_hunt",
    "figure_potential",
    "figure_scaling",
    "figure_slots",
    "figure_updates",
    "figure_winners",
    "play_slots",
]
