"""Level 4: bounds on the evidence of a Gaussian-process layer, with all adjoints."""

from gplvm_core.bounds.collapsed import (
    Collapsed,
    Informed,
    OutputGaps,
    collapsed,
    marginalised,
    output_gaps,
)
from gplvm_core.bounds.evaluate import BoundGradients, evaluate_bound
from gplvm_core.bounds.exact import Exact, exact
from gplvm_core.bounds.layer import (
    Layer,
    LayerValue,
    Local,
    Scales,
    evaluate_layer,
    gram_factor,
    layer_term,
)
from gplvm_core.bounds.mixed import (
    MixedOutputs,
    evaluate_mixed,
    factor_statistics,
    mixed_term,
    updated,
)
from gplvm_core.bounds.per_output import collapsed_per_output
from gplvm_core.bounds.profiled import Profile, profile_scales
from gplvm_core.bounds.profiled_known import LEAST_SIGNAL

__all__ = [
    "LEAST_SIGNAL",
    "BoundGradients",
    "Collapsed",
    "Exact",
    "Informed",
    "Layer",
    "LayerValue",
    "Local",
    "MixedOutputs",
    "OutputGaps",
    "Profile",
    "Scales",
    "collapsed",
    "collapsed_per_output",
    "evaluate_bound",
    "evaluate_layer",
    "evaluate_mixed",
    "exact",
    "factor_statistics",
    "gram_factor",
    "layer_term",
    "marginalised",
    "mixed_term",
    "output_gaps",
    "profile_scales",
    "updated",
]
