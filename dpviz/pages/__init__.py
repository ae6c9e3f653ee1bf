"""Lessons as web pages: with a Python that runs inside the browser, and without any.

``site``       the folder that any web server can serve: lite-kernel's lab with the lessons in it
``front``      the page that a reader sees first, with a picture of each lesson
``from_disk``  lessons as pages without Python, opened from disk: to read, and as handouts
``slides``     slides of a lesson's core, with the speaker's notes
``lecture``    one lesson for a lecture, as a folder that works from a stick
``guide``      the instructor's guide as a page, and its section of each lesson
``exam``       a drawn exam: the sheet to print, and its solutions
``run``        one run of a lesson for all of its pages: cells, and their instruments
``text``       a lesson's Markdown as HTML, its formulas as MathML
``sheet``      the whole of a page, with the styles and scripts that it needs
``done``       what its reader has done, as one of these pages
``stored``     the states of explorers and players that such a page holds

Beside them what runs in the browser: ``landing.html`` and ``front.js`` (the first page, and what
it loads as it is scrolled), ``from_disk.js`` (what moves) and ``slides.js`` (keys and notes), with
their ``.css``, ``numbers.js`` (what a typed number means), and ``record.js`` (what was answered,
kept in the browser's storage).
"""
