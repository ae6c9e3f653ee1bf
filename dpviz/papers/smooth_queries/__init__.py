"""Smooth queries (Wang, Fan, Zhang and Wang, *Efficient Algorithm for Privately Releasing Smooth
Queries*, NIPS 2013).

========================  ==============================================================
``jackson``               the generalised Jackson kernel in exact integers, and other operators
``chebyshev``             Chebyshev coefficients of a public function, by cosine transforms
``sparse_grids``          the paper's quadrature in many variables, and its correction
``moments``               the Chebyshev moments, and how far one record changes them, exactly
``release``               Algorithms 1 and 2: what is published, and how noisy
``gaussian_kernel``       Gaussian kernel queries, with proved approximation errors
``bounds``                Theorem 3.1 with every constant; the class C^K_B a query belongs to
``sobolev_ellipsoid``     where the coefficients of a smooth class lie; noise weighed by it
``minimax_rate``          the summary of the least proved error for a class; its worst members
``costs``                 Table 1, measured
``functional_mechanism``  noise with the kernel's covariance (Hall, Rinaldo and Wasserman 2013)
``baselines``             additive noise on each answer, MWEM on a grid, a constant
``private_measure``       noisy counts on a binary partition (He, Vershynin and Zhu 2023)
``bernstein``             noisy values on a lattice (Alda and Rubinstein 2017)
========================  ==============================================================
"""
