"""Options of multi-view models."""

from collections.abc import Mapping, Sequence

import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.kernels import Kernel
from pages.ui.shared.memory import fingerprint
from pages.ui.shared.plain import plain
from pages.ui.train.form_parts import BY_UNITS, KERNELS, NOISES, chosen, kernel_of
from pages.ui.train.several_choice import FEW_VIEWS
from pages.ui.train.time_form import time_kernel_form

PRIORS = {"free": "Independent rows", "time": "Paths over time"}
WEIGHTS = {"auto": "By their independent columns", "equal": "All equally"}
EACH = "each"
STARTS = {
    "pca": "PCA of all",
    "pca_each": "PCA of each",
    "isomap": "Isomap",
    "random": "Random places",
}


def prior_option(dataset: Dataset) -> str | Kernel | None:
    """Ask for the kernel over time; None for independent rows."""
    if dataset.times is None or chosen("Rows on the map", "prior", PRIORS) == "free":
        return None
    return time_kernel_form(dataset)


def kernel_option(names: Sequence[str]) -> str | Kernel | dict[str, str | Kernel]:
    """Ask for one kernel for all views, or for one per view if they are few."""
    few = len(names) <= FEW_VIEWS
    words = KERNELS | ({EACH: "Each view its own"} if few else {})
    shape = chosen("Shape of the mappings", "kernel_views", words, mark=f"_{few}")
    if shape != EACH:
        return kernel_of(shape)
    mark = fingerprint(tuple(names))
    return {
        name: kernel_of(
            chosen(f"Shape of “{plain(name)}”", "kernel", KERNELS, mark=f"_{mark}_{number}")
        )
        for number, name in enumerate(names)
    }


def noise_of_views(
    names: Sequence[str], usual: str | Mapping[str, str], mark: str
) -> str | dict[str, str]:
    """Ask for one noise for all views, or for one per view if they are few.

    usual: what is chosen first; mark: see `accepted_settings`.
    """
    few = len(names) <= FEW_VIEWS
    words = BY_UNITS | NOISES | ({EACH: "Chosen for each view"} if few else {})
    first = usual if isinstance(usual, str) else EACH
    mark = f"_{first}{'' if few else '_many'}{mark}"
    noise = chosen("Noise", "noise", words, usual=first, mark=mark, term="noise_choice")
    if noise != EACH:
        return noise
    of_view = {} if isinstance(usual, str) else usual
    mark += f"_{fingerprint(tuple(names))}"
    return {
        name: chosen(
            f"Noise of “{plain(name)}”",
            "noise",
            NOISES,
            usual=of_view.get(name, "shared"),
            mark=f"{mark}_{number}",
            term="noise_choice",
        )
        for number, name in enumerate(names)
    }


def weights_option(usual: str | Mapping[str, float], mark: str) -> str | dict[str, float]:
    """Ask how much each view of a model over time counts; usual, mark: see `noise_of_views`."""
    first = usual if isinstance(usual, str) else "equal"
    mark = f"_{first}{mark}"
    weights = chosen("How much views count", "view_weights", WEIGHTS, usual=first, mark=mark)
    return weights if weights == "auto" else {}


def start_option(n_views: int, n_components: int) -> str:
    """Ask for the initial positions; “PCA of each” requires a dimension per view."""
    each = n_views <= n_components
    words = {name: word for name, word in STARTS.items() if each or name != "pca_each"}
    start = chosen("Starting places", "init_views", words, mark=f"_{each}")
    if not each:
        st.caption(
            f"“PCA of each” needs at least {n_views} latent dimensions, one for each view, but "
            f"{n_components} are chosen."
        )
    return start
