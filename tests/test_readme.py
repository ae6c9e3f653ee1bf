"""What the README says and shows is so."""

import doctest
import re
from pathlib import Path

from dpviz import lab, lesson

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_code_gives_what_it_prints():
    options = doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(ROOT / "README.md"), False, optionflags=options)
    assert tried >= 4
    assert failed == 0


def test_its_picture_is_the_one_that_the_lesson_drew():
    """`make notebooks` copies it."""
    drawn = lesson.read(ROOT / "notebooks" / "02_learner.ipynb").picture("Mistakes against")
    assert (ROOT / ".github" / "mistakes.png").read_bytes() == drawn


def test_its_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert len(links) >= 6
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_what_the_architecture_names_is_there():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    places = re.findall(
        r"`((?:dpviz|papers|privacy|drawing|lessons|comparison|tests|notebooks|binder)/[\w/.]+)`",
        text,
    )
    assert len(places) >= 15
    assert [
        place for place in places if not any((ROOT / top / place).exists() for top in ("", "dpviz"))
    ] == []


def test_its_map_names_every_lesson_by_its_title():
    for name, title, _ in lab.listed(ROOT / "notebooks"):
        assert f"[{name[:2]} {title}](notebooks/{name}.ipynb)" in README


def test_its_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"make (\w+)", README))
    assert {"lab", "test", "help"} <= commands
    assert {name for name in commands if f"\n{name}:" not in makefile} == set()
