"""Huang and Roth, *Exploiting Metric Structure for Efficient Private Query Release* (2014).

==================  ==================================================================
``average``         the function to be learnt: average distance, exact in O(log n)
``learner``         Figure 1: learn a convex function from few looks (Lemmas 4 and 5)
``adversary``       data and answers that force as many mistakes as the bounds allow
``nonconvex``       where Figure 1 fails, and the learner that does not
``planes``          the same learner on [0, 1]^d, and why the paper splits coordinates
==================  ==================================================================
"""
