"""Sparse multiplicative weights: Blum and Roth (2013), Roth's lecture 13.

=================================  ============================================================
``queries``                        sparse linear queries, public, and the records, private
``indexed_weights``                hash-indexed weights: a distribution over any universe
``sparse_multiplicative_weights``  the learner, its mistake bound, the potential of its proof
``plan``                           allocation of the privacy budget, error bounds of Theorem 1
``workloads``                      synthetic instances, drawn from public recipes
``online``                         OnlineIC: queries one by one
``mwem``                           MWEM: all queries at once
``hashed_histogram``               noisy counts of hashed names: without interaction
``count_sketch``                   hashed counts with random signs, a median over rows
``baselines``                      lazily perturbed Laplace histogram and others; one trial of all
=================================  ============================================================
"""
