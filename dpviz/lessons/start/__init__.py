"""Lesson 00: its toys, pictures, explorer, player and exercises.

=============  ===============================================================================
``toy``        in the hand: ``explore_record``, one dot of 569; ``explore_worlds``, two worlds
``figures``    the pictures of lesson 00
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
        "explorers": "explore_averages radii",
        "figures": "best_guess figure_budget figure_recovered",
        "player": "play_publication",
        "toy": "explore_record explore_worlds",
    },
)
