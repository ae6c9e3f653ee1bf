"""Roth, *Differential Privacy and the Fat-Shattering Dimension of Linear Queries* (2010).

=========================  =============================================================
``classes``                classes of linear queries, finite and as polytopes
``dimension``              the fat-shattering dimension (Definition 3), of polytopes too
``covering_numbers``       covering numbers by the dimension (Theorem 3)
``reconstruction``         reconstruction attack on a shattered set (Lemmas 1, 2), by pairs too
``lower_bounds``           lower bounds on the error of private answers (Theorem 2)
``smooth_functions``       the dimension of smooth functions, and a lower bound for them
``linear_reconstruction``  LP decoding of noisy counts (Dinur and Nissim 2003)
``small_databases``        small databases answer nearly the same (Corollary 1)
``net_mechanism``          net mechanism (SmallDB): the exponential mechanism (Theorem 5)
``median_mechanism``       the median mechanism, interactive (Theorem 6)
``baselines``              Laplace histogram, Laplace mechanism
``threshold_learner``      private agnostic learning of thresholds (section 5)
``regression_learner``     the same of a real-valued class, by Theorem 5
=========================  =============================================================
"""
