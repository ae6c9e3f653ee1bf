"""The front door: one function for each mechanism, in the reader's units.

What a caller sees stands at the top, as ``dpviz.mean`` and so on; this is where it is made.

==============  ================================================================
``frames``      private tables, public places and bounds, from arrays and frames
``sources``     records that are read piece by piece; ``readings`` records in memory or not;
                ``checkpoints`` keeps the finished pieces of a pass
``payment``     the curator of the front door, and who pays for what
``terms``       what is promised before anything is paid, and results; the mechanism of the least
                proved error is taken, paid and released
``means``       ``mean``
``distances``   ``distances``, in the l1 metric; ``other_metrics`` in others
``names``       ``sparse_counts``, ``sparse_queries``; ``sparse_methods`` has the ways of the latter
``linear``      ``linear_queries``
``balls``       ``one_cluster``, ``clusters``
``summaries``   ``smooth_summary``
``audits``      ``audit``
``runs``        pays a plan and releases it; ``run_command`` is ``dpviz run`` and ``dpviz ledger``,
                ``plans`` and ``table_file`` read plans and tables
==============  ================================================================
"""
