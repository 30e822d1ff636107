"""Migrate old files to the present schema before any class is built.

A file records the schema that it was written with. If the fields of stored classes change, and a
default does not suffice, add a step here that converts content and arrays from one schema to the
next. Append the step to `STEPS`, whose length determines the schema number. Then add small files of
the new schema to tests/store/old (tests/store/write_old.py). Steps do not modify their input, and a
released step is never edited.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import Encoded
from gplvm_core.store.errors import StoreError

Step = Callable[[Encoded], Encoded]
Node = dict[str, Any]


def migrated(stored: Encoded, schema: int, label: str) -> Encoded:
    """Convert a file's content from `schema` to the present schema.

    Raises StoreError, with the file's schema, if a step fails.
    """
    for number, step in enumerate(STEPS[schema - 1 :], start=schema):
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


class Arrays:
    """The arrays of one file, and the arrays that a step adds."""

    def __init__(self, stored: Mapping[str, np.ndarray]) -> None:
        self.found = dict(stored)

    def value(self, content: Any) -> Any:
        """Decode a node: a number, an array or a plain collection."""
        return decode(content, self.found, {})

    def content(self, array: np.ndarray) -> Node:
        """Add an array; returns the node that refers to it."""
        name = f"migrated/{len(self.found):04d}.npy"
        self.found[name] = array
        return {"$": "array", "name": name}


def _is(node: Node, name: str) -> bool:
    return node.get("$") in ("object", "estimator") and node.get("class") == name


def groups_of_outputs(stored: Encoded) -> Encoded:
    """1 → 2: give statistics and posteriors a single group; they were written before outputs could
    be missing.

    The axis of groups comes first, and every column belongs to this group. Models of several views
    now store the rows that each view has; a view in an older file has all rows if one of its
    columns has values in every row.
    """
    arrays = Arrays(stored.arrays)

    def one_group(fields: Node, with_axis: tuple[str, ...], columns: str) -> Node:
        n_columns = arrays.value(fields[columns]).shape[1]
        added = {name: np.asarray(arrays.value(fields[name]))[None] for name in with_axis}
        added["groups"] = np.zeros(n_columns, dtype=np.intp)
        return fields | {name: arrays.content(array) for name, array in added.items()}

    def seen(fitted: Node) -> Node:
        n_points = len(arrays.value(fitted["latent_mean_"]))
        views = []
        for view, statistics in fitted["statistics_"]["items"]:
            if arrays.value(statistics["fields"]["n_points"]).max() < n_points:
                raise StoreError(f"it does not record which rows the view {view!r} lacks")
            views.append([view, arrays.content(np.ones(n_points, dtype=bool))])
        return fitted | {"seen_": {"$": "dict", "items": views}}

    def change(node: Node) -> Node:
        if _is(node, "Statistics") and "groups" not in node["fields"]:
            with_axis = ("psi0", "psi2", "n_points", "n_outputs")
            return node | {"fields": one_group(node["fields"], with_axis, "psi1_targets")}
        if _is(node, "Posterior") and "groups" not in node["fields"]:
            return node | {"fields": one_group(node["fields"], ("gap",), "weights")}
        if _is(node, "ManifoldRelevance") and node["fitted"] and "seen_" not in node["fitted"]:
            return node | {"fitted": seen(node["fitted"])}
        return node

    content = each_node(stored.content, change)
    return Encoded(content, arrays.found)


def nodes_and_layers(stored: Encoded) -> Encoded:
    """2 → 3: store the parameters of a training run as a graph, with nodes and layers.

    Before, the parameters were a posterior with one or several layers, paths with their kernel, or
    an encoder's head. Their order in the optimiser's vector does not change.
    """

    def graph(node: Node, own: Any) -> Node:
        layers = node["fields"]["layer"]
        layers = layers["items"] if layers.get("$") == "tuple" else [layers]
        fields = {
            "nodes": {"$": "tuple", "items": [own]},
            "layers": {"$": "tuple", "items": layers},
        }
        return {"$": "object", "class": "Parameters", "fields": fields}

    def change(node: Node) -> Node:
        if _is(node, "Parameters"):
            return graph(node, node["fields"]["belief"])
        if _is(node, "Encoded"):
            return graph(node, node["fields"]["head"])
        if _is(node, "Dynamical"):
            path = {"sites": node["fields"]["sites"], "kernel": node["fields"]["time_kernel"]}
            return graph(node, {"$": "object", "class": "TimedPath", "fields": path})
        return node

    return Encoded(each_node(stored.content, change), stored.arrays)


# Attributes of models before schema 4, and the fields of the record that replaced them.
ROWS = {
    "trained_rows_": "trained",
    "kept_rows_": "kept",
    "n_rows_": "count",
    "file_rows_": "in_files",
}
OF_SAMPLED_ROWS = (
    "BayesianGPLVM",
    "BayesianPCA",
    "DeepGP",
    "DeepGPLVM",
    "DeepManifoldRelevance",
    "DynamicalGPLVM",
    "ManifoldRelevance",
)


def one_record_of_rows(stored: Encoded) -> Encoded:
    """3 → 4: store the facts about a model's training rows as one record; drop GPLVM.information_.

    Schema 3 had four attributes; files from before training on samples have none of these. The
    information_ of a GPLVM was NaN.
    """
    arrays = Arrays(stored.arrays)

    def rows(fitted: Node) -> Node:
        top = fitted.get("latent_mean_")
        if top is None:  # a deep regression has latent positions only in its layers
            top = fitted["layers_"]["items"][0]["fields"]["latent_mean_"]
        known = {"count": None} | {
            field: fitted[name] for name, field in ROWS.items() if name in fitted
        }
        if known["count"] is None:
            known["count"] = len(arrays.value(top))
        record = {"$": "object", "class": "TrainingRows", "fields": known}
        return {name: own for name, own in fitted.items() if name not in ROWS} | {"rows_": record}

    def change(node: Node) -> Node:
        if node.get("$") != "estimator" or not node["fitted"]:
            return node
        if node["class"] in OF_SAMPLED_ROWS:
            return node | {"fitted": rows(node["fitted"])}
        if node["class"] == "GPLVM":
            kept = {name: own for name, own in node["fitted"].items() if name != "information_"}
            return node | {"fitted": kept}
        return node

    return Encoded(each_node(stored.content, change), arrays.found)


# Settings of schema 4 that schema 5 does not have. A fitted model does not need them.
GONE = {"batch_size", "optimiser"}


def settings_that_went(stored: Encoded) -> Encoded:
    """4 → 5: leave out the settings that no longer exist."""

    def change(node: Node) -> Node:
        if node.get("$") != "estimator":
            return node
        kept = {name: own for name, own in node["parameters"].items() if name not in GONE}
        return node | {"parameters": kept}

    return Encoded(each_node(stored.content, change), stored.arrays)


# The n-th step, counted from 1, converts schema n to schema n + 1.
STEPS: tuple[Step, ...] = (
    groups_of_outputs,
    nodes_and_layers,
    one_record_of_rows,
    settings_that_went,
)
SCHEMA = 1 + len(STEPS)
