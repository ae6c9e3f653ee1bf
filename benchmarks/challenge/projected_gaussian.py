"""Gaussian noise on the answers, moved to the nearest possible ones."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "linear"
MECHANISM = KINDS[KIND].mechanism("gaussian")
