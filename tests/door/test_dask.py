"""Records in the pieces of Dask: any order, workers and schedulers that die, nothing in a log."""

import functools
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pieced
import pytest
from pieced import BOX, NAMES, POINTS, fresh, released

import dpviz
from dpviz.door import checkpoints, sources

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
VERBS = pieced.ONE_PASS
SECRET = 7.318281828459045
CUTS = 8


def test_dask_in_this_process_gives_the_same_and_names_no_data():
    array = da.from_array(POINTS, chunks=(700, 1), name="taxis")
    verb = VERBS["signs"][1]
    assert np.array_equal(released(verb(array)), released(verb(POINTS)))
    parts = dict(enumerate(dpviz.pieces(array).parts))
    first, again = (sources._tasks(len, parts) for _ in range(2))
    assert {task.key for task in first.values()}.isdisjoint(task.key for task in again.values())
    for task in first.values():
        assert task.key.startswith("dpviz-sums-")


def test_bags_of_dask_hold_names():
    bag = pytest.importorskip("dask.bag").from_sequence(NAMES.tolist(), npartitions=5)
    counts = dpviz.sparse_counts(dpviz.pieces(bag), epsilon=1, rng=1)
    assert np.array_equal(released(counts), released(VERBS["counts"][1](NAMES)))


@pytest.fixture(scope="module")
def cluster():
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**how) as made, distributed.Client(made) as client:
        yield client


def late(block, block_id=None, folder=None):
    """A block that takes the longer, the earlier it is; with a folder the fourth is once deadly."""
    place = block_id[0]
    if folder is not None and place == 3 and not os.path.exists(f"{folder}/died"):
        with open(f"{folder}/died", "x"):
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.004 * (CUTS - place))
    return block


def pieces_of(data, client, **how):
    """The pieces of ``fresh`` as a Dask array."""
    lengths = tuple(len(part) for part in np.array_split(data, CUTS))
    array = da.from_array(data, chunks=(lengths, *data.shape[1:]))
    return dpviz.pieces(array.map_blocks(late, meta=data[:0], **how), client=client)


@functools.cache
def one_after_the_other(name):
    data, verb = pieced.EVERY[name]
    return released(verb(dpviz.pieces(fresh(data, CUTS))))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", pieced.quick(pieced.EVERY))
def test_two_workers_in_any_order_give_the_same_release(cluster, name):
    data, verb = pieced.EVERY[name]
    assert np.array_equal(released(verb(pieces_of(data, cluster))), one_after_the_other(name))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", pieced.quick(pieced.EVERY, "signs"))
def test_a_worker_that_is_killed_changes_no_release(cluster, name, tmp_path):
    data, verb = pieced.EVERY[name]
    found = verb(pieces_of(data, cluster, folder=str(tmp_path)))
    assert (tmp_path / "died").exists()
    assert np.array_equal(released(found), one_after_the_other(name))
    cluster.wait_for_workers(2)


@pytest.mark.filterwarnings("ignore")
def test_a_worker_logs_no_record_of_a_bad_piece_and_sees_no_data_in_names(cluster):
    rows = POINTS.copy()
    rows[3000] = [SECRET, np.nan]
    array = da.from_array(rows, chunks=(500, 2), name="bad")
    with pytest.raises(ValueError, match="finite") as met:
        dpviz.distances(dpviz.pieces(array, client=cluster), **BOX, epsilon=1)
    assert "7.318" not in str(met.value)
    lines = [line for log in cluster.get_worker_logs().values() for line in log]
    lines += list(cluster.get_scheduler_logs())
    assert not any("7.318" in str(line) or "Compute Failed" in str(line) for line in lines)


@pytest.mark.filterwarnings("ignore")
def test_an_error_of_the_program_that_makes_the_pieces_shows_nothing(cluster):

    def fails(block):
        raise ValueError(f"{block[0, 0]}")

    array = da.from_array(POINTS, chunks=(500, 2), name="fails").map_blocks(fails, dtype=float)
    with pytest.raises(ValueError, match="could not be computed: ValueError"):
        dpviz.distances(dpviz.pieces(array, client=cluster), **BOX, epsilon=1)


SCHEDULER = """
import time, distributed
how = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
cluster = distributed.LocalCluster(processes=False, protocol="tcp", **how)
print(cluster.scheduler_address, flush=True)
time.sleep(60)
"""


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_dies_in_mid_pass_is_one_sentence(tmp_path, monkeypatch):
    """Nothing is charged, and the same call goes on from the pieces that were finished."""
    scheduler = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, text=True
    )
    keep = checkpoints.Checkpoint.keep

    def kept(self, sums, done, **how):
        if len(done) == 5:
            scheduler.kill()
        keep(self, sums, done, **how)

    monkeypatch.setattr(checkpoints.Checkpoint, "keep", kept)
    curator = dpviz.Curator(epsilon=1, delta=1e-6, rng=1)
    array = da.from_array(POINTS, chunks=(100, 2))

    def call(client):
        source = dpviz.pieces(array, client=client, checkpoint=tmp_path / "sums")
        return dpviz.distances(source, **BOX, epsilon=1, delta=1e-6, curator=curator)

    try:
        address = scheduler.stdout.readline().strip()
        refused = pytest.raises(ConnectionError, match="the scheduler went away")
        with distributed.Client(address) as client, refused as met:
            call(client)
    finally:
        scheduler.kill()
        scheduler.communicate()
    assert met.value.__cause__ is None
    assert not curator.ledger.charges
    with np.load(tmp_path / "sums") as stored:
        assert 5 <= len(stored["done"]) < 50
    assert np.array_equal(released(call(None)), released(VERBS["signs"][1](POINTS)))
