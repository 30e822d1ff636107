"""Tests that names are imported when they are first used, in any order and by several threads."""

import importlib
import subprocess
import sys

import pytest

import gplvm_core

SCRIPT = """
import sys, threading
import gplvm_core.sandbox.child
assert not {"sklearn", "gplvm_core.models"} & sys.modules.keys(), "reading a file needs no models"
assert gplvm_core.kernels.RBF is gplvm_core.RBF  # a room, before anything was imported from it
problems, ready = [], threading.Barrier(12)

def touch(names):
    ready.wait()
    for name in names:
        try:
            assert getattr(gplvm_core, name) is not None
        except Exception as error:
            problems.append(f"{name}: {error}")

names = gplvm_core.__all__
each = [names[at:] + names[:at] for at in range(0, 60, 5)]
threads = [threading.Thread(target=touch, args=(own,)) for own in each]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not problems, problems
"""


def test_names_are_found_by_many_threads_at_once_and_only_when_they_are_used():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'gplvm_core' has no attribute 'BayesianGP'"):
        gplvm_core.BayesianGP  # noqa: B018
    assert {"BayesianGPLVM", "apply", "read_table"} <= set(dir(gplvm_core))


def test_a_name_that_a_module_has_too_is_the_name_whatever_is_imported_first():
    importlib.import_module("gplvm_core.store.model_card")
    assert callable(gplvm_core.store.model_card)
