"""Questions that the forms of several models share."""

import streamlit as st

from gplvm_core import RBF, Linear
from gplvm_core.kernels import Kernel
from pages.ui.shared.words import TERMS

NOISES = {"shared": "One for all outputs", "per_output": "Each output its own"}
BY_UNITS = {"auto": "By the units of each view"}
KERNELS = {"rbf": "Curved", "linear": "Straight", "both": "Both"}


def chosen(
    label: str,
    name: str,
    words: dict[str, str],
    *,
    usual: str = "",
    term: str = "",
    mark: str = "",
) -> str:
    """Show a choice between a few named values, and return the chosen value.

    usual: the default, if it is not the first value. term: the glossary term, if it is not `name`.
    """
    return str(
        st.segmented_control(
            label,
            list(words),
            format_func=words.__getitem__,
            default=usual or next(iter(words)),
            required=True,
            key=f"form_{name}{mark}",
            help=TERMS[term or name],
            persist_state="session",
        )
    )


def kernel_of(shape: str) -> str | Kernel:
    """Return the kernel for the chosen shape of a mapping."""
    return RBF() + Linear() if shape == "both" else shape
