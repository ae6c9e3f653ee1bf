"""Sparse multiplicative weights: Blum and Roth (2013), Roth's lecture 13.

``queries`` (sets of names with weights, and the private records), ``structure`` (the slots),
``learner`` (how a slot is moved, how large the structure must be, how often it can err),
``potential`` (why: two potentials), ``plan`` (how a budget is split), ``online`` (answers
one by one), ``rounds`` (answers all at once), ``rivals`` (what is often better) and
``workloads`` (what the lessons ask).
"""
