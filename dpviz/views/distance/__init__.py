"""Lesson 03: its pictures, explorers, player and exercises.

==============  =====================================================================
``pictures``    the question, and the updates: ``figure_question``, ``figure_updates``
``curve``       ``explore_curve``: one column, and how many tangents are best
``directions``  ``explore_errors``: every method against n, epsilon, d and k
``map``         ``explore_map``: which method wins where
``release``     publish once: ``figure_release``, ``figure_cost``, ``figure_errors``
``growers``     ``explore_growers``: the running example, with and without privacy
``stored``      the stored trials, and the calls that made them
``play``        ``play_distance``
``ask``         the exercises
==============  =====================================================================
"""

from dpviz.views.distance.curve import explore_curve
from dpviz.views.distance.directions import explore_errors
from dpviz.views.distance.growers import explore_growers
from dpviz.views.distance.map import explore_map
from dpviz.views.distance.pictures import figure_question, figure_updates
from dpviz.views.distance.play import play_distance
from dpviz.views.distance.release import figure_cost, figure_errors, figure_release

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
