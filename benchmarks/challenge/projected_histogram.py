"""A Laplace histogram on a grid, projected on the shares that are possible."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "smooth"
MECHANISM = KINDS[KIND].mechanism("projected")
