"""Lesson 04: its pictures, explorer, player and exercises.

=============  ===============================================================================
``figures``    The question, the rows of an embedding, and how errors fall
``explorers``  ``explore_distortion``
``player``     ``play_frechet``
``exercises``  the exercises
=============  ===============================================================================
"""

from dpviz.views.embedding.explorers import explore_distortion, figure_distortion
from dpviz.views.embedding.figures import (
    figure_euclidean,
    figure_norms,
    figure_parts,
    figure_projections,
    figure_question,
    figure_rows,
    figure_subsets,
)
from dpviz.views.embedding.player import play_frechet

__all__ = [
    "explore_distortion",
    "figure_distortion",
    "figure_euclidean",
    "figure_norms",
    "figure_parts",
    "figure_projections",
    "figure_question",
    "figure_rows",
    "figure_subsets",
    "play_frechet",
]
