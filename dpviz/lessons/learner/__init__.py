"""Lesson 02: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    The learner at work
``mistakes``   How many mistakes the learner makes, against alpha and d
``explorers``  ``explore_learner``, ``explore_mistakes``
``player``     ``play_learner``
``exercises``  the exercises
``toy``        ``explore_bottles``, ``explore_forty``, the lesson in the hand
=============  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "explorers": "explore_learner explore_mistakes",
        "figures": "figure_idea figure_noisy_oracle figure_question figure_steps figure_tent",
        "mistakes": "figure_columns figure_dimension figure_mistakes figure_rectangles",
        "player": "play_learner",
        "toy": "explore_bottles explore_forty",
    },
)
