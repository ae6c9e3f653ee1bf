"""Finished pieces of a pass that was interrupted: private sums in a file that only its owner reads.

The file is arrays without pickle, so nothing in it is ever executed. It is written only where a
checkpoint was asked for, whole or not at all, and removed when the pass is complete.
"""

from __future__ import annotations

import io
import os
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from dpviz.privacy.pieces import Exact, Few, Running, Sums

FORMAT = "dpviz sums 1"
SECONDS = 30.0  # between two writings


@dataclass(eq=False, repr=False)
class Checkpoint:
    """Where the sums of finished pieces are kept.

    Attributes
    ----------
    path : Path
    mark : str, which pass it is: a digest of public things, the mechanism, its params, the files
    """

    path: Path
    mark: str
    written: float = field(default_factory=time.monotonic)

    def load(self, running: Running) -> set[int]:
        """Places of the finished pieces, whose sums are added; none if there is no file.

        Raises ``ValueError`` if the file belongs to another pass or is damaged.
        """
        if not self.path.exists():
            return set()
        try:
            with np.load(self.path, allow_pickle=False) as stored:
                if str(stored["format"]) != FORMAT or str(stored["mark"]) != self.mark:
                    raise KeyError("another pass")
                totals = {key[6:]: np.array(stored[key]) for key in stored if key[:6] == "count "}
                reals = [key[6:] for key in stored if key[:6] == "whole "]
                both: dict = {x: Exact(stored[f"whole {x}"], stored[f"parts {x}"]) for x in reals}
                if both or totals:
                    running.add(Sums(n=int(stored["n"]), totals={**totals, **both}))
                return set(stored["done"].tolist())
        except Exception:  # a damaged archive fails in many ways, all of them this
            words = "checkpoint must be a file of this very pass: remove it to begin anew"
            raise ValueError(words) from None

    def keep(self, sums: Sums | None, done: set[int], *, now: bool = False) -> None:
        """Write what is finished, every ``SECONDS`` or now; mode 600 from its first byte on."""
        if not done or (not now and time.monotonic() - self.written < SECONDS):
            return
        arrays: dict = {"format": FORMAT, "mark": self.mark, "done": np.array(sorted(done))}
        arrays["n"] = 0 if sums is None else sums.n
        for name, total in ({} if sums is None else sums.totals).items():
            if isinstance(total, Exact):
                arrays |= {f"whole {name}": total.whole, f"parts {name}": total.parts}
            else:
                arrays[f"count {name}"] = total.value if isinstance(total, Few) else total
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        part = self.path.with_name(f"{self.path.name}.{os.urandom(4).hex()}.part")
        opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "wb") as file:
            file.write(stream.getbuffer())
        part.replace(self.path)
        self.written = time.monotonic()

    def remove(self) -> None:
        """Remove the file, if there is one."""
        self.path.unlink(missing_ok=True)


def mark_of(*public: object) -> str:
    """A digest of public things.

    >>> mark_of("mean", 3) == mark_of("mean", 3), mark_of("mean", 3) == mark_of("mean", 4)
    (True, False)
    """
    import pickle

    return sha256(pickle.dumps(public, protocol=4)).hexdigest()
