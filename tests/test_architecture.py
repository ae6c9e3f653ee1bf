"""The rooms and who may import whom; no hidden randomness."""

import ast
import json
import os
import pkgutil
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "dpviz").rglob("*.py"))
ROOMS = ["checks", "accounting", "privacy", "audit", "data", "sweeps", "comparison", "door"]
ROOMS += ["planner"]
RANK = {"checks": 0, "accounting": 1, "privacy": 2, "audit": 3, "data": 3, "sweeps": 3}
SHOWS = ["drawing", "instruments", "exercises", "lessons", "pages"]
RANK |= {"papers": 4, "comparison": 5, "door": 6, "exams": 6}
RANK |= {room: 7 + i for i, room in enumerate(SHOWS)} | {"planner": 7.5}
PICTURES = {"matplotlib", "ipywidgets", "IPython", "PIL"}
AT_ONCE = {"numpy", "dpviz", *sys.stdlib_module_names}
# What loads when a function first needs it: nobody should wait for it at an import.
LATE = {*PICTURES, "scipy", "sklearn", "networkx", "joblib", "tqdm", "numpy.random", "statistics"}
LATE |= {"asyncio", "concurrent.futures", "importlib.metadata", "multiprocessing"}
LATE |= {"csv", "fractions", "secrets"}
SEEDED = {"default_rng", "Generator", "SeedSequence"}
TOP = """
.ci .git .github .gitignore ARCHITECTURE.md CHANGELOG.md CITATION.cff CONTRIBUTING.md
INSTRUCTOR.md LICENSE MANIFEST.in Makefile README.md THEOREMS.md benchmarks binder docs dpviz
environment.yml lite-kernel notebooks pyproject.toml
requirements-site.lock requirements-test.lock requirements.lock setup.py tests
"""


def imports(tree):
    """Every imported name in full, e.g. "dpviz.checks", with its node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


def room(name):
    """("papers", "smooth_queries") for dpviz.papers.smooth_queries.bounds or its path."""
    parts = name.removesuffix(".py").replace("/", ".").split(".")
    return parts[1] if len(parts) > 1 else "", parts[2] if len(parts) > 2 else ""


def uphill(path, name):
    """Why a file may not import a module of the project, if it may not."""
    (here, paper), (there, other) = room(path), room(name)
    if RANK.get(there, -1) > RANK.get(here, 12):
        return f"{path} imports {name}: {here} is below {there}"
    if here == there == "papers" and paper != other:
        return f"{path} imports {name}: papers never import papers"
    return None


def violations(path, source):
    """Every breach of the import rule and of the rule on randomness in one file."""
    tree = ast.parse(source)
    for name, node in imports(tree):
        package = name.split(".")[0]
        if package == "dpviz" and (why := uphill(path, name)):
            yield why
        if "pyplot" in name:
            yield f"{path}: pyplot"
        if package in PICTURES and room(path)[0] not in SHOWS:
            yield f"{path}: {package} in a room that shows nothing"
        if room(path)[0] not in SHOWS and node in tree.body and package not in AT_ONCE:
            yield f"{path}: {package} is imported at once, not where it is used"
    for node in ast.walk(tree):
        match ast.unparse(node).split(".") if isinstance(node, ast.Attribute) else []:
            case ["np" | "numpy", "random", word] if word not in SEEDED:
                yield f"{path}: global randomness np.random.{word}"
        if isinstance(node, ast.Call) and ast.unparse(node).endswith("default_rng()"):
            yield f"{path}: a generator without a seed"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_file_keeps_the_rules(path):
    relative = path.relative_to(ROOT).as_posix()
    assert list(violations(relative, path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("dpviz/privacy/a.py", "from dpviz.papers.distance_queries import learner"),
        ("dpviz/privacy/a.py", "import dpviz.drawing.style"),
        ("dpviz/papers/sparse_queries/a.py", "def f():\n    from dpviz.drawing import style"),
        (
            "dpviz/papers/sparse_queries/a.py",
            "from dpviz.papers.distance_queries.learner.convex_learner import learn",
        ),
        ("dpviz/papers/small_cluster/a.py", "from dpviz.lessons.cluster import experiments"),
        ("dpviz/comparison/a.py", "from dpviz.drawing import style"),
        ("dpviz/papers/sparse_queries/a.py", "from dpviz.door import means"),
        ("dpviz/comparison/a.py", "from dpviz.door import means"),
        ("dpviz/door/a.py", "from dpviz.drawing import style"),
        ("dpviz/comparison/a.py", "def f():\n    import ipywidgets"),
        ("dpviz/comparison/a.py", "def f():\n    from matplotlib.figure import Figure"),
        ("dpviz/drawing/a.py", "from dpviz.lessons import source"),
        ("dpviz/instruments/a.py", "from dpviz.exercises import answers"),
        ("dpviz/lessons/a.py", "from dpviz.pages import slides"),
        ("dpviz/lessons/a.py", "from matplotlib import pyplot"),
        ("dpviz/lessons/a.py", "import matplotlib.pyplot as plt"),
        ("dpviz/papers/sparse_queries/a.py", "def f():\n    from matplotlib.figure import Figure"),
        ("dpviz/privacy/a.py", "import scipy.special"),
        ("dpviz/privacy/a.py", "import numpy as np\nnp.random.normal()"),
        ("dpviz/lessons/a.py", "import numpy as np\nrng = np.random.default_rng()"),
    ],
)
def test_each_rule_catches_a_planted_violation(path, source):
    assert len(list(violations(path, source))) == 1


def test_what_is_allowed_is_not_reported():
    fine = "import numpy as np\nfrom dpviz import checks\nrng = np.random.default_rng(1)"
    assert list(violations("dpviz/papers/distance_queries/a.py", fine)) == []
    of_paper = "from dpviz.papers.small_cluster import one_cluster"
    assert list(violations("dpviz/comparison/a.py", of_paper)) == []
    assert (
        list(violations("dpviz/lessons/a.py", "from dpviz.papers.distance_queries import learner"))
        == []
    )


def cycle(graph):
    """True if following the arrows of {module: imported modules} can return to its start."""
    while graph:
        leaves = {name for name, targets in graph.items() if not targets & graph.keys()}
        if not leaves:
            return True
        graph = {name: targets for name, targets in graph.items() if name not in leaves}
    return False


def test_imports_run_downhill_inside_every_folder():
    names = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in FILES}
    graph = {}
    for name, path in names.items():
        found = {module for module, _ in imports(ast.parse(path.read_text(encoding="utf-8")))}
        found |= {module.rpartition(".")[0] for module in found}
        graph[name] = found & names.keys()
    assert not cycle(graph)
    assert cycle({"a": {"b"}, "b": {"a"}, "c": {"a"}})


def loaded(*names, folder=ROOT):
    """Every module that imports bring, beyond what numpy does, in a fresh interpreter."""
    code = "import sys, numpy; old = set(sys.modules); import {}; print(*set(sys.modules) - old)"
    command = [sys.executable, "-c", code.format(", ".join(names))]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def too_soon(modules, area):
    """What should not come with a room: those above it, other papers, and all that can wait."""
    rank = RANK[area.split(".")[0]]
    above = {name for name in modules if RANK.get(room(name)[0], 0) > rank}
    others = {name for name in modules if name.startswith("dpviz.papers.") and "." in area}
    others = {name for name in others if not f"{name}.".startswith(f"dpviz.{area}.")}
    return above | others | modules & LATE


PAPERS = sorted(path.parent.name for path in (ROOT / "dpviz" / "papers").glob("*/__init__.py"))


@pytest.mark.parametrize("area", [*ROOMS[1:], *(f"papers.{paper}" for paper in PAPERS)])
def test_importing_one_room_loads_no_other_and_nothing_that_can_wait(area):
    paths = (ROOT / "dpviz").joinpath(*area.split(".")).rglob("*.py")
    names = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in paths]
    names = [name for name in names if not name.endswith("__init__")]
    found = loaded(*names)
    assert set(names) <= found
    assert too_soon(found, area) == set()


def test_what_loads_too_soon_is_found(tmp_path):
    source = "import numpy, statistics\nfrom dpviz.papers.fat_shattering import median_mechanism\n"
    source += "numpy.random.Generator\n"
    (tmp_path / "planted.py").write_text(source, encoding="utf-8")
    found = too_soon(loaded("planted", folder=tmp_path), "papers.small_cluster")
    assert {"statistics", "numpy.random", "dpviz.papers.fat_shattering.median_mechanism"} <= found
    assert too_soon(found - LATE, "papers.fat_shattering") == set()


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("checks", "privacy.curator"),
        ("data.real_sets", "audit.auditor"),
        ("privacy.curator", "audit.auditor"),
        (
            "papers.distance_queries.embeddings.any_metric",
            "papers.distance_queries.mechanism.l1",
        ),
        ("papers.fat_shattering.reconstruction", "papers.fat_shattering.median_mechanism"),
    ],
)
def test_importing_one_part_does_not_load_another(part, other):
    assert f"dpviz.{other}" not in loaded(f"dpviz.{part}")
    assert f"dpviz.{other}" in loaded(f"dpviz.{part}", f"dpviz.{other}")


LESSONS = sorted(path.parent.name for path in (ROOT / "dpviz" / "lessons").glob("*/__init__.py"))


def _names_of(area):
    """The modules of a room and the room itself."""
    paths = (ROOT / "dpviz" / area).rglob("*.py")
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names]


def test_the_map_of_a_room_imports_none_of_its_parts():
    # One name for all of it, and light; the calculator's two functions, when they are asked for;
    # the room of audits, which can be called; and the front door's functions.
    doors = {"accounting", "comparison", "audit", "dpviz"}
    lessons = ROOT / "dpviz" / "lessons"
    maps = [p for p in FILES if p.stem == "__init__" and p.parents[1] != lessons]
    maps = [p for p in maps if p.parent.name not in doors]
    folders = {path.parent for path in FILES if path.parents[1] != lessons}
    assert len(maps) == len(folders) - len(doors)
    for path in maps:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert list(imports(tree)) == [], path
    assert loaded("dpviz.comparison") & set(_names_of("comparison")) == {"dpviz.comparison"}
    assert not {"matplotlib", "ipywidgets"} & loaded(
        "dpviz.lessons.registry", "dpviz.lessons.start"
    )


def below(folder):
    """Names of the modules and rooms right below a folder."""
    rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
    return rooms | {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}


def on_map(folder):
    """Names in the docstring of a room, and those that begin a line of its table."""
    told = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    listed = [line.split("``")[1] for line in told.splitlines() if line.startswith("``")]
    names = {part for name in re.findall(r"[`]([\w.]+)`", told) for part in name.split(".")}
    return names, {name.split(".")[-1] for name in listed}


def lost(folder):
    """Modules on no map, and names on a map of what is not there; a shelf may be on its paper's."""
    names, listed = on_map(folder)
    above = on_map(folder.parent)[0] if folder.name != "dpviz" else set()
    everything = {name for place in [folder, *folder.glob("*/")] for name in below(place)}
    return below(folder) - names - above, {n for n in listed if n.isidentifier()} - everything


FOLDERS = sorted({path.parent for path in FILES if path.stem == "__init__"})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_module_is_on_the_map_of_its_room(folder):
    assert lost(folder) == (set(), set())


def test_a_module_on_no_map_and_a_stale_line_are_found(tmp_path):
    room = tmp_path / "dpviz"
    room.mkdir()
    (room / "__init__.py").write_text('"""Map.\n\n``known``  here\n``gone``   not here\n"""')
    for name in ("known", "new"):
        (room / f"{name}.py").write_text("")
    assert lost(room) == ({"new"}, {"gone"})


SAID = [*FILES, *(ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "THEOREMS"))]
SAID += sorted((ROOT / "docs").rglob("*.md"))
SAID += [*(ROOT / "dpviz").rglob("*.tsv"), *sorted((ROOT / "notebooks").glob("*.ipynb"))]
STEMS = {path.stem for path in FILES} | {path.name for path in FOLDERS}


@cache
def exists(name):
    """Whether a dotted name is a module of ours, or something in one."""
    try:
        return bool(pkgutil.resolve_name(name))
    except (ImportError, AttributeError):
        return False


def gone(path):
    """Modules, and names in them, of which a text speaks and which are not there."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    yield from (n for n in re.findall(r"\bdpviz(?:\.[A-Za-z_]\w*)+", text) if not exists(n))
    yield from (n for n in re.findall(r"odule `{1,2}(\w+)`", text) if n not in STEMS)


@pytest.mark.parametrize("path", SAID, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_module_that_is_named_is_there(path):
    assert list(gone(path)) == []


def test_a_module_that_is_named_and_gone_is_found(tmp_path):
    text = tmp_path / "text.md"
    text.write_text("dpviz.checks.integer, dpviz.checks.whole, module `l1`, module ``l7``")
    assert list(gone(text)) == ["dpviz.checks.whole", "l7"]


def public(node):
    return not node.name.startswith("_")


def said(node):
    """Whether it has a docstring; the setter of a property shares its getter's."""
    return ast.get_docstring(node) or any(".setter" in ast.unparse(d) for d in node.decorator_list)


def test_every_public_function_and_class_says_what_it_does():
    silent = []
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        named = [node for part in [tree, *classes] for node in part.body if hasattr(node, "name")]
        silent += [f"{path}:{node.name}" for node in named if public(node) and not said(node)]
    assert silent == []


def test_no_room_for_odds_and_ends():
    words = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}
    assert [p for p in FILES if p.stem in words or words & set(p.parts)] == []


def at_the_top():
    """What git knows or might be told at the top; of a source distribution, all that it brought."""
    if not (ROOT / ".git").exists():
        made = {"PKG-INFO", "setup.cfg", "dpviz.egg-info", "__pycache__", "build", "reports"}
        return {path.name for path in ROOT.iterdir() if path.name not in made}
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line.split("/")[0] for line in listed.stdout.splitlines()}


def test_nothing_else_at_the_top():
    caches = {".hypothesis", ".pytest_cache", ".ruff_cache", ".mypy_cache"}
    assert at_the_top() - caches <= set(TOP.split())
