"""Settings that a search tries, and their names for users."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid

from gplvm_core.models.data.data_weights import WIDE
from gplvm_core.readers.errors import plural

Settings = dict[str, Any]

N_CANDIDATES = 12
COMPONENTS, INDUCING = (5, 10, 15), (25, 50, 100)
# What "auto" means for one table.
UNITS_DIFFER = {"noise": "per_output", "scaling": "columns"}
ONE_UNIT = {"noise": "shared", "scaling": "global"}
OF_SEARCH = ("max_iter", "random_state")  # settings of the trainings, not candidates
NAMES = {
    "n_components": "dimension",
    "n_inducing": "inducing point",
    "noise": "noise",
    "scaling": "scale",
}
WEIGHTS, WEIGHT = "view_weights", "data_weight"
FEW_VIEWS = 4  # up to this number, a search tries one noise per column in each view alone
COUNTS = {"auto": "count less", 1.0: "count fully"}
VALUES = {
    "auto": "by the units of each view",
    "per_output": "one per column",
    "columns": "each column its own",
    "global": "shared",
}


def candidates_for(
    model: Any,
    n_columns: int,
    n_train: int,
    given: Sequence[Settings] | None,
    seed: int,
    *,
    views: Sequence[str],
    differ: bool,
) -> tuple[Settings, list[Settings]]:
    """Return the model's own settings, and all candidates; the own settings are the first.

    given: candidates of the user; None draws combinations of the four settings in `NAMES`, and over
    time of the weights of views or of wide rows. views: the names of several views. differ: whether
    the columns have different units; for one table this decides the settings "auto".
    Raises ValueError if the model does not have a given setting, or if the search sets it itself.
    """
    known = model.get_params(deep=False)
    if not model.capabilities.views:
        usual = UNITS_DIFFER if differ else ONE_UNIT
        known |= {key: usual[key] for key in usual if known.get(key) == "auto"}
    if given is not None:
        keys = dict.fromkeys(key for each in given for key in each)
        if unknown := [key for key in keys if key not in known]:
            raise ValueError(f"the model has no setting {unknown[0]!r}")
        if fixed := [key for key in keys if key in OF_SEARCH]:
            raise ValueError(f"the search sets {fixed[0]} itself: leave it out of the candidates")
        own = {key: known[key] for key in keys}
        every = [own | dict(each) for each in given]
        return own, [own, *(e for at, e in enumerate(every) if e not in [own, *every[:at]])]
    grid: dict[str, list[Any]] = {}
    if model.capabilities.timed and model.capabilities.views:
        grid[WEIGHTS] = ["auto", {}]
    elif model.capabilities.timed and n_columns > WIDE * known["n_components"]:
        grid[WEIGHT] = ["auto", 1.0]
    own = {key: known[key] for key in (*NAMES, *grid)}
    most = min(n_columns, n_train - 1)
    grid |= {
        "n_components": sorted({min(each, most) for each in (*COMPONENTS, own["n_components"])}),
        "n_inducing": sorted({min(each, n_train) for each in (*INDUCING, own["n_inducing"])}),
    }
    if model.capabilities.views:
        alone = views if 2 <= len(views) <= FEW_VIEWS else []
        grid |= {
            "noise": ["auto", "per_output", *[_noise_in_one(each, views) for each in alone]],
            "scaling": ["auto", "columns"],
        }
    else:
        grid |= {"noise": ["shared", "per_output"], "scaling": ["global", "columns"]}
    # If every column has its own noise, the scales of columns matter little.
    usual = grid["scaling"][0]
    every = [e for e in ParameterGrid(grid) if usual == e["scaling"] or e["noise"] != "per_output"]
    order = np.random.default_rng(seed).permutation(len(every))
    others = [every[at] for at in order if every[at] != own]
    return own, [own, *others[: N_CANDIDATES - 1]]


def _noise_in_one(name: str, views: Sequence[str]) -> dict[str, str]:
    return {each: "per_output" if each == name else "shared" for each in views}


def in_words(settings: Settings) -> str:
    """Settings as a list, for sentences and tables."""
    parts = []
    for key, value in settings.items():
        if key == "scaling" and settings.get("noise") == "per_output":
            continue
        if key in ("n_components", "n_inducing"):
            parts.append(plural(value, NAMES[key]))
        elif key == WEIGHTS:
            parts.append(_weights_in_words(value))
        elif key == WEIGHT:
            count = COUNTS.get(value, f"have the weight {value}")
            parts.append(f"columns that repeat others {count}")
        elif isinstance(value, Mapping):
            views = [f"{VALUES.get(each, each)} in {name}" for name, each in value.items()]
            parts.append(f"{NAMES.get(key, key)}: {' and '.join(views)}")
        else:
            text = VALUES.get(value, value) if isinstance(value, str) else str(value)
            parts.append(f"{NAMES.get(key, key)}: {text}")
    return ", ".join(parts)


def _weights_in_words(weights: str | Mapping[str, float]) -> str:
    if isinstance(weights, str):
        return "views count by their independent columns"
    if set(weights.values()) <= {1.0}:
        return "all views count equally"
    return "weights: " + " and ".join(f"{value:g} for {name}" for name, value in weights.items())
