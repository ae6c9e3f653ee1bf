"""Lesson 03: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    The question, the updates, the release and the running example of lesson 03
``methods``    Which method has the smallest error, in four directions and on a map
``explorers``  ``explore_curve``, ``explore_errors``, ``explore_growers``, ``explore_map``
``player``     ``play_distance``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.distance.explorers import (
    explore_curve,
    explore_errors,
    explore_growers,
    explore_map,
)
from dpviz.views.distance.figures import (
    figure_cost,
    figure_errors,
    figure_question,
    figure_release,
    figure_updates,
)
from dpviz.views.distance.player import play_distance

__all__ = [
    "explore_curve",
    "explore_errors",
    "explore_growers",
    "explore_map",
    "figure_cost",
    "figure_errors",
    "figure_question",
    "figure_release",
    "figure_updates",
    "play_distance",
]
