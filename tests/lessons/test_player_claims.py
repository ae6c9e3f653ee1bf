"""What the states of players claim: marks, keys, allowances and units are read back.

What should be drawn is taken from the trace, or from what the same picture says elsewhere; what is
drawn is read from the artists. Live pictures are held against still ones, too.
"""

import importlib.util
import re
import sys
from pathlib import Path

import eye
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch

from dpviz.drawing import style
from dpviz.drawing.live import Live
from dpviz.drawing.roles import ON_EVENT


def load(name):
    """A module that stands beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


claims, players = load("claims"), load("players")
UNITS = {"tenths": 10, "hundredths": 100, "thousandths": 1000}


@pytest.fixture(scope="module", params=players.PLAYERS)
def played(request):
    return request.param, players.PLAYERS[request.param]()


def of_role(ax, role, marker=None):
    """Lines in a role's colour; of that marker, or of any."""
    wanted = style.ROLES[role].colour
    return [
        line
        for line in ax.lines
        if wanted in (to_hex(line.get_color()), face(line))
        and (marker is None or line.get_marker() == marker)
    ]


def face(line):
    """The colour inside of a line's markers; "" where there is none."""
    inside = line.get_markerfacecolor()
    return "" if isinstance(inside, str) and inside == "none" else to_hex(inside)


def dots(ax, role, marker=None):
    """The places of all markers in a role's colour, (n, 2), from left to right."""
    lines = [line for line in of_role(ax, role, marker) if line.get_marker() not in ("", "None")]
    places = np.concatenate([np.empty((0, 2)), *(line.get_xydata() for line in lines)])
    return places[np.lexsort(places.T[::-1])]


def allowance(figure):
    """How many pips are full, and how many there are."""
    pips = [art for art in figure.artists if isinstance(art, Line2D) and art.get_marker() == "o"]
    full = sum(len(line.get_xdata()) for line in pips if face(line) == style.INK)
    return full, sum(len(line.get_xdata()) for line in pips)


def cell(player, state, name):
    """The last column of the row of the table that begins with a name."""
    (row,) = [row for row in player.screen.view.table(state) if row[0] == name]
    return row[-1]


def first_number(words, pattern):
    """The number that a pattern finds."""
    return float(re.search(pattern, words)[1])


def publication(player, i, figure):
    said = player.screen.view.say(player.trace[i])
    box = figure.axes[1].patches[-1].get_window_extent(figure.canvas.get_renderer())
    whole = figure.axes[1].get_window_extent().width
    yield box.width / whole, first_number(said, r"; ([\d.]+) of 1")


def learner(player, i, figure):
    seen = player.trace[: i + 1]
    missed = {state.number: state.place for state in seen if state.missed}
    yield allowance(figure), (len(missed), player.trace[i].limit)
    said = player.screen.view.say(player.trace[i])
    yield allowance(figure)[0], first_number(said, r"(\d+) mistakes? so far")
    here = [missed[player.trace[i].number]] if player.trace[i].missed else []
    yield dots(figure.axes[0], "event", "*")[:, 0], here


def distance(player, i, figure):
    asked = [state for state in player.trace[: i + 1] if state.number]
    right = figure.axes[1]
    yield dots(right, "event", "*")[:, 0], [each.number for each in asked if each.measured]
    yield of_role(right, "public")[0].get_ydata(), [1, 1]
    if asked:
        levels = [line.get_ydata()[0] for line in of_role(right, "truth", "")]
        told = claims.value(cell(player, player.trace[i], "noisy threshold (private)"))
        (last,) = levels[-1:]
        yield round(last * player.trace[i].threshold / told, 2), 1
        assert "÷ threshold" in claims.axis_titles(right)[1]


def frechet(player, i, figure):
    left = figure.axes[0]
    swatches = sorted((line.get_xdata()[0], to_hex(line.get_color())) for line in left.lines[:5])
    ends = {"lost": swatches[0], "kept": swatches[-1]}
    for word, (x, _) in ends.items():
        (text,) = [text for text in left.texts if text.get_text() == word]
        assert abs(text.get_position()[0] - x) < 0.2, word
    shares = player.trace[i].shares
    ties = [patch for patch in left.patches if isinstance(patch, PathPatch)]
    drawn = {to_hex(patch.get_edgecolor()) for patch in ties}
    yield ends["kept"][1] in drawn, bool(shares.max() >= 0.8)
    yield ends["lost"][1] in drawn, bool(shares.min() < 0.2)


def sparse(player, i, figure):
    """Circles and stars are what was compared, bars the weights, and the title what was guessed."""
    state, (left, right) = player.trace[i], figure.axes
    yield dots(right, "records")[:, 1], np.minimum(state.compared / state.threshold, 4)
    yield dots(right, "event", "*")[:, 0], np.flatnonzero(state.positives) + 1
    names = state.snapshot.weights[: len(left.patches)]
    yield [bar.get_y() + bar.get_height() for bar in left.patches], names
    if state.number:
        told = [cell(player, state, name) for name in ("guess", "truth (private)")]
        said = claims.numbers(claims.headline(figure, "title"))
        yield said, [state.number, *map(claims.value, told)]


def terms(player, i, figure):
    state, right = player.trace[i], figure.axes[1]
    unit = UNITS[claims.axis_titles(right)[1].split()[-1]]
    errors = np.append(state.noise, state.noise.sum())
    yield dots(right, "released")[:, 1], np.clip(unit * errors, -20, 20)
    bias = claims.value(cell(player, state, "answer, no noise"))
    bias -= claims.value(cell(player, state, "true answer"))
    yield dots(right, "truth")[:, 1] / unit, [np.clip(bias, -20 / unit, 20 / unit)]
    (fit,) = of_role(figure.axes[0], "truth")
    x = np.cos(np.pi * (1 - np.array(fit.get_xdata())))
    ticks = dict(zip(figure.axes[0].get_xticks(), figure.axes[0].get_xticklabels(), strict=True))
    for place, label in ticks.items():
        named = eye.worth(label.get_text())
        yield np.interp(place, fit.get_xdata(), x), named


def cluster(player, i, figure):
    state = player.trace[i]
    right, view = figure.axes[1], player.screen.view
    yield allowance(figure), (len(view.table(state)) - 1, 7)
    paid = max(0, state.spent - 3)
    lengths = [*state.noise[:paid] / state.planted.spread]
    if i == len(player.trace) - 1:
        lengths.append(state.found.radius / state.planted.spread)
    yield dots(right, "released").reshape(-1, 2)[:, 1], lengths
    (averaged,) = of_role(right, "public")
    yield averaged.get_ydata(), state.found.radii[:paid] / state.planted.spread
    (chosen,) = [line.get_xdata() for line in of_role(figure.axes[0], "released")][:1]
    yield np.ptp(chosen), state.found.z / state.planted.spread
    shares = [first_number(row[1], r"(.*) ?%") for row in view.table(state)[1:]]
    assert all(share >= 1 for share in shares)
    if i == len(player.trace) - 1:
        assert abs(sum(shares) - 100) <= 0.5 * len(shares), shares


def reconstruction(player, i, figure):
    title = claims.headline(figure, "title")
    right, of = claims.numbers(title)[1:]
    yield dots(figure.axes[1], "released", "o")[-1, 1], right / of
    malignant = cell(player, player.trace[i], "malignant")
    dark = {style.INK, ON_EVENT}
    black = [line for line in figure.axes[0].lines if to_hex(line.get_color()) in dark]
    yield sum(len(line.get_xdata()) for line in black), float(malignant)


def threshold(player, i, figure):
    state = player.trace[i]
    positive = [k for k, check in enumerate(state.checks) if check.above]
    yield dots(figure.axes[0], "event", "*")[:, 0], positive
    told = cell(player, state, "checks, positive answers")
    yield allowance(figure)[0], float(told.split(", ")[1])
    spent = cell(player, state, "ε spent")
    blocks = [patch.get_x() + patch.get_width() for patch in figure.axes[1].patches]
    yield max(blocks, default=0), claims.value(spent.split()[0])


def guesses(player, i, figure):
    state = player.trace[i]
    title = claims.numbers(claims.headline(figure, "title"))
    yield title, [state.right, i]
    yield len(dots(figure.axes[0], "event", "o")), min(i, 1)


def month(player, i, figure):
    rows = player.screen.view.table(player.trace[i])[1:]
    ends = {}
    for bar in figure.axes[0].patches:
        row = round(bar.get_y() + bar.get_height() / 2)
        if bar.get_hatch() is None:
            ends[row] = max(ends.get(row, 0), bar.get_x() + bar.get_width())
    yield [ends[k] for k in range(len(rows))], [claims.value(row[2]) for row in rows]


def races(player, i, figure):
    """Two dots a run; where the lines end, the numbers by hand: of i runs so many may be larger."""
    ax, rows = figure.axes[0], player.screen.view.table(player.trace[i])[1:]
    for role, marker, words, key in (
        ("baseline", "^", rows[0], "joint"),
        ("released", "o", rows[1], "histogram"),
    ):
        drawn = [y for _, y in dots(ax, role, marker)]
        errors = player.trace[i].errors[key]
        yield drawn, errors
        larger = int(0.05 * len(errors) + 1e-9)
        yield [claims.value(x) for x in words[1:]], [
            np.median(errors), np.sort(errors)[len(errors) - 1 - larger]
        ]  # fmt: skip


CLAIMS = {
    "start.play_publication": publication,
    "privacy.play_guesses": guesses,
    "privacy.play_threshold": threshold,
    "learner.play_learner": learner,
    "distance.play_distance": distance,
    "embedding.play_frechet": frechet,
    "sparse.play_sparse_weights": sparse,
    "smooth.play_terms": terms,
    "cluster.play_cluster": cluster,
    "fat_shattering.play_reconstruction": reconstruction,
    "compare.play_draws": races,
    "compare.play_month": month,
}


def test_every_player_has_its_claims_here():
    assert CLAIMS.keys() == players.PLAYERS.keys()


def test_what_is_drawn_is_what_happened(played):
    key, player = played
    seen = 0
    for i, state in players.looked_at(player):
        figure = player.screen.view.figure(state)
        for pair in CLAIMS[key](player, i, figure):
            drawn, true = (np.asarray(each, dtype=float) for each in pair)
            assert drawn.shape == true.shape, (i, drawn, true)
            assert np.allclose(drawn, true, rtol=0.02, atol=1e-3), (i, drawn, true)
            seen += 1
    assert seen


def test_one_is_said_of_one_and_numbers_are_written_as_in_pictures(played):
    _, player = played
    view = player.screen.view
    told = [[view.say(state), *view.table(state)] for state in player.trace]
    assert list(claims.odd(*told)) == []


def test_a_live_picture_has_the_words_of_the_still_one(played):
    """What a state changes must not stand in the frame, which is kept."""
    _, player = played
    live = Live(player.screen.view, "notebook")
    for _, state in players.looked_at(player):
        still = player.screen.view.figure(state).svg()
        if "<image" in still:
            continue  # a cloud is smaller so
        moved, stood = (
            sorted((text.words, *np.round(text.box, 0)) for text in eye.read(svg).texts)
            for svg in (live.svg(state), still)
        )
        assert moved == stood
