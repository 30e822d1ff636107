"""Gaussian-process latent variable models in NumPy: train, explore, predict.

Models of one table: `BayesianGPLVM`, `GPLVM`, `DynamicalGPLVM` and `StateSpaceGPLVM` (rows over
time), `BayesianPCA`, `ProbabilisticPCA` and `DeepGPLVM`. Models of several views of the same rows:
`ManifoldRelevance` and `DeepManifoldRelevance`. Regressions: `SparseGPRegression`,
`SemiDescribedGPRegression` (missing inputs), `DeepGP` and `AutoregressiveGP` (series). Classifiers:
`GenerativeClassifier` and `SemiSupervisedClassifier`. `Model` trains any acyclic graph of layers.
`AverageOfStarts` averages the predictions of several trainings.

All models follow scikit-learn's conventions. `save` and `load` store them in files; `ready_model`
opens one of the gallery; `read_table` and the other readers load data. For example,
`help(BayesianGPLVM)` lists all parameters and fitted attributes.

Examples
--------
>>> import gplvm_core
>>> flow = gplvm_core.load_dataset("flow")
>>> model = gplvm_core.BayesianGPLVM(n_components=5, n_inducing=20)
>>> model = model.fit(flow.values)  # doctest: +SKIP
"""

from gplvm_core.bounds import evaluate_bound
from gplvm_core.comparison import is_anything_here, is_depth_worth_it, is_factor_left
from gplvm_core.datasets import (
    Dataset,
    Drawing,
    RowFiles,
    View,
    error_columns,
    label_view,
    list_datasets,
    load_dataset,
    read_bvh,
    read_c3d,
    read_fcs,
    read_h5ad,
    read_images,
    read_table,
    read_video,
)
from gplvm_core.kernels import (
    RBF,
    Bias,
    Kernel,
    KernelError,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    Periodic,
    Product,
    White,
    positive,
    real,
)
from gplvm_core.models import (
    GPLVM,
    AutoregressiveGP,
    AverageOfStarts,
    BayesianGPLVM,
    BayesianPCA,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    Edge,
    GenerativeClassifier,
    KnownInputs,
    Latent,
    ManifoldRelevance,
    Model,
    OverTime,
    ProbabilisticPCA,
    SemiDescribedGPRegression,
    SemiSupervisedClassifier,
    SparseGPRegression,
    StateSpaceGPLVM,
)
from gplvm_core.new_rows import apply
from gplvm_core.numerics import NotPositiveDefiniteError
from gplvm_core.offline.explorer import explorer
from gplvm_core.readers import DataError, EmptyRowsError
from gplvm_core.readers.errors import DataTypeError
from gplvm_core.readers.joined import RowsDifferError
from gplvm_core.statistics import ClusterError, cluster
from gplvm_core.store import ChangedError, StoreError, load, model_card, ready_model, save

__all__ = [
    "GPLVM",
    "RBF",
    "AutoregressiveGP",
    "AverageOfStarts",
    "BayesianGPLVM",
    "BayesianPCA",
    "Bias",
    "ChangedError",
    "ClusterError",
    "DataError",
    "DataTypeError",
    "Dataset",
    "DeepGP",
    "DeepGPLVM",
    "DeepManifoldRelevance",
    "Drawing",
    "DynamicalGPLVM",
    "Edge",
    "EmptyRowsError",
    "GenerativeClassifier",
    "Kernel",
    "KernelError",
    "KnownInputs",
    "Latent",
    "Linear",
    "ManifoldRelevance",
    "Matern12",
    "Matern32",
    "Matern52",
    "Model",
    "NotPositiveDefiniteError",
    "OverTime",
    "Periodic",
    "ProbabilisticPCA",
    "Product",
    "RowFiles",
    "RowsDifferError",
    "SemiDescribedGPRegression",
    "SemiSupervisedClassifier",
    "SparseGPRegression",
    "StateSpaceGPLVM",
    "StoreError",
    "View",
    "White",
    "apply",
    "cluster",
    "error_columns",
    "evaluate_bound",
    "explorer",
    "is_anything_here",
    "is_depth_worth_it",
    "is_factor_left",
    "label_view",
    "list_datasets",
    "load",
    "load_dataset",
    "model_card",
    "positive",
    "read_bvh",
    "read_c3d",
    "read_fcs",
    "read_h5ad",
    "read_images",
    "read_table",
    "read_video",
    "ready_model",
    "real",
    "save",
]
