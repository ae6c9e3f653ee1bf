"""Private multiplicative weights under zCDP (Hardt and Rothblum 2010)."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "linear"
MECHANISM = KINDS[KIND].mechanism("pmw")
