"""Gaussian-process latent variable models in NumPy: train, explore, predict."""

from gplvm_core.bounds import evaluate_bound
from gplvm_core.datasets import (
    list_datasets,
    load_dataset,
    read_bvh,
    read_images,
    read_table,
    read_video,
)
from gplvm_core.kernels import (
    RBF,
    Bias,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    Periodic,
    Product,
    White,
)
from gplvm_core.models import (
    GPLVM,
    AutoregressiveGP,
    BayesianGPLVM,
    BayesianPCA,
    DynamicalGPLVM,
    GenerativeClassifier,
    ProbabilisticPCA,
    SemiDescribedGPRegression,
    SemiSupervisedClassifier,
    SparseGPRegression,
)
from gplvm_core.store import load, save

__all__ = [
    "GPLVM",
    "RBF",
    "AutoregressiveGP",
    "BayesianGPLVM",
    "BayesianPCA",
    "Bias",
    "DynamicalGPLVM",
    "GenerativeClassifier",
    "Linear",
    "Matern12",
    "Matern32",
    "Matern52",
    "Periodic",
    "ProbabilisticPCA",
    "Product",
    "SemiDescribedGPRegression",
    "SemiSupervisedClassifier",
    "SparseGPRegression",
    "White",
    "evaluate_bound",
    "list_datasets",
    "load",
    "load_dataset",
    "read_bvh",
    "read_images",
    "read_table",
    "read_video",
    "save",
]
