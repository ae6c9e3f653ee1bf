"""A folder of notebooks as a JupyterLab whose Python runs in the page, without any other host.

``site``      the folder that any web server can serve; ``python -m lite_kernel`` writes it
``library``   which packages the page's Python needs, and their files
``compiled``  what Python makes of each source, so that a page compiles nothing at start
``wasm``      the runtime without what only a debugger reads, and packages that nobody imports
``offline``   which files a browser keeps, each with its digest
``inside``    what runs in the page: the kernel on the page's own channel
``kernel``    the Jupyter protocol: one message in, its answers out
``shell``     IPython, whose results, pictures and errors leave as messages
``comms``     the line between a widget and its face, in both directions
``messages``  a message of the Jupyter protocol, and its bytes on the way out of the page's Python
``words``     what lab and pages say, a file of ``languages`` for each language

Beside them what runs in the browser: ``lab.js`` (JupyterLab's kernel), ``worker.js`` (loads Python
and carries messages), ``wasi.js`` (files, clock and chance for it), ``inflate.js`` (unpacks a
file), ``reader.js`` (a reader's changes: kept, downloaded, reset), ``offline.js`` (the site without
network).
"""
