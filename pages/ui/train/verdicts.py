"""Verdicts on the layers of a deep model, during training and in the result."""

from collections.abc import Sequence

import streamlit as st

from gplvm_core.models.problems.doctor import ADVICE
from gplvm_core.store import StoreError
from gplvm_core.training import Snapshot
from gplvm_core.training.progress import ENDED
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS


def show_verdicts(verdicts: Sequence[str], *, doubtful: bool) -> None:
    """Show the verdicts of a deep model in one line; add advice if a verdict is doubtful."""
    if verdicts:
        advice = f"; {ADVICE}" if doubtful else ""
        words = plain(f"{'; '.join(verdicts)}{advice}.")
        st.caption(
            f":material/{'layers_clear' if doubtful else 'layers'}: {words[:1].upper()}{words[1:]}",
            help=TERMS["verdict"],
        )


def verdicts_of(job: Snapshot) -> tuple[str, ...]:
    """Return the verdicts of the saved model, else the last verdicts of the training."""
    if job.status in ENDED and job.entry is not None:
        try:
            model = open_item(f"library:{job.entry}").model
        except (ValueError, OSError, StoreError):
            return ()  # the model was deleted in the Gallery
        if hasattr(model, "layers_"):
            layers = list(model.layers_)
            if model.capabilities.views:
                layers += [layer for own in model.own_layers_.values() for layer in own]
                layers += model.view_layers_.values()
            return tuple(layer.verdict_ for layer in layers)
    return () if job.progress is None else job.progress.verdicts
