"""Pictures: how they look, what they are made of, how they move.

============  ======================================================================================
``style``     **how a picture looks**: the one door to the six below it
``palette``   what a page may call these colours, and their values on a dark ground
``roles``     what each colour, marker and line means; the two sizes of a picture
``numerals``  numbers as they stand in a picture
``labels``    names of lines, notes, and room for them
``scales``    axes: logarithmic, linear, their ticks and titles
``marks``     bands, dots, events, the triangle of a slope, the zone of vacuous errors
``picture``   a figure with its alt text, as a still picture or as SVG
``vector``    what matplotlib draws, as elements of SVG
``svg``       these elements, written down
``held``      which marks a hand can lead, and where to
``private``   the two things that matplotlib does not tell in public
``errors``    **an error figure said**: two axes, lines with their roles
``winners``   a map of which method is best where
``stills``    figures in the outputs of cells, drawn again for the projector
``live``      a ``View`` (frame, paint, say, table), and how only what moves is drawn anew
``page``      layout and names that a page is given, tables in HTML; ``picture.js`` moves the marks
============  ======================================================================================
"""
