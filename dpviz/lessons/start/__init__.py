"""Lesson 00: its picture, explorer, player and exercises.

=============  ===============================================================================
``figures``    The picture of lesson 00
``explorers``  ``explore_averages``
``player``     ``play_publication``
``exercises``  the exercises
``contents``   the first page: table of the lessons, check of the installation
=============  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "explorers": "explore_averages",
        "figures": "figure_recovered",
        "player": "play_publication",
    },
)
