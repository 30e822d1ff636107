"""Tests that the Python code that opens a page's model works.

The model is in the gallery, in the library, or in a downloaded file.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, ManifoldRelevance, StoreError, ready_model
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.store import READY, Library
from pages.ui.shared.catalogue import Item
from pages.ui.shared.opening import opening_elsewhere, opening_here

ROOT = Path(__file__).parents[2]
# Run each code in its own folder and namespace, and print the models' latent means.
OPEN = """
import json, os, sys
for code, folder in json.load(sys.stdin):
    os.chdir(folder)
    found = {}
    exec(code, found)
    print(json.dumps(found["model"].latent_mean_.tolist()))
"""


def opened(*codes: tuple[str, Path]) -> list[np.ndarray]:
    """Run the codes in a new process, each in its folder."""
    run = subprocess.run(
        [sys.executable, "-c", OPEN],
        input=json.dumps([(code, str(folder)) for code, folder in codes]),
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [np.array(json.loads(line)) for line in run.stdout.splitlines()]


@pytest.mark.slow
def test_the_shown_python_opens_every_model_of_a_page(home, tmp_path):
    rng = np.random.default_rng(0)
    whole = np.sin(rng.standard_normal((20, 2)) @ rng.standard_normal((2, 8)))
    library = Library(home / "library")
    # The code opens the model by its id in the library, and from its downloaded file.
    own = Dataset("own", "Own", whole, Drawing("curve", (8,)))
    model = BayesianGPLVM(n_components=2, n_inducing=8, max_iter=10, random_state=0).fit(whole)
    identifier = library.add(model, own, "It's mine")
    library.export_file(identifier, tmp_path / "it-s-mine.gplvm")
    mine = Item(f"library:{identifier}", "It's mine", model, own)
    # This is one view of a model of several views.
    parts = {"it's": whole[:, :4], "right": whole[:, 4:]}
    drawn = {name: (values, Drawing("curve", (4,))) for name, values in parts.items()}
    pair = Dataset.of_views("pair", "Pair", drawn)
    several = ManifoldRelevance(n_components=2, n_inducing=8, max_iter=5, random_state=0)
    several.fit(pair.view_values)
    identifier = library.add(several, pair, "Pair")
    view = Item(f"library:{identifier}", "Pair", several.of_view("it's"), pair, view="it's")
    one_view = f"{opening_here(view)}\nassert model.posterior_.n_outputs == 4"
    flow = Library(READY, read_only=True).model("flow")
    ready = Item("gallery:flow", "Flow", flow, own)
    found = opened(
        (opening_here(mine), tmp_path),
        (opening_elsewhere(mine), tmp_path),
        (one_view, tmp_path),
        (opening_here(ready), tmp_path),
    )
    for item, means in zip((mine, mine, view, ready), found, strict=True):
        np.testing.assert_array_equal(means, item.model.latent_mean_)
    assert opening_elsewhere(ready) == opening_here(ready)
    assert not any(str(ROOT) in code for code in map(opening_here, (mine, ready)))


def test_a_ready_model_opens_by_its_name():
    assert ready_model("flow").latent_mean_.shape[0] == 600
    with pytest.raises(StoreError, match=r"'flows' is not a ready model. There are .*flow,"):
        ready_model("flows")
