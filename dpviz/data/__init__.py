"""The data: real tables with their public bounds, public networks, a real text.

==================  ====================================================================
``real_sets``       private tables that come with scikit-learn and networkx
``public_bounds``   their bounds, stated by hand
``networks``        public networks
``texts``           a text of any length and a public vocabulary
==================  ====================================================================
"""
