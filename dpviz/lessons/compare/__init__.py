"""Lesson 09: its pictures, explorers, player and exercises.

=================  ===============================================================================
``names``          short names and colours of the mechanisms, settings in words
``figures``        errors about one data set, the smallest n, the best of twenty runs, the guide
``planned``        stored plans of five questions
``plans``          ``explore_plans``, the opening: the planner in the hand
``winners_map``    ``explore_winners``: who leads in the stored trials
``toy``            ``explore_trials``: ten errors in the hand
``draws``          ``play_draws``: two mechanisms, draw by draw
``crossing``       ``explore_crossing``: which three numbers decide
``billion``        what a billion records change, measured and drawn
``player``         ``play_month``
``exercises``      the exercises
=================  ===============================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "crossing": "explore_crossing",
        "draws": "play_draws",
        "toy": "explore_trials",
        "billion": "figure_billion",
        "figures": "figure_clinic figure_selected figure_smallest "
        "table_cells table_clinic table_guide",
        "names": "asked",
        "plans": "explore_plans",
        "player": "play_month",
        "winners_map": "explore_winners",
    },
)
