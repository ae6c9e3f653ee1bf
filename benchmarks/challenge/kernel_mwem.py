"""MWEM on a grid: zCDP, projection on each answer, repeated passes."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "smooth"
MECHANISM = KINDS[KIND].mechanism("learner")
