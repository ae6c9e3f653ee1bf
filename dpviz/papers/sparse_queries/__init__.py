"""Sparse multiplicative weights: Blum and Roth (2013), Roth's lecture 13.

=================================  =====================================================
``queries``                        lists of names, public, and the records, private
``indexed_weights``                the slots: a distribution over a universe of any size
``sparse_multiplicative_weights``  how far a slot is moved, how many there are, how often it can err
``potential``                      why it stops erring: two potentials, one of which can rise
``calibration``                    what noise a number of updates leaves
``plan``                           how a budget is split, and the error that is promised
``online``                         answers one by one
``mwem``                           answers all at once
``baselines``                      what is often better
``workloads``                      what the lessons ask
=================================  =====================================================
"""
