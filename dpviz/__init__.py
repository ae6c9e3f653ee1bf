"""dpviz: how to answer very many questions about private data.

The map (who knows one room knows all):

=================================  =====================================================
``dpviz.privacy``                  the only door for private values: curator and verbs
``dpviz.accounting``               what privacy costs
``dpviz.audit``                    is it private? transcript test, auditor, broken variants
``dpviz.data``                     real data with public bounds
``dpviz.sweeps``                   one trial over a grid, many times
``dpviz.checks``                   public arguments checked
``dpviz.papers.distance_queries``  average-distance queries (Huang and Roth, SODA 2014)
``dpviz.papers.sparse_queries``    sparse queries (Blum and Roth, RANDOM 2013)
``dpviz.papers.smooth_queries``    smooth queries (Wang, Fan, Zhang and Wang, NIPS 2013)
``dpviz.papers.small_cluster``     a small cluster (Nissim, Stemmer and Vadhan, PODS 2016)
``dpviz.papers.fat_shattering``    how much noise is needed (Roth, 2010)
``dpviz.comparison``               all of them side by side: which one, and from which n
``dpviz.drawing``                  pictures: how they look, what they are made of
``dpviz.instruments``              explorers and players
``dpviz.exercises``                exercises, and how an answer is judged
``dpviz.lessons``                  all that one lesson shows: trials, figures, explorers, exercises
``dpviz.pages``                    the lessons as web pages, with Python inside
``dpviz.theorems``                 the index of theorems, from marks in code, tests and lessons
``dpviz.files``                    writing files and folders, over nobody's work
``dpviz.experiments``              what ``dpviz experiments`` does: list, plan, run again
``dpviz.doors``                    packages that load a name when it is asked for
``dpviz.lesson``                   the one reader of notebooks: what each cell is, by its tags
``dpviz.lab``                      what ``dpviz lab`` does: the lessons in JupyterLab
``dpviz.student``                  the lessons without solutions and answers, for students
``notebooks/``                     the lessons, in order
=================================  =====================================================

Imports run downhill: notebooks, pages, lessons, exercises, instruments, drawing, comparison,
papers; then audit, data and sweeps; then privacy, accounting and checks. Nothing here
is fit for production: the noise is floating point (see the README).
"""

__version__ = "0.2.0"
