"""How the lessons are served: every message at once, no news, and help after a NameError.

By default the kernel's websocket lets TCP collect small messages (Nagle's algorithm), and a
browser that delays its acknowledgements then holds the next one back by up to 40 ms.

JupyterLab would cover a corner of each lesson to ask whether it may fetch news, and would ask a
server for newer versions. The traits forbid the requests, `labconfig` beside this file the
question; whoever wants news can still say so in the settings.
"""

import os
from pathlib import Path

from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

_open = KernelWebsocketHandler.open


async def open_at_once(self, *args, **kwargs):
    """Open the websocket as ever, without the delay."""
    self.set_nodelay(True)
    return await _open(self, *args, **kwargs)


KernelWebsocketHandler.open = open_at_once

paths = [str(Path(__file__).parent), os.environ.get("JUPYTER_CONFIG_PATH", "")]
os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
# A lesson opened in the middle: the kernel says which cells to run first (kernel_start.py).
os.environ.setdefault("PYTHONSTARTUP", str(Path(__file__).with_name("kernel_start.py")))
c = get_config()  # noqa: F821, Jupyter gives it to its configuration files
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
