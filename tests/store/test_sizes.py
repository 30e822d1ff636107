"""Tests that no whole number in a file becomes a size that the file's arrays do not have."""

import copy
import inspect
import re
import time
import tracemalloc
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from gplvm_core import DeepGPLVM, DynamicalGPLVM, Edge, Model, load_dataset
from gplvm_core.prediction.chained import chain_of
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.store import StoreError, load
from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import Encoded, encode
from gplvm_core.store.registry import known_classes
from gplvm_core.store.sizes import HARMLESS, SIZES
from tests.store.resealed import sealed

BILLION = 10**9
SMALL = {"n_inducing": 6, "max_iter": 2, "random_state": 0}
REFUSED = "the arrays of the file allow at most"


@pytest.fixture(scope="module")
def stored(model, circle):
    """Return values that together contain every kind of number that a model's file can have."""
    mapped = copy.deepcopy(model).fit_density(circle.values, components=2, folds=2)
    moving = DynamicalGPLVM(2, **SMALL).fit(circle.values[:12])
    moving.calibrate(circle.values[:12])
    deep = DeepGPLVM((2, 2), **SMALL).fit(circle.values[:12])
    graph = Model({"x": 2}, [Edge("x", "y", n_inducing=4)], max_iter=2, random_state=0)
    graph.fit({"y": circle.values[:12]})
    columns = tuple(TableColumn(name, "number") for name in "ab")
    trees = chain_of(columns, circle.values[:12, :2], "forest", n_trees=2)
    parts = [mapped, moving, deep, graph, load_dataset("walker"), trees]
    return [encode(part, known_classes()) for part in parts]


def whole(annotation: object) -> bool:
    """Whether an annotation allows whole numbers, or arrays of them."""
    words = re.sub(r"Float\[[^]]*\]", "", str(annotation))
    return re.search(r"\bint\b|Int\[", words) is not None


def records() -> list[tuple[type, str]]:
    """Return every field of a record that can be a whole number."""
    return [
        (kind, field.name)
        for kind in known_classes().values()
        if is_dataclass(kind) and not issubclass(kind, BaseEstimator)
        for field in fields(kind)
        if field.init and whole(field.type)
    ]


def settings() -> list[tuple[type, str]]:
    """Return every setting of an estimator that can be a whole number."""
    return [
        (kind, name)
        for kind in known_classes().values()
        if issubclass(kind, BaseEstimator) and kind.__module__.startswith("gplvm_core")
        for name, setting in inspect.signature(kind).parameters.items()
        if whole(setting.annotation)
    ]


def numbers(content, key=""):
    """Yield every whole number of a content: its key in the tables, its container and place."""
    if isinstance(content, list):
        places = enumerate(content)
    elif content.get("$") == "object":
        kind, content = content["class"], content["fields"]
        places = ((name, item) for name, item in content.items())
        for name, item in places:
            yield from _number(item, f"{kind}.{name}", content, name)
        return
    elif content.get("$") == "estimator":
        for part in ("parameters", "fitted"):
            for name, item in content[part].items():
                yield from _number(item, name, content[part], name)
        return
    else:
        places = [(name, content[name]) for name in ("items", "value") if name in content]
    for place, item in places:
        yield from _number(item, key, content, place)


def _number(item, key, content, place):
    if isinstance(item, list | dict):
        yield from numbers(item, key)
    elif type(item) is int:
        yield key, content, place


def classes_in(content, found):
    """Add the names of all classes in a content."""
    if isinstance(content, dict):
        found.update([content["class"]] if "class" in content else [])
        content = list(content.values())
    if isinstance(content, list):
        for item in content:
            classes_in(item, found)
    return found


def test_a_new_number_of_a_stored_class_must_be_in_a_table(stored):
    names = {name for part in stored for name in classes_in(part.content, set())}
    keys = {f"{kind.__name__}.{name}" for kind, name in records() if kind.__name__ in names}
    keys |= {name for _, name in settings()}
    keys |= {key for part in stored for key, _, _ in numbers(part.content)}
    missing = {key for key in keys if not {key, key.partition(".")[2]} & {*SIZES, *HARMLESS}}
    assert not missing, "say in gplvm_core/store/sizes.py what these numbers may be at most"


def test_the_tables_name_numbers_that_exist(stored):
    keys = {f"{kind.__name__}.{name}" for kind, name in records()}
    keys |= {"TableColumn.words", *(key.partition(".")[2] for key in keys)}
    keys |= {name for _, name in settings()}
    keys |= {key for part in stored for key, _, _ in numbers(part.content)}
    assert not SIZES.keys() & HARMLESS.keys()
    assert not {*SIZES, *HARMLESS} - keys


def test_a_billion_is_refused_in_every_class():
    """The field stands alone; other tests have the fields that need their neighbours."""
    beside = {"DerivedDensity.data", "Posterior.groups", "Statistics.groups"}
    contents = [
        (
            f"{kind.__name__}.{name}",
            {"$": "object", "class": kind.__name__, "fields": {name: BILLION}},
        )
        for kind, name in records()
    ]
    contents += [
        (
            name,
            {"$": "estimator", "class": kind.__name__, "parameters": {name: BILLION}, "fitted": {}},
        )
        for kind, name in settings()
    ]
    for key, content in contents:
        if key not in beside and not {key, key.rpartition(".")[2]} & HARMLESS.keys():
            with pytest.raises(StoreError, match=REFUSED):
                decode(content, {}, known_classes())


def test_a_billion_is_refused_in_every_file(stored, tmp_path):
    tried = set()
    for part in stored:
        for key, content, place in numbers(part.content):
            if key in tried or {key, key.partition(".")[2]} & HARMLESS.keys():
                continue
            tried.add(key)
            before, content[place] = content[place], BILLION
            path = sealed(part, tmp_path / "changed.gplvm")
            content[place] = before
            began = time.process_time()
            tracemalloc.start()
            try:
                with pytest.raises(StoreError, match=REFUSED):
                    load(path)
                peak = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert peak < 32 * 2**20, key
            assert time.process_time() - began < 5.0, key
    assert {"DerivedDensity.data", "TrainingRows.count", "Edge.n_inducing", "max_iter"} <= tried


@pytest.mark.parametrize("key", ["Posterior.groups", "Statistics.groups"])
def test_a_group_that_does_not_exist_is_refused(model, circle, tmp_path, key):
    """Groups are counted, so a number of a group becomes the length of an array."""
    encoded = encode(model, known_classes())
    groups = np.array([0, 0, 0, BILLION])

    def put(content):
        if isinstance(content, dict):
            if content.get("class") == key.partition(".")[0]:
                content["fields"]["groups"] = {"$": "array", "name": "arrays/9999.npy"}
            content = list(content.values())
        for item in content if isinstance(content, list) else ():
            put(item)

    put(encoded.content)
    changed = Encoded(encoded.content, encoded.arrays | {"arrays/9999.npy": groups})
    with pytest.raises(StoreError, match=REFUSED):
        load(sealed(changed, tmp_path / "changed.gplvm"))


def test_long_trainings_and_large_seeds_come_back(model):
    for name, value in (("max_iter", 10**6), ("random_state", 2**32 - 1), ("n_inducing", 5000)):
        longer = copy.deepcopy(model).set_params(**{name: value})
        encoded = encode(longer, known_classes())
        back = decode(encoded.content, encoded.arrays, known_classes())
        assert back.get_params()[name] == value
