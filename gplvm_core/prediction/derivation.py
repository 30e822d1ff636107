"""Derive the density of rows from a trained graph (`gplvm_core.mixtures`).

The latent points of the training rows are not distributed as N(0, I), and the map's residuals are
correlated between outputs. The density of the points and the covariance of the residuals are
estimated after training; the bound does not change.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.mixtures import (
    Coordinates,
    Gaussians,
    LocalGaussians,
    clustered,
    fitted,
    joined,
    latent_density,
    residual,
)
from gplvm_core.mixtures.conditionals import MOST_DENSE
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction.candidates import Candidates, Report, compared, share_of
from gplvm_core.prediction.derived import Clusters, DerivedDensity, Recipe, refuse_density
from gplvm_core.prediction.fills import MOST_ROWS as MOST_HELD_OUT
from gplvm_core.prediction.fills import Fold, fills_of
from gplvm_core.prediction.forward import at_each, beside, draw_hidden
from gplvm_core.prediction.network import Network, Outputs, with_rows
from gplvm_core.prediction.typicality import Typicality

# Candidates for the number of Gaussians, and for the strength (see `Recipe`).
SIZES = (1, 2, 5, 10, 20, 40)
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, np.inf)
KEPT_ASIDE = 0.2
ROWS_A_GAUSSIAN = 5
DRAWS = 400  # draws of points from every latent Gaussian
MOST_ROWS = 20_000
# The most rows with which candidates are compared, and of which the folds consist.
MOST_COMPARED = 5_000
SEARCHED = 5  # the search over candidates takes about as long as this number of fits
# So do the filling of gaps and the scoring of held-out rows. Each pattern of gaps of wide rows is
# computed on its own, which takes longer by WIDE times the number of held-out rows.
FILLED, SCORED, WIDE = 2.5, 1.5, 0.25
BY_MAP = 0.7  # the share of the search that begins from the map
# A fit finds a local optimum, so the density is the mean of several fits from the map, and of
# several fits from clusters of rows.
STARTS = 2


def derived(
    network: Network,
    outputs: Outputs,
    sizes: Sequence[int] = SIZES,
    strengths: Sequence[float] = STRENGTHS,
    *,
    with_residual: bool = True,
    folds: int = 0,
    random_state: int = 0,
    recipe: Recipe | None = None,
    report: Report | None = None,
) -> DerivedDensity:
    """Derive the density of the training rows, in the order of training; NaN marks missing values.

    The chosen candidate gives a held-out fifth of the rows the highest density. While candidates
    are compared, neither the density nor the map's q(u) uses these rows. A missing value is first
    drawn from the map's Gaussians, then drawn again from the density before the last fit. With a
    recipe, no rows are held out. folds: the number of folds of the out-of-fold scores; 0 means no
    scores. report: called with the completed fraction of the work.
    """
    refuse_density(network)
    so_far = [0.0]

    def tell(done: float) -> None:
        so_far[0] = max(done, so_far[0])
        if report is not None:
            report(so_far[0])

    tell(0.0)  # the first candidate, or the first density, may take long
    generator, notes = np.random.default_rng(random_state), list[str]()
    given = np.hstack([outputs[name] for name in network.ends])
    used, some = _sampled(len(given), generator)
    notes.extend(some)
    given, gaps = given[used], np.isnan(given[used])
    sizes = _possible(sizes, len(used))
    start = _Derivation.of(network, given, used, with_residual, random_state, lambda: tell(0.0))
    # Units of work: the search over candidates counts as SEARCHED fits, each fold as one fit.
    fits, tries = (2 if gaps.any() else 1), (0 if recipe else SEARCHED)
    held = folds or (0 if recipe else 1)
    filled, scored = (0.0 if recipe else FILLED), (SCORED if folds else 0.0)
    if given.shape[1] > MOST_DENSE:
        patterns = WIDE * min(len(used), MOST_HELD_OUT)
        filled, scored = patterns * filled, patterns * scored
    before = fits + tries + held
    work = before + filled + scored
    if gaps.any():
        notes.append("the density was fitted with draws in the place of missing values")
        usual = _possible(SIZES, len(used))
        start = start.filled(usual[len(usual) // 2], generator)
    tried: tuple[tuple[int, float, float], ...] = ()
    compared = np.random.default_rng(random_state).permutation(len(used))[:MOST_COMPARED]
    parts = np.array_split(compared, folds) if folds else []
    decided = recipe
    if decided is None:
        aside = compared[: max(1, round(KEPT_ASIDE * len(compared)))]
        parts = parts or [aside]
        decided, tried = start.decided(
            aside, compared, sizes, strengths, lambda done: tell(done * tries / work)
        )
    latents, density = start.density(decided)
    if gaps.any():
        # The separate seed makes the draws independent of the rows that were held out.
        drawn = density.sample_completions(given, 1, np.random.default_rng((random_state, 1)))[0]
        start = replace(start, given=drawn)
        latents, density = start.density(decided)
    apart = list[Fold]()
    for done, part in enumerate(parts):
        tell((tries + fits + done) / work)
        apart.append(start.fold(part, compared, decided, latents))
    if recipe is None:
        spread = np.nanstd(start.observed, axis=0)
        fills = fills_of(
            apart,
            start.observed,
            spread,
            generator,
            lambda done: tell((before + done * filled) / work),
        )
        decided = replace(decided, fills=fills)
    typicality = None
    if folds:
        typicality = Typicality.of(
            apart,
            start.observed,
            used,
            generator,
            lambda done: tell((before + filled + done * scored) / work),
        )
    data = tuple((name, edge.posterior.n_outputs) for name, edge in network.ends.items())
    made = decided.fills, tuple(notes), typicality, decided.clusters
    return DerivedDensity(density, latents[0], data, decided.strength, tried, *made)


def _sampled(
    count: int, generator: np.random.Generator
) -> tuple[Int[IntArray, " U"], tuple[str, ...]]:
    """Return the rows to which a density is fitted, at most `MOST_ROWS`, and a note if not all."""
    if count <= MOST_ROWS:
        return np.arange(count), ()
    used = np.sort(generator.choice(np.arange(count), MOST_ROWS, replace=False))
    return used, (f"the density was fitted to {MOST_ROWS:,} of {count:,} rows",)


def _possible(sizes: Sequence[int], count: int) -> list[int]:
    """Return the numbers of Gaussians for which there are enough rows."""
    return [size for size in sizes if size * ROWS_A_GAUSSIAN <= count] or [1]


def _nothing(done: float) -> None:
    """Ignore the report."""


@dataclass(frozen=True)
class _Derivation:
    """Training rows and their latent points, from which a density is derived.

    observed: all data side by side (NaN: missing). given: the same data; after `filled`, they have
    no gaps. used: the numbers of the rows. mean, variance: moments of the points at the roots, side
    by side. watch: called during every fit; an exception that it raises ends the work.
    """

    network: Network
    observed: Float[Array, "N D"]
    given: Float[Array, "N D"]
    used: IntArray
    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    coordinates: Coordinates
    with_residual: bool
    seed: int
    watch: Callable[[], None]

    @classmethod
    def of(
        cls,
        network: Network,
        given: Array,
        used: IntArray,
        with_residual: bool,
        seed: int,
        watch: Callable[[], None],
    ) -> "_Derivation":
        points = [network.beliefs[at] for at in network.roots]
        ends = [edge.posterior for edge in network.ends.values()]
        units = Coordinates(
            np.concatenate([each.center for each in ends]),
            np.concatenate([each.scale for each in ends]),
        )
        return cls(
            network,
            given,
            given,
            used,
            np.hstack([own.mean for own in points])[used],
            np.hstack([own.variance for own in points])[used],
            units if np.isnan(given).any() else units.fitted(given),
            with_residual,
            seed,
            watch,
        )

    def filled(self, size: int, generator: np.random.Generator) -> "_Derivation":
        """Draw missing values from the map's Gaussians with the model's own noise."""
        latent = latent_density(self.mean, self.variance, size, self.seed)
        means, covariances = self._through(latent)
        noisy = self.coordinates.covariance(self._noise)
        found = Gaussians.full(latent.weights, means, covariances + noisy)
        found = found.in_units(self.coordinates.center, self.coordinates.scale)
        given = found.sample_completions(self.given, 1, generator)[0]
        return replace(self, given=given, coordinates=self.coordinates.fitted(given))

    def decided(
        self,
        aside: IntArray,
        rows: IntArray,
        sizes: Sequence[int],
        strengths: Sequence[float],
        report: Report,
    ) -> tuple[Recipe, tuple[tuple[int, float, float], ...]]:
        """Choose a recipe by held-out rows, with the other ones of `rows`; also return the
        candidates' densities.
        """
        others = self.only(np.setdiff1d(rows, aside))
        by_map, by_clusters = others.candidates(self.observed[aside], sizes, strengths, report)
        share = 1.0 - share_of(by_map.scores, by_clusters.scores)
        return Recipe(*by_map.best, (), Clusters(*by_clusters.best, share)), by_map.tried

    def fold(
        self, aside: IntArray, rows: IntArray, recipe: Recipe, latents: Sequence[Gaussians]
    ) -> Fold:
        """Return the map and the density of `rows` without the held-out rows.

        latents: the densities of the latent points of all rows.
        """
        others = self.only(np.setdiff1d(rows, aside))
        return Fold(aside, others.network, others.density(recipe, latents)[1])

    def candidates(
        self,
        aside: Float[Array, "A D"],
        sizes: Sequence[int],
        strengths: Sequence[float],
        report: Report,
    ) -> tuple[Candidates, Candidates]:
        """Compare single starts from the map, and single starts from clusters of rows."""
        rows = self.coordinates.of(self.given)
        if self.coordinates.axes is not None:
            # Wide rows need large strengths, and ∞ needs no fit: the search then ends sooner.
            strengths = sorted(strengths, reverse=True)

        def density(prior: LocalGaussians, strength: float) -> Gaussians:
            return self.coordinates.density(fitted(rows, prior, strength, self.watch), rows)

        return (
            compared(
                lambda size: self.prior(size, self.seed)[1],
                density,
                aside,
                sizes,
                strengths,
                lambda done: report(BY_MAP * done),
            ),
            compared(
                lambda size: clustered(rows, size, self.seed),
                density,
                aside,
                sizes,
                strengths,
                lambda done: report(BY_MAP + (1.0 - BY_MAP) * done),
            ),
        )

    def density(
        self, recipe: Recipe, starts: Sequence[Gaussians] = ()
    ) -> tuple[list[Gaussians], Gaussians]:
        """Return the densities of the latent points, one for each start, and the density of the
        rows.

        starts: densities of the latent points from which these begin.
        """
        rows, clusters = self.coordinates.of(self.given), recipe.clusters
        seeds = self.seeds(recipe.size)
        begins: Sequence[Gaussians | None] = starts or [None] * len(seeds)
        found = [
            self.prior(recipe.size, seed, begin) for seed, begin in zip(seeds, begins, strict=True)
        ]
        parts = [fitted(rows, prior, recipe.strength, self.watch) for _, prior in found]
        weights = np.full(len(parts), 1.0 / len(parts))
        if clusters is not None:
            plain = [
                fitted(rows, clustered(rows, clusters.size, seed), clusters.strength, self.watch)
                for seed in self.seeds(clusters.size)
            ]
            weights = np.repeat(
                [(1.0 - clusters.share) / len(parts), clusters.share / len(plain)],
                [len(parts), len(plain)],
            )
            parts += plain
        whole = self.coordinates.density(joined(parts, weights), rows)
        return [latent for latent, _ in found], whole

    def seeds(self, size: int) -> list[int]:
        """Return the seeds of the starts. All starts of one Gaussian would be nearly the same."""
        return [self.seed + start for start in range(STARTS if size > 1 else 1)]

    def prior(
        self, size: int, seed: int, start: Gaussians | None = None
    ) -> tuple[Gaussians, LocalGaussians]:
        """Return the density of the latent points, and the Gaussians of the map and its
        residuals.

        start: a density of latent points from which this one begins.
        """
        self.watch()
        latent = latent_density(self.mean, self.variance, size, seed, start)
        self.watch()
        local = LocalGaussians(latent.weights, *self._through(latent))
        left = self.coordinates.covariance(self._noise)
        if self.with_residual:
            left = residual(self.coordinates.of(self.given), local, left)
        return latent, local.with_residual(left)

    @property
    def _noise(self) -> Float[Array, " D"]:
        """The variances of the noise in the user's units."""
        ends = [edge.posterior for edge in self.network.ends.values()]
        return np.concatenate([each.noise_variance * each.scale**2 for each in ends])

    def only(self, chosen: IntArray) -> "_Derivation":
        """Return the derivation from some rows, with a map of only these rows (`with_rows`).

        The principal axes of wide rows also come from only these rows.
        """
        given = self.given[chosen]
        return replace(
            self,
            network=with_rows(self.network, self.observed[chosen], self.used[chosen]),
            coordinates=self.coordinates.fitted(given),
            given=given,
            observed=self.observed[chosen],
            used=self.used[chosen],
            mean=self.mean[chosen],
            variance=self.variance[chosen],
        )

    def _through(self, latent: Gaussians) -> tuple[Float[Array, "K E"], Float[Array, "K E E"]]:
        """Return means and covariances of the map's values at draws of every latent Gaussian."""
        generator, network = np.random.default_rng(self.seed), self.network
        ends = np.cumsum([network.width(at) for at in network.roots])[:-1]
        means, covariances = [], []
        for k in range(len(latent.weights)):
            points = np.split(latent.only(k).sample(DRAWS, generator)[None], ends, axis=2)
            known = dict(zip(network.roots, points, strict=True))
            below = draw_hidden(network, known, generator)
            each = [
                at_each(edge.posterior, beside(edge, below), noise=False)
                for edge in network.ends.values()
            ]
            values = self.coordinates.of(np.hstack([mean[0] for mean, _ in each]))
            spread = np.hstack([variance[0] for _, variance in each]).mean(axis=0)
            means.append(values.mean(axis=0))
            around = self.coordinates.covariance(spread)
            covariances.append(np.atleast_2d(np.cov(values.T, bias=True)) + around)
        return np.array(means), np.array(covariances)
