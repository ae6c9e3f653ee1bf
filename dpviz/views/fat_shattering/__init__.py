"""Lesson 08: its pictures, explorers, player and exercises.

===============  ==================================================================
``board``        the picture of the lesson and ``explore_attack``
``patterns``     shattering made visible: ``play_shattering``, ``figure_ladder``
``dimensions``   dimension against gamma: ``explore_dimension``, ``figure_dimension``
``recovery``     what attacks recover, against the size of the errors
``errors``       error figures: small databases, a table, a learner
``verdict``      where a small database is worth it
``stored``       trials that took longer, and the calls that made them
``ask``          the exercises
===============  ==================================================================
"""

from dpviz.views.fat_shattering.board import explore_attack, figure_board
from dpviz.views.fat_shattering.dimensions import explore_dimension, figure_dimension
from dpviz.views.fat_shattering.errors import (
    figure_learning,
    figure_points,
    figure_release,
    figure_rows,
)
from dpviz.views.fat_shattering.patterns import figure_ladder, play_shattering
from dpviz.views.fat_shattering.recovery import figure_guess, figure_recovery
from dpviz.views.fat_shattering.verdict import figure_crossover, figure_winners

__all__ = [
    "explore_attack",
    "explore_dimension",
    "figure_board",
    "figure_crossover",
    "figure_dimension",
    "figure_guess",
    "figure_ladder",
    "figure_learning",
    "figure_points",
    "figure_recovery",
    "figure_release",
    "figure_rows",
    "figure_winners",
    "play_shattering",
]
