"""The densest window of each triple of columns."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "cluster"
MECHANISM = KINDS[KIND].mechanism("triples")
