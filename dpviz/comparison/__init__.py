"""All mechanisms that can answer a kind of query, side by side: which one, and from which n.

================  ==================================================================================
``mechanisms``    one interface over all mechanisms that can answer a kind of query
``alternatives``  mechanisms from elsewhere that a paper's has to beat
``experiments``   all of them over n, d, k and epsilon, and on the clinic's records
``smallest``      the measured smallest n, and fresh trials below and above it
``calculator``    ``smallest_n``, ``smallest_epsilon``: proved, as the paper has it, measured
``costs``         time and memory of one run beside reading the table
``guide``         who leads where, read off the stored trials, and where a winner is named
``selection``     the best of several runs, and a parameter, chosen privately
================  ==================================================================================
"""

from dpviz.doors import lazy

__getattr__, __dir__, __all__ = lazy(__name__, {"calculator": "smallest_n smallest_epsilon"})
