"""dpviz: how to answer very many questions about private data.

The map (whoever knows one room knows all):

==========================  ============================================================
``dpviz.base``              tools that know no paper: the curator, sweeps, real data
``dpviz.papers.distance``   average-distance queries (Huang and Roth, SODA 2014)
``dpviz.papers.sparse``     sparse queries over a list without end (Blum and Roth, 2013)
``dpviz.papers.smooth``     smooth queries (Wang, Fan, Zhang and Wang, NIPS 2013)
``dpviz.papers.cluster``    a small cluster (Nissim, Stemmer and Vadhan, PODS 2016)
``dpviz.papers.fat``        how much noise is needed (Roth, 2010)
``dpviz.views``             pictures; the only room with matplotlib
``notebooks/``              the lessons, in order
==========================  ============================================================

Notebooks import views, views import papers, papers import base, base imports numpy and
scipy; nothing imports upward. Nothing here is fit for production: the noise is floating
point (see the README).
"""

__version__ = "0.1.0"
