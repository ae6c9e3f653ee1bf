"""The named experiments behind every stored figure: their calls, their stored trials.

Beside them stands what an explorer computes anew at each move; the views only draw it.

==================  ===========================================================================
``experiment``      :class:`~dpviz.experiments.experiment.Experiment`: a name, what it shows, the
                    call, the journal of its trials, and one trial again
``registry``        all experiments by name
``command``         ``dpviz experiments``: list, plan (time and memory), run again
``learner``         one run of the convex learner, and mistakes over many runs
``distance``        every method for distance queries; one column; which grower a bottle resembles
``embedding``       metric spaces, the distortion of one embedding, Theorem 10 over n
``sparse``          private multiplicative weights with a sparse domain, and its baselines; one run
``smooth``          smooth queries: the trade-off of bias and noise, and the errors over n
``cluster``         the 1-cluster problem on a planted ball; one search of rows made up or real
``fat_shattering``  reconstruction attacks, and the release from small databases
``mechanisms``      one interface over all mechanisms that can answer a kind of query
``compare``         all of them over n, d, k and epsilon, and on the clinic's records
``costs``           time and memory of one run beside reading the table
``calculator``      ``smallest_n``, ``smallest_epsilon``: proved, as the paper has it, measured
``guide``           who has clearly the smallest error where, read off the stored trials
``selection``       the best of several runs, and a parameter, chosen privately
``own_table``       ``dpviz compare``: which mechanisms fit a table of yours
``table_file``      a private table and its public bounds from CSV files
``smallest``        the measured smallest n, and fresh trials below and above it
==================  ===========================================================================
"""


def __getattr__(name: str):
    """The calculator's two functions, so that no other part is loaded before it is used."""
    if name in ("smallest_n", "smallest_epsilon"):
        from dpviz.experiments import calculator

        return getattr(calculator, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
