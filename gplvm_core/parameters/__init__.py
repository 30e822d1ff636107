"""Level 1: convert between nested dataclasses of parameters and one flat vector."""

from gplvm_core.parameters.tree import (
    IDENTITY,
    LOG,
    SOFTPLUS,
    Layout,
    Leaf,
    Transform,
    add,
    leaves,
    log_above,
    replace_leaves,
    scale_leaves,
)

__all__ = [
    "IDENTITY",
    "LOG",
    "SOFTPLUS",
    "Layout",
    "Leaf",
    "Transform",
    "add",
    "leaves",
    "log_above",
    "replace_leaves",
    "scale_leaves",
]
