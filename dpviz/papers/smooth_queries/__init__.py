"""Wang, Fan, Zhang and Wang, *Efficient Algorithm for Privately Releasing Smooth Queries* (2013).

========================  ==============================================================
``jackson``               the generalised Jackson kernel in exact integers; Theorem 4.1 mended
``operators``             other ways to draw by few waves, and what they cost
``chebyshev``             the waves in a public function, by cosine transforms
``sparse_grids``          the paper's way to them in many variables, and its repair
``sensitivity``           how far one record moves the whole table, exactly
``moments``               the table itself, as small matrix products
``summary``               what is published and how noisy: the public plan
``gaussian_kernel``       questions "how many are near here?", with proved drawing errors
``release``               Algorithms 1 and 2
``bounds``                Theorem 3.1 with every constant
``choose_degree``         how many waves, by public numbers only
``costs``                 Table 1, measured
``functional_mechanism``  noise in the shape of the questions (Hall, Rinaldo and Wasserman 2013)
``baselines``             noise on each answer, weights on a grid, no data at all
``comparison``            all of them on the same records and questions
========================  ==============================================================
"""
