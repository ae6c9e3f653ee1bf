"""Mechanisms from elsewhere, each tuned to win: what a paper's mechanism has to beat.

=======================  ======================================================================
``joint_sensitivity``    how far the answers to public questions move together
``dense_weights``        MWEM with weights for all cells, under zCDP, with repeated passes
``factorization``        the Gaussian mechanism on the best factor of a workload, projected
``adaptive_projection``  the worst guesses measured, projected, and again
``column_groups``        the densest window of each pair, or triple, of columns
``closest_pairs``        the closest pair of each few records, then the densest windows
``friendly_core``        the closest pair of each few records, then those with many friends
``quadtree``             the densest cell, and the densest cell inside it
=======================  ======================================================================
"""
