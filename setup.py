"""What pyproject.toml cannot say: an installation also holds the lessons and how they are served.

In a checkout both stand beside the package, and an editable install uses them there.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent
HELD = {
    "": "INSTRUCTOR.md",
    "notebooks": "[0-9][0-9]_*.ipynb",
    "./notebooks": "frontier.*",
    "notebooks/de": "[0-9][0-9]_*.ipynb",
    "binder": "*.py",
    "binder/labconfig": "*.json",
}


class BuildWithLessons(build_py):
    """Copies the lessons into ``dpviz/installed`` of what is built."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        for folder, names in HELD.items():
            target = Path(self.build_lib, "dpviz", "installed", folder)
            target.mkdir(parents=True, exist_ok=True)
            for path in sorted((HERE / folder).glob(names)):
                shutil.copy(path, target)


setup(cmdclass={"build_py": BuildWithLessons})
