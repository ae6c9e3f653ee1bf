"""What the README says and shows is so."""

import doctest
import re
from pathlib import Path

import pytest

import dpviz
from dpviz import __main__ as command
from dpviz import lab

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_code_gives_what_it_prints():
    options = doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(ROOT / "README.md"), False, optionflags=options)
    assert tried >= 4
    assert failed == 0


def anchors(page):
    """The names that a page gives its headings."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^a-z0-9 -]", "", head.lower()).replace(" ", "-") for head in heads}


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    for link in links:
        path, _, anchor = link.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), link
        assert not anchor or anchor in anchors(there), link
    assert len(links) >= 6 or page.name != "README.md" or page.parent != ROOT


def test_it_is_read_in_a_minute():
    """What a first reader opens stays short; the rest stands in docs."""
    most = {"README.md": 70, "ARCHITECTURE.md": 90, "CHANGELOG.md": 40}
    sizes = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in most}
    assert [name for name in most if sizes[name] > most[name]] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_file_that_a_page_names_is_there(page):
    """By its path, or by that below the package or the folder of a paper."""
    named = re.findall(r"`([a-z_]+/[\w/]+\.(?:py|js|json|tsv|md))`", page.read_text("utf-8"))
    tops = [ROOT, ROOT / "dpviz", ROOT / "lite-kernel", *(ROOT / "dpviz" / "papers").iterdir()]
    assert [path for path in named if not any((top / path).exists() for top in tops)] == []
    assert len(named) >= 15 or page.name != "ARCHITECTURE.md"


def test_its_map_names_every_lesson_by_its_title():
    for name, title, _ in lab.listed(ROOT / "notebooks"):
        assert f"[{name[:2]} {title}](notebooks/{name}.ipynb)" in README


def test_its_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    commands = set(re.findall(r"`make (\w+)|^make (\w+)", "\n".join(texts), re.M))
    commands = {name for pair in commands for name in pair if name}
    assert {"lab", "test", "help"} <= commands
    assert {name for name in commands if f"\n{name}:" not in makefile} == set()


def test_the_page_of_versions_promises_what_there_is():
    """Each name of the front door, each verb and each command, and none that there is not."""
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[0].strip("| "): row for row in page.splitlines() if row[:2] == "| "}
    names = re.findall(r"`dpviz\.(\w+)`", rows["the front door"] + rows["the curator"])
    assert sorted(names) == sorted(dpviz.__all__)
    verbs = set(re.findall(r"`(\w+)`", rows["the curator"]))
    assert verbs <= set(dir(dpviz.Curator)) and len(verbs) >= 9
    words = re.findall(r"`(?:dpviz )?(\w+)`", rows["the commands"])
    [choices] = [part.choices for part in command.parser()._actions if part.choices]
    assert words == list(choices)


def test_the_paper_and_the_checklist_say_how_long_a_core_is():
    """As the guide's plan of a term has it: week, lesson, ..., minutes to read the core, uses."""
    plan = (ROOT / "INSTRUCTOR.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \d+ \| (\d\d) [^|]*\|.*\| (\d+) \| [^|]*\|$", plan, re.M)
    first, *others = [int(minutes) for _, minutes in rows]
    assert len(others) == 9
    for name in ("paper/paper.md", "checklists.md", "../CHANGELOG.md"):
        page = (ROOT / "docs" / name).read_text(encoding="utf-8").replace("\n", " ")
        short, low, high = map(
            int, re.search(r"(\d+) minutes .{,50} (\d+) to (\d+) for", page).groups()
        )
        assert first == short and low <= min(others) and max(others) <= high
        assert high - low <= 10


def test_the_command_says_its_version(capsys):
    with pytest.raises(SystemExit) as end:
        command.parser().parse_args(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out == f"dpviz {dpviz.__version__}\n"
