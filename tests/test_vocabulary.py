"""Names are the field's: the private words of earlier versions do not come back as identifiers."""

import ast
import io
import json
import keyword
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "dpviz").rglob("*.py")) + sorted((ROOT / "notebooks").glob("*.ipynb"))
# not -> but; each is a word of an identifier (`best_way` holds "way"), or a whole one with "_"
EVERYWHERE = {
    "lasting": "drawn once",
    "fullest": "heaviest",
    "confident": "stable",
    "half_width": "accuracy",
    "heavy_cell": "heaviest_cell",
    "hit hits": "positive",
    "silent silence silences": "below",
    "rival rivals": "baseline",
    "way ways": "method",
    "price prices": "budget, cost, allocation",
    "roof roofs": "max-affine lower bound, lines",
    "lie lies lying liar liars": "noisy oracle, error",
    "looks": "mistakes, updates, oracle calls",
    "moves": "l1_sensitivity, l2_sensitivity",
    "mended": "corrected",
    "printed": "as stated",
    "zoo": "broken variants",
    "sealed": "mystery",
    "twin twins": "correct variant",
    "grid_weights": "private multiplicative weights",
}
THERE = {
    "privacy": {"part": "sub_curator"},
    "papers": {"part": "sub_curator"},
    "sparse_queries": {
        "slot slots": "indexed weights",
        "owner owners": "indexed element",
        "spare": "aggregate element",
        "surprise": "relative entropy",
        "hunted": "adaptive analyst",
    },
    "smooth_queries": {
        "bump bumps": "Gaussian kernel",
        "wave waves": "degree, basis",
        "drawing": "approximation",
        "cut": "truncation",
        "blind": "data-independent",
        "valley": "bias-variance",
        "table": "summary",
    },
    "small_cluster": {
        "hill": "quality",
        "staircase": "step function",
        "heap heaps": "clusters",
        "drawn": "sampled",
        "coin coins": "public randomness",
    },
    "fat_shattering": {
        "lit": "correctly reconstructed",
        "board": "reconstruction grid",
        "ladder": "witness levels",
        "own": "witness query",
        "heap heaps": "blocks",
    },
    "distance_queries": {
        "look": "oracle call, measurement",
        "shadow shadows": "random projections",
        "landmark landmarks": "Frechet coordinates",
        "repaired": "importance-sampled",
        "wall": "expansion at most 1",
    },
}
THERE |= {
    "smooth": THERE["smooth_queries"],
    "sparse": THERE["sparse_queries"],
    "cluster": THERE["small_cluster"],
    "embedding": THERE["distance_queries"],
    "distance": THERE["distance_queries"],
}


def source_of(path):
    """The code of a module, or of all cells of a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def identifiers(source):
    """Every name that a program gives or uses, and the names of its modules."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    names = {token.string for token in tokens if token.type == tokenize.NAME}
    tree = ast.parse(source)
    dotted = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name for name in names if not keyword.iskeyword(name)} | dotted


def words(name):
    """ "best_way" and "BestWay" both hold "way"."""
    return re.findall(r"[a-z]+", re.sub(r"([A-Z][a-z])", r"_\1", name).lower())


def forbidden(place):
    """The words that a file may not use, each with what to say instead."""
    rooms = set(re.split(r"[/.]|\d\d_", place))
    lists = [EVERYWHERE, *(found for room, found in THERE.items() if room in rooms)]
    return {word: but for found in lists for no, but in found.items() for word in no.split()}


def coinages(place, source):
    """Every private word among the identifiers of one file."""
    not_but = forbidden(place)
    for name in sorted(identifiers(source)):
        inside = {*words(name), *(word for word in not_but if "_" in word and word in name)}
        yield from (f"{name}: not {word}, but {not_but[word]}" for word in inside & not_but.keys())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_are_the_fields(path):
    place = path.relative_to(ROOT).as_posix()
    assert list(coinages(place, source_of(path))) == []


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("dpviz/papers/sparse_queries/a.py", "def f(hits): ..."),
        ("dpviz/papers/sparse_queries/a.py", "class SpareSlot_: ..."),
        ("dpviz/privacy/a.py", "from dpviz.privacy import lasting"),
        ("dpviz/privacy/a.py", "x = curator.part(epsilon=1)"),
        ("dpviz/views/smooth/a.py", "f(waves=3)"),
        ("notebooks/04_embedding.ipynb", "shadows = 3"),
        ("dpviz/views/start/a.py", "best_way = 1"),
        ("dpviz/papers/distance_queries/a.py", "from dpviz.papers.distance_queries.ways import x"),
    ],
)
def test_a_planted_word_is_found(place, source):
    assert list(coinages(place, source))


def test_what_is_fine_is_not_reported():
    fine = "def charge(curator, *, epsilon, positives, table, lines): ..."
    assert list(coinages("dpviz/papers/sparse_queries/a.py", fine)) == []
    assert list(coinages("dpviz/views/start/a.py", "always, rounds, delivery = 1, 2, 3")) == []
