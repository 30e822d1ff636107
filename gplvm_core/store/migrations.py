"""Migrate old files to the present schema before any class is built.

A file records the schema that it was written with. If the fields of stored classes change, and a
default does not suffice, add a step here that converts content and arrays from one schema to the
next. Append the step to `STEPS`, whose length determines the schema number. Then add small files of
the old schema to tests/store/old (tests/store/write_old.py). Steps do not modify their input, and a
released step is never edited.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gplvm_core.store.encoding import Encoded
from gplvm_core.store.errors import StoreError

Step = Callable[[Encoded], Encoded]
Node = dict[str, Any]

OLDEST = 4  # the first schema that is read; earlier ones were never released


def migrated(stored: Encoded, schema: int, label: str) -> Encoded:
    """Convert a file's content from `schema` to the present schema.

    Raises StoreError, with the file's schema, if the schema is too old or a step fails.
    """
    if schema < OLDEST:
        raise StoreError(
            f"{label} has schema {schema}, from before the first release; this Manifolio "
            f"reads {OLDEST} to {SCHEMA}. Train the model again from its data."
        )
    for number, step in enumerate(STEPS[schema - OLDEST :], start=schema):
        try:
            stored = step(stored)
        # A damaged file can make a step raise any error, which is converted here.
        except Exception as error:
            what = error if isinstance(error, StoreError) else f"{type(error).__name__}: {error}"
            raise StoreError(
                f"{label} has schema {schema}, and its migration from {number} to {number + 1} "
                f"failed: {what}. Restore a copy, or train the model again; the version of "
                "Manifolio that wrote it can still open it."
            ) from error
    return stored


def each_node(content: Any, change: Callable[[Node], Node]) -> Any:
    """Copy a tree of content with `change` applied to every node that is a dict.

    Inner nodes are changed first. `encoding` describes the tags.
    """
    if isinstance(content, list):
        return [each_node(item, change) for item in content]
    if isinstance(content, dict):
        return change({key: each_node(item, change) for key, item in content.items()})
    return content


# Settings of schema 4 that schema 5 does not have. A fitted model does not need them.
GONE = {"batch_size", "optimiser"}
GONE_FROM_MAPS = {"mean", "input_connections"}  # DeepGP still has them
# The states of the optimisers that schema 5 does not have.
OTHER_OPTIMISERS = ("AdamState", "SCGState")


def settings_that_went(stored: Encoded) -> Encoded:
    """4 → 5: leave out the settings that no longer exist."""

    def change(node: Node) -> Node:
        if node.get("$") == "object" and node.get("class") in OTHER_OPTIMISERS:
            raise StoreError("its training used an optimiser that no longer exists")
        if node.get("$") != "estimator":
            return node
        gone = GONE | GONE_FROM_MAPS if node["class"] == "DeepGPLVM" else GONE
        kept = {name: own for name, own in node["parameters"].items() if name not in gone}
        return node | {"parameters": kept}

    return Encoded(each_node(stored.content, change), stored.arrays)


def likelihoods_as_objects(stored: Encoded) -> Encoded:
    """5 → 6: an output's likelihood is an object, no longer a code.

    The code was NaN for a number, 0 for yes/no, −1 for an exposure, and the size of a count.
    """

    def likelihood(code: float) -> Node:
        known = {0.0: "YesNo", -1.0: "Exposure"}
        name = "Number" if np.isnan(code) else known.get(code, "Count")
        if name == "Count" and code < 0.0:
            raise StoreError(f"{code} is no code of a likelihood")
        fields = {"size": code} if name == "Count" else {}
        return {"$": "object", "class": name, "fields": fields}

    def change(node: Node) -> Node:
        if node.get("$") != "object" or node.get("class") not in ("Links", "Local"):
            return node
        fields = dict(node["fields"])
        codes = stored.arrays[fields.pop("size")["name"]].tolist()
        columns = {"$": "tuple", "items": [likelihood(code) for code in codes]}
        if node["class"] == "Links":
            return node | {"fields": fields | {"columns": columns}}
        links = {"$": "object", "class": "Links", "fields": {"columns": columns}}
        return node | {"fields": fields | {"links": links}}

    return Encoded(each_node(stored.content, change), stored.arrays)


# The n-th step, counted from 0, converts schema OLDEST + n to the next one.
STEPS: tuple[Step, ...] = (settings_that_went, likelihoods_as_objects)
SCHEMA = OLDEST + len(STEPS)
