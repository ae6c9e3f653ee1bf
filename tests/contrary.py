"""A contrary BLAS: matrix products whose last bits hang on the shape of the call.

Every BLAS may do that, since another shape is another path through its kernels; so equal bits
may be asked of two equal calls only. ``contrary_blas.c`` stands before the real functions. It is
compiled when it is needed, for the names by which this numpy and this scipy ask for products,
and before anything runs under it a fresh process shows that it works.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).with_name("contrary_blas.c")
PRELOAD = "LD_PRELOAD"
PRODUCTS = ("gemm", "gemv", "dot", "syrk")
# Who asks for products, and the libraries that are loaded to answer, with what each defines.
LOOK = r"""
import ctypes, json, re, sys, threadpoolctl, scipy.linalg.cython_blas as cython_blas
from numpy._core import _multiarray_umath as core
name = rb"\0((?:scipy_)?(?:cblas_d(?:gemm|gemv|dot|syrk)|d(?:gemm|gemv|dot|syrk)_)(?:64_)?)(?=\0)"
pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
asked = {
    who: sorted({word.decode() for word in re.findall(name, open(file, "rb").read())})
    for who, file in (("numpy", core.__file__), ("scipy", cython_blas.__file__))
}
defined = {
    pool["filepath"]: [
        word for word in sum(asked.values(), []) if hasattr(ctypes.CDLL(pool["filepath"]), word)
    ]
    for pool in pools
}
kinds = sorted({pool["internal_api"] for pool in pools})
print(json.dumps({"system": sys.platform, "kinds": kinds, "asked": asked, "defined": defined}))
"""
# Each product in two shapes: how many of the same numbers differ, and by how much at most.
SHOW = """
import json, math, numpy, scipy.linalg.blas as blas
rng = numpy.random.default_rng(0)
table, square, line = rng.random((400, 7)), rng.random((7, 11)), rng.random(7)
padded, longer = numpy.pad(table, ((0, 0), (0, 1))), numpy.append(line, 0.0)
column = numpy.asfortranarray
def dots(dot, table, line):
    return numpy.array([dot(row, line) for row in table])
pairs = {
    "numpy gemm": (table @ square, table[:200] @ square),
    "numpy gemv": (table @ line, table[:200] @ line),
    "numpy dot": (dots(numpy.dot, table, line), dots(numpy.dot, padded[:200], longer)),
    "numpy syrk": (table @ table.T, table[:200] @ table[:200].T),
    "scipy gemm": (blas.dgemm(1, table, square), blas.dgemm(1, table[:200], square)),
    "scipy gemv": (blas.dgemv(1, table, line), blas.dgemv(1, table[:200], line)),
    "scipy dot": (dots(blas.ddot, table, line), dots(blas.ddot, padded[:200], longer)),
    "scipy syrk": (blas.dsyrk(1, table), blas.dsyrk(1, table[:200])),
}
shown = {}
for name, (large, small) in pairs.items():
    same = large[tuple(slice(size) for size in small.shape)]
    same, small = same[small != 0], small[small != 0]
    shown[name] = [float((same != small).mean()), float(abs(same / small - 1).max())]
whole, other = rng.integers(-99, 99, (40, 7)), rng.integers(-99, 99, (7, 11))
exact = (whole.astype(float) @ other.astype(float) == whole @ other).all()
again = (table @ square == pairs["numpy gemm"][0]).all()
print(json.dumps({"shown": shown, "integers": bool(exact), "same call": bool(again)}))
"""


class NotTried(Exception):
    """Why there is no contrary BLAS here: a sentence about the machine."""


def fresh(program: str, **variables: str) -> dict:
    """What a program prints as JSON in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a fresh Python ends with {done.returncode}: {last_line(done.stderr)}")
    return json.loads(done.stdout)


def last_line(words: str) -> str:
    """The last line that says something."""
    return (words.strip().splitlines() or ["no message"])[-1]


def compiler() -> list[str]:
    """The C compiler as a command: ``$CC``, or the first of cc, gcc and clang."""
    chosen = shlex.split(os.environ.get("CC", ""))
    for command in [chosen] if chosen else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(command[0]):
            return command
    if chosen:
        raise NotTried(f"the C compiler that CC names, {chosen[0]}, is not found")
    raise NotTried("no C compiler is found (CC, cc, gcc, clang)")


def covered(real: dict) -> dict[str, str]:
    """Each name that can be stood before, with the library that defines it.

    Raises ``NotTried`` where numpy's products cannot be; those of scipy alone may be missing.
    """
    if real["system"] != "linux":
        raise NotTried(f"libraries are preloaded on Linux only, and this is {real['system']}")
    home = {name: library for library, names in real["defined"].items() for name in names}
    if not set(real["asked"]["numpy"]) & set(home):
        kinds = ", ".join(real["kinds"]) or "none that is known"
        raise NotTried(f"numpy asks no OpenBLAS for products here (BLAS found: {kinds})")
    return {name: home[name] for names in real["asked"].values() for name in names if name in home}


def uncovered(real: dict) -> list[str]:
    """Which of numpy and scipy ask for a product under a name that is not stood before."""
    return [
        who
        for who, names in real["asked"].items()
        if {product(name) for name in names if name in covered(real)} != set(PRODUCTS)
    ]


def product(name: str) -> str:
    """gemm, gemv, dot or syrk.

    >>> product("scipy_cblas_dgemm64_")
    'gemm'
    """
    return re.sub(r".*d(gemm|gemv|dot|syrk).*", r"\1", name)


def call(name: str, library: str) -> str:
    """The line of ``calls.h`` for one name."""
    convention = "CBLAS" if "cblas_" in name else "FORTRAN"
    integer = "int64_t" if name.endswith("64_") else "int32_t"
    return f"{convention}_{product(name).upper()}({name}, {integer}, {json.dumps(library)})\n"


def build(folder: str, names: dict[str, str]) -> str:
    """Compile it into a folder; its path."""
    target = Path(folder, "contrary_blas.so")
    if re.search(r"[\s:]", str(target)):
        raise NotTried(f"{PRELOAD} takes no folder with a space or colon, such as {folder}")
    lines = [call(name, library) for name, library in names.items()]
    Path(folder, "calls.h").write_text("".join(lines), encoding="utf-8")
    command = [*compiler(), "-O2", "-shared", "-fPIC", "-I", folder, "-o", str(target), str(SOURCE)]
    done = subprocess.run([*command, "-ldl"], capture_output=True, text=True, check=False)
    if done.returncode or not target.exists():
        words = last_line(done.stderr)
        raise NotTried(f"the C compiler {command[0]} does not work here: {words}")
    return str(target)


def preloaded(library: str) -> dict[str, str]:
    """The variable that stands a library before all others."""
    return {PRELOAD: " ".join(filter(None, [library, os.environ.get(PRELOAD)]))}


def check(library: str, *, without: Sequence[str] = ()) -> None:
    """Raise ``RuntimeError`` unless a fresh process shows it: other shapes, other last bits.

    Two thirds of all numbers differ where both calls move them independently; a real BLAS alone
    may differ in a few, so two fifths are asked for (of 200 numbers and more).
    """
    now = fresh(SHOW, **preloaded(library))
    for name, (share, most) in now["shown"].items():
        if name.split()[0] in without:
            continue
        if not share > 0.4:
            raise RuntimeError(f"{name}: {share:.0%} of all numbers hang on the shape, too few")
        if not most < 1e-14:  # a dozen units in the last place: seven products are added
            raise RuntimeError(f"{name}: two shapes differ by {most:.1e}, more than by last bits")
    for name in ("integers", "same call"):
        if not now[name]:
            raise RuntimeError(f"the contrary BLAS changes what must stay: {name}")
