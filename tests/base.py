"""What an installation without extras must do: numpy and scipy, and the ten jobs of the front door.

Uses nothing but what dpviz brings along; ``tests/fresh.py`` calls it in a new environment.
"""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "door"))
TOOLS = {"pip", "setuptools", "wheel"}  # what an environment is made with


def main() -> None:
    """Run all jobs; ends with an error if one fails or more is installed than is needed."""
    import jobs

    here = {each.metadata["Name"].lower() for each in distributions()} - TOOLS
    assert here == {"dpviz", "numpy", "scipy"}, here
    for job in jobs.LINES:
        jobs.run(job, jobs.variables(jobs.ODD))
    print(f"numpy and scipy only: {len(jobs.LINES)} jobs of the front door ran")


if __name__ == "__main__":
    main()
