"""Small lessons for tests: cells that say what they are."""

import json


def cell(source, *tags, slide="-", **metadata):
    """A cell of text if its first tag is a kind of text, else of code."""
    from dpviz.lesson import TEXT

    said = {"tags": list(tags), "slideshow": {"slide_type": slide}, **metadata}
    if any(tag in TEXT for tag in tags):
        return {"cell_type": "markdown", "metadata": said, "source": source}
    empty = {"outputs": [], "execution_count": None}
    return {"cell_type": "code", "metadata": said, "source": source, **empty}


FIRST = (
    cell("# 01 What?", "title", "core", slide="slide"),
    cell("**Promise.** You can.", "promise", "core"),
)


def book(*cells):
    """The bytes of a notebook whose cells are numbered."""
    numbered = [{**each, "id": str(at)} for at, each in enumerate(cells)]
    whole = {"cells": numbered, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole).encode()
