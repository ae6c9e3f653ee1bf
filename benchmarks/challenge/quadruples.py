"""The densest window of each four columns: an example of a rival that is added."""

from dpviz.comparison.alternatives import column_groups
from dpviz.comparison.mechanisms.task import Instance, Mechanism, Task
from dpviz.privacy.curator import Curator

KIND = "cluster"


def params(task: Task) -> column_groups.Params:
    """Groups of four."""
    return column_groups.Params(d=task.d, size=4)


def run(task: Task, instance: Instance, curator: Curator) -> object:
    """The centre."""
    return column_groups.release(instance.data, params(task), curator)


MECHANISM = Mechanism(
    key="quadruples",
    name="quadruples of columns",
    origin="other",
    cannot="see what no four columns show",
    params=params,
    run=run,
    tuned="public data of another seed",
    zcdp=True,
)
