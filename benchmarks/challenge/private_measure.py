"""Noisy counts on a binary partition (He, Vershynin and Zhu 2023)."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "smooth"
MECHANISM = KINDS[KIND].mechanism("measure")
