"""Build all that is handed out with a version, and use it in environments made for it.

    python tests/release.py dist

The folder then holds dpviz as a wheel and as a source distribution, the wheel of lite-kernel, a
bill of materials of the locked lab (CycloneDX), a recipe for conda, and a digest of every file. The
bill, the recipe and CITATION.cff are checked by the tools whose formats they are, each in a new
environment, because what they require does not go together. ``fresh.py`` then uses what was built.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import tomllib
from pathlib import Path

import fresh

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
SUMS = "SHA256SUMS"
OURS = ("*.whl", "dpviz-[0-9]*", "recipe.yaml", SUMS)  # whatever else lies there is summed, too
RECIPE_READER = """import sys
from rattler_build import Stage0Recipe
rendered = Stage0Recipe.from_yaml(open(sys.argv[1], encoding="utf-8").read()).render()
assert len(rendered) == 1, rendered"""


def recipe(digest: str) -> str:
    """A recipe of conda's format, version 1, for the source distribution beside it.

    JSON is YAML, so it needs no library. Its source is a file, which the format admits as well as
    an address: the project has none yet.
    """
    python = PROJECT["requires-python"]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    spaced = [spec.replace(">=", " >=") for spec in (f"python{python}", *PROJECT["dependencies"])]
    entries = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
    contents = {
        "schema_version": 1,
        "package": {"name": PROJECT["name"], "version": VERSION},
        "source": {"path": f"dpviz-{VERSION}.tar.gz", "sha256": digest},
        "build": {
            "noarch": "python",
            "script": "${{ PYTHON }} -m pip install . --no-deps --no-build-isolation",
            "python": {"entry_points": entries},
        },
        "requirements": {
            "host": [spaced[0], "pip", *(spec.replace(">=", " >=") for spec in build)],
            "run": spaced,
        },
        "tests": [
            {"python": {"imports": ["dpviz"], "pip_check": True}},
            {"script": ["dpviz plan --ask mean --n 3000"]},
        ],
        "about": {
            "summary": PROJECT["description"],
            "license": PROJECT["license"],
            "license_file": PROJECT["license-files"],
        },
    }
    return f"# Not tried: nobody has built a package by it yet.\n{json.dumps(contents, indent=2)}\n"


def sums(folder: Path) -> str:
    """A line for each file of a folder, as ``sha256sum --check`` reads it."""
    paths = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{digest(path)}  {path.name}\n" for path in paths)


def digest(path: Path) -> str:
    """Its SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def tool(requirement: str, folder: Path) -> Path:
    """The folder of a tool's commands, in an environment that holds nothing else."""
    home = folder / requirement.partition(">")[0]
    fresh.run([sys.executable, "-m", "venv", home], folder, quiet=True)
    python = fresh.commands(home) / "python"
    fresh.run([python, "-m", "pip", "install", "--quiet", requirement], folder, quiet=True)
    return fresh.commands(home)


def bill(target: Path, folder: Path) -> None:
    """The bill of materials: what the lock installs; its tool refuses one that is not valid."""
    command = [tool("cyclonedx-bom>=7", folder) / "cyclonedx-py", "requirements"]
    about = ["--pyproject", "pyproject.toml", "--mc-type", "library", "--output-reproducible"]
    file = target / f"dpviz-{VERSION}.cdx.json"
    fresh.run([*command, "requirements.lock", *about, "-o", file], ROOT, quiet=True)


def build(target: Path) -> None:
    """Write all files of a release into a folder; what a former one left there is removed."""
    target.mkdir(parents=True, exist_ok=True)
    for path in [path for pattern in OURS for path in target.glob(pattern)]:
        path.unlink()
    archive = fresh.build(target)[1]
    fresh.build(target, "lite-kernel", kinds=("wheel",))
    (target / "recipe.yaml").write_text(recipe(digest(archive)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bill(target, folder)
        reader = tool("py-rattler-build>=0.73", folder) / "python"
        fresh.run([reader, "-c", RECIPE_READER, target / "recipe.yaml"], folder)
        fresh.run([tool("cffconvert>=2", folder) / "cffconvert", "--validate"], ROOT)
    (target / SUMS).write_text(sums(target), encoding="utf-8")


def main() -> None:
    """Build, then use what was built."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("target", type=Path, help="folder for all files of the release")
    target = asked.parse_args().target.resolve()
    pythons = fresh.pythons()
    build(target)
    for path in sorted(target.iterdir()):
        print(f"{path.stat().st_size / 1e6:7.2f} MB  {path.name}", flush=True)
    fresh.tried(target, pythons)


if __name__ == "__main__":
    main()
