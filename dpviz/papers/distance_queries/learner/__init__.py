"""Section 3.1: a convex function learnt with few mistakes (Figure 1, Lemmas 4 and 5)."""
