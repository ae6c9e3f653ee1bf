"""The data: real tables with their public bounds, public networks, a real text.

==================  ====================================================================
``real_sets``       private tables and public networks of scikit-learn and networkx
``public_bounds``   their bounds, stated by hand
``texts``           a text of 50,000 words and a public vocabulary
==================  ====================================================================
"""
