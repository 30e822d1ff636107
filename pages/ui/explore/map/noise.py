"""The noise of the outputs: which outputs are noisy, or how to train a model that shows this."""

import inspect

import numpy as np
import streamlit as st

from gplvm_core.datasets import Drawing
from gplvm_core.figures.cells import cell_word, column_std
from gplvm_core.figures.noise import CellNoise, noise_figure
from gplvm_core.readers.errors import in_digits
from gplvm_core.readers.names import names_of
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS

PICTURE_WIDTH, BARS_WIDTH = 400, 680  # pixels; a narrow page makes them smaller
FEW = 3  # the text gives the median only if there are more outputs than this
ALIKE = 1e-9  # noise levels whose relative difference is smaller are shown as one number


@st.fragment
def noise_of_outputs(item: Item, name: str) -> None:
    """Show an expander with the noise of each output, or the noise that all outputs share."""
    dataset = item.dataset
    noise_std, numbers = item.model.noise_std_, np.ones(dataset.n_outputs, dtype=bool)
    parts = getattr(item.model, "fractions_", None)
    if parts is not None:
        noise_std = np.sqrt(parts.of_columns(item.model.posterior_).noise)
    elif dataset.columns:
        numbers = np.array([column.is_number for column in dataset.columns])
        noise_std = noise_std[item.model.posterior_.links.measured]
    if not numbers.any():
        return
    drawing = Drawing("bars", (int(numbers.sum()),)) if dataset.columns else dataset.drawing
    names = [name for name, there in zip(names_of(dataset), numbers, strict=True) if there]
    noise = CellNoise.of(noise_std, column_std(dataset.values[:, numbers]), drawing, names)
    expander = st.expander(
        "Noise of the outputs",
        icon=":material/grain:",
        # The browser fetches the code of the figure only when the expander is open.
        on_change="rerun",
        key="explore_noise",
    )
    with expander:
        if not item.own_noise:
            st.markdown(shared_in_words(item, noise))
            return
        st.markdown(plain(own_in_words(noise)), help=TERMS["own_noise"])
        if expander.open:
            st.plotly_chart(
                noise_figure(noise),
                width=PICTURE_WIDTH if drawing.kind == "image" else BARS_WIDTH,
                key=f"explore_noise|{name}",
                config={"displayModeBar": False},
                alt=f"Noise of every {cell_word(drawing)[0]}. {own_in_words(noise)}",
            )


def own_in_words(noise: CellNoise) -> str:
    """Describe the noisiest and the quietest output, and the median of many outputs."""
    share = noise.share[noise.order]
    the = "the pixel in " if noise.drawing.kind == "image" else ""
    noisiest, quietest = (f"{the}{noise.names[noise.order[at]]}" for at in (0, -1))
    words = (
        f"Noisiest: {noisiest}, {share[0]:.0%} of its spread. Quietest: {quietest}, "
        f"{share[-1]:.0%}."
    )
    if len(share) > FEW:
        words += (
            f" For half of the {cell_word(noise.drawing)[1]}, the noise is above "
            f"{np.median(share):.0%}."
        )
    return f"{words} {noise.left_out}".rstrip()


def shared_in_words(item: Item, noise: CellNoise) -> str:
    """Describe the noise that all outputs share, and how to train with one noise per output."""
    share, std = noise.share[noise.order], noise.std[noise.order]
    amount = ""
    if np.ptp(share) <= ALIKE * share.max():
        amount = f": {share[0]:.0%} of each output's spread"
    elif np.ptp(std) <= ALIKE * std.max():
        amount = f": ± {in_digits(std[0], 3)} in the data's units"
    known = inspect.signature(type(item.model)).parameters
    knows = "noise" in known and getattr(item.model, "n_inducing", 0) is not None
    return (
        f"All outputs share one noise level{amount}. To see which outputs are noisy, train "
        f"{'again' if knows else 'a Bayesian GP-LVM'} with “Noise: each output its own”."
    )
