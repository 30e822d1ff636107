"""The questions about the number of layers and their widths."""

import streamlit as st

from pages.ui.shared.words import TERMS

LAYERS = {1: "One", 2: "Two", 3: "Three"}
USUAL_WIDTH = 5


def layers_question() -> int:
    """Ask for the number of layers."""
    return int(
        st.segmented_control(
            "Layers",
            list(LAYERS),
            format_func=LAYERS.__getitem__,
            default=1,
            required=True,
            key="form_layers",
            help=TERMS["layers"],
            persist_state="session",
        )
    )


def own_spaces_question() -> bool:
    """Ask whether every view has a separate lowest layer."""
    return st.toggle(
        "One map per view",
        key="form_own_spaces",
        help=TERMS["own_spaces"],
        persist_state="session",
    )


def widths_question(n_layers: int, lowest: int) -> tuple[int, ...]:
    """Ask for the upper layers' widths; return all widths, top first; lowest: the last width."""
    above = []
    for column, number in zip(st.columns(n_layers - 1), range(1, n_layers), strict=True):
        with column:
            above.append(
                st.number_input(
                    f"Dimensions of layer {number}{', the top' if number == 1 else ''}, at most",
                    min_value=1,
                    max_value=max(lowest, 1),
                    value=min(USUAL_WIDTH, lowest),
                    key=f"form_width_{number}_{lowest}",
                    help=TERMS["widths"],
                    persist_state="session",
                )
            )
    return (*map(int, above), lowest)
