"""Sparse multiplicative weights: Blum and Roth (2013), Roth's lecture 13.

==============  ==================================================================
``queries``     lists of names, public, and the records, private
``structure``   the slots: a distribution over a universe of any size
``learner``     how far a slot is moved, how many there are, how often it can err
``potential``   why it stops erring: two potentials, one of which can rise
``budget``      what noise a number of updates leaves
``plan``        how a budget is split, and the error that is promised
``online``      answers one by one
``rounds``      answers all at once
``rivals``      what is often better
``workloads``   what the lessons ask
==============  ==================================================================
"""
