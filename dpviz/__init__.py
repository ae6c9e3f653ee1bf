"""dpviz: how to answer very many questions about private data.

Each function takes an array or a frame, public bounds in the unit of the data, and a budget:
epsilon (and delta), or curator=. It gives a frozen result that prints itself.

    mean             the mean of a column;  means: of many columns at once
    distances        average distances from every place, in l1 or another metric
    sparse_counts    counts of names, of a universe that nobody can list
    sparse_queries   shares of records that carry one of a few names
    linear_queries   sums over sets of cells of a table of counts
    one_cluster      a small ball that holds t records;  clusters: several
    smooth_summary   one summary for kernels and for means of smooth functions
    audit            is it private? a lower bound of epsilon from outputs alone
    pieces           records that do not fit into memory: files, iterators, Dask
    plan             from a question to a mechanism, its error, its n and the lines that run it
    promise          what a call would cost and prove, before anything is paid
    Curator          one budget for several calls; printed, its ledger

>>> import dpviz
>>> ages = [34, 51, 29, 47, 62, 38] * 500
>>> dpviz.mean(ages, bounds=(0, 100), epsilon=1, rng=7)
mean of column 0: 43.4
  records  3,000: column 0 in [0, 100], clipped to these bounds
  proved   off by at most 0.0999 (unit of column 0), with probability 95%
  cost     epsilon 1; neighbours differ in one replaced record
  ledger   spent epsilon 1 of epsilon 1

Not for production: noise is floating point, unless Curator(noise="opendp") draws it.
Below stand the rooms: `planner`, `door`, `papers`, `comparison`, `privacy`, `accounting`, `audit`,
`data`, `sweeps`, `checks`; of the lessons `lessons`, `drawing`, `instruments`, `exercises`,
`exams`, `pages`, `lesson`, `lab`, `student`, `words`, `theorems`, `experiments`, `files`,
`doors`.
"""

from typing import TYPE_CHECKING

from dpviz.doors import lazy

if TYPE_CHECKING:
    from dpviz.door.audits import audit as audit
    from dpviz.door.balls import clusters as clusters
    from dpviz.door.balls import one_cluster as one_cluster
    from dpviz.door.distances import distances as distances
    from dpviz.door.linear import linear_queries as linear_queries
    from dpviz.door.means import mean as mean
    from dpviz.door.means import means as means
    from dpviz.door.names import sparse_counts as sparse_counts
    from dpviz.door.names import sparse_queries as sparse_queries
    from dpviz.door.payment import Curator as Curator
    from dpviz.door.sources import pieces as pieces
    from dpviz.door.summaries import smooth_summary as smooth_summary
    from dpviz.door.terms import promise as promise
    from dpviz.planner.plans import plan as plan

__version__ = "1.0.0rc1"
__getattr__, __dir__, __all__ = lazy(
    "dpviz",
    {
        "door.means": "mean means",
        "door.distances": "distances",
        "door.names": "sparse_counts sparse_queries",
        "door.linear": "linear_queries",
        "door.balls": "one_cluster clusters",
        "door.summaries": "smooth_summary",
        "door.terms": "promise",
        "planner.plans": "plan",
        "door.sources": "pieces",
        "door.payment": "Curator",
        "door.audits": "audit",
    },
)
