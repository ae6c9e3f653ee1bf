"""The only door for private values.

============================  ==========================================================
``curator``                   the budget, the ledger and the random stream, and sub-curators, which
                              compose otherwise; its verbs stand in
``additive_noise``            Laplace and Gaussian mechanism, Gaussian noise on coordinates that are
                              chosen one by one, the average inside a ball
``exponential_mechanism``     one of many candidates; of too many to list by intervals of equal
                              scores, or by a Metropolis walk
``sparse_vector``             AboveThreshold, and how far it can be wrong
``histograms``                stability-based: the heavy cells of a partition; lazily perturbed: one
                              noise for each name, drawn when it is first asked
``ledger``                    costs, charges, and the table of both
``ledger_file``               a budget in a file, over many runs: charged before anything is drawn
``account``                   what all verbs stand on: budget, ledger and a stream that stays single
``online``                    from a learner with a mistake bound to a private mechanism
``multiplicative_weights``    the dense learner of query release
``simplex``                   the nearest possible counts to noisy ones
``private_data``              private arrays at the border: checked, clipped, rescaled
``pieces``                    exact sums over records that are taken piece by piece
``box``                       a public box of records and queries
``safe_noise``                noise that OpenDP draws, safe against the last bits of floats
``noise_laws``                how noise is drawn, and how far it goes
============================  ==========================================================
"""
