"""Verbs that add noise to numbers: laplace, gaussian, and the average inside a ball."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.base import accounting, check, samplers
from dpviz.base.ledger import Cost, line
from dpviz.base.points import finite, finite_table


@dataclass(frozen=True, eq=False)
class Average:
    """What :meth:`Noise.average` releases.

    Attributes
    ----------
    center : array (d,)
    count : float, noisy number of records in the ball
    sd : float, standard deviation of the noise in each coordinate of ``center``, to first order
    """

    center: np.ndarray
    count: float
    sd: float


class Noise:
    """The additive verbs of the curator."""

    def laplace(
        self, value: Any, *, sensitivity: float, epsilon: float, label: str
    ) -> float | np.ndarray:
        """Release ``value`` plus Laplace noise of scale ``sensitivity / epsilon``.

        Costs ``epsilon`` (zCDP: epsilon^2 / 2). Proof: the density of the output at any point
        changes by a factor of at most exp(||change||_1 / scale) = exp(epsilon) between
        neighbours (Dwork, McSherry, Nissim and Smith 2006, Proposition 1).

        Parameters
        ----------
        value : float or array, private
        sensitivity : float > 0
            Largest L1 change of ``value`` when one record is replaced. The caller proves it.
        epsilon : float > 0
        label : str, name of the line in the ledger

        Returns
        -------
        float or array of the shape of ``value``

        Raises
        ------
        BudgetExceeded
            If that much is not left. ValueError or TypeError for bad arguments. In either
            case nothing is drawn and the ledger is unchanged.
        """
        private, sensitivity = finite(value), check.number("sensitivity", sensitivity, above=0)
        epsilon = check.number("epsilon", epsilon, above=0)
        scale = sensitivity / epsilon
        charge = line(label, "laplace", sensitivity, scale, self._cost(epsilon=epsilon))
        return self._add(charge, private, "L1", lambda s: samplers.laplace(self._rng, scale, s))

    def gaussian(
        self,
        value: Any,
        *,
        sensitivity: float,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        factor: Any = None,
        label: str,
    ) -> float | np.ndarray:
        """Release ``value`` plus Gaussian noise, white or shaped by a public factor.

        With basic composition give ``epsilon`` and ``delta``: the standard deviation is the
        smallest that is (epsilon, delta)-differentially private (Balle and Wang 2018, Theorem
        8). With zCDP give ``rho``: it is sensitivity / sqrt(2 rho) (Bun and Steinke 2016,
        Proposition 1.6). Costs just that.

        With a factor L, ``value`` must be a vector v, and L (v + noise) is released: white
        noise on v, seen through L, which is post-processing. So paths and kernels get noise
        with covariance L L^T; ``sensitivity`` is that of v.

        Parameters
        ----------
        value : float or array, private; with a factor, array (r,)
        sensitivity : float > 0
            Largest L2 change of ``value`` when one record is replaced. The caller proves it.
        factor : array (m, r), public

        Returns
        -------
        float or array of the shape of ``value``; with a factor, array (m,)

        Raises
        ------
        BudgetExceeded, ValueError, TypeError
            As in :meth:`laplace`.
        """
        private, sensitivity = finite(value), check.number("sensitivity", sensitivity, above=0)
        through = None if factor is None else check.matrix("factor", factor, private.size)
        unit, cost = self._gaussian_unit(epsilon=epsilon, delta=delta, rho=rho)
        sd = sensitivity * unit
        charge = line(label, "gaussian", sensitivity, sd, cost)
        noisy = self._add(charge, private, "L2", lambda s: sd * self._rng.standard_normal(s))
        return noisy if through is None else through @ noisy

    def average(
        self,
        data: Any,
        *,
        center: Any,
        radius: float,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        label: str,
    ) -> Average | None:
        """Average of the records inside a public ball; None if too few are found.

        One Gaussian release of (sum of (x - center) / radius, sqrt(3) times the count) over
        the records in the ball. Replacing one of them by another moves the sum by at most 2;
        moving one in or out moves the sum by at most 1 and the second part by sqrt(3): L2
        sensitivity 2 in each case, so the count is free. Costs are as in :meth:`gaussian`. It
        is None when the noisy count is at most 3 of its standard deviations, which is
        post-processing.

        Parameters
        ----------
        data : array (n, d), private
        center : array (d,), public (or released before)
        radius : float > 0, public (or released before)
        """
        center = np.atleast_1d(check.queries("center", center))
        points, radius = finite_table(data), check.number("radius", radius, above=0)
        if points.shape[1:] != center.shape:
            raise ValueError(f"center must have one entry for each column, not {center.shape}")
        unit, cost = self._gaussian_unit(epsilon=epsilon, delta=delta, rho=rho)
        offsets = (points - center) / radius
        inside = offsets[(offsets**2).sum(axis=1) <= 1]
        sums = np.append(inside.sum(axis=0), math.sqrt(3) * len(inside))
        charge, sd = line(label, "average", 2.0, 2.0 * unit, cost), 2.0 * unit
        noisy = self._add(charge, sums, "L2", lambda s: sd * self._rng.standard_normal(s))
        count = float(noisy[-1]) / math.sqrt(3)
        if count <= 3 * sd / math.sqrt(3):
            return None
        return Average(center + radius * noisy[:-1] / count, count, radius * sd / count)

    def _add(self, charge, private: np.ndarray, norm: str, noise) -> float | np.ndarray:
        """Pay, draw, add; a number stays a number."""
        noisy = self._ask(charge, private, norm, lambda: private + noise(private.shape))
        return noisy if np.ndim(noisy) else float(noisy)

    def _gaussian_unit(
        self, *, epsilon: float | None, delta: float | None, rho: float | None
    ) -> tuple[float, Cost]:
        """Standard deviation for sensitivity 1, and the cost, in this curator's composition."""
        if self.composition == "zcdp":
            if rho is None or (epsilon, delta) != (None, None):
                raise ValueError("this curator composes by zCDP: give rho, not epsilon and delta")
            rho = check.number("rho", rho, above=0)
            return 1 / math.sqrt(2 * rho), Cost(rho=rho)
        if rho is not None or epsilon is None or delta is None:
            raise ValueError("this curator adds epsilon and delta: give both, not rho")
        epsilon = check.number("epsilon", epsilon, above=0)
        delta = check.number("delta", delta, above=0, below=1)
        unit = accounting.gaussian_sd(epsilon=epsilon, delta=delta)
        return unit, Cost(epsilon=epsilon, delta=delta)
