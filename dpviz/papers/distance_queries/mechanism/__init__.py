"""Sections 3.2 and 3.3: the private mechanism for l1 distances (Lemma 6, Theorems 1 and 2)."""
