"""Lessons in a page: JupyterLab with a Python that runs inside the browser, and no server.

``messages``   a message of the Jupyter protocol, and its bytes on the way out of the page's Python
``comms``      the line between a widget and its face, in both directions
``shell``      IPython, whose results, pictures and errors leave as messages
``kernel``     the Jupyter protocol: one message in, its answers out
``inside``     what runs in the page: the kernel on the page's own channel
``library``    everything that the page's Python reads: its library, the packages, the lessons
``compiled``   what Python makes of each source, so that a page compiles nothing at start
``wasm``       the runtime without what only a debugger reads
``front``      the page that a reader sees first
``offline``    which files a browser keeps, each with its digest
``site``       the folder that any web server can serve
``from_disk``  lessons as pages without Python, opened from disk: to read, and as handouts
``slides``     slides of a lesson's core, with the speaker's notes
``full_screen`` each explorer as a page of its own, opened from disk
``lecture``    one lesson for a lecture, as a folder that works from a stick
``guide``      the instructor's guide as a page, and its section of each lesson
``run``        one run of a lesson for all of its pages: cells, and their instruments
``text``       a lesson's Markdown as HTML, its formulas as MathML
``sheet``      the whole of a page, with the styles and scripts that it needs
``done``       what its reader has done, as one of these pages
``stored``     the states of explorers and players that such a page holds

Beside them what runs in the browser: ``lab.js`` (JupyterLab's kernel), ``worker.js`` (loads Python
and carries messages), ``wasi.js`` (files, clock and chance for it), ``reader.js`` (a reader's
changes: kept, downloaded, reset), ``offline.js`` (the site without network), ``landing.html``; and
on pages without Python ``from_disk.js`` (what moves) and ``slides.js`` (keys and notes), each with
its ``.css``, ``numbers.js`` (what a typed number means), and ``record.js`` (what was answered, kept
in the browser's storage).
"""
