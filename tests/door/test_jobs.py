"""Ten jobs, a line each: on arrays and frames, in any unit, they are the papers' modules."""

import jobs
import numpy as np
import pytest


def test_ten_jobs_are_few_lines_and_few_concepts():
    assert len(jobs.LINES) == 10
    assert jobs.lines() <= 14
    assert len(jobs.concepts()) <= 30, sorted(jobs.concepts())


@pytest.mark.parametrize("unit", [jobs.PLAIN, jobs.ODD], ids=["plain", "odd"])
@pytest.mark.parametrize("job", jobs.LINES)
def test_a_job_gives_what_the_papers_module_gives_bit_for_bit(job, unit):
    """The calls have the same shapes, so a product has the same bits on any BLAS."""
    assert np.array_equal(jobs.run(job, jobs.variables(unit)), jobs.by_papers(unit)[job]())


def in_plain_unit(job, values):
    """Answers in the odd unit, brought back to the unit square."""
    if job == "mean":
        return (values - jobs.ODD.shift[0]) / jobs.ODD.scale[0]
    if job in ("cluster", "clusters"):
        return (values - jobs.ODD.shift) / jobs.ODD.scale
    return values / jobs.ODD.scale[0] if job in ("distances", "metric") else values


@pytest.mark.parametrize("job", jobs.LINES)
def test_another_unit_changes_the_unit_of_the_answer_and_nothing_else(job):
    """The same draws; 1e-9 is far above the rounding of a shift by 40,000 and below any noise."""
    plain = jobs.run(job, jobs.variables(jobs.PLAIN))
    odd = in_plain_unit(job, jobs.run(job, jobs.variables(jobs.ODD)))
    assert odd == pytest.approx(plain, rel=1e-9, abs=1e-9)


def as_frames(library, unit):
    """The same variables as frames of a library, with names; columns of places in another order."""
    frames = pytest.importorskip(library)
    given = jobs.variables(unit)
    points, places = given["points"], given["queries"]
    pairs = dict(zip(("age", "wage"), given["bounds"], strict=True))
    width = dict(zip(("age", "wage"), given["width"], strict=True))
    counted = {"party": ["a", "b", "c"], "voters": jobs.TABLE}
    return given | {
        "points": frames.DataFrame({"age": points[:, 0], "wage": points[:, 1]}),
        "column": frames.DataFrame({"age": points[:, 0]})["age"],
        "queries": frames.DataFrame({"wage": places[:, 1], "age": places[:, 0]}),
        "bounds": dict(reversed(pairs.items())),
        "width": dict(reversed(width.items())),
        "names": frames.DataFrame({"user": jobs.NAMES}),
        "table": frames.DataFrame(counted),
    }


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("unit", [jobs.PLAIN, jobs.ODD], ids=["plain", "odd"])
@pytest.mark.parametrize("job", jobs.LINES)
def test_a_frame_gives_what_an_array_gives_whatever_the_order_of_its_bounds(job, unit, library):
    given = as_frames(library, unit)
    assert np.array_equal(jobs.run(job, given), jobs.run(job, jobs.variables(unit)))
