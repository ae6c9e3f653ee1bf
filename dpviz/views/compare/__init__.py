"""Lesson 09: its pictures, explorers, player and exercises.

=============  ===============================================================================
``figures``    Errors about one data set, the decision guide, the best of twenty runs
``explorers``  ``explore_winners``, ``explore_smallest``
``player``     ``play_month``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.compare.explorers import explore_smallest, explore_winners
from dpviz.views.compare.figures import (
    figure_clinic,
    figure_guide,
    figure_selected,
    figure_smallest,
    table_clinic,
    table_guide,
)
from dpviz.views.compare.player import play_month

__all__ = [
    "explore_smallest",
    "explore_winners",
    "figure_clinic",
    "figure_guide",
    "figure_selected",
    "figure_smallest",
    "play_month",
    "table_clinic",
    "table_guide",
]
