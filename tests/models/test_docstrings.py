"""Tests of `help` for every estimator and public name: parameters, attributes, running examples."""

import doctest
import inspect
import pydoc

import pytest
from sklearn.base import BaseEstimator

import gplvm_core
from gplvm_core.models.estimators.documentation import entries_of, sections_of
from tests.cases import quickly
from tests.every import fitted_models

KINDS = [
    kind
    for kind in (getattr(gplvm_core, name) for name in gplvm_core.__all__)
    if inspect.isclass(kind) and hasattr(kind, "get_params")
]

# These are all public names except the error classes.
NAMES = [
    name
    for name in gplvm_core.__all__
    if not (
        inspect.isclass(getattr(gplvm_core, name))
        and issubclass(getattr(gplvm_core, name), Exception)
    )
]

# Their examples train for longer.
LONG = {
    "AverageOfStarts",
    "DeepGP",
    "DeepManifoldRelevance",
    "StateSpaceGPLVM",
    "apply",
    "is_anything_here",
    "is_depth_worth_it",
}


@pytest.fixture(scope="module")
def fitted() -> dict[str, BaseEstimator]:
    return fitted_models()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_parameter_and_fitted_attribute_is_documented(kind: type, fitted) -> None:
    model, sections = fitted[kind.__name__], sections_of(kind.__doc__)
    parameters = entries_of(sections["Parameters"])
    assert set(parameters) == set(model.get_params(deep=False))
    found = {name for name in (*vars(model), *dir(kind)) if name[0] != "_" and name[-1] == "_"}
    attributes = entries_of(sections["Attributes"])
    # Only data frames set the names of columns.
    assert set(attributes) - {"feature_names_in_"} == found - set(getattr(kind, "_absent", ()))
    for entry in (*parameters.values(), *attributes.values()):
        name, kind_and_text = entry.split("\n", 1)
        assert " : " in name and kind_and_text.strip().endswith("."), entry


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_help_is_readable(kind: type) -> None:
    """Types have short names, and every public method has a docstring in numpydoc's form."""
    shown = pydoc.plain(pydoc.render_doc(kind))
    assert "numpy._typing" not in shown and "gplvm_core.kernels.kernel.Kernel" not in shown
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("gplvm_core"):
            continue
        sections = sections_of(inspect.getdoc(method))
        given = set(inspect.signature(method).parameters) - {"self"}
        assert set(entries_of(sections.get("Parameters", ""))) == given, (kind, name)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", quickly(NAMES, set(NAMES) - LONG))
def test_every_public_name_has_examples_that_run(name: str) -> None:
    thing = inspect.unwrap(getattr(gplvm_core, name))
    tests = doctest.DocTestFinder(recurse=False).find(thing, name)
    assert [len(each.examples) > 1 for each in tests] == [True]
    assert doctest.DocTestRunner().run(tests[0]).failed == 0
