"""Noisy values on a lattice, read as a polynomial (Aldà and Rubinstein 2017)."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "smooth"
MECHANISM = KINDS[KIND].mechanism("bernstein")
