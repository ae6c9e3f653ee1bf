"""Roth, *Differential Privacy and the Fat-Shattering Dimension of Linear Queries* (2010).

=========================  =============================================================
``classes``                classes of linear queries, finite and as polytopes
``shattering_search``      heaps of queries that must split again
``dimension``              the fat-shattering dimension with its certificate (Definition 3)
``shattering_programs``    the same by integer and linear programs, for checks and polytopes
``reconstruction``         reconstruction from a shattered set (Lemmas 1 and 2), by pairs too
``lower_bounds``           how much error any private answer must have (Theorem 2)
``linear_reconstruction``  reconstruction by linear programming (Dinur and Nissim 2003)
``small_databases``        small databases that answer nearly the same (Corollary 1)
``net_scores``             the border of the release: counts and errors
``net_mechanism``          the exponential mechanism over small databases (Theorem 5)
``net_metropolis``         the same by a Metropolis walk
``median_mechanism``       question after question (Theorem 6)
``threshold_learner``      learning a threshold in private (section 5)
=========================  =============================================================
"""
