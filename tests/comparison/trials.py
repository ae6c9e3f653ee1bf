"""Stored trials against the same trials run again, on any machine.

The last bits of BLAS and of numpy's vector instructions differ between processors, so a number
may differ by a share of 1e-9: far above rounding (the differences seen are 2e-16), far below
anything that a lesson says. Counts (fields that hold whole numbers only) are compared exactly.
What is stored to four digits is compared before it is rounded: the last bit of a number half-way
between two of these decides which is stored.
"""

import numpy as np

SHARE = 1e-9
DIGITS = 4


def differences(again, stored, whole=None):
    """Names of the fields in which two tables of trials differ, or which only one of them has.

    Parameters
    ----------
    again, stored : dicts from field to an array of one shape
    whole : dict from field to all stored values, which say whether it counts; else ``stored``
    """
    return [
        field
        for field in sorted({*again, *stored})
        if field not in again
        or field not in stored
        or not alike(again[field], stored[field], (whole or stored)[field])
    ]


def alike(again, stored, whole):
    """Whether two arrays are equal: exactly if all of ``whole`` are whole numbers."""
    again, stored, whole = (np.asarray(values, dtype=float) for values in (again, stored, whole))
    if again.shape != stored.shape:
        return False
    if np.array_equal(whole, np.rint(whole), equal_nan=True):
        return np.array_equal(again, stored, equal_nan=True)
    near = np.isclose(again, stored, rtol=SHARE, atol=0, equal_nan=True)
    if not near.all() and np.array_equal(whole, digits(whole), equal_nan=True):
        near |= digits(again * (1 - SHARE)) == stored
        near |= digits(again * (1 + SHARE)) == stored
    return bool(near.all())


def digits(values):
    """Numbers as they are stored."""
    flat = [float(f"{value:.{DIGITS}g}") for value in values.ravel()]
    return np.reshape(flat, values.shape)
