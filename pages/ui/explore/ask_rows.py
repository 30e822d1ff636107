"""The panel that asks for new rows, and reports what did not fit."""

import os
from collections.abc import Callable

import streamlit as st

from gplvm_core import load_dataset
from gplvm_core.datasets import Dataset
from gplvm_core.readers.errors import plural
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import MOST_MEGABYTES, NewRows, formats
from gplvm_core.readers.rows.folders import has_own_files
from pages.ui.explore.bring import (
    Brought,
    bring,
    bring_training,
    brought,
    mend,
    pasted,
    rows_brought,
    unseen_of,
)
from pages.ui.shared.catalogue import Item, items, titles_of
from pages.ui.shared.download import download
from pages.ui.shared.inputs import one_of
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import readers

Example = Callable[[Dataset], bytes]
FILE, PASTE, LIBRARY, DISK = "File", "Paste", "Library", "A file of this machine"
MOST_FILES = 100  # the largest number of pictures that are read together
NOTES_SHOWN = 2  # further notes are in an expander


def asked_rows(
    item: Item,
    name: str,
    example: Example | None = None,
    *,
    in_time: bool = False,
    from_disk: Callable[[], None] | None = None,
) -> NewRows | None:
    """Ask for rows, or show what was brought; None without usable rows.

    example: makes a file with rows of the data set; visitors can try this file. in_time: the rows
    are frames of a sequence, and some may be empty. from_disk: asks for a file of this machine, and
    answers all its rows; the result then has all rows of a large upload, too.
    """
    known = brought(item)
    if known is None:
        ask(item, name, example, in_time=in_time, from_disk=from_disk)
        return None
    try:
        own = rows_brought(item, empty_rows=in_time, whole=from_disk is not None)
    except ValueError as error:
        _other(item, name, known.title)
        st.error(plain(error), icon=":material/error:")
        ask(item, name, example, in_time=in_time, from_disk=from_disk)
        return None
    assert own is not None
    _other(item, name, known.title, f" · {plural(len(own.values), 'row')}")
    for number, misfit in enumerate(own.misfits):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/rule: {plain(misfit.words)}", width="content")
            if misfit.mend is not None:
                st.button(
                    plain(misfit.button),
                    key=f"mend|{name}|{number}|{misfit.column}",
                    on_click=mend,
                    args=(item, misfit),
                )
    shown = 0 if in_time else NOTES_SHOWN  # a note may wrongly call the column of times unused
    for note in own.notes[:shown]:
        st.caption(plain(note))
    if len(own.notes) > shown:
        with st.expander("More about the file" if shown else "About the file"):
            for note in own.notes[shown:]:
                st.caption(plain(note))
    return own


def _other(item: Item, name: str, title: str, count: str = "") -> None:
    """Show the title of the brought rows, and the button that asks for other rows."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/draft: **{plain(title)}**{count}", width="content")
        st.button(
            "Other rows",
            key=f"other_rows|{name}",
            icon=":material/swap_horiz:",
            on_click=_forget,
            args=(item, name),
        )


def _forget(item: Item, name: str) -> None:
    """Remove the brought rows, and ask again with an empty field for files."""
    bring(item, None)
    st.session_state[f"rows_turn|{name}"] = st.session_state.get(f"rows_turn|{name}", 0) + 1


def ask(
    item: Item,
    name: str,
    example: Example | None,
    *,
    in_time: bool = False,
    from_disk: Callable[[], None] | None = None,
) -> None:
    """A file, pasted cells, the rows of another model, or a file of this machine."""
    readers().warm()
    with st.container(key="bring_rows"):
        source = one_of(
            "Where the rows are",
            (FILE, PASTE, LIBRARY, *((DISK,) if from_disk and has_own_files(os.environ) else ())),
            f"rows_source|{name}",
            usual=FILE,
            lasts=False,
            hidden=True,
        )
        turn = st.session_state.get(f"rows_turn|{name}", 0)
        if source == PASTE:
            _ask_cells(item, name, turn)
        elif source == LIBRARY:
            _ask_library(item, name)
        elif source == DISK and from_disk is not None:
            from_disk()
        else:
            _ask_file(item, name, turn)
        _teach(item, example, in_time=in_time)


def _ask_file(item: Item, name: str, turn: int) -> None:
    picture = item.dataset.drawing.kind == "image"
    widget = f"rows_file|{name}|{turn}"

    def take() -> None:
        found = st.session_state.get(widget)
        files = found if isinstance(found, list) else [found] if found else []
        if files:
            title = files[0].name if len(files) == 1 else f"{len(files)} pictures"
            kept = tuple((file.name, file.getvalue()) for file in files[:MOST_FILES])
            bring(item, Brought(title, kept))

    st.file_uploader(
        f"Rows with {item.dataset.n_outputs:,} columns (CSV, Excel, Parquet, Arrow, NPZ)"
        + (", or pictures" if picture else ""),
        type=formats(item.dataset.drawing),
        max_upload_size=MOST_MEGABYTES,
        accept_multiple_files=picture,
        key=widget,
        on_change=take,
        help="Columns are found by their names, in any order. Empty cells and NA are gaps"
        + (", and so are transparent pixels" if picture else "")
        + ". The file stays on this machine.",
    )


def _ask_cells(item: Item, name: str, turn: int) -> None:
    widget, problem = f"rows_cells|{name}|{turn}", f"rows_cells_problem|{name}"

    def take() -> None:
        try:
            data = pasted(st.session_state.get(widget, ""))
        except ValueError as error:
            st.session_state[problem] = str(error)
            return
        st.session_state.pop(problem, None)
        bring(item, Brought("Pasted cells", (("pasted cells.tsv", data),)))

    st.text_area(
        "Cells of a spreadsheet, with the column headings in the first line",
        key=widget,
        height=140,
        placeholder="\t".join(names_of(item.dataset)[:4]),
    )
    st.button("Use these cells", type="primary", key=f"rows_paste|{name}", on_click=take)
    if problem in st.session_state:
        st.error(plain(st.session_state[problem]), icon=":material/error:")


def _ask_library(item: Item, name: str) -> None:
    titles = titles_of([each for each in items() if not each.entry.broken])
    own = f"{item.title} (the training rows of this model)"
    keys = [item.key, *(key for key in titles if key != item.key)]
    widget = f"rows_model|{name}"

    def take() -> None:
        key = st.session_state.get(widget)
        if key:
            bring(item, Brought(f"Rows of {titles.get(key, item.title)}", model=key))

    st.selectbox(
        "Rows of a model in the Gallery",
        keys,
        index=None,
        placeholder="Choose a model",
        format_func=lambda key: own if key == item.key else titles[key],
        key=widget,
        on_change=take,
    )


def _teach(item: Item, example: Example | None, *, in_time: bool) -> None:
    """Describe the format, and offer an example: to load at once, or as a file."""
    dataset, unseen = item.dataset, unseen_of(item)
    file = "sequence-with-gaps.csv" if in_time else "rows-with-gaps.csv"
    title = "An example (frames of the training data)" if in_time else "An example"
    each = "One row per frame, in the order of time" if in_time else "One row per item"

    def take() -> None:
        assert example is not None
        bring(item, Brought(title, ((file, example(dataset)),)))

    def take_unseen() -> None:
        bring(item, Brought(load_dataset(unseen).title, dataset=unseen))

    with st.container(horizontal=True, vertical_alignment="center"):
        picture = dataset.drawing.kind == "image"
        st.caption(
            f"{each}, in the units {'and words ' if dataset.columns else ''}of the "
            "model's data. Leave cells empty where nothing was measured: the model fills them."
            + (" Pictures of another size are resized." if picture else ""),
            width="content",
        )
        if unseen:
            st.button(
                "Try an unseen film",
                type="primary",
                icon=":material/movie:",
                key="rows_unseen",
                on_click=take_unseen,
            )
        if example is None:
            return
        if not in_time:
            st.button(
                "Find odd training rows",
                type="tertiary",
                icon=":material/rule:",
                key="rows_training",
                on_click=bring_training,
                args=(item,),
            )
        st.button(
            "Try an example",
            type="tertiary",
            icon=":material/play_arrow:",
            key="rows_example",
            on_click=take,
        )
        download("The example as a file", lambda: example(dataset), file, type="tertiary")
