"""The stored words: the same for every Python, private ones and public ones apart."""

import sys
from collections import Counter
from hashlib import sha256

import pytest

from dpviz.data import texts


def fingerprint(words):
    return sha256(" ".join(words).encode()).hexdigest()[:16]


def test_the_words_are_the_same_for_every_python(monkeypatch):
    texts._stored.cache_clear()
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)  # a Python without its manual
    assert fingerprint(texts.manual()) == "d1530b83ce04640f"
    assert fingerprint(texts.vocabulary()) == "e25121b92b33a9ba"


def test_words_are_runs_of_small_letters():
    for words in (texts.manual(), texts.vocabulary()):
        assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


def test_the_public_list_has_a_limit():
    assert len(set(texts.vocabulary())) == 1000
    with pytest.raises(ValueError, match="size"):
        texts.vocabulary(1001)


def test_the_public_list_is_not_a_list_of_all_words_seen():
    seen = set(texts.manual())
    assert not seen <= set(texts.vocabulary())
    assert not set(texts.vocabulary()) <= seen


def test_pairs_are_neighbours():
    words, pairs = texts.manual(), texts.pairs()
    assert pairs[:2] == (f"{words[0]} {words[1]}", f"{words[1]} {words[2]}")


def test_a_few_words_are_most_of_the_text():
    counts = Counter(texts.manual()).most_common()
    assert sum(count for _, count in counts[:300]) > len(texts.manual()) / 2
