"""Huang and Roth, *Exploiting Metric Structure for Efficient Private Query Release* (2014).

==================  ==================================================================
``average``         the function to be learnt: average distance, exact in O(log n)
``learner``         Figure 1: learn a convex function from few looks (Lemmas 4 and 5)
``adversary``       data and answers that force as many mistakes as the bounds allow
``nonconvex``       where Figure 1 fails, and the learner that does not
``planes``          the same learner on [0, 1]^d, and why the paper splits coordinates
``setting``         records, a public box, a budget: what every mechanism below is given
``l1``              Theorem 1: answer query after query (``interactive``, ``hypothesis``)
``calibration``     its plan: how many updates, which noise, what error (``prices``)
``sums``            Lemma 6 as written, with a private choice of coordinates
``offline``         Theorem 2: a release for every query (``frozen``: its file)
``per_query``       the baseline: noise on each of k answers
``grid_weights``    the generic rival, exponential in d (``weights_plan``)
``compare``         every way to answer distances in one trial
``curves``          beyond the paper: one release that answers every query, and its parts
``signs``           ... by Gaussian noise on the average sign function
``haar``            ... by Laplace noise on hats (``hats``), pure epsilon
``anchored``        ... for rows and queries near a public center
``tree``            ... by dyadic counts, for comparison
``box, cells``      ... the public box, and the private records counted in it
``suprema``         ... how large noise gets over all queries at once
``metrics, words``  section 4: public metrics, networks, edit distance
``embedding``       ... maps into l1, what they distort, and what privacy asks of them
``projection``      ... straight lines by random shadows; ``stable`` other norms
``landmarks``       ... any metric by random sets of queries; ``bourgain`` its theorem
``exact``           ... categories and trees, without loss; ``categories`` releases them
``composed``        ... Figure 2: embed (``proxy``), release, answer
``universe``        ... its plain rivals on a finite list of points
==================  ==================================================================
"""
