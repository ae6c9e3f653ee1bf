"""Send every message to the browser at once: pictures that follow a slider wait for nothing.

By default the kernel's websocket lets TCP collect small messages (Nagle's algorithm), and a
browser that delays its acknowledgements then holds the next one back by up to 40 ms.
"""

from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

_open = KernelWebsocketHandler.open


async def open_at_once(self, *args, **kwargs):
    """Open the websocket as ever, without the delay."""
    self.set_nodelay(True)
    return await _open(self, *args, **kwargs)


KernelWebsocketHandler.open = open_at_once
