"""Guards of the ready models: their answers and their bytes for the browser stay as they are.

The numbers come from the same code, so they show only that a change of the code changed no result.
Run this module as a program to write them again.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gplvm_core.store import Library
from gplvm_core.wire.deep import pack_layers
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.tree import is_tree, pack_tree
from gplvm_core.wire.views import ViewRows, pack_views
from tests.cases import quickly

FILE = Path(__file__).with_name("guards.json")
READY = Library(Path(__file__).resolve().parents[2] / "assets" / "models", read_only=True)
NAMES = sorted(entry.id for entry in READY.entries())
ROWS = slice(3, 5)
# `make test` asks one model of each structure: of a table, over time, deep, of a body's parts, of
# words, and of views; `make test-all` asks all, also with an older processor's instructions.
QUICK = {"countries", "deep-flow", "digits", "flow", "limbs", "moves", "pairs"}


TIGHT = 1e-9
# With another processor, searches for a latent point stop at other points, and eigenvectors with
# nearly equal eigenvalues turn into one another.
LOOSE = {"transfer": 1e-3, "complete": 1e-4, "density": 1e-5, "browser": 1e-5}
TURNED = "transform"


@pytest.mark.parametrize("name", quickly(NAMES, QUICK))
def test_a_ready_model_answers_as_before(name: str) -> None:
    """With the same arithmetic, also every byte for the browser is the same."""
    stored, now = json.loads(FILE.read_text()), found(name)
    before, same = stored["models"][name], stored["arithmetic"] == arithmetic()
    assert now.keys() == before.keys()
    assert now.pop("words") == before["words"]
    assert now.pop("bytes") == before["bytes"] or not same
    for key, (size, product) in now.items():
        known, turned = before[key][0], TURNED in key and not same
        error = 0.0 if turned else abs(product - before[key][1])
        within = TIGHT if same else LOOSE.get(key.split()[0], TIGHT)
        assert max(abs(size - known), error) <= within * known, key


def test_every_ready_model_is_guarded() -> None:
    assert set(json.loads(FILE.read_text())["models"]) == set(NAMES)


def arithmetic() -> str:
    """Return a digest of a computation that processors, and versions of BLAS, round differently."""
    points = np.random.default_rng(0).standard_normal((300, 40))
    kernel = np.exp(-0.5 * np.sum((points[:, None, :4] - points[:, :4]) ** 2, axis=2))
    several = [np.linalg.cholesky(kernel + np.eye(300)), *np.linalg.eigh(points.T @ points)]
    return digest(b"".join(array.tobytes() for array in several))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def found(name: str) -> dict[str, Any]:
    """Return a summary of each of a model's answers, and of what the browser receives."""
    model, data = READY.model(name), READY.dataset(name)
    sent = packed(model, data)
    words, arrays = parsed(sent)
    numbers = dict(answers(model, data)) | {f"browser {key}": own for key, own in arrays.items()}
    told = {key: summary(own) for key, own in numbers.items()}
    return {"words": digest(json.dumps(words).encode()), "bytes": digest(sent), **told}


def summary(numbers: Any) -> list[float]:
    """Return the size of an array, and its product with numbers that differ from place to place."""
    flat = np.nan_to_num(np.asarray(numbers, dtype=float)).ravel()
    return [float(np.linalg.norm(flat)), float(flat @ np.cos(np.arange(len(flat)) + 1.0))]


def answers(model: Any, data: Any) -> Iterator[tuple[str, Any]]:
    """Yield the bound, a completion, a density, and a transfer or a forecast if there is one."""
    yield "bound", model.bound_
    if data.views:
        rows = {view: values[ROWS] for view, values in data.view_values.items()}
        yield "density", model.score_samples(rows)
        first, *_, last = rows
        yield "transfer", np.stack(model.transfer({first: rows[first]}, last, return_std=True))
        rows[first] = half_hidden(rows[first])
        for kind, views in zip(("mean", "std"), model.complete(rows, return_std=True), strict=True):
            yield f"complete {kind}", np.hstack(list(views.values()))
        return
    rows = data.values[ROWS]
    yield "density", model.score_samples(data.in_own_values(rows) if data.columns else rows)
    gaps = half_hidden(rows)
    if data.columns:
        gaps = data.in_own_values(gaps)
        yield "complete mean", model.complete(gaps).select_dtypes("number")
    else:
        yield "complete", np.stack(model.complete(gaps, return_std=True))
    if "category" in (data.kinds or ()):
        name, words = data.column_names[0], data.columns[0].words
        order = [model.class_words(name).index(word) for word in words]
        yield "chances", model.class_probabilities(gaps, name)[:, order]
    if getattr(model, "times_", None) is not None:
        times = np.asarray(data.times).ravel()
        later = times.max() + (times[1] - times[0]) * np.arange(1.0, 4.0)
        yield "forecast", np.stack(model.forecast(later, sequence=0, return_std=True))


def half_hidden(rows: np.ndarray) -> np.ndarray:
    """Return rows without the first half of their values."""
    return np.where(np.arange(rows.shape[1]) < rows.shape[1] // 2, np.nan, rows)


def packed(model: Any, data: Any) -> bytes:
    """Return the bytes that Explore sends to the browser."""
    if is_tree(model):
        return pack_tree(model, data, "guard")
    if data.views:
        rows = {view.name: ViewRows.of(data, view.name) for view in data.views}
        charts = {name: Chart.of(model.of_view(name), own) for name, own in rows.items()}
        return pack_views(charts, list(charts), (0, 1), "guard")
    if hasattr(model, "layers_"):
        return pack_layers(model, data, 0, "guard")
    return pack_model(Chart.of(model, data), "guard")


def parsed(data: bytes) -> tuple[list[Any], dict[str, Any]]:
    """Return the words of the header, and its numbers and the arrays by their names."""
    header, arrays = unframe(data)
    words: list[Any] = [list(header.pop("arrays"))]
    numbers: list[float] = []

    def read(content: Any) -> None:
        if isinstance(content, dict):
            words.extend(content)
            content = list(content.values())
        if isinstance(content, list):
            for each in content:
                read(each)
        else:
            (numbers if isinstance(content, float) else words).append(content)

    read(header)
    told: dict[str, Any] = {"header": numbers}
    for key, array in arrays.items():
        if key.startswith("layer"):
            inner, own = parsed(array.tobytes())
            words.append(inner)
            told |= {f"{key} {each}": value for each, value in own.items()}
        else:
            told[key] = array
            words.append([str(array.dtype), list(array.shape)])
    return words, told


if __name__ == "__main__":
    content = {"arithmetic": arithmetic(), "models": {name: found(name) for name in NAMES}}
    FILE.write_text(json.dumps(content, indent=1) + "\n")
