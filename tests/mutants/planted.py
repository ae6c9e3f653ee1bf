"""Faults that the tests must see: each changes one place of the package, as a slip would.

Written before the first run of ``make mutants``. One entry: the file under ``dpviz``, the text
that occurs there once, and what stands there instead.
"""

PRIVACY = [
    (
        "privacy/additive_noise.py",
        "sd * self._rng.standard_normal(shape)",
        "sd / 2**0.5 * self._rng.standard_normal(shape)",
    ),
    (
        "accounting/subsampling.py",
        "min(1.0, draws / n * delta * often)",
        "min(1.0, 0 * delta * often)",
    ),
    (
        "privacy/histograms.py",
        "self._scale * (pairs[:, 0] - pairs[:, 1])",
        "0 * (pairs[:, 0] - pairs[:, 1])",
    ),
    ("privacy/account.py", "if os.getpid() != self._process:", "if False:"),
    (
        "privacy/additive_noise.py",
        "everything = np.append(self._private, private)",
        "everything = private",
    ),
    (
        "privacy/additive_noise.py",
        "private + self.sd * self._curator._rng",
        "private + 0.5 * self.sd * self._curator._rng",
    ),
    (
        "privacy/additive_noise.py",
        "scale = sensitivity / epsilon",
        "scale = sensitivity / (2 * epsilon)",
    ),
    ("privacy/additive_noise.py", "sd = sensitivity * unit", "sd = sensitivity * unit / 2**0.5"),
    (
        "privacy/additive_noise.py",
        "inside = rows.sum(axis=0)",
        "inside = offsets.sum(axis=0)",
    ),
    ("privacy/additive_noise.py", "math.sqrt(3) * held", "2 * held"),
    (
        "privacy/additive_noise.py",
        'line(label, "average", 2.0, 2.0 * unit',
        'line(label, "average", 2.0, unit',
    ),
    (
        "privacy/additive_noise.py",
        "inside.sum(axis=0) / max(1, len(inside))",
        "inside.mean(axis=0)",
    ),
    ("privacy/additive_noise.py", "sd = 2 * radius * unit / count", "sd = radius * unit / count"),
    (
        "privacy/exponential_mechanism.py",
        "weights = epsilon / (2 * sensitivity)",
        "weights = epsilon / sensitivity",
    ),
    (
        "privacy/exponential_mechanism.py",
        "scale = 2 * sensitivity / epsilon",
        "scale = sensitivity / epsilon",
    ),
    (
        "privacy/exponential_mechanism.py",
        "math.log(1 / (2 * delta))\n        best",
        "math.log(1 / delta)\n        best",
    ),
    ("privacy/exponential_mechanism.py", "delta=distance / most", "delta=distance"),
    ("privacy/histograms.py", "sorted(cells, key=lambda pair: -pair[1])", "cells"),
    (
        "privacy/histograms.py",
        "scale = 2 / epsilon\n",
        "scale = 1 / epsilon\n",
    ),
    ("privacy/histograms.py", "return 2 / epsilon, enough", "return 1 / epsilon, enough"),
    ("privacy/histograms.py", "sd = 1 / math.sqrt(", "sd = 0.5 / math.sqrt("),
    (
        "privacy/histograms.py",
        "    enough = 1 + 2 / epsilon * math.log(1 / (2 * delta))\n        counts",
        "    enough = 2 / epsilon * math.log(1 / (2 * delta))\n        counts",
    ),
    ("privacy/sparse_vector.py", 'per = positives if method == "once" else 1', "per = 1"),
    (
        "privacy/sparse_vector.py",
        "2 * per * sensitivity / (epsilon - first)",
        "per * sensitivity / (epsilon - first)",
    ),
    ("privacy/sparse_vector.py", 'self._running = self._method == "once"', "self._running = True"),
    ("privacy/sparse_vector.py", "self._next += first + 1", "self._next += first"),
    ("privacy/curator.py", "self._pay(line(label, verb", "0 and self._pay(line(label, verb"),
    (
        "privacy/curator.py",
        "child._steps, child._step = k,",
        "child._steps, child._step = k + 1,",
    ),
    ("privacy/curator.py", '{"rho": rho, "delta": slack}', '{"rho": rho, "delta": delta}'),
    ("privacy/account.py", "        self._spent = after\n", ""),
    ("accounting/zcdp.py", "(epsilon) ** 2 / 8", "(epsilon) ** 2 / 16"),
    (
        "privacy/online.py",
        'return Answer(guess + self._shift, "guess")',
        'return Answer(guess, "guess")',
    ),
]
DISTANCE = [
    (
        "papers/distance_queries/learner/average_distance.py",
        "2 * int(self._data[i].searchsorted(t)) - self.n",
        "2 * int(self._data[i].searchsorted(t, 'right')) - self.n",
    ),
    (
        "papers/distance_queries/embeddings/any_metric.py",
        "np.clip(rows, self.embedding.lower, self.embedding.upper)[:, self.wide]",
        "rows[:, self.wide]",
    ),
    (
        "papers/distance_queries/mechanism/l1.py",
        "(params.k, d * runs) if",
        "(params.k, runs) if",
    ),
    (
        "papers/distance_queries/mechanism/l1.py",
        "else (d * params.k, runs)",
        "else (params.k, runs)",
    ),
    ("papers/distance_queries/mechanism/l1.py", "beta=2 * params.beta / 3", "beta=params.beta"),
    (
        "papers/distance_queries/mechanism/l1.py",
        "ndtri(beta / (4 * tangents))",
        "ndtri(beta / tangents)",
    ),
    (
        "papers/distance_queries/mechanism/l1.py",
        "value, sensitivity=l2_sensitivity",
        "value, sensitivity=l2_sensitivity / 2",
    ),
    (
        "papers/distance_queries/mechanism/l1.py",
        '"l1_sensitivity": 2 / n, "l2_sensitivity": math.sqrt(2) / n',
        '"l1_sensitivity": 1 / n, "l2_sensitivity": 1 / n',
    ),
    ("papers/distance_queries/mechanism/sum_test.py", "math.sqrt(2 * d) / n", "math.sqrt(d) / n"),
    (
        "papers/distance_queries/mechanism/sum_test.py",
        "tangents[:, 0] + 2 * tangents[:, 1]",
        "tangents[:, 0] + tangents[:, 1]",
    ),
    (
        "papers/distance_queries/releases/average_sign.py",
        "math.sqrt(4 * params.admissible_diameter",
        "math.sqrt(2 * params.admissible_diameter",
    ),
    ("papers/distance_queries/releases/average_sign.py", "a + r * (1 - a) - 4", "a + (1 - a) - 4"),
    (
        "papers/distance_queries/releases/average_sign.py",
        "math.log(2 / params.beta)",
        "math.log(1 / params.beta)",
    ),
    (
        "papers/distance_queries/releases/haar_wavelet.py",
        "sensitivity=1 / params.n",
        "sensitivity=0.5 / params.n",
    ),
    (
        "papers/distance_queries/embeddings/weighted_hamming.py",
        "math.sqrt(2 * (scaling",
        "math.sqrt((scaling",
    ),
    (
        "papers/distance_queries/embeddings/negative_type.py",
        '"sensitivity": params.field.sensitivity / params.n',
        '"sensitivity": params.field.sensitivity / (2 * params.n)',
    ),
    (
        "papers/distance_queries/embeddings/negative_type.py",
        "squared = 8 * radius * (1 / (c * share)",
        "squared = 4 * radius * (1 / (c * share)",
    ),
    (
        "papers/distance_queries/embeddings/negative_type.py",
        "private - cross @ self._clean",
        "private",
    ),
    (
        "papers/distance_queries/embeddings/negative_type.py",
        "squares / level + 2 * table",
        "squares / level + table",
    ),
    (
        "papers/distance_queries/embeddings/negative_type.py",
        "finer = level[first:]",
        "finer = level[first + 1 :]",
    ),
    (
        "papers/distance_queries/mechanism/l1.py",
        "return (1 + 2**power * constant) / best**2",
        "return (1 + constant) / best**2",
    ),
    (
        "papers/distance_queries/releases/haar_wavelet.py",
        "changed = min(params.n, math.ceil(room) - 1)",
        "changed = min(params.n, math.ceil(room) + 1)",
    ),
    (
        "papers/distance_queries/embeddings/negative_type.py",
        "if sizes[-1] > ROUNDING",
        "if sizes[0] > ROUNDING",
    ),
    (
        "papers/distance_queries/baselines/finite_metric.py",
        '"l1": 2 / params.n',
        '"l1": 1 / params.n',
    ),
    (
        "papers/distance_queries/baselines/noise_per_query.py",
        '"l2": math.sqrt(params.k) * each',
        '"l2": each',
    ),
    (
        "papers/distance_queries/learner/convex_learner.py",
        "slope = min(1.0, max(-1.0, float(slope)))",
        "slope = float(slope)",
    ),
    (
        "papers/distance_queries/baselines/private_multiplicative_weights.py",
        "self.plan.gamma + self.plan.test_accuracy",
        "self.plan.gamma",
    ),
]
SPARSE = [
    (
        "papers/sparse_queries/sparse_multiplicative_weights.py",
        "return side * 4 * self.alpha",
        "return side * 8 * self.alpha",
    ),
    (
        "papers/sparse_queries/plan.py",
        "error=alpha + 2 * test_error if promised",
        "error=alpha + test_error if promised",
    ),
    ("papers/sparse_queries/plan.py", "threshold=alpha + test_error", "threshold=alpha"),
    ("papers/sparse_queries/plan.py", "promised = answer_error <= alpha", "promised = True"),
    (
        "papers/sparse_queries/online.py",
        "sensitivity=1 / records.n,\n                epsilon",
        "sensitivity=0.5 / records.n,\n                epsilon",
    ),
    (
        "papers/sparse_queries/online.py",
        '{"sensitivity": 1 / records.n',
        '{"sensitivity": 0.5 / records.n',
    ),
    (
        "papers/sparse_queries/online.py",
        "checked_query(query, self.vocabulary, self.params.m)",
        "checked_query(query, self.vocabulary, 10**9)",
    ),
    ("papers/sparse_queries/mwem.py", "(8 * (1 - share) * each)", "(16 * (1 - share) * each)"),
    ("papers/sparse_queries/mwem.py", "gaps = np.abs(truths - read())", "gaps = truths - read()"),
    ("papers/sparse_queries/baselines.py", "math.sqrt(len(batch)) / records.n", "1 / records.n"),
    (
        "papers/sparse_queries/baselines.py",
        "epsilon**2) + math.log(2 * k / beta)",
        "epsilon**2) + math.log(2 / beta)",
    ),
    (
        "papers/sparse_queries/sparse_multiplicative_weights.py",
        "abs(reply - guess) - self.reply_error",
        "abs(reply - guess)",
    ),
    ("papers/sparse_queries/indexed_weights.py", "self._total += float", "self._total -= float"),
    (
        "papers/sparse_queries/indexed_weights.py",
        "if 0 < self.free < len(indices)",
        "if 0 < self.free < 0",
    ),
]
SMOOTH = [
    (
        "papers/smooth_queries/gaussian_kernel.py",
        "return lost + 2 * unseen(nodes, width) + ROUNDING",
        "return lost + ROUNDING",
    ),
    ("papers/smooth_queries/moments.py", "(1 + excess(terms)) * float", "1.0 * float"),
    ("papers/smooth_queries/moments.py", "math.sqrt(2 * terms**d)", "math.sqrt(terms**d)"),
    (
        "papers/smooth_queries/bounds.py",
        "approximation = class_error(terms - 1, k",
        "approximation = 0 * class_error(terms - 1, k",
    ),
    ("papers/smooth_queries/bounds.py", "norm * (1 + math.pi * terms / (2 * nodes))", "norm"),
    ("papers/smooth_queries/bounds.py", "(grid_norm**d + norm**d)", "0"),
    (
        "papers/smooth_queries/sobolev_ellipsoid.py",
        "math.sqrt(params.d) * bell(smoothness)",
        "math.sqrt(params.d)",
    ),
    (
        "papers/smooth_queries/sobolev_ellipsoid.py",
        "derivative * kept / np.sqrt",
        "derivative * kept / np.square",
    ),
    (
        "papers/smooth_queries/sobolev_ellipsoid.py",
        "- math.log(beta)) / k",
        "- math.log(2 * beta)) / k",
    ),
    (
        "papers/smooth_queries/moments.py",
        "weights.sum() - values.min() + margin",
        "weights.sum() + margin",
    ),
    (
        "papers/smooth_queries/moments.py",
        "np.ldexp((frequency ** (2 * smoothness)).sum(axis=1), -present)",
        "(frequency ** (2 * smoothness)).sum(axis=1)",
    ),
    ("papers/smooth_queries/bounds.py", " + math.log(2 * k) * peak", ""),
    (
        "papers/smooth_queries/bounds.py",
        "math.sqrt(2 * math.log(2 * k)) * sd",
        "math.sqrt(2 * math.log(2)) * sd",
    ),
    (
        "papers/smooth_queries/bounds.py",
        "log_k=math.log(len(queries.centres)))",
        "log_k=math.log(len(queries.centres) / 2))",
    ),
    ("papers/smooth_queries/release.py", "summary[1:] = noisy * scales", "summary[1:] = noisy"),
    (
        "papers/smooth_queries/functional_mechanism.py",
        "sensitivity=params.rkhs_sensitivity *",
        "sensitivity=params.rkhs_sensitivity / 2 *",
    ),
    (
        "papers/smooth_queries/jackson.py",
        "return 2 * derivative * _moment",
        "return derivative * moment",
    ),
    ("papers/smooth_queries/baselines.py", "k**0.5 / n", "1 / n"),
]
CLUSTER = [
    (
        "papers/small_cluster/one_cluster.py",
        "        radius = min(radius, 1.1 * mean.sd",
        "        first = mean.sd if step == 3 else first\n        radius = min(radius, 1.1 * first",
    ),
    ("papers/small_cluster/radius_quality.py", "np.sort(nearest, axis=None)", "nearest.ravel()"),
    (
        "papers/small_cluster/good_radius.py",
        "scores[middle], sensitivity=2",
        "scores[middle], sensitivity=1",
    ),
    ("papers/small_cluster/good_radius.py", "at_zero, sensitivity=2", "at_zero, sensitivity=1"),
    ("papers/small_cluster/good_radius.py", "stream.above(value / 2)", "stream.above(value)"),
    ("papers/small_cluster/radius_quality.py", "scores - t + margin) / 2", "scores - t + margin)"),
    ("papers/small_cluster/one_cluster.py", "params.t - 2 * gap", "params.t - gap"),
    ("papers/small_cluster/one_cluster.py", "return 2 * params.gap", "return params.gap"),
    ("papers/small_cluster/one_cluster.py", "share * whole / self.runs", "share * whole"),
    (
        "papers/small_cluster/one_cluster.py",
        "math.log(candidates / self.beta)",
        "math.log(1 / self.beta)",
    ),
    (
        "papers/small_cluster/one_cluster.py",
        "return SLACK * self.delta / self.runs",
        "return SLACK * self.delta",
    ),
    (
        "papers/small_cluster/one_cluster.py",
        "scores = np.minimum(heaviest, level)",
        "scores = 2 * np.minimum(heaviest, level)",
    ),
    (
        "papers/small_cluster/sample_and_aggregate.py",
        '"sensitivity": 1 / (len(points) - half)',
        '"sensitivity": 1 / len(points)',
    ),
    (
        "papers/small_cluster/sample_and_aggregate.py",
        "epsilon=params.epsilon - epsilon, delta",
        "epsilon=params.epsilon, delta",
    ),
    ("papers/small_cluster/good_center.py", "lost + 2 * level", "lost + level"),
    ("papers/small_cluster/good_center.py", "- noise + 1 + scale *", "- 2 * noise + 1 + scale *"),
    (
        "papers/small_cluster/radius_then_center.py",
        "guaranteed(params, n) >= needed",
        "params.t >= needed",
    ),
    (
        "papers/small_cluster/radius_then_center.py",
        '"beta": 3 * self.share}',
        '"beta": 4 * self.share}',
    ),
    (
        "papers/small_cluster/radius_then_center.py",
        "math.log(self.share) / self.rounds",
        "math.log(self.beta) / self.rounds",
    ),
    ("papers/small_cluster/enclosing_ball.py", "plan.enough + 3 * plan.noise", "plan.enough"),
    (
        "papers/small_cluster/enclosing_ball.py",
        "slope = (1 - wrong) * distance**2 - bias",
        "slope = (1 - wrong) * distance**2",
    ),
    (
        "papers/small_cluster/enclosing_ball.py",
        "2 / math.sqrt(2 * params.rho",
        "1 / math.sqrt(2 * params.rho",
    ),
    (
        "papers/small_cluster/enclosing_ball.py",
        "params.calls * (len(plan.steps) + 1))",
        "(len(plan.steps) + 1))",
    ),
    (
        "papers/small_cluster/enclosing_ball.py",
        "rows = np.where(_outside(rows, start, reach)[:, None], FAR, rows)",
        "pass",
    ),
]
FAT = [
    (
        "papers/fat_shattering/smooth_functions.py",
        "right / (1 - checks.number",
        "right * (1 - checks.number",
    ),
    (
        "papers/fat_shattering/smooth_functions.py",
        "math.log1p((1 - 2 * beta) / (beta + unit)) / epsilon",
        "math.log1p((1 - 2 * beta) / (beta + unit)) / (2 * epsilon)",
    ),
    (
        "papers/fat_shattering/lower_bounds.py",
        '-(-checks.integer("dimension", dimension, at_least=0) // used) // 2 * 2',
        'checks.integer("dimension", dimension, at_least=0) // used // 2 * 2',
    ),
    ("papers/fat_shattering/net_mechanism.py", "return np.maximum(counts, 0)", "return counts"),
    (
        "papers/fat_shattering/net_mechanism.py",
        "self.epsilon if self.total is not None else (1 - self.share)",
        "self.epsilon if True else (1 - self.share)",
    ),
    (
        "papers/fat_shattering/net_mechanism.py",
        'return 1.0 if self.method == "corrected"',
        'return 0.5 if self.method == "corrected"',
    ),
    ("papers/fat_shattering/lower_bounds.py", "share * (d + 2) - 2", "share * (d + 2)"),
    ("papers/fat_shattering/lower_bounds.py", "epsilon=2 * epsilon)", "epsilon=epsilon)"),
    ("papers/fat_shattering/lower_bounds.py", "(share - 1 / pairs)", "share"),
    ("papers/fat_shattering/lower_bounds.py", "/ epsilon - 1) / 2", "/ epsilon) / 2"),
    (
        "papers/fat_shattering/median_mechanism.py",
        "self.positives / (self.epsilon - compare)",
        "1 / (self.epsilon - compare)",
    ),
    ("papers/fat_shattering/median_mechanism.py", "(third + math.log(self.positives))", "third"),
    ("papers/fat_shattering/median_mechanism.py", "(third + math.log(self.k))", "third"),
    (
        "papers/fat_shattering/median_mechanism.py",
        "self.cells / (4 * self.rows) if",
        "self.cells / (8 * self.rows) if",
    ),
    (
        "papers/fat_shattering/median_mechanism.py",
        'cost = {"sensitivity": 1 / params.total',
        'cost = {"sensitivity": 0.5 / params.total',
    ),
    (
        "papers/fat_shattering/covering_numbers.py",
        "math.log2(4 * points * levels) / 2",
        "math.log2(2 * points * levels) / 2",
    ),
    (
        "papers/fat_shattering/small_databases.py",
        "math.sqrt(2 * (math.log(2) + size(sample)) / rows)",
        "math.sqrt((math.log(2) + size(sample)) / (2 * rows))",
    ),
    (
        "papers/fat_shattering/net_mechanism.py",
        "cells=cells) / (eta - best_error)",
        "cells=cells) / eta",
    ),
    (
        "papers/fat_shattering/regression_learner.py",
        "return 4 * (released + sampled)",
        "return 2 * (released + sampled)",
    ),
    ("papers/fat_shattering/median_mechanism.py", "if not self._left:", "if False:"),
]
DOOR = [
    # bounds: swapped, of the wrong column, not the width
    (
        "door/frames.py",
        "return tuple(pairs[:, 0].tolist()), tuple(pairs[:, 1].tolist())",
        "return tuple(pairs[::-1, 0].tolist()), tuple(pairs[::-1, 1].tolist())",
    ),
    ("door/frames.py", "if not low < high:", "if low == high:"),
    (
        "door/frames.py",
        "bounds = [bounds[label] for label in read.columns]",
        "bounds = [*bounds.values()]",
    ),
    ("door/frames.py", "value[c]) for c in columns]", "value[c]) for c in labels]"),
    ("door/frames.py", "value = [value[label] for label in bounds]", "value = [*value.values()]"),
    # sensitivity, n and budget
    (
        "door/means.py",
        "sensitivity = box.total / sums.n",
        "sensitivity = box.total / (2 * sums.n)",
    ),
    ("door/means.py", "moved = box.total / read.n", "moved = 1 / read.n"),
    (
        "door/means.py",
        "map(params.box.private, blocks_of(table))",
        "((block - params.box.lower) / params.box.widths for block in blocks_of(table))",
    ),
    ("door/linear.py", "MOVED = 2.0", "MOVED = 1.0"),
    ("door/linear.py", "sensitivity=moved,", "sensitivity=moved / 2,"),
    ("door/terms.py", '"epsilon": amount, "delta": rare}', '"epsilon": amount, "delta": 0.0}'),
    (
        "door/terms.py",
        "payer = Curator(epsilon=terms.epsilon,",
        "payer = Curator(epsilon=2 * terms.epsilon,",
    ),
    (
        "door/payment.py",
        "left.delta if delta is None else delta",
        "0.0 if delta is None else delta",
    ),
    ("door/terms.py", "    if payer is None:\n", "    if True:\n"),
    # what is chosen, and what is proved of it
    (
        "door/terms.py",
        "sorted(range(len(mechanisms)), key=proved.__getitem__)",
        "list(range(len(mechanisms)))[::-1]",
    ),
    (
        "door/distances.py",
        "average_sign if params.delta else haar_wavelet",
        "haar_wavelet",
    ),
    ("door/other_metrics.py", "n < negative_type.records_needed(asks, k=1)", "n < 0"),
    ("door/other_metrics.py", '!= "floats":', '== "none":'),
    ("door/other_metrics.py", "return relative * params.metric.diameter + noise", "return noise"),
    (
        "door/summaries.py",
        '("size", size, above=0) * _stretch(params) ** order',
        '("size", size, above=0)',
    ),
    ("door/summaries.py", "return max(1.0, float(", "return min(1.0, float("),
    (
        "door/sparse_methods.py",
        "params.k * math.log(params.k / params.beta)",
        "math.log(params.k / params.beta)",
    ),
    ("door/names.py", "return n * min(1.0, bound)", "return min(1.0, bound)"),
    ("door/terms.py", "return most if beta >= calibrated else math.inf", "return most"),
]
COMPARISON = [
    (
        "comparison/mechanisms/task.py",
        'if payer.composition != "basic" or not _is_same(cost, payer.budget):',
        'if payer.composition != "basic":',
    ),
    (
        "comparison/mechanisms/task.py",
        "payer.sub_curator_zcdp(**task.budget, slack=slack,",
        "payer.sub_curator_zcdp(**task.budget, slack=0.0,",
    ),
    (
        "comparison/mechanisms/linear.py",
        "counts = baselines.nearest_possible(_noisy(task, instance, curator), task.n)",
        "counts = _noisy(task, instance, curator)",
    ),
    (
        "comparison/alternatives/adaptive_projection.py",
        "moved = factorization.part(queries, chosen)[1] / params.n",
        "moved = factorization.part(queries, chosen)[1] / (2 * params.n)",
    ),
    (
        "comparison/alternatives/adaptive_projection.py",
        "epsilon = math.sqrt(8 * rho / params.each)",
        "epsilon = math.sqrt(16 * rho / params.each)",
    ),
    (
        "comparison/alternatives/factorization.py",
        "odd = float((spread.sum() - transform(spread)).max()) / 2",
        "odd = float((spread.sum() - transform(spread)).max()) / 4",
    ),
    (
        "comparison/alternatives/friendly_core.py",
        "return 1 + 2 / (1 - 2 * self.full)",
        "return 2 / (1 - 2 * self.full)",
    ),
    (
        "comparison/alternatives/friendly_core.py",
        "l2 = 2 * params.radius * params.moved / low",
        "l2 = params.radius * params.moved / low",
    ),
    (
        "comparison/alternatives/friendly_core.py",
        "(1 - float(ndtri(delta)) /",
        "(1 + float(ndtri(delta)) /",
    ),
    (
        "comparison/alternatives/dense_weights.py",
        '"epsilon": test, "positives": params.rounds,',
        '"epsilon": 2 * test, "positives": params.rounds,',
    ),
]
ROOMS = {
    "privacy": PRIVACY,
    "distance_queries": DISTANCE,
    "sparse_queries": SPARSE,
    "smooth_queries": SMOOTH,
    "small_cluster": CLUSTER,
    "fat_shattering": FAT,
    "comparison": COMPARISON,
    "door": DOOR,
}

SURVIVORS: dict[tuple[str, str], str] = {}  # (file, old text) -> why nothing promised changes
