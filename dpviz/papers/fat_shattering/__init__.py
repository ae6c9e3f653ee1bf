"""Roth, *Differential Privacy and the Fat-Shattering Dimension of Linear Queries* (2010).

=========================  =============================================================
``classes``                classes of linear queries, finite and as polytopes
``shattering_search``      exact search for a shattered set
``dimension``              the fat-shattering dimension with its certificate (Definition 3)
``shattering_programs``    the same by integer and linear programs, for checks and polytopes
``reconstruction``         reconstruction attack on a shattered set (Lemmas 1, 2), by pairs too
``lower_bounds``           lower bounds on the error of private answers (Theorem 2)
``linear_reconstruction``  LP decoding of noisy counts (Dinur and Nissim 2003)
``small_databases``        small databases answer nearly the same (Corollary 1)
``net_scores``             quality score of the net mechanism
``net_mechanism``          net mechanism (SmallDB): the exponential mechanism (Theorem 5)
``net_metropolis``         the same by Metropolis-Hastings
``median_mechanism``       the median mechanism, interactive (Theorem 6)
``baselines``              Laplace histogram, Laplace mechanism
``threshold_learner``      private agnostic learning of thresholds (section 5)
=========================  =============================================================
"""
