"""Section 4: other metrics, by embedding them into l1 (Figure 2)."""
