"""Tests that encoding to text and arrays keeps every bit of a value; other types are refused."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator

from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import encode
from gplvm_core.store.errors import StoreError
from gplvm_core.store.sizes import MOST_STEPS


@dataclass(frozen=True)
class Leaf:
    name: str
    value: object = 1.0


@dataclass(frozen=True)
class Branch:
    parts: tuple[object, ...]


class Estimator(BaseEstimator):
    def __init__(self, size=3, random_state=None):
        self.size = size
        self.random_state = random_state


KNOWN = {"Leaf": Leaf, "Branch": Branch, "Estimator": Estimator}

# Larger numbers in the fields of a record are refused (test_sizes.py).
whole = st.integers(-MOST_STEPS, MOST_STEPS)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    whole,
    st.floats(),
    st.text(),
    hnp.from_dtype(np.dtype(np.float32)),
    hnp.from_dtype(np.dtype(np.float64)),
    hnp.from_dtype(np.dtype(np.uint8)),
    hnp.from_dtype(np.dtype(np.int64), min_value=-MOST_STEPS, max_value=MOST_STEPS),
    hnp.from_dtype(np.dtype(bool)),
)
arrays = hnp.arrays(
    st.one_of(
        hnp.floating_dtypes(sizes=(16, 32, 64)),
        hnp.integer_dtypes(),
        hnp.unsigned_integer_dtypes(),
        hnp.boolean_dtypes(),
        hnp.complex_number_dtypes(sizes=(64, 128)),
        hnp.unicode_string_dtypes(max_len=5),
    ),
    hnp.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=4),
)
values = st.recursive(
    st.one_of(scalars, arrays),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(st.text(), whole, st.tuples(st.text())), inner),
        st.builds(Leaf, st.text(), inner),
        st.builds(Branch, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=12,
)


def round_trip(thing, known=KNOWN):
    encoded = encode(thing, known)
    text = json.dumps(encoded.content, allow_nan=False)
    return decode(json.loads(text), encoded.arrays, known)


def identical(one, other) -> bool:
    """Return whether two values have the same value, type and bits.

    0.0 is not -0.0, 1 is not 1.0, and NaN is NaN.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.generic):
        return one.dtype == other.dtype and one.shape == other.shape and same_bits(one, other)
    if isinstance(one, float):
        return one.hex() == other.hex()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    if isinstance(one, dict):
        return identical(list(one.items()), list(other.items()))
    if isinstance(one, Leaf | Branch):
        return identical(vars(one), vars(other))
    return one == other


def same_bits(one, other) -> bool:
    # JSON has only one NaN; arrays are written as bytes and keep all NaN payloads.
    if isinstance(one, np.generic) and one.dtype.kind == "f" and np.isnan(one):
        return bool(np.isnan(other))
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()


@pytest.mark.parametrize("number", [2**31, -(2**63), 10**40])
def test_a_number_outside_of_a_record_may_have_any_size(number):
    assert round_trip({"number": (number, [number])}) == {"number": (number, [number])}


@given(values)
def test_every_value_comes_back_identical(thing):
    assert identical(round_trip(thing), thing)


def test_an_estimator_keeps_parameters_and_fitted_attributes_only():
    before = Estimator(size=5)
    before.bound_ = -1.25
    before.n_features_in_ = 4
    before.feature_names_in_ = np.array(["a", "b"], dtype=object)
    before._scratch = "not kept"
    after = round_trip(before)
    assert after.get_params() == {"size": 5, "random_state": None}
    assert (after.bound_, after.n_features_in_) == (-1.25, 4)
    assert after.feature_names_in_.dtype == object
    assert list(after.feature_names_in_) == ["a", "b"]
    assert not hasattr(after, "_scratch")


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_generators_continue_where_they_were(make):
    generator = make(7)
    generator.normal(size=3)
    again = round_trip(Estimator(random_state=generator)).random_state
    np.testing.assert_array_equal(again.normal(size=5), generator.normal(size=5))


def test_an_array_used_twice_is_stored_once_and_shared_again():
    array = np.arange(4.0)
    encoded = encode((array, {"again": array}), KNOWN)
    assert len(encoded.arrays) == 1
    first, second = decode(encoded.content, encoded.arrays, KNOWN)
    assert first is second["again"]


def test_views_of_one_array_are_stored_once_and_of_its_parts_apart():
    """An array that several facts share through read-only views is written only once."""
    array = np.arange(6.0).reshape(2, 3)
    things = (array, array.view(), array[:1], array.T, array[:, ::-1], array.view(np.int64))
    encoded = encode(things, KNOWN)
    assert len(encoded.arrays) == 5
    for thing, again in zip(things, decode(encoded.content, encoded.arrays, KNOWN), strict=True):
        assert thing.dtype == again.dtype
        np.testing.assert_array_equal(thing, again)


@pytest.mark.parametrize(
    "thing",
    [
        lambda: 1,
        {1, 2},
        b"bytes",
        1j,
        Path("x"),
        np.array([object()]),
        np.array([1, "a"], dtype=object),
        np.zeros(2, dtype=[("a", float)]),
        np.zeros(2, dtype="M8[s]"),
        np.zeros(2, dtype=np.longdouble),
        np.ma.masked_array([1.0, 2.0], [True, False]),
        np.float128(1) if hasattr(np, "float128") else np.datetime64("2020"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_values_without_an_exact_form_are_refused_with_their_position(thing):
    with pytest.raises(StoreError, match=r"value\['a'\]\[1\]"):
        encode({"a": [1, thing]}, KNOWN)


def test_only_the_registered_class_of_a_name_is_stored():
    Impostor = dataclass(frozen=True)(type("Leaf", (), {"__annotations__": {"name": str}}))
    with pytest.raises(StoreError, match="does not know"):
        encode(Impostor("x"), KNOWN)


def test_a_value_that_contains_itself_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(StoreError, match="nested too deeply"):
        encode(loop, KNOWN)


@pytest.mark.parametrize(
    "content",
    [
        {"$": "object", "class": "Path", "fields": {}},
        {"$": "object", "class": "Estimator", "fields": {}},
        {"$": "object", "class": "Leaf", "fields": {}},
        {"$": "object", "class": "Leaf", "fields": {"name": "x", "colour": 1}},
        {"$": "estimator", "class": "Leaf", "parameters": {}, "fitted": {}},
        {"$": "estimator", "class": "Estimator", "parameters": {"power": 1}, "fitted": {}},
        {"$": "estimator", "class": "Estimator", "parameters": {}, "fitted": {"fit": 1}},
        {"$": "estimator", "class": "Estimator", "parameters": {}, "fitted": {"__class__": 1}},
        {"$": "array", "name": "arrays/0000.npy"},
        {"$": "scalar", "dtype": "O", "value": 1},
        {"$": "scalar", "dtype": "<i8", "value": "many"},
        {"$": "float", "value": "1e5"},
        {"$": "dict", "items": [[[], 1]]},
        {"$": "dict"},
        {"$": "value"},
        {"$": ["tuple"]},
        {"no": "tag"},
        {"$": "random_state", "state": {"$": "dict", "items": []}},
    ],
    ids=str,
)
def test_content_that_does_not_fit_is_refused_in_words(content):
    with pytest.raises(StoreError):
        decode(content, {}, KNOWN)


def test_a_random_state_out_of_range_never_reaches_numpy():
    encoded = encode(np.random.RandomState(0), KNOWN)
    text = json.dumps(encoded.content).replace('["pos", 624]', '["pos", 100000]')
    assert "100000" in text
    with pytest.raises(StoreError, match="out of range"):
        decode(json.loads(text), encoded.arrays, KNOWN)


def test_a_field_that_is_new_gets_its_default_from_an_older_file():
    old = {"$": "object", "class": "Leaf", "fields": {"name": "x"}}
    assert decode(old, {}, KNOWN) == Leaf("x")
