"""The instructor's guide as a page, and its section of each lesson."""

from __future__ import annotations

import re
from pathlib import Path

from dpviz.pages.sheet import page
from dpviz.pages.text import prose
from dpviz.words import say

NAME = "instructor.html"


def beside(lessons: Path) -> Path:
    """Where the guide stands beside a folder of lessons."""
    return lessons.parent / "INSTRUCTOR.md"


def section(text: str, number: str) -> str:
    """What the guide says of a lesson, in Markdown, with its heading; "" if it says nothing.

    >>> section("# Guide\\n\\n## Lesson 03: A\\n\\nb\\n\\n## Lesson 04: C\\n", "03")
    '## Lesson 03: A\\n\\nb\\n'
    """
    match = re.search(rf"^## Lesson {number}:.*?(?=^## |\Z)", text, re.M | re.S)
    return match[0].strip() + "\n" if match else ""


def written(text: str) -> str:
    """The page of the whole guide, with links to its sections."""
    # The parts of a section have the same names in each: they are no places to link to.
    html = re.sub(r'<h3 id="[^"]*">', "<h3>", prose(text))
    titles = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', html)
    links = "".join(f'<li><a href="#{place}">{title}</a></li>' for place, title in titles)
    first, end, rest = html.partition("</h1>")
    return page(f"dpviz: {say('page.guide')}", f"{first}{end}\n<ul>{links}</ul>\n{rest}")
