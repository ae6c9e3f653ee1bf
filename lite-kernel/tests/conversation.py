"""Requests to the kernel of the page, in a process of its own: one JSON line for each message.

Run as a script it is that process: the requests come as JSON on standard input.
"""

import json
import os
import sys
from types import ModuleType


def main():
    """Answer every request of standard input; whatever is sent is a line of standard output."""
    from lite_kernel.kernel import Kernel
    from lite_kernel.messages import pack, unpack

    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")

    def send(message):
        sent = unpack(pack(message))
        sent["buffers"] = [buffer.hex() for buffer in sent["buffers"]]
        print(json.dumps(sent), file=wire, flush=True)

    requests = json.load(sys.stdin)
    kernel = Kernel(send, ModuleType("__main__"))
    for request in requests:
        kernel.handle(request)
    os._exit(0)  # what Python says while it ends answers nobody


if __name__ == "__main__":
    main()
