"""A paper's summary with the noise of lesson 06: in the shape of smoothness."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "smooth"
MECHANISM = KINDS[KIND].mechanism("shaped")
