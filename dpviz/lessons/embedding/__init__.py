"""Lesson 04: its pictures, explorer, player and exercises.

=============  ===============================================================================
``figures``    The question, the rows of an embedding, and how errors fall
``explorers``  ``explore_distortion``
``player``     ``play_frechet``
``exercises``  the exercises
``toy``        ``explore_towns``, the lesson in the hand
``cuts``       ``explore_cuts``, coordinates by hand
``chains``     the whole chain on the novel
=============  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "explorers": "explore_distortion figure_distortion",
        "figures": (
            "figure_euclidean figure_field figure_norms figure_parts figure_projections "
            "figure_question figure_rows figure_subsets"
        ),
        "player": "play_frechet",
        "toy": "explore_towns",
        "cuts": "explore_cuts",
    },
)
