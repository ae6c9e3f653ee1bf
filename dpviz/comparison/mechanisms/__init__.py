"""Which mechanism can answer which kind of query: one interface over all that the papers hold.

============  ==============================================================================
``task``      the protocol: a ``Task``, an instance, a ``Mechanism``, its ``Outcome``, a ``Kind``
``noise``     noise on each answer, by the joint sensitivity of public questions
``distance``  average l1 distances
``sparse``    shares of records whose name is on a list
``smooth``    means of Gaussian kernels
``cluster``   where many records stand close together
``linear``    shares of records in a set of a few cells
``kinds``     the five kinds by name; one trial of all mechanisms of a kind
============  ==============================================================================
"""
