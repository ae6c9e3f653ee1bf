"""The text that comes with Python: facts that hold in each version."""

from collections import Counter

from dpviz.data import texts


def test_words_are_runs_of_small_letters():
    assert all(word.isascii() and word.isalpha() and word.islower() for word in texts.manual())


def test_the_public_words_were_made_without_the_manual(monkeypatch):
    before = texts.vocabulary(500)
    texts.vocabulary.cache_clear()
    monkeypatch.setattr(texts, "manual", lambda: ("nothing",))
    assert texts.vocabulary(500) == before


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
