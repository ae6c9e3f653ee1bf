"""Lesson 02: its pictures, explorers, player and exercises.

============  ========================================================
``pictures``  the learner at work: ``figure_question`` ... ``figure_noisy_oracle``
``counts``    how many mistakes: ``figure_rectangles`` ... ``figure_dimension``
``explore``   ``explore_learner``: one run
``runs``      ``figure_mistakes`` and ``explore_mistakes``: mistakes against alpha
``play``      ``play_learner``
``ask``       the exercises
============  ========================================================
"""

from dpviz.views.learner.counts import (
    figure_columns,
    figure_dimension,
    figure_rectangles,
)
from dpviz.views.learner.explore import explore_learner
from dpviz.views.learner.pictures import (
    figure_idea,
    figure_noisy_oracle,
    figure_question,
    figure_steps,
    figure_tent,
)
from dpviz.views.learner.play import play_learner
from dpviz.views.learner.runs import explore_mistakes, figure_mistakes

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
