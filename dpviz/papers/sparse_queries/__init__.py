"""Sparse multiplicative weights: Blum and Roth (2013), Roth's lecture 13.

=================================  ============================================================
``queries``                        sparse linear queries, public, and the records, private
``indexed_weights``                hash-indexed weights: a distribution over any universe
``sparse_multiplicative_weights``  the learner, its update rules and its mistake bound
``potential``                      relative entropy potentials: as stated and corrected
``calibration``                    the noise that a number of updates leaves
``plan``                           allocation of the privacy budget, and the error bounds
``online``                         OnlineIC: queries one by one
``mwem``                           MWEM: all queries at once
``baselines``                      lazily perturbed Laplace histogram, and other baselines
``recipes``                        synthetic instances
``workloads``                      one trial for every mechanism and its baselines
=================================  ============================================================
"""
