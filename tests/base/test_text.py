"""The text that comes with Python: facts that hold in each version."""

from collections import Counter

from dpviz.base import text


def test_words_are_runs_of_small_letters():
    assert all(word.isascii() and word.isalpha() and word.islower() for word in text.manual())


def test_the_public_words_were_made_without_the_manual(monkeypatch):
    before = text.vocabulary(500)
    text.vocabulary.cache_clear()
    monkeypatch.setattr(text, "manual", lambda: ("nothing",))
    assert text.vocabulary(500) == before


def test_the_public_list_is_not_a_list_of_all_words_seen():
    seen = set(text.manual())
    assert not seen <= set(text.vocabulary())
    assert not set(text.vocabulary()) <= seen


def test_pairs_are_neighbours():
    words, pairs = text.manual(), text.pairs()
    assert pairs[:2] == (f"{words[0]} {words[1]}", f"{words[1]} {words[2]}")


def test_a_few_words_are_most_of_the_text():
    counts = Counter(text.manual()).most_common()
    assert sum(count for _, count in counts[:300]) > len(text.manual()) / 2
