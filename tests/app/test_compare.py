"""Tests of the page Compare through AppTest: add models, compare, test on new rows, export."""

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.comparison import chained, mixture
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.store import Library, workspace
from gplvm_core.training import comparison_of
from gplvm_core.training.fitting import fitted_map
from pages.ui.compare import recipes, verdict
from pages.ui.compare.members import first_of, partner, stored
from pages.ui.compare.recipes import RECIPES, made, run_key
from pages.ui.shared import catalogue
from pages.ui.train.model_choices import CHOICES
from tests.app.apptest import go_to, query, run_page, said, stores
from tests.app.conftest import ROOT

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, home, flow: Dataset) -> str:
    """Add a small model to the library, and reduce the settings of all trainings."""
    monkeypatch.setattr(recipes, "MAX_ITER", 2)
    monkeypatch.setattr(verdict, "MAX_ITER", 2)
    monkeypatch.setattr(verdict, "SPLITS", 2)
    monkeypatch.setattr(mixture, "SIZES", (1,))
    model = BayesianGPLVM(3, n_inducing=8, max_iter=2, random_state=0).fit(flow.values)
    return f"library:{Library(workspace() / 'library').add(model, flow, 'Some flow')}"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_models_are_added_tested_and_removed(kept: str) -> None:
    at = run_page("compare", model=kept)
    assert not at.exception
    headers = [header for header, _ in stores(at).values()]
    assert sorted(len(header["axes"]) for header in headers) == [3, 10]
    picture = next(each.value for each in at.html if "mf-purposes" in each.value)
    assert picture.count("Not tested on new rows yet.") == 3
    assert at.button(key="compare_try").label == "Test on new rows"
    table = next(each.value for each in at.html if "mf-table" in each.value)
    assert "Trustworthiness" in table and "best</td>" not in table
    at.button(key="compare_add_isomap").click().run()
    run = comparison_of(run_key(first_of(kept), RECIPES["isomap"]))
    run.wait(300)
    assert run.problem is None, run.problem
    at.run()
    assert query(at, "models") == f"{kept},pca,isomap"
    assert len(stores(at)) == 3
    words = said(at)
    assert "Without Isomap: it places only the rows that it was trained on." in words
    at.button(key="compare_try").click().run()
    key = next(name for name in _runs() if name.startswith("kept aside|"))
    comparison_of(key).wait(300)
    assert comparison_of(key).problem is None, comparison_of(key).problem
    at.run()
    picture = next(each.value for each in at.html if "mf-purposes" in each.value)
    assert "Not tested" not in picture and "Plain mixture" in picture
    words = said(at)
    assert "Log-probability of new rows" in words
    # The page shows at most three short sentences.
    sentences = next(
        each.value for each in at.markdown if each.value.startswith(("For ", "No clear winner"))
    )
    assert 1 <= len(sentences.split("  \n")) <= 3 and len(sentences.split()) <= 60
    assert at.button(key="compare_try").label == "Test again"
    at.button(key="compare_drop_isomap").click().run()
    assert query(at, "models") == f"{kept},pca" and not at.exception


def test_a_map_without_its_batch_is_not_judged_by_neighbours_in_the_table(kept, flow) -> None:
    batch = np.arange(flow.n_points) % 2
    shifted = flow.values + 3.0 * batch[:, None]
    data = replace(flow, targets=shifted, labels=None, label_names=(), known={"batch": batch})
    model = BayesianGPLVM(2, n_inducing=8, max_iter=2, random_state=0)
    fitted_map(model, data, lambda progress: None)
    key = Library(workspace() / "library").add(model, data, "Two batches")
    at = run_page("compare", models=f"library:{key},pca")
    assert not at.exception
    assert "Known factors are taken out of Bayesian GP-LVM" in said(at)
    picture = next(each.value for each in at.html if "mf-purposes" in each.value)
    assert "Trustworthiness" not in picture


def test_the_visitors_names_of_dimensions_are_on_the_maps_and_in_the_file(kept: str) -> None:
    given = ["speed", "", "phase"]
    Library(workspace() / "library").name_dimensions(kept.removeprefix("library:"), given)
    at = run_page("compare", models=f"{kept},pca")
    assert [each["names"] and each["names"]["stored"] for each in _shown(at)] == [given, None]
    # The bytes stay the same after a renaming, so the browser need not receive them again.
    headers = [header for header, _ in stores(at).values()]
    assert not any("speed" in header["axes"] for header in headers)
    # The file "Everything as one HTML file" has no access to the library.
    axes = stored(kept, first_of(kept)).chart.axes
    assert axes[0] == "speed" and axes[1] not in given and axes[2] == "phase"


@pytest.mark.parametrize("exposed", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tables_with_words_are_compared_with_chained_models(
    kept: str, monkeypatch, exposed: bool
) -> None:
    monkeypatch.setattr(chained, "N_TREES", 5)
    generator = np.random.default_rng(0)
    x = generator.normal(size=40)
    table = pd.DataFrame({"mass": x, "sex": np.where(x > 0.0, "f", "m"), "size": x + 1.0})
    if exposed:
        hours = np.exp(generator.normal(size=40))
        table = table.assign(hours=hours, eggs=generator.poisson(2.0 * hours))
    kinds = {"hours": "exposure", "eggs": "count"} if exposed else "auto"
    birds = Dataset.of_table("birds", "Birds", table, kinds)
    models = [
        BayesianGPLVM(n, n_inducing=6, kinds=birds.kinds, max_iter=5, random_state=0)
        for n in (1, 2)
    ]
    keys = [
        f"library:{Library(workspace() / 'library').add(model.fit(table), birds, 'Birds')}"
        for model in models
    ]
    at = run_page("compare", models=",".join(keys))
    assert not at.exception and not at.error
    # A plain GP-LVM supports only numbers.
    names = {each.key for each in at.button}
    assert "compare_add_pca" in names and "compare_add_gplvm" not in names
    at.button(key="compare_try").click().run()
    run = comparison_of([name for name in _runs() if name.startswith("kept aside|")][-1])
    run.wait(300)
    assert run.problem is None, run.problem
    at.run()
    picture = next(each.value for each in at.html if "mf-purposes" in each.value)
    # Draws of counts use other exposures than the rows, so they cannot be compared.
    assert ("Not tested" in picture) is exposed
    assert "Chained regressions" in picture and "Plain mixture" not in picture
    assert not at.exception
    pca = made(RECIPES["pca"], birds, lambda step: None)
    assert pca.model.columns_ is not None
    with pytest.raises(ValueError, match="cannot learn words and counts"):
        made(RECIPES["gplvm"], birds, lambda step: None)


def _shown(at) -> list[dict]:
    """Return the descriptions of models that the page sends to its linked maps."""
    sent = (getattr(getattr(each, "proto", None), "json", "") for each in _leaves(at.main))
    return next(json.loads(each)["models"] for each in sent if '"stand"' in each)


def _leaves(block) -> Iterator:
    for each in block:
        yield from _leaves(each.children.values()) if hasattr(each, "children") else (each,)


def _runs() -> list[str]:
    from gplvm_core.training.comparing import _RUNS

    return list(_RUNS)


def test_compare_begins_with_the_model_that_was_open(kept: str) -> None:
    at = run_page("explore", model=kept)
    go_to(at, "compare")
    assert not at.exception
    assert at.selectbox[0].value == kept


def test_compare_begins_with_the_visitors_other_model_of_the_rows(kept: str, flow: Dataset) -> None:
    library = Library(workspace() / "library")
    model = BayesianGPLVM(2, n_inducing=8, max_iter=2, random_state=0).fit(flow.values)
    changed = replace(flow, targets=flow.values + 1.0)  # the name and size alone do not decide
    library.add(model.fit(changed.values), changed, "Changed flow")
    assert partner(kept) == "pca"
    twin = f"library:{library.add(model.fit(flow.values), flow, 'Some flow')}"
    assert (partner(kept), partner(twin)) == (twin, kept)
    # Equal titles have the moments of the trainings.
    titles = catalogue.titles_of(catalogue.library_items())
    assert titles[twin].startswith("Some flow (") and sorted(titles.values())[0] == "Changed flow"
    at = run_page("compare", model=kept)
    assert not at.exception and not at.error and len(stores(at)) == 2
    assert at.button(key=f"compare_drop_{twin}").label.startswith("Remove Bayesian GP-LVM")


def test_models_that_cannot_be_compared_give_messages(kept: str) -> None:
    other = Dataset("other", "Other", np.eye(12)[:, :5] + 0.1, Drawing("bars", (5,)))
    model = BayesianGPLVM(2, n_inducing=4, max_iter=1, random_state=0).fit(other.values)
    stranger = f"library:{Library(workspace() / 'library').add(model, other, 'Other rows')}"
    at = run_page("compare", models=f"{kept},{stranger},tsne", at="0,nan,x")
    assert not at.exception
    assert "“Other rows” and “" in said(at) and "are models of different data" in said(at)
    assert at.button(key=f"compare_without_{stranger}").label == "Remove this model"
    # The page offers a map that is not trained yet, but trains it only after a click.
    assert any(button.label == "Train it" for button in at.button)
    at = run_page("compare", models=",")
    assert not at.exception and not at.error
    at = run_page("compare", models="library:nothing")
    assert not at.exception and "There is no model “nothing” here" in said(at)


def test_one_model_gives_advice_and_offers_two_shipped_models(
    kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "GALLERY_FOLDER", ROOT / "assets/models")
    at = run_page("compare", models=kept)
    assert "Compare needs two models of the same data." in said(at)
    assert not any("mf-purposes" in each.value for each in at.html)
    assert len(stores(at)) == 1  # the page shows the model's own map
    at.button(key="compare_ready").click().run()
    assert not at.exception
    assert query(at, "models") == "gallery:flow,gallery:deep-flow"
    assert "Compare needs two models" not in said(at)
    picture = next(each.value for each in at.html if "mf-purposes" in each.value)
    assert picture.count("Bayesian GP-LVM") == 1


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.title)
def test_every_model_of_train_can_be_made_smaller_for_the_test_on_new_rows(choice):
    small = verdict.smaller(choice.estimator())
    assert small.get_params().get("max_iter", 0) <= 150
    if choice.deeper is not None:
        assert verdict.smaller(choice.deeper((3, 2), n_inducing=(60, 20))).n_inducing == 40
