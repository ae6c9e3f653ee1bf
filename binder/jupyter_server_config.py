"""How the lessons are served: every message at once, no news, wide, and help after a NameError.

By default the kernel's websocket lets TCP collect small messages (Nagle's algorithm), and a
browser that delays its acknowledgements then holds the next one back by up to 40 ms.

JupyterLab would cover a corner of each lesson to ask whether it may fetch news, and would ask a
server for newer versions. The traits forbid the requests, `labconfig` beside this file the
question; whoever wants news can still say so in the settings.

The page's icon would change with each message that a kernel works at, eighty times a second while a
mark is dragged, and each time the rules of style are looked up anew: `labconfig` forbids it.

JupyterLab keeps who is where on the screen in workspaces. The lessons have one of their own, in
which the side bar is closed at first, so that a lesson is 250 pixels wider; what a reader does with
it stays, and no other workspace is touched.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from jupyterlab.commands import get_workspaces_dir
from jupyterlab_server.workspaces_handler import WorkspacesManager

_open = KernelWebsocketHandler.open


async def open_at_once(self, *args, **kwargs):
    """Open the websocket as ever, without the delay."""
    self.set_nodelay(True)
    return await _open(self, *args, **kwargs)


KernelWebsocketHandler.open = open_at_once

CLOSED = {"collapsed": True, "visible": True, "current": None, "widgets": None}
LAYOUT = {"main": None, "left": CLOSED, "right": CLOSED, "relativeSizes": [0, 1, 0]}
DPVIZ = {"data": {"layout-restorer:data": LAYOUT}, "metadata": {"id": "dpviz"}}
workspaces = WorkspacesManager(get_workspaces_dir())
if not workspaces.load("dpviz")["data"]:
    with suppress(OSError):  # nowhere to write: then it opens as JupyterLab does
        workspaces.save("dpviz", json.dumps(DPVIZ))

paths = [str(Path(__file__).parent), os.environ.get("JUPYTER_CONFIG_PATH", "")]
os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
# A lesson opened in the middle: the kernel says which cells to run first (kernel_start.py).
os.environ.setdefault("PYTHONSTARTUP", str(Path(__file__).with_name("kernel_start.py")))
c = get_config()  # noqa: F821, Jupyter gives it to its configuration files
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
