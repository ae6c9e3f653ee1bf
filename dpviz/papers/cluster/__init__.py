"""Nissim, Stemmer and Vadhan, *Locating a Small Cluster Privately* (2016).

==============  ======================================================================
``score``       the score L of a radius: on a grid, and at all of its jumps
``concave``     RecConcave: choose on an enormous line when the scores have one hill
``ways``        four private ways to choose a radius by its score
``radius``      GoodRadius
``boxes``       shifted grids of boxes
``search``      GoodCenter's steps: projection, full grid, box, rotation, intervals
``center``      GoodCenter
``planted``     data with a known cluster
``plan``        what the practical solver is asked, and how its price is shared
``steps``       its three choices and three averages
``locate``      the practical solver
``several``     several clusters, screening outliers, the best of several runs
``interior``    IntPoint: what the existence of a solver implies
``aggregate``   sample and aggregate
``rivals``      the other rows of Table 1, and the mean of all
``bounds``      what is promised from which n
==============  ======================================================================
"""
