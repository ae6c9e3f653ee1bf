"""Lesson 04: its pictures, explorer, player and exercises.

============  ==========================================================================
``worlds``    the metric spaces of the lesson
``distort``   one drawn embedding, measured
``wall``      ``figure_wall`` and ``explore_wall``: true against embedded distance
``pictures``  ``figure_question``, ``figure_rows``, and how errors fall
``play``      ``play_landmarks``: the sets light up
``ask``       the exercises
============  ==========================================================================
"""

from dpviz.views.embedding.pictures import (
    figure_norms,
    figure_parts,
    figure_question,
    figure_rows,
    figure_sets,
    figure_shadows,
)
from dpviz.views.embedding.play import play_landmarks
from dpviz.views.embedding.wall import explore_wall, figure_wall

__all__ = [
    "explore_wall",
    "figure_norms",
    "figure_parts",
    "figure_question",
    "figure_rows",
    "figure_sets",
    "figure_shadows",
    "figure_wall",
    "play_landmarks",
]
