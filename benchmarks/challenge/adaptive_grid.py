"""The densest cell of a grid, and the densest cell inside it."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "cluster"
MECHANISM = KINDS[KIND].mechanism("tree")
