"""Parts of the shelf Mine: the rows of models, their menus, undo, and import."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from gplvm_core.readers.errors import plural
from gplvm_core.store import (
    ChangedError,
    Entry,
    Library,
    StoreError,
    model_card,
    workspace_problem,
)
from pages.ui.shared.card import card_of
from pages.ui.shared.catalogue import Listed
from pages.ui.shared.doors import COMPARE, can_compare, main_door
from pages.ui.shared.download import download
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import (
    bound_in_words,
    bytes_in_words,
    file_stem,
    model_words,
    moment_in_words,
)

DELETED = "library_deleted"  # session key: the model deleted last, and the ids below it
SHOWN = "library_shown"  # session key: the titles of the models that this tab shows, by id


def model_row(library: Library, listed: Listed) -> None:
    """Show the model's picture, title, facts, tags and buttons."""
    entry = listed.entry
    with st.container(border=True, key=f"row_{entry.id}"):
        if entry.broken is not None:
            broken_row(
                library, entry, (ChangedError if entry.changed else StoreError)(entry.broken)
            )
            return
        try:
            card, missing = card_of(listed, film=False), ""
        except StoreError as error:
            broken_row(library, entry, error)
            return
        except Exception as error:  # an error in one card must not hide the other cards
            card, missing = None, f"No picture: {str(error) or type(error).__name__}"
        picture, words, buttons = st.columns([2, 5, 2], vertical_alignment="center")
        in_use = plural(entry.n_latent, "dimension")
        with picture:
            if card is None:
                st.caption(plain(missing))
            else:
                st.html(card.html)
                used = (
                    () if entry.capabilities.predicts else (f"{card.effective} of {in_use} in use",)
                )
                in_use = " · ".join((*used, *card.facts))
        with words:
            st.subheader(plain(entry.title), anchor=False)
            st.caption(
                f"{plain(model_words(entry.model_class))} on {plain(entry.dataset_name)} · "
                f"{entry.n_points:,} × {entry.n_outputs:,} values · {in_use}  \n"
                f"bound {bound_in_words(entry.bound)} · {bytes_in_words(entry.bytes)} · "
                f"{moment_in_words(entry.created)}"
            )
            if entry.tags:
                with st.container(horizontal=True, gap="xsmall"):
                    for tag in entry.tags:
                        # st.badge is not used, because it would add another backslash before
                        # brackets.
                        st.markdown(f":gray-badge[:material/label: {plain(tag)}]")
        with buttons:
            door = main_door(entry.capabilities)
            if st.button(
                door.verb, key=f"open_{entry.id}", type="primary", icon=door.icon, width="stretch"
            ):
                door.open(listed.key)
            with st.popover("More", icon=":material/more_horiz:", width="stretch"):
                if can_compare(entry.capabilities) and st.button(
                    COMPARE.verb,
                    key=f"compare_{entry.id}",
                    icon=COMPARE.icon,
                    width="stretch",
                    help="Compare this model with others of the same data.",
                ):
                    COMPARE.open(listed.key)
                menu(library, entry)


def broken_row(library: Library, entry: Entry, reason: StoreError) -> None:
    """Show a model that cannot be opened, with the reason and the possible actions."""
    st.subheader(plain(entry.title), anchor=False)
    st.error(plain(reason), icon=":material/error:")
    with st.container(horizontal=True):
        if isinstance(reason, ChangedError) and st.button(
            "Use it anyway",
            key=f"accept_{entry.id}",
            icon=":material/check:",
            help="Accepts changed files if they still contain a complete model; do this only if "
            "you know who changed them.",
        ):
            done(lambda: library.accept(entry.id))
        download(
            "Download its files",
            lambda: library.files(entry.id),
            f"{file_stem(entry.title)}.zip",
            key=f"files_{entry.id}",
            help="A zip of the unchanged files.",
        )
        if st.button("Delete", key=f"delete_{entry.id}", icon=":material/delete:"):
            delete(library, entry)


def menu(library: Library, entry: Entry) -> None:
    """Show the model's menu: rename, tag, duplicate, download, delete."""
    with st.form(f"edit_{entry.id}", border=False):
        title = shared_text("Title", entry.title, entry.id, max_chars=120)
        tags = shared_text("Tags", ", ".join(entry.tags), entry.id, help="Separated by commas.")
        if st.form_submit_button("Save", type="primary", width="stretch"):
            done(lambda: save_words(library, entry.id, title, tags))
    if st.button(
        "Duplicate", key=f"copy_{entry.id}", icon=":material/content_copy:", width="stretch"
    ):
        done(lambda: library.duplicate(entry.id))
    download(
        "Download",
        lambda: exported(library, entry.id),
        f"{file_stem(entry.title)}.gplvm",
        key=f"download_{entry.id}",
        width="stretch",
        help="One file with the model and its data, for another computer or a notebook.",
    )
    download(
        "Model card",
        lambda: model_card(library.model(entry.id), library.dataset(entry.id), entry.title),
        f"{file_stem(entry.title)}.md",
        key=f"card_{entry.id}",
        width="stretch",
        help="The data, the training, and how far answers can be trusted, as Markdown.",
    )
    if st.button("Delete", key=f"delete_{entry.id}", icon=":material/delete:", width="stretch"):
        delete(library, entry)


def shared_text(label: str, saved: str, identifier: str, **options: Any) -> str:
    """Show a text field whose stored text another tab may change.

    Text that was typed in this tab stays; otherwise the field shows the stored text.
    """
    key = f"{label}_{identifier}"
    shown = st.session_state.get(f"shown_{key}", saved)
    # A value that every run sets would undo what is typed during a run.
    if st.session_state.get(key, shown) == shown and st.session_state.get(key) != saved:
        st.session_state[key] = saved
    st.session_state[f"shown_{key}"] = saved
    return st.text_input(label, key=key, **options) or ""


def delete(library: Library, entry: Entry) -> None:
    """Move the model to the bin, and offer to restore it."""

    def act() -> None:
        library.delete(entry.id)
        shown = [*st.session_state[SHOWN]]
        st.session_state[DELETED] = (entry, shown[shown.index(entry.id) + 1 :])

    done(act)


def done(act: Callable[[], object]) -> None:
    """Run the action and rerun the page, or show the error."""
    with errors_told():
        act()
        st.rerun()


def save_words(library: Library, identifier: str, title: str, tags: str) -> None:
    if not title.strip():
        raise ValueError("A model needs a title; the old title was kept.")
    library.rename(identifier, title.strip())
    library.tag(identifier, tags.split(","))


def exported(library: Library, identifier: str) -> bytes:
    """Return the model's file as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gplvm"
        library.export_file(identifier, path)
        return path.read_bytes()


def model_rows(library: Library, found: Sequence[Listed]) -> None:
    """Show models, and in its place the one that was just deleted."""
    deleted, below = st.session_state.get(DELETED, (None, ()))
    for listed in found:
        if deleted is not None and listed.entry.id in below:
            undo_banner(library, deleted)
            deleted = None
        model_row(library, listed)
    if deleted is not None:
        undo_banner(library, deleted)


def undo_banner(library: Library, entry: Entry) -> None:
    """Name a deleted model, and show the button that restores it."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"“{plain(entry.title)}” was deleted.", width="content")
        if st.button("Undo", key="undo_delete", type="primary", icon=":material/undo:"):
            del st.session_state[DELETED]
            done(lambda: library.restore(entry.id))
        if st.button("Dismiss", key="dismiss_delete", type="tertiary"):
            del st.session_state[DELETED]
            st.rerun()


def report_deleted_elsewhere(models: Sequence[Listed]) -> None:
    """Name the models that another tab or server deleted since this tab showed them."""
    if workspace_problem() is not None:
        return  # if the folder cannot be read, the existing models are unknown
    present = {listed.entry.id: listed.entry.title for listed in models}
    own, _ = st.session_state.get(DELETED, (None, ()))
    for identifier, title in st.session_state.get(SHOWN, {}).items():
        if identifier not in present and (own is None or identifier != own.id):
            st.info(
                f"“{plain(title)}” was deleted in another tab or program. It is in the list of "
                "deleted models below, unless it was removed for good.",
                icon=":material/delete:",
            )
    st.session_state[SHOWN] = present


def import_form(library: Library) -> None:
    """Import a model file that was downloaded here or on another computer."""
    with st.expander("Add a model from a file", icon=":material/upload:"):
        # A new key empties the uploader after each import.
        turn = st.session_state.get("import_turn", 0)
        upload = st.file_uploader(
            "Model file (.gplvm)", type=["gplvm"], key=f"import_{turn}", max_upload_size=50
        )
        if upload is None:
            return
        with errors_told("This file could not be added."):
            library.take_in(read_sandboxed("model", upload.name, upload.getvalue(), keep=False))
            st.session_state["import_turn"] = turn + 1
            st.toast(f"“{plain(upload.name)}” is in the Gallery now.", icon=":material/check:")
            st.rerun()


def deleted_list(library: Library) -> None:
    """Show the deleted models, each with a button that restores it."""
    deleted: tuple[Entry, ...] = ()
    with errors_told():
        deleted = library.trash()
    if not deleted:
        return
    with st.expander(f"Deleted models ({len(deleted)})", icon=":material/delete:"):
        for entry in deleted:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(entry.title), width="content")
                if st.button("Bring back", key=f"restore_{entry.id}", icon=":material/undo:"):
                    done(lambda id=entry.id: library.restore(id))  # type: ignore[misc]
        st.caption(f"Deleted models use {bytes_in_words(library.disk_use().trash)} of the disk.")
        if st.button("Remove for good", key="empty_trash", icon=":material/delete_forever:"):
            st.session_state.pop(DELETED, None)
            done(library.empty_trash)
