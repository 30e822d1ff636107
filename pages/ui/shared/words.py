"""Shared texts of the app: descriptions of the data sets, and the glossary."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gplvm_core.datasets import Dataset
from gplvm_core.models import (
    GPLVM,
    BayesianGPLVM,
    BayesianPCA,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
    SemiDescribedGPRegression,
    SparseGPRegression,
    StateSpaceGPLVM,
)
from gplvm_core.readers.errors import in_digits, plural


@dataclass(frozen=True)
class Story:
    """The introduction of a built-in data set: short title, one sentence, what its map shows."""

    title: str
    sentence: str
    shows: str


STORIES: dict[str, Story] = {
    "people": Story(
        "People",
        "Five hundred rendered heads of people who do not exist.",
        "Move over the map and one face turns into another.",
    ),
    "faces": Story(
        "Faces",
        "Four hundred photographs of forty people.",
        "**Paint on a face:** a face that fits appears, and the point moves on the map.",
    ),
    "heads": Story(
        "Lit heads",
        "Six rendered heads, each lit from 64 directions.",
        "The model finds the direction of the light, although the data do not contain it.",
    ),
    "poses": Story(
        "Poses",
        "Motion capture of a body, frame by frame.",
        "**Pull a hand:** the body follows, and the point moves on the map.",
    ),
    "talking_head": Story(
        "Talking head",
        "Five seconds of video: a head turns and speaks.",
        "On the map, the frames form a path that follows the movement.",
    ),
    "pendulum": Story(
        "A pendulum",
        "Five short films of a swinging pendulum.",
        "No picture shows the speed, but the map has a dimension for it.",
    ),
    "digits": Story(
        "Digits",
        "Handwritten digits of 8 × 8 pixels.",
        "Equal digits form groups, although the model never sees the labels.",
    ),
    "flow": Story(
        "Pipe flow",
        "Twelve sensors on a simulated pipe with three kinds of flow.",
        "Each kind of flow is a region of the map; shading marks where the map is unsure.",
    ),
    "wine": Story(
        "Wines",
        "Chemical analyses of 178 wines from three grapes.",
        "With one scale for each column, the three kinds form separate groups.",
    ),
    "diabetes": Story(
        "Diabetes",
        "Ten measurements of 442 patients, and how far their disease progressed in a year.",
        "See what the progression of the disease depends on.",
    ),
    "countries": Story(
        "Countries",
        "Life expectancy, income and continent of 142 countries since 1957.",
        "Find countries with a similar history.",
    ),
    "spikes": Story(
        "Spike counts",
        "Simulated spikes of 50 neurons that follow an unknown path.",
        "See the path that the model finds from the spike counts only.",
    ),
    "turned_digit": Story(
        "Turned digit",
        "One handwritten digit, turned in steps of 3 degrees.",
        "The model keeps two of ten dimensions, because the map is a loop.",
    ),
    "lit_pairs": Story(
        "Pairs of heads",
        "Two heads at a time, under the same lamp.",
        "Both pictures share the light; each face belongs to one picture only.",
    ),
    "silhouettes": Story(
        "Silhouettes",
        "A body in motion, and its outline from one side.",
        "The model draws the body from the outline, and the outline from the body.",
    ),
    "walker": Story(
        "A walker",
        "A simulated body that walks, turns and waves, and its silhouettes.",
        "Front and back have the same silhouette; the neighbouring frames show which one it is.",
    ),
    "body_parts": Story(
        "Trunk, arms and legs",
        "Motion capture of a body, divided into trunk, arms and legs.",
        "One map for each part, and one above them that coordinates the parts.",
    ),
    "digits_views": Story(
        "Digits, three ways",
        "Handwritten digits as pixels, as Fourier coefficients and as profiles.",
        "The map shows what all three descriptions share, and what only one contains.",
    ),
    "multi_feature_digits": Story(
        "Digits, six ways",
        "Two thousand digits in six published sets of features.",
        "See which features contain the same information, and which add more.",
    ),
    "toy_views": Story(
        "Toy signals",
        "Two views made of three known signals; one signal is in both views.",
        "The model finds which signal both views share.",
    ),
}

TERMS: dict[str, str] = {
    "latent": "A latent variable model explains every row of the data by a few hidden numbers. "
    "These numbers are the row's position on the map, the latent space.",
    "bound": "A lower bound on the logarithm of the probability of the data under the model "
    "(the evidence), in nats (a nat is 1.44 bits). Higher is better. Compare it only between "
    "models of the same data.",
    "noise": "The variance that the model leaves unexplained, in the units used for training. If "
    "every output has its own noise, this is the mean over the outputs.",
    "noise_choice": "One noise per column suits tables with mixed units or columns of different "
    "quality. One noise for all columns suits pictures and bodies, and makes pictures sharper. “By "
    "the units of each view” chooses one of the two for each view.",
    "take_out": "Facts that you know about every row, such as its batch, its sex or its age. The "
    "map shows what they do not explain. In Explore, you choose the value at which it draws rows.",
    "view_weights": "Neighbouring pixels say nearly the same, so a view of pictures can outweigh a "
    "small view and the path over time. “By their independent columns” corrects this.",
    "data_weight": "Neighbouring pixels, or joints of a body, say nearly the same. If each column "
    "counted fully, wide rows could outweigh the path over time or the rule. Gaps and forecasts "
    "would then be predicted worse.",
    "own_noise": "Noise is the part of an output that the position on the map does not explain, "
    "as a percentage of the data's standard deviation. At 100 %, the output says nothing about "
    "the position.",
    "relevance": "w = 1/ℓ²: how fast the output changes along a dimension. w orders the "
    "dimensions, but a dimension with a small w may still be in use.",
    "information": "How much the data say about a point's position in this dimension: the mean "
    "Kullback–Leibler divergence from the prior, in nats (a nat is 1.44 bits). Above 0.05 nats, a "
    "dimension is on.",
    "effective": "The number of latent dimensions that carry information: more than 0.05 nats per "
    "point.",
    "dimensions": "The largest number of latent dimensions. Choose more than you expect to need: "
    "the Bayesian models switch off those that the data do not need.",
    "layers": "Further layers put maps above the map of the data. They suit data that are smooth "
    "in some regions and change quickly in others. Training takes two to four times as long.",
    "family": "Exact training of hidden layers is impossible. The stop “Which approximation?” in "
    "Learn compares these forms; the default is enough for most data.",
    "own_spaces": "On: every view has its own lowest layer, and all views share the layer above. "
    "Off: all views share the lowest layer.",
    "verdict": "A layer is on if it passes more than noise to the layer below. A layer that is off "
    "in the first phases of training may turn on later.",
    "widths": "The largest number of dimensions of this layer, fewer than in the layer below. "
    "The model switches off dimensions that it does not need.",
    "inducing": "Points that summarise the mapping. More points follow finer detail; the cost "
    "grows with the square of their number.",
    "scaling": "“One scale for all” keeps the proportions between columns; “each column its "
    "own” suits columns with different units. “By the units of each "
    "view” chooses one of the two for each view, by the spreads of its columns.",
    "kernel": "How smoothly outputs change over the map. “Curved” (RBF) suits most data, "
    "“straight” (linear) gives Bayesian PCA, “both” is their sum.",
    "init": "Where the points start on the map: PCA (default), Isomap, or random places.",
    "restarts": "Different starts can lead to different maps; the map with the best bound is "
    "used. Automatic tries four short starts and continues the best; above 1,000 rows, it uses "
    "one start.",
    "max_iter": "The largest number of optimiser steps. You can stop earlier and continue later.",
    "seed": "Fixes the random choices: the same seed and settings give the same result.",
    "jitter": "A tiny number, relative to the kernel matrix's mean diagonal, that is added to the "
    "diagonal for numerical stability. It is stored with the model.",
    "encoder": "An encoder is a function, trained with the model, that computes a row's position "
    "on the map directly. Rows with gaps, and models without encoder, need an optimisation. An "
    "autoencoder places each row at its own values, and draws it again through the layers below.",
    "time_kernel": "The smoothness of the paths in time; training changes only their speed.",
    "near": "By default, training alone decides where rows are. “Similar rows” keeps rows with "
    "similar values together (an autoencoder). “Near in some columns” keeps rows together that "
    "are near in these columns, such as places with similar coordinates.",
    "period": "The time after which the movement repeats, in the unit of the data's times. "
    "Training adjusts this period, so a value near the true one is enough.",
    "changes": "How much of the path's variance does not repeat. Training does not change this "
    "share, only the period and the speed of both parts.",
    "views": "Several descriptions of the same things, row by row: for example a photograph and "
    "its measurements. One model learns what they share, and what only one view contains.",
    "label_view": "On: the labels are a view with one category, so the model predicts their "
    "probabilities from the other views. Off: labels only colour the map.",
    "prior": "Rows that follow each other in time can form a path on the map, or be independent.",
    "kernel_views": "How smoothly outputs change over the map, for all views or for each view. "
    "“Curved” (RBF) suits most data; “straight” (linear) finds straight maps.",
    "init_views": "Where the points start on the map. “PCA of all” treats the views as one table "
    "with equal weights; “PCA of each” gives each view its own dimensions, for views that share "
    "little.",
}

OWN_NOISE = "noise per output"  # shown among the facts on a model's card

MODEL_WORDS: dict[str, str] = {
    kind.__name__: words
    for kind, words in (
        (BayesianGPLVM, "Bayesian GP-LVM"),
        (ManifoldRelevance, "Manifold relevance"),
        (DynamicalGPLVM, "Dynamical GP-LVM"),
        (StateSpaceGPLVM, "State-space GP-LVM"),
        (DeepGPLVM, "Deep GP-LVM"),
        (DeepManifoldRelevance, "Deep manifold relevance"),
        (GPLVM, "GP-LVM"),
        (BayesianPCA, "Bayesian PCA"),
        (ProbabilisticPCA, "Probabilistic PCA"),
        (SparseGPRegression, "GP regression"),
        (SemiDescribedGPRegression, "GP regression with gaps"),
        (DeepGP, "Deep GP regression"),
    )
}


def model_words(class_name: str) -> str:
    """Return a model's name in the scientific literature."""
    return MODEL_WORDS.get(class_name, class_name)


def story_of(dataset_name: str, fallback_title: str) -> Story:
    """Return the introduction of a data set; a user's data have a general introduction."""
    known = STORIES.get(dataset_name)
    return known or Story(fallback_title, "Your own data.", "")


def to_fill_in_words(model: Any, dataset: Dataset) -> str:
    """State how many empty rows a model over time fills; other models leave them out."""
    empty = dataset.empty_times if model.capabilities.timed else None
    return "" if empty is None else f"{plural(len(empty), 'row')} to fill"


def rows_in_words(model: Any) -> str | None:
    """Describe how many rows were trained, placed and streamed; None if all rows were trained."""
    rows = getattr(model, "rows_", None)
    if rows is None or rows.trained is None:
        return None
    on_map, count = len(model.latent_mean_), len(rows.trained)
    words = f"trained on {count:,} of {rows.count:,} rows"
    words += f", {on_map - count:,} placed" if on_map > count else ""
    return words if rows.count == on_map else f"{words}, {rows.count - on_map:,} streamed once"


def whole(value: float) -> str:
    """Format without decimals: thousands separated, a true minus sign, never "−0"."""
    text = f"{value:,.0f}"
    return "0" if text == "-0" else text.replace("-", "−")


def significant(value: float) -> str:
    """Format with three significant digits and a true minus sign, never "−0"."""
    text = in_digits(value, 3)
    return "0" if text == "-0" else text.replace("-", "−")


def percent(share: float) -> str:
    """Format a share from 0 to 1 in percent; never "100 %", which would claim certainty."""
    if share >= 0.995:
        return "99.5 % or more"
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def seconds_in_words(seconds: float) -> str:
    """Format a duration: "8 s", "3 min", "1 h 20 min"."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def bytes_in_words(count: int) -> str:
    """Format a file size in decimal units: "12 kB", "3.4 MB"."""
    if count < 1_000_000:
        return f"{max(1, round(count / 1000))} kB"
    return f"{count / 1_000_000:.1f} MB"


def about_bytes_in_words(count: int) -> str:
    """Format a size that is known only to about a tenth: "60 MB", "1.2 GB"."""
    digits = 10 ** max(0, len(str(count)) - 2)
    rounded = round(count / digits) * digits
    if rounded >= 1_000_000_000:
        return f"{rounded / 1e9:.1f} GB"
    return f"{max(1, round(rounded / 1e6))} MB"


def moment_in_words(moment: str) -> str:
    """Format an ISO 8601 moment as local time: "21 Nov 2026, 14:05"; "" if it is malformed."""
    try:
        local = datetime.fromisoformat(moment).astimezone()
    except ValueError:
        return ""
    return f"{local.day} {local:%b %Y, %H:%M}"


def bound_in_words(bound: float | None) -> str:
    """Format the bound without decimals and with a true minus sign."""
    return "–" if bound is None else whole(bound)


def words_of_row(dataset: Dataset, row: int) -> str:
    """Return a row's number, name and label: "row 12, a17, person 3"."""
    words = [f"row {row + 1}"]
    if dataset.row_names is not None:
        words.append(str(dataset.row_names[row]))
    if (label := dataset.label_word(row)) is not None:
        words.append(label)
    return ", ".join(words)


def capital(text: str) -> str:
    """Return the text with a capital first letter; the case of names in it stays."""
    return text[:1].upper() + text[1:]


def classes_of(dataset: Dataset) -> tuple[NDArray[Any] | None, tuple[str, ...]]:
    """Return the rows' labels and their names; without labels, use the first column of words."""
    for column, values in zip(dataset.columns, dataset.values.T, strict=False):
        if dataset.labels is None and column.is_words:
            return np.where(np.isnan(values), -1, values).astype(int), (*map(str, column.words),)
    return dataset.labels, dataset.label_names


def file_stem(title: str) -> str:
    """Return the title as a file name that is valid on every system."""
    words = "".join(letter if letter.isalnum() else " " for letter in title).split()
    return "-".join(words).lower() or "model"
