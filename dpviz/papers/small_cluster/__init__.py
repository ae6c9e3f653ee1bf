"""Nissim, Stemmer and Vadhan, *Locating a Small Cluster Privately* (2016).

========================  ==============================================================
``public_grid``           the public box and its grid, exact distances
``planted``               data with a known cluster
``radius_quality``        the score L and the quality Q of a radius
``rec_concave``           RecConcave: choose among very many by quasi-concave scores
``good_radius``           GoodRadius, by four methods
``good_center``           GoodCenter, and randomly shifted grids of boxes
``radius_then_center``    the 1-cluster theorem as stated: GoodRadius, then GoodCenter
``one_cluster``           a practical solver of the 1-cluster problem
``passes``                the same solver by passes over records that do not fit into memory
``enclosing_ball``        all rows but few in a ball near the least (Mahpud and Sheffet 2022)
``several_clusters``      several clusters, screening outliers
``interior_point``        IntPoint: the interior point problem reduces to 1-cluster
``sample_and_aggregate``  sample and aggregate
``baselines``             the other rows of Table 1, and the mean of all
``bounds``                what is promised from which n
========================  ==============================================================
"""
