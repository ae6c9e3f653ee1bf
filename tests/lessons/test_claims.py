"""Pictures are claims: labels, axes, bands and numbers are read back and held against results.

What is drawn is read from the artists, and what it should be is computed here again in a few
lines. The start of every explorer is held against the picture stored in its lesson, too; nbval
does that for every other picture (`tests/notebooks/pictured.py`). Each explorer is led once through
its start, every preset and each control at both ends, and the eye of `test_eye` looks at it there:
at the start in every size, elsewhere the sizes take turns (`every`).
"""

import ast
import functools
import importlib
import importlib.util
import itertools
import json
import math
import pkgutil
import re
import sys
from dataclasses import dataclass
from math import comb
from pathlib import Path

import every
import eye
import numpy as np
import pictures
import pytest

from dpviz import lessons
from dpviz.drawing import errors
from dpviz.drawing.live import Live
from dpviz.drawing.style import MODES, letters, number
from dpviz.instruments.explorer import Explorer
from dpviz.lessons import fat_shattering
from dpviz.lessons.cluster import toy
from dpviz.lessons.compare import plans
from dpviz.lessons.distance.experiments import BUDGETS
from dpviz.lessons.fat_shattering.experiments import DECODED
from dpviz.lessons.privacy.figures import figure_trade_off
from dpviz.papers.distance_queries.mechanism import l1
from dpviz.papers.small_cluster import radius_then_center


def load(name):
    """A module that stands beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


claims = load("claims")

FOLDERS = [module.name for module in pkgutil.iter_modules(lessons.__path__) if module.ispkg]
MAKERS = {
    f"{folder}.{name}": getattr(lesson, name)
    for folder in FOLDERS
    for lesson in [importlib.import_module(f"dpviz.lessons.{folder}")]
    for name in lesson.__all__
    if name.startswith("explore_")
}
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
TWO_DIGITS = 0.051  # two significant digits are at most 5 % off


# What a picture says it shows, and how that is counted in it: words of title, subtitle or
# sentence, the mark's name or colour, and what else has that colour.
COUNTS = {
    "cluster.explore_line": [(r"of (\d+) records lie", {"mark": "record", "kind": "circle"})],
    "embedding.explore_towns": [(r"(\d+) towns", {"mark": "town", "kind": "circle"})],
    "learner.explore_bottles": [(r"(\d+) bottles", {"mark": "bottle", "kind": "circle"})],
    "learner.explore_learner": [
        (r"with (\d+) mistakes(?! \(all)|drawn: (\d+)", {"mark": "event line2d 1.0"})
    ],
    "distance.explore_curve": [(r"queries (\d+) caused", {"mark": "event line2d 1.0"})],
    "smooth.explore_kernel": [(r"over (\d+) records", {"mark": "record", "kind": "circle"})],
    "sparse.explore_online": [
        (r": (\d+) guess", {"role": "released", "kind": "circle"}),
        (r", (\d+) measured", {"mark": "event line2d 1.0"}),
    ],
}


@dataclass(frozen=True)
class Named:
    """An explorer, its name, and what it showed when it was made."""

    key: str
    explorer: Explorer
    still: tuple


@pytest.fixture(scope="module", params=MAKERS, ids=str)
def named(request):
    explorer = MAKERS[request.param]()
    return Named(request.param, explorer, explorer.still())


def settings(explorer):
    """The start, every preset, and each control at both ends, each once."""
    start = {name: control.start for name, control in explorer.controls.items()}
    told = [start, *explorer.presets.values()]
    for name, control in explorer.controls.items():
        told += [{**start, name: control.values[0]}, {**start, name: control.values[-1]}]
    return [setting for i, setting in enumerate(told) if setting not in told[:i]]


@dataclass(frozen=True)
class Scene:
    """What an explorer shows at one setting, which of its controls act, and what is wrong."""

    setting: dict
    seen: tuple  # picture, sentence, table
    values: dict
    result: object
    title: str
    subtitle: str
    acting: list
    faults: list


@pytest.fixture(scope="module")
def scenes(named, layout_problems):
    """One scene for each setting."""
    key, explorer = named.key, named.explorer
    lives = {mode: Live(explorer.screen.view, mode) for mode in MODES if mode != "notebook"}
    shown = []
    for i, setting in enumerate(settings(explorer)):
        explorer.set(**setting)
        result, figure = explorer.screen.result, explorer.screen._live.figure
        sizes = every.in_turn(list(MODES), i) if i else list(MODES)
        drawn = {
            mode: lives[mode].svg(result) if mode in lives else explorer.screen.picture
            for mode in sizes
        }
        faults = [explorer.problem] * bool(explorer.problem)
        if not agrees(explorer):
            faults.append("computed by itself, it is another result")
        for mode, svg in drawn.items():
            found = [*eye.faults(svg, mode), *miscounted(key, svg)]
            faults += [f"{mode}: {fault}" for fault in found]
        if not i:
            faults += touching(explorer, layout_problems)
        words = [claims.headline(figure, which) for which in ("title", "subtitle")]
        if letters(words[0]) > MODES["projector"].title_length:
            faults.append(f"projector: no room for the title {words[0]}")
        acting = [name for name in explorer.controls if explorer.acts(name)]
        seen = (explorer.screen.picture, explorer.screen.sentence, explorer.screen.table)
        drawn_words = [text.words for text in eye.read(explorer.screen.picture).texts]
        faults += claims.odd(*seen[1:], *drawn_words)
        shown.append(Scene(setting, seen, explorer.values, result, *words, acting, faults))
    return shown


def touching(explorer, layout_problems):
    """What is wrong with the words of a still figure in two sizes."""
    for mode in ("notebook", "projector"):
        figure = explorer.screen.view.figure(explorer.screen.result, mode)
        yield from (f"still, {mode}: {fault}" for fault in layout_problems(figure))


def agrees(explorer):
    """What is shown is what compute says when it is called by itself."""
    result = explorer.compute(**explorer.values)
    view = explorer.screen.view
    same_table = list(view.table(result)) == list(view.table(explorer.screen.result))
    return same_table and view.say(result) == view.say(explorer.screen.result)


def miscounted(key, svg):
    """Numbers of marks that the words of a picture state and it does not have."""
    if key not in COUNTS:
        return
    picture = eye.read(svg)
    words = " ".join([re.sub(r"<[^>]*>", " ", svg), *(text.words for text in picture.texts)])
    for pattern, selected in COUNTS[key]:
        match = re.search(pattern, words)
        shown = picture.count(**selected)
        if match is None:
            yield f"nothing says {pattern}"
        elif int(next(filter(None, match.groups()))) != shown:
            yield f"{match[0]!r}, and {shown} are drawn"


def test_it_carries_a_still_picture_and_a_short_sentence(named):
    (data,), _ = named.still
    assert data["text/html"].startswith("<picture>")
    assert 40 < len(data["text/plain"].split("\n")[0]) <= 300


def test_every_control_at_its_ends_and_every_preset(scenes):
    """The eye finds nothing in both themes; at the start no words of a still touch."""
    assert {str(scene.values): scene.faults for scene in scenes if scene.faults} == {}


@pytest.mark.slow
def test_still_figures_are_whole_at_every_preset_and_with_each_control_at_both_ends(
    named, layout_problems
):
    """The eye looks at the same pictures as they are seen; a lesson stores a still of the start."""
    for setting in settings(named.explorer)[1:]:
        named.explorer.set(**setting)
        assert list(touching(named.explorer, layout_problems)) == [], setting


def test_each_preset_shows_something_else_than_the_one_before(named, scenes):
    presets = named.explorer.presets.values()
    seen = [next(scene.seen for scene in scenes if scene.setting == some) for some in presets]
    assert all(one != other for one, other in itertools.pairwise(seen))


def test_a_missing_mark_is_counted():
    explorer = MAKERS["learner.explore_bottles"]()
    svg = explorer.screen.picture
    assert list(miscounted("learner.explore_bottles", svg)) == []
    fewer = re.sub(r'<g data-mark="bottle:0"[^>]*>.*?</g>', "", svg, count=1)
    assert list(miscounted("learner.explore_bottles", fewer)) == ["'5 bottles', and 4 are drawn"]
    more = svg.replace("5 bottles", "6 bottles")
    assert list(miscounted("learner.explore_bottles", more)) == ["'6 bottles', and 5 are drawn"]


# What a result says of an argument where it is not what the control says, and why.
OTHERWISE = {
    ("distance.explore_curve", "composition"): lambda values: BUDGETS[values["composition"]],
    # Each of d learners answers for its share of the tolerated error.
    ("learner.explore_learner", "alpha"): lambda values: values["alpha"] / values["d"],
}


def expected(key, name, values):
    """What a result should say of a control."""
    return OTHERWISE.get((key, name), lambda values: values[name])(values)


def test_every_control_has_the_words_of_its_argument(named):
    """Exchanged labels are seen: what one argument may be called no other of the explorer may."""
    explorer = named.explorer
    for name, control in explorer.controls.items():
        assert control.label in claims.LABELS[name], (name, control.label)
        others = set().union(
            *(claims.LABELS[other] for other in explorer.controls if other != name)
        )
        assert control.label not in others - {"noise"}, (name, control.label)


def letters_of(explorer):
    """The letter of each control that has one."""
    return {claims.LETTERS[name]: name for name in explorer.controls if name in claims.LETTERS}


def test_every_control_acts_on_its_own_argument(named, scenes):
    """The result and the subtitle say the value that was set."""
    key, explorer = named.key, named.explorer
    letters = letters_of(explorer)
    for scene in scenes:
        values, acting = scene.values, scene.acting
        for name in acting:
            for said in claims.echoes(scene.result, name):
                assert said == expected(key, name, values), (values, name)
        for letter, said in claims.stated(scene.subtitle):
            name = letters.get(letter)
            if name in acting and not isinstance(values[name], str):
                true = expected(key, name, values)
                rounded = [claims.value(number(true, digits)) for digits in (2, 3)]
                assert said in rounded, (values, scene.subtitle)


def test_an_axis_is_named_after_what_it_shows(named):
    """Its ends are those of the control of that name, and what is set is marked on it."""
    key, explorer = named.key, named.explorer
    letters = {claims.LETTERS[name]: name for name in explorer.controls if name in claims.LETTERS}
    start = {name: control.start for name, control in explorer.controls.items()}
    for axis, which in [
        (i, w) for i in range(len(explorer.screen._live.figure.axes)) for w in (0, 1)
    ]:
        explorer.set(**start)
        ax = explorer.screen._live.figure.axes[axis]
        name = letters.get(claims.letter(claims.axis_titles(ax)[which]))
        if name is None:
            continue
        values = [value for value in explorer.controls[name].values if not isinstance(value, str)]
        low, high = sorted((ax.get_xlim, ax.get_ylim)[which]())
        assert max(low, values[0] / 3) <= values[0], (key, axis, which)
        assert values[-1] <= high <= 3 * values[-1], (key, axis, which)
        for value in (values[len(values) // 3], values[2 * len(values) // 3]):
            explorer.set(**{name: value})
            assert np.isclose(claims.marked(ax, which), value, rtol=1e-9).any(), (key, name, value)


# The numbers of a title in their order; a title may leave some out.
def shortest(values):
    """The ends of the shortest interval with four records."""
    at = sorted(place for (place,) in values["records"])
    best = min((at[i : i + 4] for i in range(6)), key=lambda some: some[-1] - some[0])
    return best[0], best[-1]


def most_changed(values):
    """By which factor a probability of nine public intervals changed, from the definition."""
    laws = []
    for records in (values["records"], toy.RECORDS):
        held = [sum(i <= 10 * at + 1e-9 < i + 2 for (at,) in records) for i in range(9)]
        weights = np.array([values["factor"] ** count for count in held])
        laws.append(weights / weights.sum())
    ratios = laws[0] / laws[1]
    return max(ratios.max(), 1 / ratios.min())


def promised(values):
    """t, and the most columns for which the theorem's condition holds, or that one fails."""
    enough = []
    for d in (1, 2, 5, 10):
        public = {"delta": 1e-6, "lower": 0, "upper": 1, "epsilon": values["epsilon"]}
        params = radius_then_center.Params(t=values["t"], d=d, **public)
        enough += [d] if radius_then_center.promised(params, 4 * values["t"]) else []
    return [values["t"], max(enough, default=1)]


def stretch(values):
    """Largest over smallest quotient, by turning the map under one line."""
    at, quotients = [complex(*town) for town in values["towns"]], []
    for i, first in enumerate(at):
        for second in at[:i]:
            turned = [
                (first - second) * np.exp(-1j * np.pi * k / values["lines"])
                for k in range(values["lines"])
            ]
            quotients.append(np.mean([abs(tie.real) for tie in turned]) / abs(first - second))
    return max(quotients) / min(quotients)


def databases(result, values):
    """How many fit, of how many: of answers as they are, so many ones and zeros may be wrong."""
    n = int(values["patients"].partition(",")[0])
    if "drawn" in values["patients"]:
        return int(result.fits.sum()), 2**n
    ones, off = int(result.secret.sum()), int(values["error"])
    few = [sum(comb(k, j) for j in range(min(off, k) + 1)) for k in (ones, n - ones)]
    return few[0] * few[1], 2**n


def widest(values):
    """The widest gap below the average distance: at a crossing of two tangents, or at an end."""
    at = np.array(values["bottles"])[:, 0]
    lines = []
    for place in sorted(place for (place,) in values["queries"]):
        slope = ((at <= place).sum() - (at > place).sum()) / len(at)
        lines.append((slope, np.mean(np.abs(at - place)) - slope * place))
    places = np.linspace(0, 1, 401)
    best = np.max([slope * places + start for slope, start in lines], axis=0)
    return (np.abs(at[:, None] - places).mean(axis=0) - np.maximum(best, 0)).max()


def under(values):
    """The true average of the kernel; without records and width over those of the toy."""
    at = np.array(values.get("records", [[-0.5], [0], [0.5], [1]]))[:, 0]
    away = (at - values["centre"]) / values.get("width", 1)
    return np.mean(np.exp(-(away**2) / 2))


def balanced(values):
    """Cosines, bias, noise and their sum, by the formula of Theorem 6.1."""
    k, m = values["smoothness"], np.arange(1, values["terms"])
    shape = m ** (2 * k / 3) if values["noise"] != "equal" else np.ones(len(m))
    scales = 2 * (1 / shape).sum() / values["n"] * shape
    noise = 2 * np.sqrt(((scales / m ** float(k)) ** 2).sum() / 0.05)
    bias = np.sqrt(2) * float(len(m)) ** (0.5 - k)
    return values["terms"], bias, noise, bias + noise


def purse_error(result, values):
    """The largest error of the answers, from the five bottles by hand."""
    bottles = (0.1, 0.3, 0.4, 0.6, 0.9)
    truths = [sum(abs(y - x) for x in bottles) / 5 for (y,) in values["questions"]]
    return max(abs(a - b) for a, b in zip(result.answers.tolist(), truths, strict=True))


def learnt(values):
    """By how much equal weights are off, and the nats that are left after the update."""
    truth = np.array(values["truth"])[:, 0] / np.sum(values["truth"])
    asked = np.array([name in values["query"].split(", ") for name in "abcd"])
    total = truth[asked].sum()
    after = np.where(asked, total / asked.sum(), (1 - total) / max((~asked).sum(), 1))
    left = sum(p * np.log(p / q) for p, q in zip(truth, after, strict=True) if p > 0)
    return abs(total - asked.sum() / 4), left


def cut_up(values):
    """The worst stretch, or how many pairs no cut separates, by walking over the ties again."""
    towns, ties, sides, weight = {
        "star": ("mabc", "ma mb mc", [["a"], ["b"], ["c"], ["m"]], 1),
        "square": ("abcd", "ab bc cd da", [["ad"], ["ab"], ["a"], ["ac"]], 1),
        "K₂,₃": (
            "uvxyz",
            "ux uy uz vx vy vz",
            [["x", "y", "z"], ["xu", "yu", "zu"], ["xv", "yv", "zv"], ["uv"]],
            0.25,
        ),
    }[values["network"]]
    pressed = [side for i, some in enumerate(sides) for side in some
               if ("first", "second", "third", "fourth")[i] in values["cuts"]]  # fmt: skip
    quotients = []
    for i, a in enumerate(towns):
        for b in towns[:i]:
            hops = 1 if {a, b} in [set(tie) for tie in ties.split()] else 2
            quotients.append(weight * sum((a in s) != (b in s) for s in pressed) / hops)
    lost = quotients.count(0)
    return [lost] if lost else [max(quotients) / min(quotients)]


def paid(values):
    """Queries, those that cost a coin, coins in the purse: all from the definition."""
    bottles = np.array(values["bottles"])[:, 0]
    lines, mistakes = [(0.0, 0.0)], 0
    for (place,) in values["queries"]:
        truth = np.abs(bottles - place).mean()
        if truth - max(slope * place + start for slope, start in lines) > values["alpha"] + 1e-9:
            slope = np.where(bottles <= place, 1.0, -1.0).mean()
            lines.append((slope, truth - slope * place))
            mistakes += 1
    return len(values["queries"]), mistakes, math.ceil(math.sqrt(2 / values["alpha"]) - 1e-9)


def weighed(values):
    """Coins, their coarseness, the noise of the plan with so many coins, and the sum."""
    name = {"zCDP": "zcdp", "pure ε": "pure"}[values["composition"]]
    delta = 1e-6 if name == "zcdp" else 0.0
    box = {"lower": 0, "upper": 1}
    public = {"n": values["n"], "d": 1, "k": 10_000, "epsilon": 1.0, "delta": delta, **box}
    plan = l1.Params(**public, composition=name, updates=values["coins"]).plan
    noise = plan.test_accuracy + plan.tau
    return values["coins"], 1 / values["coins"] ** 2, noise, plan.error


def small_database(values):
    """Both parts of the error of a small database, from Theorem 8.3."""
    cells, rows, n = 2**40, values["rows"], values["n"]
    few = n * math.sqrt((values["d"] * math.log(cells + 1) + math.log(2)) / (2 * rows))
    return few, 2 / values["epsilon"] * (rows * math.log(cells) + math.log(20))


def lit(values):
    """The patterns that the class shows: thresholds by their list, others by their levels."""
    levels, gamma = np.array(values["levels"])[:, 0], values["gamma"]
    able = ["0" * bool(r >= gamma - 1e-9) + "1" * bool(r <= 1 - gamma + 1e-9) for r in levels]
    words = ["".join(bits) for bits in itertools.product(*able)]
    pairs = [(0, 1), (0, 2), (1, 2)]
    if values["name"] == "all groups":
        return words
    room = gamma * 2 - 1e-9 if values["name"] == "rising functions" else np.inf
    falls = [(i, j) for i, j in pairs if levels[j] - levels[i] < room]
    return [word for word in words if not any(word[i] + word[j] == "10" for i, j in falls)]


def held_from(values):
    """Ten errors at each n by hand: from which n on at most one is above the wanted error."""
    at_100 = [0.05, 0.06, 0.07, 0.08, 0.09, 0.09, 0.1, 0.12, 0.18, 0.22]
    at_400 = [0.02, 0.02, 0.02, 0.03, 0.03, 0.03, 0.03, 0.04, 0.08, 0.09]
    ours = [sum(x > values["alpha"] for x in some) for some in
            (at_100, [x for (x,) in values["errors"]], at_400)]  # fmt: skip
    theirs = [sum(x > values["alpha"] for x in some) for some in (
        [0.13, 0.14, 0.14, 0.15, 0.15, 0.16, 0.16, 0.17, 0.18, 0.19],
        [0.06, 0.07, 0.07, 0.07, 0.08, 0.08, 0.08, 0.09, 0.09, 0.1],
        [0.03, 0.04, 0.04, 0.04, 0.04, 0.04, 0.05, 0.05, 0.05, 0.05],
    )]  # fmt: skip
    enough = [[all(x <= 1 for x in above[i:]) for i in range(3)] for above in (ours, theirs)]
    firsts = [(100, 200, 400)[each.index(True)] if any(each) else 400 for each in enough]
    return values["alpha"], *firsts


def least_proved(values):
    """The product, and the smallest of three bounds, each from its formula."""
    product, k, cells = values["product"], values["k"], values["cells"]
    x = np.linspace(0.01, 0.99, 99)
    rows = np.geomspace(1, 10**6, 20_000).round()
    table = 2 * ((np.log(2 * k / 0.05) - cells * np.log1p(-(x**2))) / x).min() / product
    small = np.sqrt(np.log(2 * k) / 2 / rows) + 2 * (rows * np.log(cells) + np.log(20)) / product
    return product, min(k * np.log(k / 0.05) / product, table, small.min())


def set_share(values):
    """The share that was set, and by what all else is multiplied."""
    before = {"the": 0.16, "a": 0.08, "is": 0.08, "of": 0.04}[values["word"]]
    return values["share"], (1 - values["share"]) / (1 - before)


def indices_needed(values):
    """Indices there are, and those that may be needed, from the definition."""
    updates = int(np.log(values["size"]) / (2 * values["alpha"] ** 2))
    return values["size"], values["m"] * (updates + 1) + 1


def least_n(result, values):
    """The wanted error, and from which n on the winner has it: expected, and proved."""
    if result.winner is None:
        return []
    ends = np.log(plans.N)
    fine = np.linspace(ends[0], ends[-1], 100_001)
    least = []
    for line in result.lines[result.winner.name]:
        above = np.flatnonzero(np.interp(fine, ends, np.log(line)) > np.log(values["alpha"]))
        first = above[-1] + 1 if len(above) else 0
        if first < len(fine):
            least.append(np.exp(fine[first]))
    return [5, values["alpha"], *least]  # 10^5: the last n that is planned for


TITLES = {
    "cluster.explore_cluster": lambda r, v: [getattr(r.found, "radius", 0), 100 * r.captured],
    "cluster.explore_chances": lambda r, v: [most_changed(v)],
    "cluster.explore_losses": lambda r, v: promised(v),
    "compare.explore_plans": least_n,
    "compare.explore_winners": lambda r, v: [len(r.here.keys) - 1],
    "cluster.explore_line": lambda r, v: [4, *shortest(v)],
    "compare.explore_trials": lambda r, v: [*held_from(v)],
    "compare.explore_crossing": lambda r, v: [*least_proved(v)],
    "distance.explore_queries": lambda r, v: [*paid(v)],
    "distance.explore_balance": lambda r, v: [*weighed(v)],
    "distance.explore_purse": lambda r, v: [
        len(v["questions"]), r.last.positives.sum(), v["coins"], purse_error(r, v)
    ],
    "embedding.explore_cuts": lambda r, v: cut_up(v),
    "embedding.explore_towns": lambda r, v: [stretch(v), v["lines"]],
    "fat_shattering.explore_databases": lambda r, v: [*databases(r, v)],
    "fat_shattering.explore_rows": lambda r, v: [v["rows"], sum(small_database(v))],
    "fat_shattering.explore_patterns": lambda r, v: [len(lit(v)), 8, r.shattered],
    "learner.explore_bottles": lambda r, v: [len(v["queries"]), widest(v)],
    "learner.explore_forty": lambda r, v: [len(v["queries"]), widest(v)],
    "smooth.explore_cosines": lambda r, v: [*balanced(v)],
    "smooth.explore_published": lambda r, v: [r.answer, under(v)],
    "smooth.explore_kernel": lambda r, v: [v["terms"], r.answer, under(v)],
    "sparse.explore_common_weight": lambda r, v: [*set_share(v)],
    "sparse.explore_indices": lambda r, v: [*indices_needed(v)],
    "sparse.explore_update": lambda r, v: [*learnt(v)],
    "distance.explore_curve": lambda r, v: [
        len(r.updates), r.params.plan.updates, r.error, r.params.plan.error
    ],
    "distance.explore_growers": lambda r, v: [
        v["d"], 100 * claims.quantile(r.private[v["d"] - 1], 0.5)
    ],
    "distance.explore_map": lambda r, v: [100 * r.winners.share(None)],
    "embedding.explore_distortion": lambda r, v: [
        r.found.contraction, 1 / r.found.contraction, r.found.expansion
    ],
    "fat_shattering.explore_attack": lambda r, v: [
        (r.found == r.bits).sum(), len(r.bits)
    ],
    "fat_shattering.explore_dimension": lambda r, v: [r.found.d],
    "learner.explore_learner": lambda r, v: [r.total, r.bound],
    "learner.explore_mistakes": lambda r, v: [2**-r.fitted.value],
    "privacy.explore_auditor": lambda r, v: [r.finding.lower],
    "privacy.explore_coins": lambda r, v: [
        v["answers"], (v["truthful"] / (1 - v["truthful"])) ** v["answers"]
    ],
    "privacy.explore_evidence": lambda r, v: [np.exp(r.epsilon), 1, r.needed],
    "privacy.explore_laws": lambda r, v: [np.exp(r.epsilon), 1, r.needed],
    "privacy.explore_totals": lambda r, v: [v["k"], min(r.here.values())],
    "smooth.explore_approximation": lambda r, v: [r.worst],
    "smooth.explore_bias_variance": lambda r, v: [r.error.min(), r.terms[r.error.argmin()]],
    "sparse.explore_online": lambda r, v: [np.sum(np.array(r.kinds) == "measured"), len(r.kinds)],
    "start.explore_averages": lambda r, v: [r.values.mean(), r.truth],
    "start.explore_record": lambda r, v: [569, r.mean, r.value / 569, 569, r.value],
    "start.explore_worlds": lambda r, v: [
        (r.sides[:v["numbers"]] == (r.published[:v["numbers"]] > v["value"] / 60)).sum(),
        v["numbers"], 1 - np.exp(-r.epsilon * v["value"] / 60) / 2,
    ],
}  # fmt: skip


def in_order(said, true):
    """Whether numbers of two digits are some of the true ones, in their order."""
    rest = iter(true)
    return all(any(np.isclose(word, value, rtol=TWO_DIGITS) for value in rest) for word in said)


def test_the_numbers_of_a_title_are_those_of_the_result(named, scenes):
    key = named.key
    if key not in TITLES:
        return
    for scene in scenes:
        true = [float(value) for value in TITLES[key](scene.result, scene.values)]
        assert in_order(claims.numbers(scene.title), true), (scene.title, true, scene.values)


def test_every_title_with_a_number_has_its_claim_here(named, scenes):
    key = named.key
    assert key in TITLES or not any(claims.numbers(scene.title) for scene in scenes)


def curve_band(result, x, values):
    middle = result.hypothesis.predict(x) + result.params.plan.shift
    return middle - result.params.plan.error, middle + result.params.plan.error


def tolerated(result, x, values):
    """The note and the lesson: the guess, and the tolerated error on both sides."""
    middle, each = result.learner.predict(x), values["alpha"] / values["d"]
    return middle - each, middle + each


def trials_band(result, x, values):
    """Of the mistakes of all runs, at the shares that the subtitle states: 5 and 95 %."""
    trials = np.array(result.sweep["mistakes"])[np.argsort(result.sweep.axes["alpha"])]
    return tuple(
        np.array([claims.quantile(row, share) for row in trials]) for share in (0.05, 0.95)
    )


BANDS = {
    "distance.explore_curve": curve_band,
    "learner.explore_learner": tolerated,
    "learner.explore_mistakes": trials_band,
    "embedding.explore_distortion": lambda r, x, v: (r.floor * x, r.ceiling * x),
    "privacy.explore_laws": lambda r, x, v: (0 * x, np.exp(r.log_here)),
}


def holds(zone, ends):
    """Whether a drawn zone ends where it should."""
    return all(
        np.shape(drawn) == np.shape(end) and np.allclose(drawn, end, rtol=1e-9, atol=1e-12)
        for drawn, end in zip((zone.low, zone.high), ends, strict=True)
    )


@pytest.mark.parametrize("key", BANDS)
def test_a_band_ends_where_it_says(key):
    explorer, seen = MAKERS[key](), 0
    for setting in ({}, *explorer.presets.values()):
        explorer.set(**setting)
        result, values = explorer.screen.result, explorer.values
        if not np.isfinite(getattr(result, "ceiling", 1.0)):
            continue  # no expansion is proved, so there is no fan
        zones = claims.bands(explorer.screen.view.figure(result))
        assert any(holds(zone, BANDS[key](result, zone.x, values)) for zone in zones), setting
        seen += 1
    assert seen


def test_the_subtitle_states_the_quantiles_of_the_band():
    explorer = MAKERS["learner.explore_mistakes"]()
    subtitle = claims.headline(explorer.screen.view.figure(explorer.screen.result), "subtitle")
    assert "median and 5–95 % of 5 runs" in subtitle


def test_the_band_of_every_error_figure_is_that_of_its_words():
    rng, x = np.random.default_rng(0), np.array([10.0, 100.0, 1000.0])
    trials = rng.exponential(size=(3, 60))
    axes = errors.ErrorAxes(errors.log("n", 10, 1000), errors.log("error", 0.001, 10))
    words = errors.trials_said(60, "runs")
    shown = axes.figure("", words, [errors.measured("", "released", x, trials)], alt="")
    assert "5–95 %" in words and "median" in words
    (zone,) = claims.bands(shown)
    ends = [[claims.quantile(row, share) for row in trials] for share in (0.05, 0.95)]
    assert zone.x.tolist() == x.tolist() and holds(zone, ends)
    middle = [claims.quantile(row, 0.5) for row in trials]
    assert any(np.allclose(line.get_ydata(), middle) for line in shown.axes[0].lines)


def test_the_band_of_the_recovered_patients_is_that_of_its_subtitle():
    stored = DECODED.stored().select(method="L1")
    shown = fat_shattering.figure_recovery(stored, 0.6)
    assert "band: 5–95 % for 4 queries each" in claims.headline(shown, "subtitle")
    trials = stored.select(ratio=4)["recovered"]
    (zone,) = claims.bands(shown)
    ends = [[claims.quantile(row, share) for row in trials] for share in (0.05, 0.95)]
    assert zone.x.tolist() == [8 * noise for noise in stored.axes["noise"]] and holds(zone, ends)


def test_what_no_test_can_reach_is_shaded_up_to_its_limit():
    """Kairouz, Oh and Viswanath: no test has 1 - a - b > e^epsilon times the other error."""
    shown = figure_trade_off({}, epsilon=1.0, runs=1)
    (zone,) = claims.bands(shown)
    limit = np.maximum(1 - np.e * zone.x, (1 - zone.x) / np.e).clip(0)
    assert holds(zone, (0 * zone.x, limit))


def test_every_band_has_its_claim_here():
    """Where bands are drawn; a new one is computed again above, and listed."""
    drawn = {
        (path.parent.name, path.stem, scope.name)
        for room in ("drawing", "lessons")
        for path in Path(lessons.__file__).parents[1].joinpath(room).rglob("*.py")
        for scope in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(scope, ast.FunctionDef)
        for call in ast.walk(scope)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("band", "style.band")
    }
    assert drawn == {
        ("drawing", "errors", "_draw_trials"),
        ("distance", "explorers", "_draw_curve"),
        ("embedding", "explorers", "_draw_limits"),
        ("fat_shattering", "recovery", "figure_recovery"),
        ("learner", "explorers", "paint_learnt"),
        ("learner", "mistakes", "draw_counted"),
        ("privacy", "figures", "_limits"),
        ("privacy", "figures", "paint_laws"),
        ("privacy", "guesses", "frame_guesses"),
    }


@functools.cache
def cells():
    """The cells of all lessons."""
    books = [json.loads(path.read_text("utf-8")) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
    return [cell for book in books for cell in book["cells"]]


def stored_outputs(name):
    """What a lesson stores where an explorer is shown."""
    for cell in cells():
        if cell["cell_type"] == "code" and f".{name}(" in "".join(cell["source"]):
            return cell["outputs"]
    raise LookupError(f"no lesson shows {name}")


def test_it_starts_with_the_picture_that_its_lesson_stores(named):
    """Titles, axes, labels, curves and bands; see `pictures.differences`."""
    (old,) = pictures.pictures(stored_outputs(named.key.split(".")[1]))
    (data,), _ = named.still
    (new,) = pictures.stored(data["text/html"])
    assert pictures.differences(old, new) == []


def test_it_starts_with_the_sentence_and_the_table_that_its_lesson_stores(named):
    """Each number of its table too, so that no row has the number of another one."""
    _, words = named.still
    outputs = stored_outputs(named.key.split(".")[1])
    pages = ["".join(each.get("data", {}).get("text/html", "")) for each in outputs]
    assert any(words in page for page in pages)
