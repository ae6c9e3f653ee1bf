"""Roth (2010): the fat-shattering dimension of linear queries, what must be lost, what suffices."""
