"""Beyond the paper: one release that answers every l1 distance query, and its proofs."""
