"""MWEM on the names that are asked for, and all others as one."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "sparse"
MECHANISM = KINDS[KIND].mechanism("dense")
