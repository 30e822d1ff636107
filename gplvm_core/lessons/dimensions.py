"""Latent dimensions that switch off during the training of a Bayesian GP-LVM."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.datasets import load_dataset
from gplvm_core.lessons.picture import (
    LessonPicture,
    Look,
    Panel,
    bars,
    dots,
    line,
    map_panel,
    number,
    room,
)
from gplvm_core.lessons.quiet import fitted
from gplvm_core.models import BayesianGPLVM
from gplvm_core.models.estimators.attributes import ON
from gplvm_core.numerics import Array, Int64Array
from gplvm_core.optimise import Progress

MAX_ITER, N_INDUCING = 120, 20
N_COLUMNS, N_WAVES, SLOWNESS = 12, 30, 0.5
TALLEST = 5.0  # the upper end of the bars' axis, in nats per point


@dataclass(frozen=True, eq=False)
class RowsWithTruth:
    """Training rows: values, colours, and how many hidden numbers generate the values.

    truth: the number of hidden numbers; None if the rows have no such number.
    """

    values: Float[Array, "N D"]
    shade: Float[Array, " N"] | None
    labels: Int[Int64Array, " N"] | None
    truth: int | None


def rows_of(kind: str, n_points: int, noise: float) -> RowsWithTruth:
    """Generate rows for training.

    kind: "two" or "three" for rows made from two or three hidden numbers, or "flow" for simulated
    measurements of a pipe. The first two kinds have 12 columns, which are smooth functions of the
    hidden numbers. noise: the standard deviation of the noise; the values have the standard
    deviation 1.
    """
    if kind == "flow":
        flow = load_dataset("flow")
        assert flow.labels is not None
        values = (flow.targets - flow.targets.mean(axis=0)) / flow.targets.std()
        values, labels, shade, truth = values[:n_points], flow.labels[:n_points], None, None
    else:
        truth = {"two": 2, "three": 3}[kind]
        draw = np.random.default_rng(0)
        weights, phases = (
            draw.standard_normal((truth, N_WAVES)),
            draw.uniform(0, 2 * np.pi, N_WAVES),
        )
        mixed = draw.standard_normal((N_WAVES, N_COLUMNS))
        hidden = draw.standard_normal((n_points, truth))
        values = np.sin(SLOWNESS * hidden @ weights + phases) @ mixed
        values = (values - values.mean(axis=0)) / values.std()
        labels, shade = None, np.argsort(np.argsort(hidden[:, 0])) / max(n_points - 1, 1)
    values = values + noise * np.random.default_rng(1).standard_normal(values.shape)
    return RowsWithTruth(values, shade, labels, truth)


def dimensions(
    kind: str,
    n_points: int,
    noise: float,
    n_latent: int,
    look: Look | None = None,
) -> LessonPicture:
    """Return the last picture of the training; without `look`, the picture of its first step.

    look(picture, step, most) is called after every step. If it raises StopIteration, this function
    raises StopIteration, too.
    """
    rows = rows_of(kind, n_points, noise)
    seen: list[Progress] = []
    stopped = False

    def watch(progress: Progress) -> None:
        nonlocal stopped
        seen.append(progress)
        if look is None:
            return
        try:
            look(drawn(rows, seen), len(seen), MAX_ITER)
        except StopIteration:
            stopped = True
            raise

    most = 1 if look is None else MAX_ITER
    model = BayesianGPLVM(n_latent, min(n_points, N_INDUCING), max_iter=most, random_state=0)
    fitted(model, rows.values, callback=watch)
    if stopped:
        raise StopIteration
    return drawn(rows, seen, ended=look is not None)


def drawn(rows: RowsWithTruth, seen: list[Progress], ended: bool = False) -> LessonPicture:
    """Draw the bars, the bound and the map of the last step."""
    last = seen[-1]
    on = last.information > ON
    count = int(on.sum())
    first, second = np.argsort(-last.information)[:2]
    bound = np.array([each.bound for each in seen]) / rows.values.size
    steps = np.arange(1.0, len(seen) + 1.0)
    # The axis of the bound leaves out the first steps, where the bound rises steeply; otherwise the
    # rest of the curve would look flat.
    low = float(np.percentile(bound, 15)) if len(seen) > 8 else float(bound.min())
    x, y = last.latent_mean[:, first], last.latent_mean[:, second]
    panels = (
        Panel(
            f"{count} of {len(on)} dimensions are on",
            (0.4, len(on) + 0.6),
            (0.0, TALLEST),
            (bars(np.minimum(last.information, TALLEST), on, title="nats per point"),),
            "Bars, one per dimension: " + ", ".join(number(each) for each in last.information),
            axes=("dimension", "information"),
            ticks=tuple(str(q + 1) for q in range(len(on))),
        ),
        Panel(
            "The evidence bound",
            (0.0, max(float(len(seen)), 20.0)),
            room([low], bound[bound >= low]),
            (line(steps, bound, title="nats per value"),),
            f"The bound over {len(seen)} steps, now {number(bound[-1])} nats per value.",
            axes=("step", ""),
        ),
        map_panel(
            "The two most informative dimensions" if count else "No dimension is on",
            x,
            y,
            (dots(x, y, labels=rows.labels, shade=rows.shade, radius=4),),
            f"The map of {len(x)} rows in dimensions {first + 1} and {second + 1}.",
            axes=(f"dimension {first + 1}", f"dimension {second + 1}"),
        ),
    )
    return LessonPicture(panels, summary(rows, count, float(bound[-1]), ended))


def summary(rows: RowsWithTruth, count: int, bound: float, ended: bool) -> tuple[str, ...]:
    """State how many dimensions are on, and whether this is the true number."""
    n_points = len(rows.values)
    dimensions_are = "dimension is" if count == 1 else "dimensions are"
    now = f"{count} {dimensions_are} on; the bound is {number(bound)} nats per value."
    if not ended:
        return (now,)
    if rows.truth is None:
        truth = (
            "These data have no true number of dimensions: two fractions vary freely, but there "
            "are three kinds of flow, and a measurement jumps when a level crosses its beam."
        )
    elif count == rows.truth:
        truth = f"The rows were made from {rows.truth} numbers, and ARD found all of them."
    elif count < rows.truth:
        truth = (
            f"The rows were made from {rows.truth} numbers, but these {n_points} rows with this "
            "noise are not enough evidence for so many dimensions."
        )
    else:
        truth = f"The rows were made from {rows.truth} numbers: ARD keeps too many dimensions here."
    return (now, truth)
