"""The densest window of each pair of columns."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "cluster"
MECHANISM = KINDS[KIND].mechanism("pairs")
