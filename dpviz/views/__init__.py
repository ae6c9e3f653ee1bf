"""Pictures, explorers, players and exercises: with the pages the only room that shows anything.

A folder for each lesson (``start``, ``privacy``, ``learner``, ``distance``, ``embedding``,
``sparse``, ``smooth``, ``cluster``, ``fat_shattering``, ``compare``), with ``figures``,
``explorers``, ``player`` and ``exercises`` in each; and what they are made of:

===============  ==================================================================================
``style``        **how a picture looks**: the one door to the six below it
``roles``        what each colour, marker and line means; the two sizes of a picture
``numerals``     numbers as they stand in a picture
``labels``       names of lines, notes, and room for them
``scales``       axes: logarithmic, linear, their ticks and titles
``marks``        bands, dots, events, the triangle of a slope, the zone of vacuous errors
``picture``      a figure with its alt text, as a still picture or as SVG
``vector``       what matplotlib draws, as elements of SVG
``svg``          these elements, written down
``errors``       **an error figure said**: two axes, lines with their roles
``winners``      a map of which method is best where
``explorer``     **controls, compute, picture**: a slider is moved and something changes
``controls``     its sliders and lists of words
``player``       **step by step** through what an algorithm recorded
``stills``       figures in the outputs of cells, drawn again for the projector
``live``         a ``View`` (frame, paint, say, table), and how only what moves is drawn anew
``exercise``     **predict, check, hint, reveal**
``answers``      what an exercise may ask for, and how an answer is read
``program``      exercises that ask for a function, judged by what it does
``predictions``  what is held back until it was predicted
``record``       what was answered, kept beside the lessons in one file
``done``         **what you have done**: that file for its reader; download, marks, erase
``collected``    the files of many readers: a table, and which prediction went wrong how often
``faces``        **on the page**: all of these as ipywidgets
``instrument``   what a notebook keeps of a widget: its picture and its words
``page``         layout and names that a page is given, tables in HTML
``lessons``      the first page: table of the lessons, check of the installation
``source``       code of the package, shown in a lesson
===============  ==================================================================================
"""
