"""Faults that the tests must see: each changes one place of the package, as a slip would.

Written before the first run of ``make mutants``. One entry: the file under ``dpviz``, the text
that occurs there once, and what stands there instead.
"""

PRIVACY = [
    (
        "base/noise.py",
        "sd * self._rng.standard_normal(shape)",
        "sd / 2**0.5 * self._rng.standard_normal(shape)",
    ),
    ("base/subsampling.py", "min(1.0, draws / n * delta * often)", "min(1.0, 0 * delta * often)"),
    (
        "base/table.py",
        "self._noisy[name] = value + float(",
        "self._noisy[name] = value + 0 * float(",
    ),
    ("base/guard.py", "if os.getpid() != self._process:", "if False:"),
    ("base/noise.py", "scale = sensitivity / epsilon", "scale = sensitivity / (2 * epsilon)"),
    ("base/noise.py", "sd = sensitivity * unit", "sd = sensitivity * unit / 2**0.5"),
    ("base/noise.py", "offsets[~np.isnan(offsets[:, 0])]\n        unit", "offsets\n        unit"),
    ("base/noise.py", "math.sqrt(3) * len(inside)", "2 * len(inside)"),
    ("base/noise.py", 'line(label, "average", 2.0, 2.0 * unit', 'line(label, "average", 2.0, unit'),
    ("base/noise.py", "inside.sum(axis=0) / max(1, len(inside))", "inside.mean(axis=0)"),
    ("base/noise.py", "sd = 2 * radius * unit / count", "sd = radius * unit / count"),
    ("base/choices.py", "weights = epsilon / (2 * sensitivity)", "weights = epsilon / sensitivity"),
    ("base/choices.py", "scale = 2 * sensitivity / epsilon", "scale = sensitivity / epsilon"),
    (
        "base/choices.py",
        "math.log(1 / (2 * delta))\n        best",
        "math.log(1 / delta)\n        best",
    ),
    ("base/choices.py", "delta=distance / most", "delta=distance"),
    ("base/heavy.py", "sorted(found, key=lambda pair: -pair[1])", "found"),
    ("base/heavy.py", "scale, enough = 2 / epsilon, 1 +", "scale, enough = 1 / epsilon, 1 +"),
    ("base/heavy.py", "return 2 / epsilon, enough", "return 1 / epsilon, enough"),
    ("base/heavy.py", "sd = 1 / math.sqrt(", "sd = 0.5 / math.sqrt("),
    ("base/heavy.py", "enough = 1 + 2 / epsilon", "enough = 2 / epsilon"),
    ("base/lasting.py", 'per = hits if plan == "lasting" else 1', "per = 1"),
    (
        "base/lasting.py",
        "2 * per * sensitivity / (epsilon - first)",
        "per * sensitivity / (epsilon - first)",
    ),
    ("base/lasting.py", 'self._running = self._plan == "lasting"', "self._running = True"),
    ("base/lasting.py", "self._next += first + 1", "self._next += first"),
    ("base/parts.py", "self._pay(line(label, verb", "0 and self._pay(line(label, verb"),
    ("base/parts.py", "part._steps, part._step = k,", "part._steps, part._step = k + 1,"),
    ("base/parts.py", '{"rho": rho, "delta": slack}', '{"rho": rho, "delta": delta}'),
    ("base/curator.py", "        self._spent = after\n", ""),
    ("base/zcdp.py", "above=0) ** 2 / 8", "above=0) ** 2 / 16"),
    (
        "base/online.py",
        'return Answer(guess + self._shift, "guess")',
        'return Answer(guess, "guess")',
    ),
]
DISTANCE = [
    (
        "papers/distance/average.py",
        "2 * int(self._data[i].searchsorted(t)) - self.n",
        "2 * int(self._data[i].searchsorted(t, 'right')) - self.n",
    ),
    (
        "papers/distance/proxy.py",
        "np.clip(self.embedding.map(points), low, high)[:, self.wide]",
        "self.embedding.map(points)[:, self.wide]",
    ),
    ("papers/distance/prices.py", "(task.k, task.d * hits) if", "(task.k, hits) if"),
    ("papers/distance/prices.py", "else (task.d * task.k, hits)", "else (task.k, hits)"),
    ("papers/distance/prices.py", "beta=2 * task.beta / 3", "beta=task.beta"),
    ("papers/distance/prices.py", "ndtri(beta / (4 * looks))", "ndtri(beta / looks)"),
    ("papers/distance/prices.py", "value, sensitivity=moves[1]", "value, sensitivity=moves[1] / 2"),
    ("papers/distance/interactive.py", "moves=(2 / n, math.sqrt(2) / n)", "moves=(1 / n, 1 / n)"),
    ("papers/distance/sums.py", "math.sqrt(2 * d) / n", "math.sqrt(d) / n"),
    ("papers/distance/sums.py", "look[:, 0] + 2 * look[:, 1]", "look[:, 0] + look[:, 1]"),
    ("papers/distance/signs.py", "math.sqrt(4 * params.reach", "math.sqrt(2 * params.reach"),
    ("papers/distance/signs.py", "a + r * (1 - a) - 4", "a + (1 - a) - 4"),
    ("papers/distance/signs.py", "math.log(2 / params.beta)", "math.log(1 / params.beta)"),
    ("papers/distance/haar.py", "sensitivity=1 / params.n", "sensitivity=0.5 / params.n"),
    (
        "papers/distance/categories.py",
        "sensitivity=math.sqrt(2 * (load",
        "sensitivity=math.sqrt((load",
    ),
    (
        "papers/distance/universe.py",
        "if params.delta else 2) / params.n",
        "if params.delta else 1) / params.n",
    ),
    (
        "papers/distance/per_query.py",
        "sensitivity = math.sqrt(params.k) * each",
        "sensitivity = each",
    ),
    (
        "papers/distance/learner.py",
        "slope = min(1.0, max(-1.0, float(slope)))",
        "slope = float(slope)",
    ),
    ("papers/distance/grid_weights.py", "self.plan.gamma + self.plan.slack", "self.plan.gamma"),
]
SPARSE = [
    ("papers/sparse/learner.py", "return side * 4 * self.alpha", "return side * 8 * self.alpha"),
    (
        "papers/sparse/plan.py",
        "error=alpha + 2 * test_error if sound",
        "error=alpha + test_error if sound",
    ),
    ("papers/sparse/plan.py", "threshold=alpha + test_error", "threshold=alpha"),
    ("papers/sparse/plan.py", "sound = answer_error <= alpha", "sound = True"),
    (
        "papers/sparse/online.py",
        "sensitivity=1 / records.n,\n                epsilon",
        "sensitivity=0.5 / records.n,\n                epsilon",
    ),
    ("papers/sparse/online.py", '{"sensitivity": 1 / records.n', '{"sensitivity": 0.5 / records.n'),
    (
        "papers/sparse/online.py",
        "allowed(query, self.vocabulary, self.params.m)",
        "allowed(query, self.vocabulary, 10**9)",
    ),
    ("papers/sparse/rounds.py", "(8 * (1 - share) * each)", "(16 * (1 - share) * each)"),
    ("papers/sparse/rounds.py", "gaps = np.abs(truths - read())", "gaps = truths - read()"),
    ("papers/sparse/rivals.py", "math.sqrt(len(queries)) / records.n", "1 / records.n"),
    (
        "papers/sparse/rivals.py",
        "epsilon**2) + math.log(2 * k / beta)",
        "epsilon**2) + math.log(2 / beta)",
    ),
    ("papers/sparse/learner.py", "abs(reply - guess) - self.slack", "abs(reply - guess)"),
    ("papers/sparse/structure.py", "self._total += float", "self._total -= float"),
    ("papers/sparse/structure.py", "if 0 < self.free < len(places)", "if 0 < self.free < 0"),
]
SMOOTH = [
    (
        "papers/smooth/bumps.py",
        "return lost + 2 * unseen(nodes, self.width) + ROUNDING",
        "return lost + ROUNDING",
    ),
    ("papers/smooth/sensitivity.py", "(1 + excess(waves)) * float", "1.0 * float"),
    ("papers/smooth/sensitivity.py", "math.sqrt(2 * waves**d)", "math.sqrt(waves**d)"),
    ("papers/smooth/sensitivity.py", "return total**d - low**d", "return total**d"),
    (
        "papers/smooth/bounds.py",
        "drawing = class_error(t - 1, k",
        "drawing = 0 * class_error(t - 1, k",
    ),
    ("papers/smooth/bounds.py", "norm * (1 + math.pi * t / (2 * nodes))", "norm"),
    ("papers/smooth/bounds.py", "(grid_norm**params.d + norm**params.d)", "0"),
    ("papers/smooth/bounds.py", " + math.log(2 * k) * peak", ""),
    ("papers/smooth/bounds.py", "drawing = drawing + outside(factors, params)", "pass"),
    (
        "papers/smooth/bounds.py",
        "math.sqrt(2 * math.log(2 * k)) * sd",
        "math.sqrt(2 * math.log(2)) * sd",
    ),
    ("papers/smooth/bounds.py", "float(-ndtri(0.5 / k))", "float(-ndtri(1 / k))"),
    ("papers/smooth/release.py", "table[1:] = noisy * scales", "table[1:] = noisy"),
    (
        "papers/smooth/kernel_noise.py",
        "sensitivity=params.length *",
        "sensitivity=params.length / 2 *",
    ),
    ("papers/smooth/jackson.py", "return 2 * derivative * moment", "return derivative * moment"),
    ("papers/smooth/baselines.py", "k**0.5 / len(points)", "1 / len(points)"),
]
CLUSTER = [
    (
        "papers/cluster/steps.py",
        "        radius = min(radius, 1.1 * mean.sd",
        "        first = mean.sd if step == 3 else first\n        radius = min(radius, 1.1 * first",
    ),
    ("papers/cluster/score.py", "np.sort(nearest, axis=None)", "nearest.ravel()"),
    ("papers/cluster/ways.py", "heights[middle], sensitivity=2", "heights[middle], sensitivity=1"),
    ("papers/cluster/ways.py", "at_zero, sensitivity=2", "at_zero, sensitivity=1"),
    ("papers/cluster/ways.py", "stream.above(height / 2)", "stream.above(height)"),
    ("papers/cluster/ways.py", "heights - t + room) / 2", "heights - t + room)"),
    ("papers/cluster/locate.py", "params.t - 2 * gap", "params.t - gap"),
    ("papers/cluster/locate.py", "return 2 * params.gap", "return params.gap"),
    ("papers/cluster/plan.py", "share * whole / self.runs", "share * whole"),
    ("papers/cluster/plan.py", "math.log(candidates / self.beta)", "math.log(1 / self.beta)"),
    (
        "papers/cluster/plan.py",
        "return SLACK * self.delta / self.runs",
        "return SLACK * self.delta",
    ),
    (
        "papers/cluster/steps.py",
        "scores = np.minimum(box_scores(rows, lengths, shifts), level)",
        "scores = 2 * np.minimum(box_scores(rows, lengths, shifts), level)",
    ),
    (
        "papers/cluster/aggregate.py",
        '"sensitivity": 1 / (len(points) - half)',
        '"sensitivity": 1 / len(points)',
    ),
    (
        "papers/cluster/aggregate.py",
        "epsilon=params.epsilon - epsilon, delta",
        "epsilon=params.epsilon, delta",
    ),
]
FAT = [
    (
        "papers/fat/lower.py",
        '-(-check.integer("dimension", dimension, at_least=0) // used) // 2 * 2',
        'check.integer("dimension", dimension, at_least=0) // used // 2 * 2',
    ),
    ("papers/fat/score.py", "return np.maximum(counts, 0)", "return counts"),
    (
        "papers/fat/release.py",
        "self.epsilon if self.total is not None else (1 - self.share)",
        "self.epsilon if True else (1 - self.share)",
    ),
    ("papers/fat/release.py", "return 1.0 if self.exponent", "return 0.5 if self.exponent"),
    ("papers/fat/lower.py", "share * (d + 2) - 2", "share * (d + 2)"),
    ("papers/fat/lower.py", "epsilon=2 * epsilon)", "epsilon=epsilon)"),
    ("papers/fat/lower.py", "(share - 1 / pairs)", "share"),
    ("papers/fat/lower.py", "/ epsilon - 1) / 2", "/ epsilon) / 2"),
    ("papers/fat/median.py", "self.hits / ((1 - self.share)", "1 / ((1 - self.share)"),
    ("papers/fat/median.py", "(part + math.log(self.hits))", "part"),
    ("papers/fat/median.py", "(part + math.log(self.queries))", "part"),
    ("papers/fat/median.py", "self.cells / (4 * self.rows) if", "self.cells / (8 * self.rows) if"),
    (
        "papers/fat/median.py",
        'price = {"sensitivity": 1 / self.total',
        'price = {"sensitivity": 0.5 / self.total',
    ),
]
ROOMS = {
    "privacy": PRIVACY,
    "distance": DISTANCE,
    "sparse": SPARSE,
    "smooth": SMOOTH,
    "cluster": CLUSTER,
    "fat": FAT,
}

SURVIVORS: dict[tuple[str, str], str] = {}  # (file, old text) -> why nothing promised changes
