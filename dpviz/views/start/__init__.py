"""Lesson 00: its picture, explorer, player and exercises.

=============  ===============================================================================
``figures``    The picture of lesson 00
``explorers``  ``explore_averages``
``player``     ``play_publication``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.start.explorers import explore_averages
from dpviz.views.start.figures import figure_recovered
from dpviz.views.start.player import play_publication

__all__ = ["explore_averages", "figure_recovered", "play_publication"]
