"""Lesson 02: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    The learner at work
``mistakes``   How many mistakes the learner makes, against alpha and d
``explorers``  ``explore_learner``, ``explore_mistakes``
``player``     ``play_learner``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.learner.explorers import explore_learner, explore_mistakes
from dpviz.views.learner.figures import (
    figure_idea,
    figure_noisy_oracle,
    figure_question,
    figure_steps,
    figure_tent,
)
from dpviz.views.learner.mistakes import (
    figure_columns,
    figure_dimension,
    figure_mistakes,
    figure_rectangles,
)
from dpviz.views.learner.player import play_learner

__all__ = [
    "explore_learner",
    "explore_mistakes",
    "figure_columns",
    "figure_dimension",
    "figure_idea",
    "figure_mistakes",
    "figure_noisy_oracle",
    "figure_question",
    "figure_rectangles",
    "figure_steps",
    "figure_tent",
    "play_learner",
]
