"""The shelf Ready: a card for each ready model; a click on the card opens the model."""

import base64

import streamlit as st

from gplvm_core.readers.errors import plural
from pages.ui.gallery.invitations import OFF_SHELF, invitation
from pages.ui.shared.card import card_of
from pages.ui.shared.catalogue import Listed, gallery_items
from pages.ui.shared.doors import open_own_file
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS, story_of

COLUMNS = 3


def shelved() -> tuple[Listed, ...]:
    """Return the ready models that have a card."""
    return tuple(listed for listed in gallery_items() if listed.entry.id not in OFF_SHELF)


def ready() -> None:
    """Show the shelf Ready."""
    models = shelved()
    if not models:
        st.info(
            "There are no ready models in this copy of Manifolio. Train one yourself: it takes "
            "about a minute.",
            icon=":material/info:",
        )
        if st.button("Train a model", type="primary", icon=":material/model_training:"):
            open_own_file()
        return
    cells: list[Listed | None] = [*models, None]
    for start in range(0, len(cells), COLUMNS):
        row = cells[start : start + COLUMNS]
        for column, cell in zip(st.columns(COLUMNS, gap="medium"), row, strict=False):
            with column:
                if cell is None:
                    own_data_card()
                else:
                    show_card(cell)
    st.caption(
        "“In use” is the number of latent dimensions that contain information.",
        help=TERMS["effective"],
    )


def show_card(listed: Listed) -> None:
    """Show one model: pictures, title, a sentence, facts, and the button that covers the card."""
    entry = listed.entry
    story = story_of(entry.dataset_name, entry.title)
    with st.container(border=True, height="stretch", key=f"card_{entry.id}"):
        try:
            card = card_of(listed)
        except (ValueError, OSError) as error:
            st.error(f"This model could not be opened. {plain(error)}")
            return
        st.html(card.html)
        st.subheader(plain(entry.title), anchor=False)
        invited = invitation(entry)
        st.markdown(f"**{invited.words}** {story.sentence}")
        in_use = f"{card.effective} of {plural(entry.n_latent, 'dimension')} in use"
        facts = " · ".join((in_use, *card.facts)).replace(" %", "\u00a0%")
        st.html(
            f'<span class="mf-facts">{entry.n_points:,} × {entry.n_outputs:,} values '
            f"· {facts}</span>"
        )
        door = invited.door
        if st.button(door.verb, key=f"open_{entry.id}", type="primary", width="stretch",
                     icon=door.icon):  # fmt: skip
            door.open(listed.key)


def own_data_card() -> None:
    """Show the last card, which opens Train."""
    with st.container(border=True, height="stretch", key="card_own_data"):
        st.html(own_data_picture())
        st.subheader("Your own data", anchor=False)
        st.markdown(
            "**Train a model on your own data.** Pictures, measurements or movements. "
            "Nothing leaves this machine."
        )
        if st.button("Train a model", key="gallery_train", width="stretch",
                     icon=":material/model_training:"):  # fmt: skip
            open_own_file()


# A mid grey is visible on light and dark pages. Streamlit removes inline SVG as unsafe, so the
# drawing is an image.
TABLE_DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-30 -30 160 160" fill="none" '
    'stroke="#8A939A" stroke-width="3"><rect x="10" y="18" width="80" height="64" rx="6"/>'
    '<path d="M10 38h80M10 60h80M38 18v64M64 18v64"/></svg>'
)
PLACES = ((24, 66), (34, 48), (48, 40), (62, 44), (72, 58), (78, 74), (40, 76), (82, 30), (20, 28))
MAP_DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-30 -30 160 160" fill="#8A939A">'
    + "".join(f'<circle cx="{x}" cy="{y}" r="5"/>' for x, y in PLACES)
    + "</svg>"
)


def own_data_picture() -> str:
    """Return HTML of a drawing: a table that becomes a map."""
    panels = "".join(
        '<div class="mf-panel"><img alt="" src="data:image/svg+xml;base64,'
        f'{base64.b64encode(drawing.encode()).decode()}"></div>'
        for drawing in (TABLE_DRAWING, MAP_DRAWING)
    )
    return f'<div class="mf-picture">{panels}</div>'
