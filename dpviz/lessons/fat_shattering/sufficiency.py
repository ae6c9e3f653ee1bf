"""The dimension is necessary and sufficient: errors between two bounds; learning by a release."""

from __future__ import annotations

import math

import numpy as np

from dpviz.drawing import style
from dpviz.drawing.errors import ErrorAxes, Line, Vacuous, linear, log, measured, trials_said
from dpviz.drawing.stills import still
from dpviz.drawing.style import Figure
from dpviz.lessons.fat_shattering import experiments
from dpviz.papers.fat_shattering import (
    classes,
    lower_bounds,
    net_mechanism,
    regression_learner,
    small_databases,
)
from dpviz.sweeps.sweep import Sweep


def least_error(params: net_mechanism.Params, dimension: int) -> float:
    """The lower bound of Theorem 2 for all subsets of at most ``dimension`` cells, in people, with
    as many people for each point as make it largest; 0 says nothing."""
    even = dimension // 2 * 2
    public = {"epsilon": params.epsilon, "beta": params.beta}
    tried = range(1, math.ceil(3 / params.epsilon)) if even else ()
    errors = (lower_bounds.lower_bound(0.5, even, copies=w, **public) for w in tried)
    return max(errors, default=0.0)


def proved(params: net_mechanism.Params, dimension: int, *, boolean: bool) -> float:
    """Theorem 5 with constants, from the dimension and the number of cells alone."""
    public = {"dimension": lambda gamma: dimension, "cells": experiments.WIDE}
    return net_mechanism.error_bound_dimension(params, boolean=boolean, **public)


def proved_by_rounding(params: net_mechanism.Params) -> float:
    """The bound that the mechanism has for any class on so few cells."""
    small = small_databases.Params(rows=params.rows)
    eta = small_databases.error_bound(small, queries=classes.subsets(experiments.WIDE))
    noise = net_mechanism.error_bound_noise(params, cells=experiments.WIDE)
    return eta * params.total + noise


def without_data(dimension: int) -> float:
    """Largest error of a uniform table."""
    people = experiments.many_people()
    class_ = classes.subsets(experiments.WIDE, at_most=dimension)
    return float(np.abs(class_ @ (people - people.mean())).max())


def _both_sides(sweep: Sweep) -> list[Line]:
    """From above: proved by the dimension, by Sauer, by rounding; measured twice; proved below."""
    d = np.array(sweep.axes["dimension"])
    params = experiments.BY_DIMENSION.params
    by_sauer, by_fat = (
        np.array([proved(params, int(i), boolean=boolean) for i in d]) for boolean in (True, False)
    )
    rounding = np.full(len(d), proved_by_rounding(params))
    lower = np.array([least_error(params, int(i)) or np.nan for i in d])
    return [
        Line("by fat-shattering,\nproved", "bound", d, by_fat),
        Line("by Sauer", "bound", d, by_sauer, smooth=True),
        Line("by rounding", "bound", d, rounding, smooth=True),
        measured("net mechanism", "released", d, sweep["error"]),
        measured("Laplace\nhistogram", "baseline", d, sweep["histogram_error"]),
        Line("any private\nanswer: at least", "bound", d, lower),
    ]


@still
def figure_sufficiency(sweep: Sweep, mode: str = "notebook") -> Figure:
    """Error against the dimension: both bounds, and what was measured between them.

    Parameters
    ----------
    sweep : over ``dimension``, as `experiments.BY_DIMENSION`
    """
    lines = _both_sides(sweep)
    by_fat, by_sauer, rounding, ours, _, lower = (line.y for line in lines)
    blind = max(without_data(int(i)) for i in sweep.axes["dimension"])
    axes = ErrorAxes(
        linear("fat-shattering dimension", 0.7, 6.3, list(range(1, 7))),
        log("largest error, people", 0.08, 6e4),
        Vacuous(blind, "a uniform table does as well", side="left"),
    )
    return axes.figure(
        "The dimension bounds the error from both sides",
        f"{style.number(experiments.BY_DIMENSION.params.total)} people, {experiments.WIDE} cells, "
        f"ε = {style.number(experiments.BY_DIMENSION.params.epsilon)}, β = 0.05; "
        f"{trials_said(sweep.repeats, 'releases')}",
        lines,
        alt=f"Error in people, log scale, against dimension 1 to 6. Lower bound from "
        f"{style.number(lower[1])} at 2; Laplace histogram; net mechanism "
        f"{style.number(ours[0])} to {style.number(ours[-1])}; proved by rounding "
        f"{style.number(rounding[0])}, by Sauer {style.number(by_sauer[-1])}, by the "
        f"fat-shattering dimension {style.number(by_fat[-1])}.",
        mode=mode,
    )


def _learners(sweep: Sweep) -> list[Line]:
    """Proved, the stated rate, and measured with and without privacy."""
    n = np.array(sweep.axes["n"], dtype=float)
    params = experiments.LEARNT_BY_PEOPLE.params
    rate = [regression_learner.paper_rate(params, n=int(m), dimension=params.cells) for m in n]
    return [
        Line("proved bound", "bound", n, sweep["bound"][:, 0]),
        Line("stated rate", "rate", n, rate, smooth=True),
        measured("private", "released", n, sweep["excess"]),
        measured("not private", "baseline", n, sweep["nonprivate"]),
    ]


@still
def figure_regression(sweep: Sweep, mode: str = "notebook") -> Figure:
    """Excess loss of a private real-valued learner against the number of people.

    Parameters
    ----------
    sweep : over ``n``, as `experiments.LEARNT_BY_PEOPLE`
    """
    lines = _learners(sweep)
    bound, _, private, other = (line.y for line in lines)
    n = lines[0].x
    fitted = sweep.slope("excess", rng=0)
    constant = float(sweep["constant"][0, 0])
    axes = ErrorAxes(
        log("n, people", n[0] * 0.8, n[-1] * 1.25),
        log("squared loss above the least", 1e-6, 20),
        Vacuous(constant, "½ everywhere does as well"),
    )
    return axes.figure(
        "Rounding, not privacy, limits the learner at last",
        f"non-decreasing functions of dimension {experiments.LEARNT_BY_PEOPLE.params.cells}, "
        f"ε = 1; {trials_said(sweep.repeats, 'samples')}; β = 0.05",
        lines,
        alt=f"Excess squared loss against people, {style.number(n[0])} to {style.number(n[-1])}, "
        f"log-log. Private {style.number(private[0])} to {style.number(private[-1])}, slope "
        f"{style.fixed(fitted.value)} {style.interval(fitted.low, fitted.high)}, stated rate "
        f"−1/3; not private {style.number(other[0])} to {style.number(other[-1])}; a constant "
        f"{style.number(constant)}; proved bound {style.number(bound[-1])} at the end.",
        mode=mode,
    )
