"""The closest pair of each few records; those with many friends are averaged."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "cluster"
MECHANISM = KINDS[KIND].mechanism("friendly")
