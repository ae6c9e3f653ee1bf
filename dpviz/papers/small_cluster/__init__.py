"""Nissim, Stemmer and Vadhan, *Locating a Small Cluster Privately* (2016).

========================  ==============================================================
``radius_quality``        the score L and the quality Q of a radius
``rec_concave``           RecConcave: choose among very many by quasi-concave scores
``radius_methods``        four private methods to choose a radius by its score
``good_radius``           GoodRadius
``boxes``                 randomly shifted grids of boxes
``good_center``           GoodCenter
``planted``               data with a known cluster
``one_cluster_params``    what the practical solver is asked, and the allocation of its budget
``one_cluster_steps``     its three exponential mechanisms and three averages
``one_cluster``           the practical solver of the 1-cluster problem
``several_clusters``      several clusters, screening outliers, the best of several runs
``interior_point``        IntPoint: the interior point problem reduces to 1-cluster
``sample_and_aggregate``  sample and aggregate
``baselines``             the other rows of Table 1, and the mean of all
``bounds``                what is promised from which n
========================  ==============================================================
"""
