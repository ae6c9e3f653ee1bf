"""A plugin of pytest: nbval compares pictures too, which it would take for noise.

``sanitize.cfg`` hides every picture from nbval, since it compares letter by letter. Here each
picture that a lesson draws is held against the stored one by `pictures.differences`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from nbval.plugin import IPyNbCell

sys.path.insert(0, str(Path(__file__).parents[1]))
import pictures

compare_outputs = IPyNbCell.compare_outputs


def compare_all(cell, test, ref, skip_compare=None):
    """What nbval compares, and every picture."""
    alike = compare_outputs(cell, test, ref, skip_compare)
    drawn, stored = (list(pictures.pictures(outputs)) for outputs in (test, ref))
    for number, (old, new) in enumerate(zip(stored, drawn, strict=False), 1):
        found = pictures.differences(old, new)
        if found:
            words = "\n  ".join(found[:12])
            cell.comparison_traceback.append(f"Picture {number} of the cell:\n  {words}")
            alike = False
    return alike


IPyNbCell.compare_outputs = compare_all
