"""Lesson 08: its pictures, explorers, player and exercises.

==============  ==============================================================================
``figures``     Errors of small databases and a histogram; where they are worth it
``recovery``    What reconstruction attacks recover, bit by bit and against the size of the errors
``sufficiency`` Errors between both bounds by the dimension; a private learner by a release
``explorers``   ``explore_attack``, ``explore_dimension``
``player``      ``play_reconstruction``, ``play_shattering``
``exercises``   the exercises
==============  ==============================================================================
"""

from dpviz.views.fat_shattering.explorers import explore_attack, explore_dimension, figure_dimension
from dpviz.views.fat_shattering.figures import (
    figure_crossover,
    figure_points,
    figure_release,
    figure_rows,
    figure_winners,
)
from dpviz.views.fat_shattering.player import figure_pattern, play_reconstruction, play_shattering
from dpviz.views.fat_shattering.recovery import figure_guess, figure_reconstruction, figure_recovery
from dpviz.views.fat_shattering.sufficiency import figure_regression, figure_sufficiency

__all__ = [
    "explore_attack",
    "explore_dimension",
    "figure_crossover",
    "figure_dimension",
    "figure_guess",
    "figure_pattern",
    "figure_points",
    "figure_reconstruction",
    "figure_recovery",
    "figure_regression",
    "figure_release",
    "figure_rows",
    "figure_sufficiency",
    "figure_winners",
    "play_reconstruction",
    "play_shattering",
]
