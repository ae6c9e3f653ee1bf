"""The named experiments: each journal belongs to its call, and its trials come out again."""

from dataclasses import replace

import pytest

from dpviz.lessons.distance import experiments
from dpviz.lessons.fat_shattering.experiments import patients
from dpviz.lessons.registry import EXPERIMENTS, find
from dpviz.sweeps import journal
from dpviz.sweeps.experiment import Experiment

CHEAP = [name for name in EXPERIMENTS if name.startswith(("fat", "smooth"))]


@pytest.fixture(params=EXPERIMENTS)
def experiment(request):
    return EXPERIMENTS[request.param]


def test_the_journal_is_that_of_the_call(experiment):
    """So a longer run continues it; another name, seed or parameter is seen."""
    assert experiment.stored().header["experiment"] == experiment.name
    assert experiment.missing(experiment.file) == []
    for change in ({"name": "other"}, {"rng": experiment.rng + 1}):
        with pytest.raises(ValueError, match="holds another sweep"):
            replace(experiment, **change).missing(experiment.file)


def again(experiment: Experiment, index: int, differences) -> list[str]:
    """Fields in which one trial run again differs from the journal."""
    stored = experiment.stored().values
    there = {field: values.ravel()[index] for field, values in stored.items()}
    return differences(experiment.once(index), there, stored)


def test_the_first_trial_comes_out_again(experiment, differences):
    """Its stream hangs on the seed and on its place in the whole grid."""
    assert again(experiment, 0, differences) == []
    assert again(experiment, 1, differences) == []


@pytest.mark.parametrize("name", CHEAP)
def test_trials_at_the_end_come_out_again(name, differences):
    experiment = EXPERIMENTS[name]
    last = next(iter(experiment.stored().values.values())).size - 1
    for index in (last // 2, last):
        assert again(experiment, index, differences) == []


def test_a_trial_at_another_place_is_another_trial(differences):
    experiment = find("smooth_errors")
    stored = {field: values.ravel()[1] for field, values in experiment.stored().values.items()}
    assert differences(experiment.once(0), stored, experiment.stored().values)


def test_a_short_run_is_the_beginning_of_the_stored_one(tmp_path):
    experiment = find("fat_decoded")
    grid = {"method": ["least squares"], "ratio": [2], "noise": [0.02]}
    few = Experiment(**{**vars(experiment), "grid": grid, "repeats": 3})
    found = few.run(file=tmp_path / "few.jsonl")["recovered"].ravel()
    assert list(found) == list(experiment.stored()["recovered"].ravel()[:3])


def test_every_journal_has_a_name_and_every_experiment_says_what_it_shows():
    folders = {experiment.folder for experiment in EXPERIMENTS.values()}
    names = [path.stem for folder in folders for path in folder.glob("*.jsonl")]
    assert sorted(names) == sorted(EXPERIMENTS)
    for experiment in EXPERIMENTS.values():
        assert {"seconds", "sha256"} <= journal.first_line(experiment.file).keys()
        assert experiment.shows.endswith(".") and len(experiment.shows) < 100


def test_an_unknown_name_is_refused_with_the_list_of_all():
    with pytest.raises(ValueError, match=r"cluster_planted.*not 'planted'"):
        find("planted")


def test_the_patients_are_those_of_the_lesson():
    assert (len(patients()), patients().sum()) == (64, 22)
    assert len(patients(256)) == 256


def test_no_newcomer_stands_in_an_archive():
    rows, _, folds = experiments.bottles()
    for fold in range(experiments.FOLDS):
        archives = experiments.archives(fold)
        assert sum(map(len, archives)) + (folds == fold).sum() == len(rows) == 178
    assert sorted(experiments.ORDER) == list(range(13))
