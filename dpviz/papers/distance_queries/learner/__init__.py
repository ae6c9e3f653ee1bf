"""Section 3.2: a convex function learnt with few mistakes by cutting planes (Figure 1)."""
