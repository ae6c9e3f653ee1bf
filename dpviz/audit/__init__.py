"""Is it private? Two tests of a mechanism, and what they find.

=========================  =============================================================
``transcript``             privacy without statistics (``equality``: what two releases show)
``auditor``                a lower bound on epsilon from samples alone (``scores``)
``broken``                 broken mechanisms, each beside its correct variant:
``broken_noise``           ... noise and choices
``broken_sparse_vector``   ... the sparse vector technique
``broken_rare``            ... faults that show seldom
=========================  =============================================================
"""
