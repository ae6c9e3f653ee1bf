"""Nissim, Stemmer and Vadhan, *Locating a Small Cluster Privately* (2016).

========================  ==============================================================
``radius_quality``        the score L of a radius: on a grid, and at all of its jumps
``rec_concave``           RecConcave: choose on an enormous line when the scores have one hill
``radius_methods``        four private ways to choose a radius by its score
``good_radius``           GoodRadius
``boxes``                 shifted grids of boxes
``good_center_steps``     GoodCenter's steps: projection, full grid, box, rotation, intervals
``good_center``           GoodCenter
``planted``               data with a known cluster
``one_cluster_plan``      what the practical solver is asked, and how its price is shared
``one_cluster_steps``     its three choices and three averages
``one_cluster``           the practical solver
``several_clusters``      several clusters, screening outliers, the best of several runs
``interior_point``        IntPoint: what the existence of a solver implies
``sample_and_aggregate``  sample and aggregate
``baselines``             the other rows of Table 1, and the mean of all
``bounds``                what is promised from which n
========================  ==============================================================
"""
