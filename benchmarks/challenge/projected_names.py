"""A histogram of the names that are asked for, projected on what is possible."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "sparse"
MECHANISM = KINDS[KIND].mechanism("projected")
