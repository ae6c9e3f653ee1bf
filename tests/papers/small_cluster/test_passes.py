"""The solver by passes: the same scores as in memory, the same ball without noise."""

from dataclasses import replace
from functools import partial
from itertools import repeat

import numpy as np
import pytest

from dpviz.door import readings, sources
from dpviz.papers.small_cluster import one_cluster, passes, several_clusters
from dpviz.papers.small_cluster.good_center import box_scores
from dpviz.papers.small_cluster.planted import plant
from dpviz.privacy.curator import Curator
from dpviz.privacy.pieces import gathered

PARAMS = one_cluster.Params(t=900, d=3, epsilon=1, delta=1e-6, shifts=5, seed=3, lower=0, upper=1)
DATA = plant(4000, 1000, 3, 0.05, rng=1).within(PARAMS.box).data


class Noiseless(Curator):
    """The most likely choice, and sums without noise."""

    def _reply(self, question, draw):
        self._pay(question.charge)
        private = question.private
        if question.charge.verb == "heaviest_cell":
            return heaviest(private)
        if question.charge.verb == "choose":
            return int(np.argmax(private))
        return np.asarray(private)


def heaviest(private):
    """The fullest cell, and how many it holds; of two the one with the lesser key."""
    if hasattr(private, "places"):
        best = int(np.argmax(private.counts))
        return int(private.places[best]), float(private.counts[best])
    private = [key for key in private if key is not None]
    keys, counts = np.unique(np.array(private), return_counts=True)
    best = keys[np.argmax(counts)]
    return next(key for key in private if key == best), float(counts.max())


def in_pieces(data, cuts, seen=None):
    """Passes over so many pieces, in another order at each pass."""
    parts = np.array_split(data, cuts)
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    rng = np.random.default_rng(0)

    def scan(statistic):
        order = rng.permutation(cuts)
        if seen is not None:
            seen.append(statistic.func.__name__)
        return gathered(statistic(parts[i], starts[i]) for i in order if len(parts[i]))

    return passes.Passes(n=len(data), scan=scan)


@pytest.mark.parametrize("cuts", [1, 5, 40])
@pytest.mark.parametrize("sample", [500, 10_000])
def test_without_noise_the_ball_is_that_of_memory(cuts, sample):
    params = replace(PARAMS, sample=sample, epsilon=4.0)
    budget = {"epsilon": 4.0, "delta": 1e-6, "rng": 1}
    whole = one_cluster.release(DATA, params, Noiseless(**budget))
    parted = passes.release(in_pieces(DATA, cuts), params, Noiseless(**budget))[0]
    assert whole.found
    assert (parted.z, parted.side, parted.radius) == (whole.z, whole.side, whole.radius)
    assert parted.holds == whole.holds
    assert parted.box == pytest.approx(whole.box, rel=0, abs=1e-15)
    assert parted.means == pytest.approx(whole.means, rel=0, abs=1e-12)


def test_without_noise_several_balls_are_those_of_memory():
    params = replace(PARAMS, epsilon=6.0, runs=2)
    data = np.concatenate([DATA, plant(2000, 1000, 3, 0.05, rng=5).within(PARAMS.box).data])
    budget = {"epsilon": 6.0, "delta": 1e-6, "rng": 1}
    whole = several_clusters.release(data, params, Noiseless(**budget))
    parted = passes.release(in_pieces(data, 7), params, Noiseless(**budget))
    assert [ball.found for ball in whole] == [True, True]
    assert np.linalg.norm(whole[0].center - whole[1].center) > whole[0].radius
    for ours, theirs in zip(parted, whole, strict=True):
        assert (ours.z, ours.side, ours.radius) == (theirs.z, theirs.side, theirs.radius)
        assert ours.means == pytest.approx(theirs.means, rel=0, abs=1e-12)
    assert np.isnan(parted[1].holds)


def repeated(rows, times, params, curator):
    """One run over a source that gives the same rows so many times; the sample is that of once."""
    places = np.arange(len(rows))
    public_rng = np.random.default_rng(params.seed)
    if len(rows) > params.sample:
        places = np.sort(public_rng.choice(len(rows), params.sample, replace=False))
    sample = one_cluster.admit(rows, params)[places]
    data = readings.passes(readings.table("rows", sources.pieces(lambda: repeat(rows, times))))
    assert data.n == times * len(rows)
    params = replace(params, t=times * params.t)
    payer = one_cluster.sub_curator_for(params, curator)
    left = passes.Passes(n=data.n, scan=partial(passes._left, data, params, ()))
    found = passes._locate(left, sample, params, payer, public_rng)
    return one_cluster.in_data_units(found, params)


@pytest.mark.parametrize(
    ("n", "t"), [(5000, 900), pytest.param(10**6, 150_000, marks=pytest.mark.slow)]
)
def test_a_hundred_times_the_records_have_the_same_ball(n, t):
    """Without noise, from the same public sample: all that is compared grows a hundredfold."""
    params = replace(PARAMS, t=t, sample=2000, shifts=30 if n < 10**6 else 10, epsilon=50.0)
    rows = plant(n, t + n // 50, 3, 0.05, rng=1).within(PARAMS.box).data
    budget = {"epsilon": 50.0, "delta": 1e-6, "rng": 1}
    once = one_cluster.release(rows, params, Noiseless(**budget))
    often = repeated(rows, 100, params, Noiseless(**budget))
    assert once.found
    assert (often.z, often.side, often.radius) == (once.z, once.side, once.radius)
    assert often.center == pytest.approx(once.center, rel=0, abs=1e-12)
    assert np.array_equal(often.box, once.box)


def test_scores_of_grids_are_those_of_memory():
    points = one_cluster.admit(DATA, PARAMS) / (PARAMS.size - 1)
    rng = np.random.default_rng(2)
    sides, shifts = np.array([0.04, 0.3]), rng.uniform(size=(2, 3, 3))
    grids = [(side, shift) for side, some in zip(sides, shifts, strict=True) for shift in some]
    sums = gathered(passes._by_box(part, 0, PARAMS, grids) for part in np.array_split(DATA, 7))
    assert (passes._heaviest(sums, grids, 3) == box_scores(points, sides, shifts).ravel()).all()


def test_it_reads_as_often_as_it_has_steps():
    seen = []
    passes.release(in_pieces(DATA, 3, seen), PARAMS, PARAMS.curator(rng=1))
    assert seen == ["_sample_rows", "_by_box", "_by_box", *["ball_rows"] * 3, "_by_radius"]


def test_grids_of_too_many_boxes_are_not_laid(monkeypatch):
    curator = PARAMS.curator(rng=1)
    monkeypatch.setattr(passes, "BOXES", 10)
    found = passes.release(in_pieces(DATA, 3), PARAMS, curator)[0]
    assert (found.failed, np.isnan(found.side)) == ("box", True)
    assert curator.ledger.spent.epsilon == 1
    one = one_cluster.release(DATA, PARAMS, PARAMS.curator(rng=1))
    monkeypatch.setattr(passes, "BOXES", passes._boxes(one.z, 3) - 1)
    fewer = passes.release(in_pieces(DATA, 3), PARAMS, PARAMS.curator(rng=1))[0]
    assert fewer.side > one.z


@pytest.mark.parametrize("t", [5000, 20])
def test_what_cannot_work_is_refused_before_it_is_read_or_paid(t):
    params = one_cluster.Params(t=t, d=3, epsilon=1, delta=1e-6, lower=0, upper=1)
    curator = params.curator(rng=1)
    seen = []
    with pytest.raises(ValueError, match="t "):
        passes.release(in_pieces(DATA, 3, seen), params, curator)
    assert (seen, curator.ledger.charges) == ([], ())


def test_many_batches_of_grids_give_the_same(monkeypatch):
    whole = passes.release(in_pieces(DATA, 3), PARAMS, PARAMS.curator(rng=1))[0]
    monkeypatch.setattr(passes, "TABLE", 500)
    seen = []
    parted = passes.release(in_pieces(DATA, 3, seen), PARAMS, PARAMS.curator(rng=1))[0]
    assert seen.count("_by_box") > 3
    assert (parted.center == whole.center).all()
