"""The data: real tables with their public bounds, public networks, a real text.

==================  ====================================================================
``real_sets``       private tables with public bounds, and public networks
``texts``           a text of 50,000 words and a public vocabulary
==================  ====================================================================
"""
