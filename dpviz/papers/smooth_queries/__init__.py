"""Smooth queries (Wang, Fan, Zhang and Wang, *Efficient Algorithm for Privately Releasing Smooth
Queries*, NIPS 2013).

========================  ==============================================================
``jackson``               the generalised Jackson kernel in exact integers; Theorem 4.1 corrected
``operators``             truncation, de la Vallee-Poussin and Fejer means beside it
``chebyshev``             Chebyshev coefficients of a public function, by cosine transforms
``sparse_grids``          the paper's quadrature in many variables, and its correction
``sensitivity``           how far one record changes the whole summary, exactly
``moments``               the Chebyshev moments, as small matrix products
``summary``               what is published and how noisy: the public parameters
``gaussian_kernel``       Gaussian kernel queries, with proved approximation errors
``release``               Algorithms 1 and 2
``bounds``                Theorem 3.1 with every constant
``choose_degree``         the bias-variance trade-off, by public numbers only
``costs``                 Table 1, measured
``functional_mechanism``  noise with the kernel's covariance (Hall, Rinaldo and Wasserman 2013)
``baselines``             additive noise on each answer, MWEM on a grid, a constant
``comparison``            all of them on the same records and queries
========================  ==============================================================
"""
