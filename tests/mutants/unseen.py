"""Twenty more faults, chosen by what matters before the guards against them were written.

Thirteen change a number (a charge, a proved bound, a public bound), seven a picture. The format is
that of ``planted``; ``python tests/mutants/run.py --list unseen`` runs them.
"""

ACCOUNTING = [
    ("accounting/subsampling.py", "sum(p * profile(j, epsilon)", "sum(p * profile(1, epsilon)"),
]
PRIVACY = [
    (
        "privacy/additive_noise.py",
        "noise - scale * math.log(1 / delta)",
        "noise - scale * math.log(1 / (2 * delta))",
    ),
    ("privacy/noise_laws.py", "(logs + np.log(2 / beta)", "(logs + np.log(1 / beta)"),
]
AUDIT = [("audit/auditor.py", "alpha = (1 - confidence) / 2",
          "alpha = 1 - confidence")]  # fmt: skip
DISTANCE = [
    (
        "papers/distance_queries/releases/anchored.py",
        "level = math.log(2 / params.beta)",
        "level = math.log(1 / params.beta)",
    ),
]
SPARSE = [
    (
        "papers/sparse_queries/hashed_histogram.py",
        "math.log(4 * len(batch) / params.beta)",
        "math.log(2 * len(batch) / params.beta)",
    ),
]
SMOOTH = [
    (
        "papers/smooth_queries/baselines.py",
        "sensitivity=2 / len(points)",
        "sensitivity=1 / len(points)",
    ),
]
CLUSTER = [
    (
        "papers/small_cluster/baselines.py",
        '"sensitivity": math.sqrt(2), "rho": 0.5 * rho',
        '"sensitivity": 1.0, "rho": 0.5 * rho',
    ),
]
FAT = [
    (
        "papers/fat_shattering/threshold_learner.py",
        "sampled = 2 * math.sqrt(",
        "sampled = math.sqrt(",
    ),
]
EXPERIMENTS = [
    (
        "comparison/mechanisms/linear.py",
        '= {"sensitivity": 2.0, "epsilon": task.epsilon',
        '= {"sensitivity": 1.0, "epsilon": task.epsilon',
    ),
    ("door/runs.py", '"sensitivity": 1 / n', '"sensitivity": 0.5 / n'),
]
SWEEPS = [("sweeps/slope.py", "[0.025, 0.975]", "[0.05, 0.95]")]
DATA = [("data/real_sets.toml", '["s3", 0, 150, "mg/dL"]', '["s3", 0, 50, "mg/dL"]')]
VIEWS = [
    (
        "lessons/privacy/explorers.py",
        """name="epsilon", label="ε", values=epsilons, start=1),
        OUTPUT,""",
        """name="epsilon", label="printed number", values=epsilons, start=1),
        OUTPUT,""",
    ),
    (
        "lessons/fat_shattering/explorers.py",
        'style.axis_titles(right, "γ", "dimension")',
        'style.axis_titles(right, "dimension", "γ")',
    ),
    (
        "lessons/learner/explorers.py",
        "guess - result.alpha, guess + result.alpha",
        "guess - result.alpha / 2, guess + result.alpha / 2",
    ),
    (
        "lessons/smooth/bias_variance.py",
        "error = result.error[result.best]\n    if t == 1",
        "error = result.noise[result.best]\n    if t == 1",
    ),
    (
        "lessons/sparse/figures.py",
        "mistake_bound(size, alpha, update_rule)",
        "mistake_bound(size, 2 * alpha, update_rule)",
    ),
    (
        "lessons/compare/player.py",
        "left = style.number(1 - step.spent[-1])",
        "left = style.number(step.spent[-1])",
    ),
    (
        "lessons/start/explorers.py",
        "rows = [result.monday, result.tuesday,",
        "rows = [result.tuesday, result.monday,",
    ),
]
ROOMS = {
    "accounting": ACCOUNTING,
    "privacy": PRIVACY,
    "audit": AUDIT,
    "distance_queries": DISTANCE,
    "sparse_queries": SPARSE,
    "smooth_queries": SMOOTH,
    "small_cluster": CLUSTER,
    "fat_shattering": FAT,
    "comparison": EXPERIMENTS,
    "sweeps": SWEEPS,
    "data": DATA,
    "lessons": VIEWS,
}

SURVIVORS: dict[tuple[str, str], str] = {}  # (file, old text) -> why nothing promised changes
