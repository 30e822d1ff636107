"""The sentences of the app in one place: what data sets show, what terms mean."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gplvm_core.datasets import Dataset
from gplvm_core.models import (
    GPLVM,
    BayesianGPLVM,
    BayesianPCA,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
)


@dataclass(frozen=True)
class Story:
    """How a built-in data set is introduced: short title, one sentence, what its map shows."""

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
        "Ten pictures of each are few: between people the map is unsure, and faces blur.",
    ),
    "heads": Story(
        "Lit heads",
        "Six heads, each under 64 positions of the lamp.",
        "The model was never told about lamps, yet it finds a direction for the light.",
    ),
    "poses": Story(
        "Poses",
        "Motion capture of a body, frame by frame.",
        "A movement becomes a curve on the map; follow it and the figure moves.",
    ),
    "talking_head": Story(
        "Talking head",
        "Five seconds of video: a head turns and speaks.",
        "Frames follow each other on the map along the path of the movement.",
    ),
    "motions": Story(
        "Human motions",
        "Twenty motions of one body: walks, a kick, a roll, a backflip.",
        "Every motion is a path of its own; where paths cross, bodies look alike.",
    ),
    "clip": Story(
        "A passenger talks",
        "Four seconds of film: a man talks in a moving car.",
        "Frames follow each other along the path of the head; the landscape passes by outside.",
    ),
    "digits": Story(
        "Digits",
        "Handwritten digits of 8 × 8 pixels.",
        "Equal digits gather without anyone giving their names to the model.",
    ),
    "flow": Story(
        "Pipe flow",
        "Twelve sensors on a simulated pipe with three kinds of flow.",
        "The kinds of flow become regions of the map, and the map shows where it knows nothing.",
    ),
    "wine": Story(
        "Wines",
        "Chemical analyses of 178 wines from three grapes.",
        "With a scale for each column, the three kinds gather by themselves.",
    ),
    "lit_pairs": Story(
        "Pairs of heads",
        "Two heads at a time, under the same lamp.",
        "The light belongs to both pictures, the faces to one each: shared and private dimensions.",
    ),
    "silhouettes": Story(
        "Silhouettes",
        "A body in motion, and its outline from one side.",
        "Give the outline, and the model draws the body; or the body, and it draws the outline.",
    ),
    "digits_views": Story(
        "Digits, three ways",
        "Handwritten digits as pixels, as Fourier coefficients and as profiles.",
        "What all descriptions tell is shared; what one of them tells alone is private.",
    ),
    "multi_feature_digits": Story(
        "Digits, six ways",
        "Two thousand digits in six published sets of features.",
        "Some features tell the same, some have news of their own: see which.",
    ),
    "toy_views": Story(
        "Toy signals",
        "Two views made of three known signals, one of them in both.",
        "The model finds which signal is shared and which are not.",
    ),
}

TERMS: dict[str, str] = {
    "latent": "A latent variable model explains every row of the data by a few hidden numbers. "
    "These numbers are the row's place on the map: the latent space.",
    "bound": "A lower bound on the logarithm of the probability of the data under the model "
    "(the evidence), in nats. Higher is better; values compare between models of the same data.",
    "noise": "What the model leaves unexplained, as a variance in the units that it trains in; "
    "with a noise for each output, their mean.",
    "noise_choice": "With a noise of its own every column is judged by its own units and quality, "
    "which suits tables of mixed units. For pictures and bodies, one noise for all places rows "
    "better and looks sharper.",
    "own_noise": "Noise is what the model does not explain of an output by its place on the map, "
    "as a standard deviation. The share compares it with the standard deviation of the data: at "
    "100% the output tells nothing about the place.",
    "relevance": "w = 1/ℓ²: how fast the output changes along a dimension. It orders the "
    "dimensions, but a small w alone does not mean that a dimension is unused.",
    "information": "How many nats a point's place in this dimension tells beyond the prior "
    "(Kullback–Leibler divergence, mean over points). A dimension is on if it exceeds 0.05.",
    "effective": "Latent dimensions that carry information: more than 0.05 nats a point.",
    "dimensions": "How many hidden numbers a row may have. Give more than you expect to need: "
    "the Bayesian models switch off what the data do not need.",
    "layers": "With two or three layers the map of the data has a map of its own above it (a deep "
    "GP-LVM), which suits data whose smoothness changes from place to place. Paths over time are "
    "those of the top layer; several views share the lowest map, or have one each. Training takes "
    "two to four times as long; a layer that is not needed switches off, and that is said.",
    "own_spaces": "Every view gets the lowest layer to itself, and the views share the layer above "
    "it: the shared map says what they have in common, what only one of them has stays below. "
    "Without it all views hang on one lowest map.",
    "verdict": "A layer is on when it hands something on that is not noise. In the first phases "
    "layers may wake up again.",
    "widths": "How many hidden numbers a row may have in this layer: fewer than below it. Those "
    "that are not needed switch off.",
    "inducing": "Points that summarise the mapping. More of them follow finer detail and take "
    "longer (cost grows with the square).",
    "scaling": "Every column is centred. “One scale for all” keeps the columns' "
    "proportions; “each column its own” suits columns with different units.",
    "kernel": "How smoothly outputs may change over the map. “Curved” (RBF) suits most "
    "data; “straight” (linear) gives Bayesian PCA; their sum has both.",
    "init": "Where the points start on the map: PCA (default), Isomap, or random places.",
    "restarts": "Train from several starts and keep the one with the best bound.",
    "max_iter": "Most steps of the optimiser. You can stop earlier and continue later.",
    "seed": "Fixes the random choices, so that the same run gives the same numbers.",
    "jitter": "A tiny number added to a matrix's diagonal to keep the arithmetic stable, "
    "relative to its mean. It is part of the model and stored with it.",
    "encoder": "An encoder is a function, learned with the model, that takes a row to its place "
    "on the map at once. Without one, the best place is searched for; rows with gaps always are.",
    "time_kernel": "What paths over time look like before any data are seen. Training adapts "
    "their speed; how smooth they are stays as chosen.",
    "period": "After this time the movement repeats, in the unit of the data's times (seconds for "
    "videos and motion capture). Training adapts it; start near the truth.",
    "views": "Several descriptions of the same things, row by row: a photograph and its "
    "measurements, both sides of a movement, groups of columns. One model can learn what they "
    "share and what each has alone.",
    "label_view": "The model then learns to tell the labels from the other views. Without this, "
    "labels colour the map and are never learned from.",
    "prior": "Rows that follow each other in time may be a path on the map, or be placed "
    "independently of each other.",
    "kernel_views": "How smoothly outputs may change over the map: the same for all views, or for "
    "each view its own. “Curved” (RBF) suits most data, “straight” (linear) finds straight maps.",
    "init_views": "Where the points start on the map. “PCA of all” takes the views as one table, "
    "each with the same weight; “PCA of each” gives every view dimensions of its own to start "
    "with, which suits views that share little.",
    "optimiser": "L-BFGS remembers recent steps and suits most data; scaled conjugate gradients "
    "need less memory.",
}

OWN_NOISE = "noise per output"  # the fact, as it stands beside a model's others

MODEL_WORDS: dict[str, str] = {
    kind.__name__: words
    for kind, words in (
        (BayesianGPLVM, "Bayesian GP-LVM"),
        (ManifoldRelevance, "Manifold relevance"),
        (DynamicalGPLVM, "Dynamical GP-LVM"),
        (DeepGPLVM, "Deep GP-LVM"),
        (DeepManifoldRelevance, "Deep manifold relevance"),
        (GPLVM, "GP-LVM"),
        (BayesianPCA, "Bayesian PCA"),
        (ProbabilisticPCA, "Probabilistic PCA"),
    )
}


def model_words(class_name: str) -> str:
    """A model's name in the field."""
    return MODEL_WORDS.get(class_name, class_name)


def story_of(dataset_name: str, fallback_title: str) -> Story:
    """The story of a data set; for the user's own data a plain one."""
    known = STORIES.get(dataset_name)
    return known or Story(fallback_title, "Your own data.", "")


def rows_in_words(model: Any) -> str | None:
    """Which rows trained a model of many, and what became of the others; None where all did."""
    rows = getattr(model, "rows_", None)
    if rows is None or rows.trained is None:
        return None
    on_map, count = len(model.latent_mean_), len(rows.trained)
    words = f"trained on {count:,} of {rows.count:,} rows, {on_map - count:,} placed"
    return words if rows.count == on_map else f"{words}, {rows.count - on_map:,} passed by"


def whole(value: float) -> str:
    """A number without decimals: thousands separated, a true minus sign, never "−0"."""
    text = f"{value:,.0f}"
    return "0" if text == "-0" else text.replace("-", "−")


def percent(share: float) -> str:
    """A share from 0 to 1 in percent; never "100 %", which would claim that nothing is left."""
    if share >= 0.995:
        return "99.5 % or more"
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def seconds_in_words(seconds: float) -> str:
    """A duration as people say it: "8 s", "3 min", "1 h 20 min"."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def bytes_in_words(count: int) -> str:
    """A file size in decimal units: "12 kB", "3.4 MB"."""
    if count < 1_000_000:
        return f"{max(1, round(count / 1000))} kB"
    return f"{count / 1_000_000:.1f} MB"


def about_bytes_in_words(count: int) -> str:
    """A size that is known to about a tenth: "60 MB", "1.2 GB"."""
    digits = 10 ** max(0, len(str(count)) - 2)
    rounded = round(count / digits) * digits
    if rounded >= 1_000_000_000:
        return f"{rounded / 1e9:.1f} GB"
    return f"{max(1, round(rounded / 1e6))} MB"


def moment_in_words(moment: str) -> str:
    """An ISO 8601 moment as local date and time: "21 Nov 2026, 14:05"; nothing if it is none."""
    try:
        local = datetime.fromisoformat(moment).astimezone()
    except ValueError:
        return ""
    return f"{local.day} {local:%b %Y, %H:%M}"


def bound_in_words(bound: float | None) -> str:
    """The bound without decimals and with a true minus sign."""
    return "–" if bound is None else whole(bound)


def words_of_row(dataset: Dataset, row: int) -> str:
    """Row number, name and label: "row 12, a17, person 3"."""
    words = [f"row {row + 1}"]
    if dataset.row_names is not None:
        words.append(str(dataset.row_names[row]))
    if dataset.labels is not None:
        label = int(dataset.labels[row])
        words.append(dataset.label_names[label] if dataset.label_names else str(label))
    return ", ".join(words)


def file_stem(title: str) -> str:
    """A title as a file name that every system takes."""
    words = "".join(letter if letter.isalnum() else " " for letter in title).split()
    return "-".join(words).lower() or "model"
