"""Lesson 04: its pictures, explorer, player and exercises.

=================  =====================================================================
``metric_spaces``  the metric spaces of the lesson
``measured``       one drawn embedding and its distortion
``distortion``     ``figure_distortion`` and ``explore_distortion``: true against embedded
``pictures``       ``figure_question``, ``figure_rows``, and how errors fall
``play``           ``play_frechet``: coordinate by coordinate, one random subset each
``ask``            the exercises
=================  =====================================================================
"""

from dpviz.views.embedding.distortion import explore_distortion, figure_distortion
from dpviz.views.embedding.pictures import (
    figure_norms,
    figure_parts,
    figure_projections,
    figure_question,
    figure_rows,
    figure_subsets,
)
from dpviz.views.embedding.play import play_frechet

__all__ = [
    "explore_distortion",
    "figure_distortion",
    "figure_norms",
    "figure_parts",
    "figure_projections",
    "figure_question",
    "figure_rows",
    "figure_subsets",
    "play_frechet",
]
