"""Lesson 06: its pictures, explorers, player and exercises.

============  ==========================================================================
``crowd``     records in fixed proportions
``valley``    drawing falls, noise rises: ``figure_valley`` and ``explore_valley``
``drawing``   the kernel and the drawing: ``explore_drawing``, ``figure_slopes``
``compare``   errors side by side: ``figure_errors`` ... ``figure_table``
``play``      ``play_waves``
``ask``       the exercises
============  ==========================================================================
"""

from dpviz.views.smooth.compare import (
    errors,
    figure_clinic,
    figure_errors,
    figure_spent,
    figure_table,
    stored_errors,
)
from dpviz.views.smooth.drawing import (
    SHAPES,
    draw,
    errors_of,
    explore_drawing,
    figure_drawn,
    figure_slopes,
)
from dpviz.views.smooth.play import play_waves
from dpviz.views.smooth.valley import (
    START,
    explore_valley,
    figure_valley,
    median_valley,
    valley,
)

__all__ = [
    "SHAPES",
    "START",
    "draw",
    "errors",
    "errors_of",
    "explore_drawing",
    "explore_valley",
    "figure_clinic",
    "figure_drawn",
    "figure_errors",
    "figure_slopes",
    "figure_spent",
    "figure_table",
    "figure_valley",
    "median_valley",
    "play_waves",
    "stored_errors",
    "valley",
]
