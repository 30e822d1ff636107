"""Tests that a card is sealed: every change is reported, and old cards are read without a check."""

import copy
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.datasets import Dataset, Drawing, load_dataset
from gplvm_core.models import BayesianGPLVM
from gplvm_core.store import ChangedError, Library, StoreError, load, save
from gplvm_core.store.entry import Card, Entry, read_card, write_card
from gplvm_core.store.shelf import is_own, same
from tests.store.cards import edit_card, unseal_card

READY = Path(__file__).parents[2] / "assets" / "models"
CARD = Card(
    entry=Entry(
        id="faces",
        title="Gesichter für 顔",
        model_class="BayesianGPLVM",
        dataset_name="faces",
        n_points=400,
        n_outputs=4096,
        n_latent=10,
        bound=-263418.3678156648,
        created="2026-11-22T11:59:31.446+00:00",
        tags=("demo", "talk"),
    ),
    by_name=False,
    level=1.1918343023685325,
    spread=0.8371903259350024,
    model="model-0badcafe.gplvm",
    model_digest="0f" * 32,
    data_digest=None,
    job="faces-1234",
)


@pytest.fixture
def library(tmp_path, model, circle):
    library = Library(tmp_path / "library")
    library.add(model, circle, "Fine", tags=["demo"])
    return library


def test_a_card_comes_back_with_every_fact(tmp_path):
    folder = tmp_path / "faces"
    folder.mkdir()
    write_card(folder, CARD)
    assert read_card(folder) == CARD


def test_every_flipped_bit_of_a_card_is_reported(tmp_path):
    folder = tmp_path / "faces"
    folder.mkdir()
    write_card(folder, CARD)
    path = folder / "entry.json"
    whole = path.read_bytes()
    silent, reported = [], 0
    for at in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[at // 8] ^= 1 << at % 8
        path.write_bytes(flipped)
        try:
            found = read_card(folder)
        except StoreError:
            reported += 1
            continue
        if found != CARD:
            silent.append(at)
    assert silent == []
    assert reported > 0.99 * 8 * len(whole)  # only few bits can flip without changing a fact


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_card_is_damaged(library, share):
    path = library.root / "fine" / "entry.json"
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    entry = library.entry("fine")
    assert "entry.json is damaged" in entry.broken and not entry.changed


@pytest.mark.parametrize(
    "change",
    [
        lambda card: card["entry"].update(title="Another title"),
        lambda card: card["entry"].update(bound=0.0),
        lambda card: card.update(job="another-training"),
        lambda card: card.update(more=1),
        lambda card: card["entry"].update(more=1),
        lambda card: card.update(rha256=card.pop("sha256")),
        lambda card: card.update(sha256=None),
        lambda card: card.update(sha256="0" * 64),
    ],
    ids=["title", "bound", "job", "added", "added to entry", "name of seal", "no seal", "seal"],
)
def test_an_edited_card_is_reported_and_can_be_kept(library, model, change):
    path = library.root / "fine" / "entry.json"
    card = json.loads(path.read_text())
    change(card)
    path.write_text(json.dumps(card, indent=1))
    entry = library.entry("fine")
    assert "entry.json was changed after it was saved" in entry.broken and entry.changed
    for act in (
        lambda: library.model("fine"),
        lambda: library.dataset("fine"),
        lambda: library.rename("fine", "x"),
        lambda: library.tag("fine", ["x"]),
        lambda: library.update("fine", model),
        lambda: library.duplicate("fine"),
        lambda: library.export_file("fine", library.root / "x.gplvm"),
    ):
        with pytest.raises(ChangedError, match="changed after it was saved"):
            act()
    library.accept("fine")
    entry = library.entry("fine")
    assert (entry.broken, entry.bound, entry.tags) == (None, model.bound_, ("demo",))
    assert entry.title == card["entry"]["title"]
    assert "sha256" in json.loads(path.read_text())
    assert library.model("fine").bound_ == model.bound_


def test_a_change_of_a_data_sets_facts_can_be_stored(tmp_path):
    library, digits = Library(tmp_path / "library"), load_dataset("digits")
    fitted = BayesianGPLVM(2, n_inducing=5, max_iter=1, random_state=0).fit(digits.values)
    library.add(fitted, digits, "Digits")
    edit_card(library, "digits", level=0.0)
    with pytest.raises(ChangedError):
        library.dataset("digits")
    library.accept("digits")
    np.testing.assert_array_equal(library.dataset("digits").targets, digits.targets)
    assert os.listdir(library.root / "digits").count("data.gplvm") == 0


def test_a_changed_card_costs_no_model_when_litter_is_cleared(library, model):
    """If the card names a wrong model, the model's file looks like a leftover."""
    library.update("fine", model)
    edit_card(library, "fine", model="model-0badcafe.gplvm")
    before = sorted(os.listdir(library.root / "fine"))
    Library(library.root).tidy()
    assert sorted(os.listdir(library.root / "fine")) == before


def test_every_change_writes_a_sealed_card(library, model):
    def seals():
        cards = [json.loads(path.read_text()) for path in library.root.rglob("entry.json")]
        assert all(entry.broken is None for entry in (*library.entries(), *library.trash()))
        return {card.get("sha256") for card in cards}

    made = [seals()]
    for act in (
        lambda: library.rename("fine", "Better"),
        lambda: library.tag("fine", ["talk"]),
        lambda: library.update("fine", model),
        lambda: library.duplicate("fine"),
        lambda: library.accept("fine"),
        lambda: library.delete("fine"),
        lambda: library.restore("fine"),
    ):
        act()
        made.append(seals())
        assert None not in made[-1]
    assert len(made[-1]) == 2  # these are the cards of the model and of its copy


def test_a_card_without_a_seal_is_read_and_sealed_by_the_next_change(library, model):
    unseal_card(library, "fine", title="As it was", bound=3.5)
    entry = library.entry("fine")
    assert (entry.broken, entry.title, entry.bound) == (None, "As it was", 3.5)
    assert library.model("fine").bound_ == model.bound_
    library.tag("fine", ["new"])
    assert "sha256" in json.loads((library.root / "fine" / "entry.json").read_text())
    assert library.entry("fine").title == "As it was"


def test_other_line_ends_are_no_change(library):
    """Some systems change line endings when they check out a repository."""
    path = library.root / "fine" / "entry.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert library.entry("fine").broken is None


def test_every_ready_model_has_a_sealed_card_that_names_its_file():
    for path in READY.glob("*/entry.json"):
        card = json.loads(path.read_text(encoding="utf-8"))
        assert card["sha256"] and card["model_digest"], path.parent.name
        assert read_card(path.parent).entry.title
    assert all(entry.broken is None for entry in Library(READY, read_only=True).entries())


@pytest.mark.parametrize("name", ["lit_pairs", "poses", "digits"])
def test_a_data_set_of_the_project_is_recognised_when_it_was_saved_and_loaded(tmp_path, name):
    """The drawing and the views of the data set are compared field by field."""
    own = load_dataset(name)
    given = load(save(own, tmp_path / "data.gplvm"))
    assert is_own(given)
    assert not is_own(replace(given, notes=(*own.notes, "changed")))
    shorter = Dataset(name, "Four rows", np.eye(4), Drawing.of_vector(4))
    assert not is_own(shorter)


def test_arrays_within_fields_are_compared_not_refused():
    own = load_dataset("flow")
    edges = Drawing("bars", (12,), value_range=np.array([0.0, 1.0]))
    odd = [{"notes": (np.zeros(3),)}, {"notes": (np.arange(3), [np.zeros(2)])}, {"drawing": edges}]
    for fields in odd:
        with_arrays = replace(own, **fields)
        assert not is_own(with_arrays)
        assert same(with_arrays, replace(own, **copy.deepcopy(fields)))
