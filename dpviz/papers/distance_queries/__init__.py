"""Huang and Roth, *Exploiting Metric Structure for Efficient Private Query Release* (2014).

==================================  ====================================================
``learner``                         **the convex-function learner**
``average_distance``                the function to be learnt, exact in O(log n)
``convex_learner``                  Figure 1: cutting planes in one dimension
``mistake_bounds``                  Lemmas 4 and 5 with computed constants
``adversary``                       data and answers that force as many mistakes as allowed
``nonconvex``                       where Figure 1 fails, and the learner that does not
``tangent_planes``                  the same learner on [0, 1]^d
``mechanism``                       **private answers about l1 distances**
``setting``                         records, a public box, a budget
``l1``                              Theorem 1 (``interactive``, ``hypothesis``)
``calibration``                     how many updates, which noise (``allocation``)
``sum_test``                        Lemma 6 as written
``offline``                         Theorem 2 (``frozen_hypothesis``: its file)
``releases``                        **beyond the paper: all queries in one release**
``average_sign``                    Gaussian noise on the average sign function
``haar_wavelet``                    Laplace noise on the Haar basis (``dyadic_hats``)
``anchored``                        rows and queries near a public center
``curves``                          what is released: a curve for each coordinate
``release_params, cell_counts``     the public box, and the records counted in it
``noise_suprema``                   suprema of noise over all queries
``embeddings``                      **other metrics**
``metrics``                         public metrics: tables, networks, norms, words
``l1_embedding``                    maps into l1, and what they distort
``johnson_lindenstrauss``           l2 into l1 by random projections (``p_stable``: l_p)
``frechet``                         any metric, with Bourgain's bound on its distortion
``weighted_hamming``                isometries: categories and trees; released directly
``any_metric``                      Figure 2: embed, release, answer
``baselines``                       **what the mechanisms are compared with**
``noise_per_query``                 noise on each of k answers
``private_multiplicative_weights``  on a grid of m^d points (``pmw_plan``)
``continual_counting``              prefix sums by a binary tree
``finite_metric``                   histogram of a finite metric, joint noise
``comparison``                      all of them in one trial
==================================  ====================================================
"""
