"""A count-sketch with noise."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "sparse"
MECHANISM = KINDS[KIND].mechanism("sketch")
