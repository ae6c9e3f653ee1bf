"""Roth, *Differential Privacy and the Fat-Shattering Dimension of Linear Queries* (2010).

=============  ====================================================================
``classes``    classes of linear queries, finite and as polytopes
``search``     heaps of queries that must split again
``dimension``  the fat-shattering dimension with its certificate (Definition 3)
``programs``   the same by integer and linear programs, for checks and polytopes
``attack``     reconstruction from a shattered set (Lemmas 1 and 2), by pairs too
``lower``      how much error any private answer must have (Theorem 2)
``decode``     reconstruction by linear programming (Dinur and Nissim 2003)
``small``      small databases that answer nearly the same (Corollary 1)
``score``      the border of the release: counts and errors
``release``    the exponential mechanism over small databases (Theorem 5)
``walk``       the same by a Metropolis walk
``median``     question after question (Theorem 6)
``learn``      learning a threshold in private (section 5)
=============  ====================================================================
"""
