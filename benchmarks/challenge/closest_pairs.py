"""Sample and aggregate: the closest pair of each ten records, then the densest windows."""

from dpviz.comparison.mechanisms.kinds import KINDS

KIND = "cluster"
MECHANISM = KINDS[KIND].mechanism("closest")
