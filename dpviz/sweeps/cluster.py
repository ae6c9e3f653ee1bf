"""A Dask cluster for a sweep: connecting to one that runs, on a laptop or under SLURM.

On one machine, ``dask scheduler`` and, in other terminals, ``dask worker tcp://127.0.0.1:8786
--nworkers 2 --nthreads 1`` make a cluster. Under SLURM the package dask-jobqueue, which dpviz does
not ask for, submits the workers as jobs::

    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(
        cores=16, processes=16, memory="32GB", walltime="04:00:00",
        job_script_prologue=["export OMP_NUM_THREADS=1"],
    )
    cluster.scale(jobs=8)  # 128 workers, as they get their turn
    print(cluster.scheduler_address)  # for --scheduler, while this session lives

Then ``dpviz experiments distance_slopes --trials 4000 --out slopes.jsonl --scheduler ADDRESS``,
with the same dpviz installed where the workers run. Jobs that end at their walltime lose nothing
that had finished: their trials go to other workers, and workers that start later are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dpviz import __version__

if TYPE_CHECKING:
    from distributed import Client

SECONDS = 10.0  # in which a scheduler must answer


@contextmanager
def connect(address: str, *, timeout: float | None = None) -> Iterator[Client]:
    """A client of the Dask scheduler at an address such as "tcp://127.0.0.1:8786".

    ``sweep(..., executor=client.get_executor())`` runs there.

    A scheduler must answer within ``timeout`` seconds, or SECONDS.

    Raises ValueError if ``distributed`` is not installed, no scheduler answers in time, or a worker
    there has another version of dpviz.
    """
    timeout = SECONDS if timeout is None else timeout
    try:
        from distributed import Client
    except ImportError as missing:
        raise ValueError(
            "a scheduler needs the package distributed: pip install distributed"
        ) from missing
    try:
        _reach(address, timeout)
        client = Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError) as problem:
        words = f"no Dask scheduler answered at {address!r} within {timeout:g} s"
        raise ValueError(words) from problem
    with client:
        if other := sorted(set(client.run(version).values()) - {__version__}):
            raise ValueError(f"workers there have dpviz {', '.join(other)}, this is {__version__}")
        yield client


def _reach(address: str, timeout: float) -> None:
    """That a scheduler answers there: a client would wait much longer for one that is mute."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed import Security
    from distributed.comm import connect as call

    async def reach() -> None:
        secured = Security().get_connection_args("client")
        comm = await asyncio.wait_for(call(address, timeout=timeout, **secured), timeout)
        await comm.close()

    with ThreadPoolExecutor(1) as pool:  # a loop of its own: a notebook's is running
        pool.submit(asyncio.run, reach()).result()


def version() -> str:
    """The version of dpviz where this runs."""
    return __version__
