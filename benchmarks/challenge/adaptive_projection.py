"""The worst guesses measured, projected, and again (after RAP)."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "linear"
MECHANISM = KINDS[KIND].mechanism("adaptive")
