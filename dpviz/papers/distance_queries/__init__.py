"""Huang and Roth, *Exploiting Metric Structure for Efficient Private Query Release* (2014).

==================================  ====================================================
``learner``                         **the convex-function learner**
``average_distance``                the setting; the function to be learnt, exact in O(log n)
``convex_learner``                  Figure 1: cutting planes in one dimension
``mistake_bounds``                  Lemmas 4 and 5 with computed constants, and what attains them
``other_learners``                  any Lipschitz function; tangent planes on [0, 1]^d
``mechanism``                       **private answers about l1 distances**
``l1``                              Theorem 1, in one file (``history``: what it did, for pictures)
``reduction``                       Lemma 3 for any mistake bound
``sum_test``                        Lemma 6 as written
``offline``                         Theorem 2
``releases``                        **beyond the paper: all queries in one release**
``curves``                          what is released: a curve for each coordinate
``average_sign``                    Gaussian noise on the average sign function
``haar_wavelet``                    Laplace noise on the Haar basis
``anchored``                        rows and queries near a public center
``noise_suprema``                   suprema of noise over all queries
``embeddings``                      **other metrics**
``metrics``                         public metrics: tables, networks, norms, words
``l1_embedding``                    maps into l1, and what they distort
``johnson_lindenstrauss``           l2 into l1 by random projections (``p_stable``: l_p)
``frechet``                         any metric, with Bourgain's bound on its distortion
``euclidean``                       Theorem 10: Euclidean queries, interactively
``negative_type``                   Levy's Brownian field: no map, the noise of about one answer
``weighted_hamming``                isometries: categories and trees; released directly
``cut_metric``                      any finite metric by weighted cuts, fitted by least squares
``any_metric``                      Figure 2: embed, release, answer
``baselines``                       **what the mechanisms are compared with**
``noise_per_query``                 noise on each of k answers
``private_multiplicative_weights``  on a grid of m^d points
``continual_counting``              prefix sums by a binary tree
``finite_metric``                   histogram of a finite metric, joint noise
``comparison``                      all of them in one trial
==================================  ====================================================
"""
