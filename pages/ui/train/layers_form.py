"""The questions about the number of layers and their widths."""

from typing import Any

import streamlit as st

from gplvm_core.datasets import Dataset
from pages.ui.shared.families import FAMILIES
from pages.ui.shared.inputs import lasting_selectbox, lasting_toggle, one_of, whole_number_of
from pages.ui.shared.words import TERMS

LAYERS = {1: "One", 2: "Two", 3: "Three", 4: "Four", 5: "Five"}
USUAL_WIDTH = 5
PLAIN: tuple[str, ...] = ("marginalised", "mean_field")  # the families that support every structure
TOGETHER = ("joint", "full", "chain", "low_rank_chain")  # these need one noise for all outputs
CURVED = ("diagonal", *TOGETHER)  # these need curved mappings
WHOLE = ("chain", "low_rank_chain")  # these need complete rows, and not more columns than rows


def layers_question() -> int:
    """Ask for the number of layers."""
    return one_of("Layers", LAYERS, "form_layers", usual=1, help=TERMS["layers"])


def own_spaces_question() -> bool:
    """Ask whether every view has a separate lowest layer."""
    return lasting_toggle("One map per view", key="form_own_spaces", help=TERMS["own_spaces"])


def widths_question(n_layers: int, lowest: int) -> tuple[int, ...]:
    """Ask for the upper layers' widths; return all widths, top first; lowest: the last width."""
    above = []
    for column, number in zip(st.columns(n_layers - 1), range(1, n_layers), strict=True):
        with column:
            title = f"Dimensions of layer {number}{', the top' if number == 1 else ''}, at most"
            key = f"form_width_{number}_{lowest}"
            above.append(
                whole_number_of(title, key, USUAL_WIDTH, (1, lowest), help=TERMS["widths"])
            )
    return (*above, lowest)


def deep_options(dataset: Dataset, options: dict[str, Any]) -> dict[str, Any]:
    """Ask for the variational family; options: the values chosen so far. Only families that the
    estimator supports with them are offered.
    """
    families = families_for(dataset, options)
    family = lasting_selectbox(
        "Approximation",
        families,
        index=families.index("marginalised"),
        format_func=lambda name: FAMILIES[name][0],
        key=f"form_family_{len(families)}",
        help=TERMS["family"],
    )
    fewer = " The other approximations do not support these data or options."
    st.caption(FAMILIES[family][1] + fewer * (len(families) < len(FAMILIES)))
    return {"family": family}


def families_for(dataset: Dataset, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the variational families that support the data and the options."""
    if "view_components" in options or options.get("encoder"):
        return PLAIN
    kernel = options.get("kernel")
    kernels = kernel.values() if isinstance(kernel, dict) else [kernel]
    refused: set[str] = set()
    noise = options.get("noise")
    if "per_output" in (noise.values() if isinstance(noise, dict) else [noise]):
        refused.update(TOGETHER)
    if any(each != "rbf" for each in kernels):
        refused.update(CURVED)
    if dataset.missing is not None or dataset.n_outputs > dataset.n_points:
        refused.update(WHOLE)
    return tuple(name for name in FAMILIES if name not in refused)


def with_top(widths: int | tuple[int, ...], top: int) -> int | tuple[int, ...]:
    """Return the widths of the layers with another width of the top."""
    return (top, *widths[1:]) if isinstance(widths, tuple) else top
