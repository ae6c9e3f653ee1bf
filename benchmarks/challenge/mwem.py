"""MWEM over all cells, under zCDP, with repeated passes."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "linear"
MECHANISM = KINDS[KIND].mechanism("mwem")
