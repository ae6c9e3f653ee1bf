"""Lesson 05: its pictures, explorers, player and exercises.

================  ======================================================================
``public_guess``  ``explore_common_weight``, the lesson on its first screen
``toy``           ``explore_update``: multiplicative weights by hand
``indices``       ``explore_indices``: why finitely many suffice
``player``        ``play_sparse_weights``: the private mechanism
``figures``       Indexed elements as bars, the potential and the updates
``errors``        Errors against n, epsilon, m and k; winners; an adaptive analyst
``explorers``     ``explore_online``, ``explore_promise``
``exercises``     the exercises
================  ======================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "errors": (
            "figure_adaptive_analyst figure_error figure_published figure_scaling figure_winners"
        ),
        "explorers": "explore_online explore_promise",
        "figures": "figure_potential figure_updates",
        "player": "play_sparse_weights",
        "public_guess": "explore_common_weight",
        "indices": "explore_indices",
        "toy": "explore_update",
    },
)
