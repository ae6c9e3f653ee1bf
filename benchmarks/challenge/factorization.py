"""Gaussian noise on the best factor of the workload, projected."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "linear"
MECHANISM = KINDS[KIND].mechanism("factor")
