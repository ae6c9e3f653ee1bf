"""Lesson 01: its pictures, explorers, player and exercises.

===========  ======================================================================
``laws``     two laws and their ratio: ``figure_laws``, ``explore_laws``
``rules``    adding up: ``figure_totals``, ``explore_totals``; ``figure_free``
``play``     ``play_threshold``: the sparse vector, check by check
``auditor``  ``explore_auditor``: find the broken one
``ask``      the exercises
===========  ======================================================================
"""

from dpviz.views.privacy.auditor import explore_auditor
from dpviz.views.privacy.laws import OUTPUTS, explore_laws, figure_laws, laws
from dpviz.views.privacy.play import play_threshold
from dpviz.views.privacy.rules import (
    explore_totals,
    figure_free,
    figure_totals,
    free_from,
    totals,
)

__all__ = [
    "OUTPUTS",
    "explore_auditor",
    "explore_laws",
    "explore_totals",
    "figure_free",
    "figure_laws",
    "figure_totals",
    "free_from",
    "laws",
    "play_threshold",
    "totals",
]
