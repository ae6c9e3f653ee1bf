"""Run a command as on another machine: ``machines.py [--all | --both | --contrary] COMMAND ...``

A processor decides which kernel OpenBLAS takes for matrix products and which vector instructions
numpy takes for exp, log and their like; the last bits of results differ. Two environment variables
switch both down, and both are ignored in silence where they name something unknown. So a variant
is made from numpy's own list of what it dispatches, nothing is asked that the real processor
does not have, and before the command runs a fresh process shows what really works.

With ``--contrary`` the command runs under a BLAS whose last bits hang on the shape of each call
(``contrary.py``); where that cannot be, one line says why, nothing runs and the exit status is 0.
``--both`` runs it once, on the first processor and under this BLAS there: a number that hangs on
last bits shows it in either, and of a failure each alone tells which. ``--all`` runs every
processor, and then this BLAS.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import contrary

KERNEL, FEATURES = "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"
LOOK = """
import json, numpy, scipy.linalg, threadpoolctl
from numpy._core import _multiarray_umath as core
print(json.dumps({
    "kernels": sorted({
        pool["architecture"] for pool in threadpoolctl.threadpool_info()
        if pool["internal_api"] == "openblas"
    }),
    "dispatched": list(core.__cpu_dispatch__),
    "on": [name for name, there in core.__cpu_features__.items() if there],
}))
"""
# Kernels of OpenBLAS for x86, oldest first, and numpy's names, new and old, for what each needs.
KERNELS = {
    "Nehalem": {"X86_V2", "SSE42"},
    "Haswell": {"X86_V3", "AVX2"},
    "SkylakeX": {"X86_V4", "AVX512_SKX"},
}


@dataclass(frozen=True)
class Variant:
    """A processor to simulate.

    Attributes
    ----------
    kernel : name of OpenBLAS's kernel, "" to leave it as it is
    off : features that numpy must not use
    """

    kernel: str
    off: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kernel or 'numpy alone'}, without {' '.join(self.off) or 'nothing'}"

    @property
    def environment(self) -> dict[str, str]:
        """The two variables; one that has nothing to say is left out."""
        chosen = {KERNEL: self.kernel, FEATURES: " ".join(self.off)}
        return {name: words for name, words in chosen.items() if words}


def look(**variables: str) -> dict[str, list[str]]:
    """What a fresh process works with: its kernels, what numpy dispatches, what is on."""
    clean = {name: value for name, value in os.environ.items() if name not in (KERNEL, FEATURES)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOOK],
        env={**clean, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def above(feature: str, kernel: str) -> bool:
    """Whether a feature of numpy is newer than a kernel of OpenBLAS."""
    if kernel == "SkylakeX":
        return feature.startswith("AVX512_") and feature != "AVX512_SKX"
    wide = feature.startswith("AVX512") or feature == "X86_V4"
    return wide or (kernel == "Nehalem" and feature in ("AVX", "F16C", "FMA3", "AVX2", "X86_V3"))


def variants(real: dict[str, list[str]]) -> list[Variant]:
    """All that can be simulated here, the most different one first; none is the real one."""
    on = set(real["on"])
    there = [name for name in real["dispatched"] if name in on]
    kernels = [name for name, needs in KERNELS.items() if real["kernels"] and needs & on]
    if not kernels:  # another family of processors, or another BLAS
        return [Variant("", tuple(there))] if there else []
    found = [Variant(name, tuple(f for f in there if above(f, name))) for name in kernels]
    return [new for new in found if new.off or [new.kernel] != real["kernels"]]


def check(variant: Variant) -> None:
    """Raise ``RuntimeError`` unless a fresh process really works as the variant says."""
    now = look(**variant.environment)
    still = sorted(set(variant.off) & set(now["on"]))
    if still:
        raise RuntimeError(f"numpy still uses {' '.join(still)}: {FEATURES} had no effect")
    if variant.kernel and now["kernels"] != [variant.kernel]:
        runs = " ".join(now["kernels"]) or "none"
        raise RuntimeError(f"OpenBLAS runs {runs}, not {variant.kernel}: {KERNEL} had no effect")


def run(variant: Variant, command: list[str]) -> int:
    """Exit status of the command on one simulated processor."""
    check(variant)
    print(f"Simulated processor: {variant}", flush=True)
    environment = {**os.environ, **variant.environment}
    status = subprocess.run(command, env=environment, check=False).returncode
    print(f"Simulated processor {variant.kernel or 'numpy alone'}: exit {status}", flush=True)
    return status


def run_contrary(command: list[str], *, anyway: bool = False) -> int:
    """Exit status of the command under the contrary BLAS.

    Where it cannot be tried, one line says why; then it is 0, or that of the command without it.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            real = contrary.fresh(contrary.LOOK)
            library = contrary.build(folder, contrary.covered(real))
        except contrary.NotTried as reason:
            print(f"Contrary BLAS: not tried, {reason}.", flush=True)
            return subprocess.run(command, check=False).returncode if anyway else 0
        without = contrary.uncovered(real)
        contrary.check(library, without=without)
        left = f", without {' '.join(without)}" if without else ""
        print(f"Contrary BLAS: last bits hang on the shape of each product{left}", flush=True)
        environment = {**os.environ, **contrary.preloaded(library)}
        status = subprocess.run(command, env=environment, check=False).returncode
    print(f"Contrary BLAS: exit {status}", flush=True)
    return status


def run_both(chosen: list[Variant], command: list[str]) -> int:
    """Exit status of the command under the contrary BLAS, on a processor if one is chosen."""
    for variant in chosen:
        check(variant)
        print(f"Simulated processor: {variant}", flush=True)
        os.environ.update(variant.environment)
    status = run_contrary(command, anyway=bool(chosen))
    if status:
        alone = "without --both, then with --contrary"
        print(f"Which of the two it was, the same command says {alone}.", flush=True)
    return status


def main() -> int:
    """Run the command under the first processor, under the contrary BLAS, or under all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="every processor, and the contrary BLAS")
    parser.add_argument("--both", action="store_true", help="a processor and the contrary BLAS")
    parser.add_argument("--contrary", action="store_true", help="the contrary BLAS alone")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.contrary:
        return run_contrary(options.command)
    real = look()
    used = [name for name in real["dispatched"] if name in real["on"]]
    kernels = " ".join(real["kernels"]) or "no OpenBLAS"
    print(f"This processor: {kernels}, numpy with {' '.join(used) or 'its baseline'}", flush=True)
    found = variants(real)
    if not found:
        print("There is nothing to switch off here: numpy and BLAS run their plainest code.")
    if options.both:
        return run_both(found[:1], options.command)
    chosen = found if options.all else found[:1]
    statuses = [run(variant, options.command) for variant in chosen]
    if options.all:
        statuses.append(run_contrary(options.command))
    return max(statuses, default=0)


if __name__ == "__main__":
    sys.exit(main())
