"""Lesson 08: its pictures, explorers, player and exercises.

=======================  ==================================================================
``reconstruction_grid``  the picture of the lesson and ``explore_attack``
``patterns``             shattering made visible: ``play_shattering``, ``figure_pattern``
``dimensions``           dimension against gamma: ``explore_dimension``, ``figure_dimension``
``recovery``             what attacks recover, against the size of the errors
``errors``               error figures: small databases, a histogram, a learner
``verdict``              where a small database is worth it
``stored``               trials that took longer, and the calls that made them
``ask``                  the exercises
=======================  ==================================================================
"""

from dpviz.views.fat_shattering.dimensions import explore_dimension, figure_dimension
from dpviz.views.fat_shattering.errors import (
    figure_learning,
    figure_points,
    figure_release,
    figure_rows,
)
from dpviz.views.fat_shattering.patterns import figure_pattern, play_shattering
from dpviz.views.fat_shattering.reconstruction_grid import explore_attack, figure_reconstruction
from dpviz.views.fat_shattering.recovery import figure_guess, figure_recovery
from dpviz.views.fat_shattering.verdict import figure_crossover, figure_winners

__all__ = [
    "explore_attack",
    "explore_dimension",
    "figure_crossover",
    "figure_dimension",
    "figure_guess",
    "figure_learning",
    "figure_pattern",
    "figure_points",
    "figure_reconstruction",
    "figure_recovery",
    "figure_release",
    "figure_rows",
    "figure_winners",
    "play_shattering",
]
