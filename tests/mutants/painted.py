"""Faults in pictures, written before there was a test that looks at what a picture says.

One entry: the file under ``dpviz``, the text that occurs there once, and what stands there instead.
"""

PICTURES = [
    (  # the titles of two axes exchanged
        "lessons/learner/explorers.py",
        'style.axis_titles(ax, "place y, on the public range of the column", "average distance")',
        'style.axis_titles(ax, "average distance", "place y, on the public range of the column")',
    ),
    ("lessons/smooth/player.py", "error in thousandths", "error in hundredths"),  # a unit
    (  # a band of half its width
        "lessons/distance/explorers.py",
        "answers - plan.error, answers + plan.error",
        "answers - plan.error / 2, answers + plan.error / 2",
    ),
    (  # a slider that says another parameter than it moves
        "lessons/sparse/explorers.py",
        'Slider(name="k", label="k, queries", values=PROMISE_KS',
        'Slider(name="k", label="m, names", values=PROMISE_KS',
    ),
    (  # a count in a title
        "lessons/sparse/explorers.py",
        'title = f"{measured} of {len(result.kinds)}',
        'title = f"{measured + 1} of {len(result.kinds)}',
    ),
    (  # the colour of another role
        "lessons/smooth/explorers.py",
        'right.plot(X, result.values, **style.line("truth", mode, marker=False))',
        'right.plot(X, result.values, **style.line("released", mode, marker=False))',
    ),
    (  # a sentence that tells one number twice
        "lessons/start/explorers.py",
        "monday=result.monday[0],",
        "monday=result.tuesday[0],",
    ),
    (  # two labels on each other's curves
        "lessons/learner/explorers.py",
        '(1, truth[-1], "truth G\\n(private)", "truth"), (1, guess[-1], "guess", "released")',
        '(1, guess[-1], "truth G\\n(private)", "truth"), (1, truth[-1], "guess", "released")',
    ),
    (  # fewer dots
        "lessons/cluster/explorers.py",
        "min(len(rows), 3000)",
        "min(len(rows), 1500)",
    ),
    (  # a title with the number of another rule
        "lessons/privacy/figures.py",
        "{cost} ε = {style.number(here['exact'], 3)}",
        "{cost} ε = {style.number(here['zCDP'], 3)}",
    ),
    (  # the names of two marks on an axis exchanged
        "lessons/smooth/player.py",
        '["\\u22121", "\\u2212½", "0", "½", "1"]',
        '["\\u22121", "½", "0", "\\u2212½", "1"]',
    ),
    (  # a key the wrong way round
        "lessons/embedding/player.py",
        'style.note(left, KEY[0], -0.75, "lost"',
        'style.note(left, KEY[0], -0.75, "kept"',
    ),
    (  # a table with the number of another row
        "lessons/sparse/explorers.py",
        '["could be measured", style.number(result.split.updates)]',
        '["could be measured", style.number(result.used)]',
    ),
    (  # an interval that is too low
        "lessons/privacy/explorers.py",
        "(max(end, RAREST) for end in ends)",
        "(max(end / 2, RAREST) for end in ends)",
    ),
    (  # stars on the queries that cost nothing
        "lessons/distance/player.py",
        "for i in np.flatnonzero(step.positives):",
        "for i in np.flatnonzero(~np.asarray(step.positives)):",
    ),
    (  # an allowance that counts the queries
        "lessons/learner/player.py",
        "style.pips(fig, step.mistakes, step.limit",
        "style.pips(fig, step.number, step.limit",
    ),
    (  # a place in other units than its axis
        "lessons/cluster/player.py",
        "balls = step.found.radii[:paid] / R",
        "balls = step.found.radii[:paid]",
    ),
    (  # a share of a hundred as a share of one
        "lessons/cluster/player.py",
        'f"{100 * share:.0f} %"',
        'f"{share:.0f} %"',
    ),
    (  # levels in other units than the axis
        "lessons/distance/player.py",
        "levels = step.levels / step.threshold",
        "levels = np.asarray(step.levels)",
    ),
    (  # a database that fits is counted with one patient more
        "lessons/fat_shattering/toy.py",
        "errors <= error + 1e-9, error, DRAWN",
        "errors <= error + 1, error, DRAWN",
    ),
]

ROOMS = {"lessons": PICTURES}
SURVIVORS: dict[tuple[str, str], str] = {}
