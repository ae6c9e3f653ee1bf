"""Laplace and Gaussian mechanism, also lazily drawn, and the noisy average inside a ball."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import accounting, checks
from dpviz.privacy import noise_laws
from dpviz.privacy.account import Account, Single
from dpviz.privacy.ledger import Charge, Cost, line
from dpviz.privacy.pieces import Sums, column_sums, merge
from dpviz.privacy.private_data import finite, finite_table

__all__ = ["AdditiveNoise", "Average", "LazyGaussian", "ball_sums", "merge"]
OFFSETS = "offsets in the ball"
HELD = "records in the ball"


@dataclass(frozen=True, eq=False)
class Average:
    """What :meth:`AdditiveNoise.average` releases.

    Attributes
    ----------
    center : array (d,); count : float, noisy number of records in the ball
    sd : float, standard deviation of the noise in each coordinate of ``center``, to first order
    """

    center: np.ndarray
    count: float
    sd: float


class AdditiveNoise(Account):
    """The verbs that add noise: Laplace and Gaussian mechanism, and averages inside a ball."""

    def laplace(
        self, value: ArrayLike, *, sensitivity: float, epsilon: float, label: str
    ) -> float | np.ndarray:
        """Release ``value`` plus Laplace noise of scale ``sensitivity / epsilon``.

        Statements: NSV Definition 2.2; NSV Theorem 2.3.
        Costs ``epsilon`` (zCDP: epsilon^2 / 2). Proof: the density of the output at any point
        changes by a factor of at most exp(||change||_1 / scale) = exp(epsilon) between
        neighbours (Dwork, McSherry, Nissim and Smith 2006, Proposition 1).

        Parameters
        ----------
        value : float or array, private
        sensitivity : float > 0. Largest L1 change of ``value`` when one record is replaced. The
            caller proves it.
        label : str, name of the line in the ledger

        Returns a float or array of the shape of ``value``. Raises BudgetExceeded if that much is
        not left. ValueError or TypeError for bad arguments. In either case nothing is drawn and the
        ledger is unchanged.
        """
        private, sensitivity = finite(value), checks.number("sensitivity", sensitivity, above=0)
        epsilon = checks.epsilon(epsilon)
        scale = sensitivity / epsilon
        charge = line(label, "laplace", sensitivity, scale, self._cost(epsilon=epsilon))
        noise = lambda shape: noise_laws.laplace(self._rng, scale, shape)  # noqa: E731
        return _as_given(self._add(charge, private, "L1", noise))

    def gaussian(
        self,
        value: ArrayLike,
        *,
        sensitivity: float,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        factor: ArrayLike | None = None,
        label: str,
    ) -> float | np.ndarray:
        """Release ``value`` plus Gaussian noise, white or shaped by a public factor.

        Statements: NSV Theorem 2.4.
        With basic composition give ``epsilon`` and ``delta``: the standard deviation is the
        smallest that is (epsilon, delta)-differentially private (Balle and Wang 2018, Theorem
        8). With zCDP give ``rho``: it is sensitivity / sqrt(2 rho) (Bun and Steinke 2016,
        Proposition 1.6). Costs just that.

        With a factor L, ``value`` must be a vector v, and L (v + noise) is released: white
        noise on v, seen through L, which is post-processing. So paths and kernels get noise
        with covariance L L^T; ``sensitivity`` is that of v.
        Returns a float or array of the shape of ``value``; with a factor, array (m,). Raises
        BudgetExceeded, ValueError or TypeError as in :meth:`laplace`.

        Parameters
        ----------
        value : float or array, private; with a factor, array (r,)
        sensitivity : float > 0. Largest L2 change of ``value`` when one record is replaced. The
            caller proves it.
        factor : array (m, r), public
        """
        private, sensitivity = finite(value), checks.number("sensitivity", sensitivity, above=0)
        if factor is not None:
            if private.ndim != 1:
                raise ValueError("value must be a vector if it is seen through a factor")
            factor = checks.matrix("factor", factor, private.size)
        unit, cost = self._gaussian_unit(epsilon=epsilon, delta=delta, rho=rho)
        sd = sensitivity * unit
        charge = line(label, "gaussian", sensitivity, sd, cost)
        noisy = self._add(charge, private, "L2", self._white(sd), factor=factor)
        return _as_given(noisy) if factor is None else factor @ noisy

    def lazy_gaussian(
        self,
        *,
        sensitivity: float,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        label: str,
    ) -> LazyGaussian:
        """Gaussian noise on coordinates that are chosen one after another: :class:`LazyGaussian`.

        Costs what one :meth:`gaussian` with these arguments costs, now; asking is free.

        Parameters
        ----------
        sensitivity : float > 0. Largest L2 change of all coordinates together when one record is
            replaced, whatever coordinates are chosen. The caller proves it.
        """
        sensitivity = checks.number("sensitivity", sensitivity, above=0)
        unit, cost = self._gaussian_unit(epsilon=epsilon, delta=delta, rho=rho)
        charge = line(label, "lazy_gaussian", sensitivity, sensitivity * unit, cost)
        return LazyGaussian(self, charge)

    def average(
        self,
        data: ArrayLike | Sums,
        *,
        center: ArrayLike,
        radius: float,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        label: str,
    ) -> Average | None:
        """Average of the records inside a public ball; None if too few are found.

        Statements: NSV Algorithm 5.
        One Gaussian release of (sum of (x - center) / radius, sqrt(3) times the count) over the
        records in the ball. Replacing one of them by another moves the sum by at most 2; moving one
        in or out moves the sum by at most 1 and the second part by sqrt(3): L2 sensitivity 2 in
        each case, so the count is free. Costs are as in :meth:`gaussian`. It is None when the noisy
        count is at most 3 of its standard deviations, which is post-processing.

        Parameters
        ----------
        data : array (n, d), private; or merged :func:`ball_sums` of its pieces in this very ball
        center : array (d,), public (or released before)
        radius : float > 0, public (or released before)
        """
        if isinstance(data, Sums):
            center = np.atleast_1d(checks.queries("center", center))
            radius = checks.number("radius", radius, above=0)
            inside = data.value(OFFSETS, center.shape)
            held = data.value(HELD, (1,)).item()
        else:
            offsets, center, radius = _inside(data, center, radius)
            rows = offsets[~np.isnan(offsets[:, 0])]
            inside = rows.sum(axis=0)
            held = len(rows)
        unit, cost = self._gaussian_unit(epsilon=epsilon, delta=delta, rho=rho)
        sums = np.append(inside, math.sqrt(3) * held)
        charge = line(label, "average", 2.0, 2.0 * unit, cost)
        sd = 2.0 * unit
        noisy = self._add(charge, sums, "L2", self._white(sd), center=center, radius=radius)
        count = float(noisy[-1]) / math.sqrt(3)
        if count <= 3 * sd / math.sqrt(3):
            return None
        return Average(center + radius * noisy[:-1] / count, count, radius * sd / count)

    def count_average(
        self,
        data: ArrayLike,
        *,
        center: ArrayLike,
        radius: float,
        epsilon: float,
        delta: float,
        label: str,
    ) -> Average | None:
        """Average of the records inside a public ball, its noise set by a noisy count.

        Statements: NSV Algorithm 5; NSV Theorem A.3.
        The classical form (Nissim, Stemmer and Vadhan 2016, Appendix A), with tight numbers:
        first m' = count + Laplace(2 / epsilon) - (2 / epsilon) ln(1 / delta), then, if m' > 1,
        the mean with Gaussian noise that is (epsilon / 2, delta / 2)-private for a mean that
        moves by 2 radius / m'. Costs (``epsilon``, ``delta``), in zCDP delta-approximately
        epsilon^2 / 2. Proof: the mean of m or m + 1 records in the ball moves by at most
        2 radius / max(m, m + 1). The noisy count exceeds the count with probability delta / 2;
        otherwise the noise suffices for this pair of neighbours, and the density of m' changes
        by exp(epsilon / 2). :meth:`average` has less noise at the same cost.

        Parameters
        ----------
        data, center, radius : as in :meth:`average`
        """
        epsilon = checks.epsilon(epsilon)
        delta = checks.number("delta", delta, above=0, below=1)
        offsets, center, radius = _inside(data, center, radius)
        inside = offsets[~np.isnan(offsets[:, 0])]
        scale = 2 / epsilon
        charge = line(label, "count_average", 1.0, scale, self._cost(epsilon=epsilon, delta=delta))
        unit = accounting.gaussian_sd(epsilon=epsilon / 2, delta=delta / 2)

        def draw() -> Average | None:
            """Both noises of the one release."""
            noise = float(noise_laws.laplace(self._rng, scale))
            count = len(inside) + noise - scale * math.log(1 / delta)
            if count <= 1:
                return None
            sd = 2 * radius * unit / count
            mean = inside.sum(axis=0) / max(1, len(inside))
            noisy = center + radius * mean + sd * self._rng.standard_normal(len(center))
            return Average(noisy, count, sd)

        rows = [row.tobytes() for row in offsets]
        return self._ask(charge, rows, "rows", draw, center=center, radius=radius)

    def _add(
        self,
        charge: Charge,
        private: np.ndarray,
        norm: str,
        noise: Callable[[tuple[int, ...]], np.ndarray],
        **public: object,
    ) -> np.ndarray:
        """Pay, draw, add."""

        def draw() -> np.ndarray:
            noisy = noise(private.shape)
            noisy += private  # in place: of 10^7 buckets each array is 80 MB
            return noisy

        return np.asarray(self._ask(charge, private, norm, draw, **public))

    def _white(self, sd: float) -> Callable[[tuple[int, ...]], np.ndarray]:
        """Gaussian noise of any shape, each entry with this standard deviation."""
        return lambda shape: sd * self._rng.standard_normal(shape)

    def _gaussian_unit(
        self, *, epsilon: float | None, delta: float | None, rho: float | None
    ) -> tuple[float, Cost]:
        """Standard deviation for sensitivity 1, and the cost, in this curator's composition."""
        if self.composition == "zcdp":
            if rho is None or (epsilon, delta) != (None, None):
                raise ValueError("this curator composes by zCDP: give rho, not epsilon and delta")
            rho = checks.number("rho", rho, above=0)
            return 1 / math.sqrt(2 * rho), Cost(rho=rho)
        if rho is not None or epsilon is None or delta is None:
            raise ValueError("this curator adds epsilon and delta: give both, not rho")
        epsilon = checks.epsilon(epsilon)
        delta = checks.number("delta", delta, above=0, below=1)
        unit = accounting.gaussian_sd(epsilon=epsilon, delta=delta)
        return unit, Cost(epsilon=epsilon, delta=delta)


class LazyGaussian(Single):
    """Noisy coordinates of a private vector that grows as it is asked, by adaptive choice.

    Each coordinate gets independent Gaussian noise once. Proof of the cost: fix two neighbours.
    Given the replies so far, the next coordinate differs by some number D_k that those replies
    determine, and D_1^2 + D_2^2 + ... is at most s^2, s the sensitivity. Add a last coordinate
    that makes it equal to s^2. The privacy loss is then the sum of D_k N_k / sd + D_k^2 / (2
    sd^2) with standard normal N_k independent of D_k; since E exp(i t D_k N_k + t^2 D_k^2 / 2)
    = 1 at every step, whatever came before, the sum of the D_k N_k is exactly N(0, s^2). So the
    loss has the law of one Gaussian release with sensitivity s, and the same (epsilon, delta), or
    rho; leaving the added coordinate out is post-processing. That Gaussian differential privacy
    composes so for a fully adaptive analyst is a theorem of Smith and Thakurta (2022).

    (A transcript test holds all coordinates asked so far against the sensitivity, each time.)
    """

    def __init__(self, curator: Account, charge: Charge) -> None:
        self._curator = curator
        self._charge = charge
        self._private = np.zeros(0)
        curator._ask(charge, np.zeros(()), "max", lambda: None)

    @property
    def sd(self) -> float:
        """Standard deviation of the noise on each coordinate."""
        return self._charge.scale

    def coordinates(self, values: ArrayLike) -> np.ndarray:
        """The next coordinates plus their noise; the choice may depend on all replies so far.

        Parameters
        ----------
        values : array (m,), private

        Returns an array (m,). Raises ValueError or TypeError if ``values`` is no vector of finite
        numbers; then nothing is drawn.
        """
        private = finite(values, "values")
        if private.ndim != 1:
            raise ValueError("values must be a vector")
        free = line(self._charge.label, "coordinates", self._charge.sensitivity, self.sd, Cost())

        def draw() -> np.ndarray:
            return private + self.sd * self._curator._rng.standard_normal(private.shape)

        with self._curator._turn:
            everything = np.append(self._private, private)
            noisy = self._curator._ask(free, everything, "L2", draw, new=private.size)
            self._private = everything
        return noisy


def _as_given(noisy: np.ndarray) -> float | np.ndarray:
    """A number stays a number."""
    return noisy if noisy.ndim else float(noisy)


def ball_sums(data: ArrayLike, center: ArrayLike, radius: float) -> Sums:
    """What :meth:`AdditiveNoise.average` needs of some of the records, exact. Private.

    >>> both = merge(ball_sums([[1.5]], [1.0], 2.0), ball_sums([[2.0], [9.0]], [1.0], 2.0))
    >>> both.n, both.value(OFFSETS, (1,)).tolist(), both.value(HELD, (1,)).tolist()
    (3, [0.75], [2.0])
    """
    offsets, _, _ = _inside(data, center, radius)
    rows = offsets[~np.isnan(offsets[:, 0])]
    held = np.array([len(rows)], dtype=np.int64)
    return Sums(n=len(offsets), totals={OFFSETS: column_sums([rows], rows.shape[1]), HELD: held})


def _inside(
    data: ArrayLike, center: ArrayLike, radius: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """The records seen from a ball's centre in units of its radius, NaN outside; the ball."""
    center = np.atleast_1d(checks.queries("center", center))
    points, radius = finite_table(data), checks.number("radius", radius, above=0)
    if points.shape[1:] != center.shape:
        raise ValueError(f"center must have one entry for each column, not {center.shape}")
    with np.errstate(over="ignore"):  # far is far; a warning would tell
        offsets = (points - center) / radius
        outside = np.einsum("ij,ij->i", offsets, offsets) > 1  # a pass, and no table of squares
    offsets[outside] = np.nan
    return offsets, center, radius
