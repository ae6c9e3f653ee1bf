"""The named experiments behind every stored figure: their calls, their stored trials.

==================  ===========================================================================
``experiment``      :class:`~dpviz.experiments.experiment.Experiment`: a name, what it shows, the
                    call, the journal of its trials, and one trial again
``registry``        all experiments by name
``command``         ``dpviz experiments``: list, plan, run again
``planning``        time and memory of a run, from a few of its trials
``distance``        every method for distance queries; which grower a bottle resembles
``embedding``       metric spaces, the distortion of one embedding, Theorem 10 over n
``sparse``          private multiplicative weights with a sparse domain, and its baselines
``smooth``          smooth queries: the trade-off of bias and noise, and the errors over n
``cluster``         the 1-cluster problem on a planted ball; a public projection of the digits
``fat_shattering``  reconstruction attacks, and the release from small databases
==================  ===========================================================================
"""
