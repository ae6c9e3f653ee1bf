"""The files around the package agree; each check lists its faults and must catch a planted one."""

import ast
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
SITE = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["site"]
BUILD = tomllib.loads(read("pyproject.toml"))["dependency-groups"]["build"]
USE = PROJECT["dependencies"]
TEST = USE + PROJECT["optional-dependencies"]["test"]


def conda_name(line):
    """A requirement as conda-forge writes it: there, playwright alone is the one for Node."""
    return re.sub(r"^playwright\b", "playwright-python", line)


FROM_PIP = {"axe-playwright-python"}  # what conda-forge may not carry


def environment_faults(text, python):
    """An environment.yml has these keys and dependencies, each written as in pyproject.toml."""
    by_pip = [line for line in TEST if re.split("[<>=]", line)[0] in FROM_PIP]
    packages = {conda_name(line) for line in TEST if line not in by_pip}
    wanted = {"name": "dpviz", "channels": ["conda-forge"]}
    wanted["dependencies"] = {python, "pip", str({"pip": by_pip}), *packages}
    found = yaml.safe_load(text)
    found["dependencies"] = set(map(str, found["dependencies"]))
    return [key for key in wanted | found if wanted.get(key) != found.get(key)]


ENVIRONMENTS = {
    "environment.yml": "python" + PROJECT["requires-python"],
    "binder/environment.yml": "python=3.11",  # Binder takes a range for Python 3.10
}


@pytest.mark.parametrize(("name", "python"), ENVIRONMENTS.items())
def test_environment(name, python):
    assert not environment_faults(read(name), python)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  - conda-forge", "  - conda-forge\n  - defaults"),
        ("  - pip", "  - pip\n  - pip: [left-pad]"),
        ("  - pip", "  - pip\n  - ./here"),
        ("name: dpviz", "name: dpviz\nprefix: /here"),
        (f"  - {TEST[0]}\n", ""),
        (TEST[0], TEST[0] + ".1"),
        ("python=3.11", "python>=3.11"),
    ],
)
def test_environment_faults_are_caught(old, new):
    text = read("binder/environment.yml")
    assert old in text
    assert environment_faults(text.replace(old, new, 1), "python=3.11")


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


def badge_faults(readme, urls):
    """The README links to Binder exactly if the project has an address, and to that one."""
    links = re.findall(r"https://mybinder\.org/v2/gh/([^/\s]+/[^/\s]+)/", readme)
    address = urls.get("Repository", "").removesuffix("/").removesuffix(".git")
    wanted = {"/".join(address.split("/")[-2:])} if address else set()
    return sorted(wanted ^ set(links))


def test_badge():
    assert not badge_faults(read("README.md"), PROJECT.get("urls", {}))


@pytest.mark.parametrize(
    ("links", "address"),
    [
        (["us/dpviz"], ""),
        ([], "https://example.org/us/dpviz"),
        (["them/dpviz"], "https://example.org/us/dpviz"),
    ],
)
def test_badge_faults_are_caught(links, address):
    readme = "".join(f"https://mybinder.org/v2/gh/{link}/HEAD\n" for link in links)
    assert badge_faults(readme, {"Repository": address})
    right = "https://mybinder.org/v2/gh/us/dpviz/HEAD?urlpath=lab"
    assert not badge_faults(right, {"Repository": "https://example.org/us/dpviz.git"})


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


def version_faults(code, citation, changelog):
    found = {
        "dpviz/__init__.py": code_version(code) == PROJECT["version"],
        "CITATION.cff": yaml.safe_load(citation)["version"] == PROJECT["version"],
        "CHANGELOG.md": re.search(rf"\b{re.escape(PROJECT['version'])}\b", changelog),
    }
    return [name for name, agrees in found.items() if not agrees]


def test_version():
    texts = map(read, ("dpviz/__init__.py", "CITATION.cff", "CHANGELOG.md"))
    assert not version_faults(*texts)


def test_version_faults_are_caught():
    faults = version_faults("__version__ = '9'", "version: 9.0.0", "## 9.0.0")
    assert faults == ["dpviz/__init__.py", "CITATION.cff", "CHANGELOG.md"]


@pytest.mark.parametrize("name", [".ci/run", "binder/postBuild"])
def test_can_be_run(name):
    assert os.access(ROOT / name, os.X_OK)
