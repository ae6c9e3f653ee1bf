"""Lesson 09: its pictures, explorers, player and exercises.

=================  ===============================================================================
``names``          short names and colours of the mechanisms, settings in words
``figures``        errors about one data set, the smallest n, the best of twenty runs
``guide_figures``  the decision guide as a picture and as a table
``winners_map``    ``explore_winners``
``smallest_n``     ``explore_smallest``
``player``         ``play_month``
``exercises``      the exercises
=================  ===============================================================================
"""

from dpviz.views.compare.figures import (
    figure_clinic,
    figure_selected,
    figure_smallest,
    table_clinic,
)
from dpviz.views.compare.guide_figures import figure_guide, table_guide
from dpviz.views.compare.names import asked
from dpviz.views.compare.player import play_month
from dpviz.views.compare.smallest_n import explore_smallest
from dpviz.views.compare.winners_map import explore_winners

__all__ = [
    "asked",
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
