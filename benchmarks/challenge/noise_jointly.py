"""Noise on each answer, by the joint sensitivity of the public questions."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "linear"
MECHANISM = KINDS[KIND].mechanism("joint")
