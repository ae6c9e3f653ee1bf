"""One folder per paper: the whole mechanism, its theorem and its trial.

====================  =========================================================
``distance_queries``  average-distance queries (Huang and Roth, SODA 2014)
``sparse_queries``    sparse queries (Blum and Roth, RANDOM 2013)
``smooth_queries``    smooth queries (Wang, Fan, Zhang and Wang, NIPS 2013)
``small_cluster``     a small cluster (Nissim, Stemmer and Vadhan, PODS 2016)
``fat_shattering``    how much noise is needed (Roth, 2010)
====================  =========================================================
"""
