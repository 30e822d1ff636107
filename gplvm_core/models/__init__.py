"""Floor 6: the models, thin compositions in scikit-learn's style."""

from gplvm_core.models.autoregressive import AutoregressiveGP
from gplvm_core.models.bayesian import BayesianGPLVM, BayesianPCA
from gplvm_core.models.classifier import GenerativeClassifier
from gplvm_core.models.dynamics import DynamicalGPLVM
from gplvm_core.models.estimator import ON, LatentVariableModel
from gplvm_core.models.gplvm import GPLVM
from gplvm_core.models.linear import ProbabilisticPCA
from gplvm_core.models.regression import SparseGPRegression
from gplvm_core.models.run import Restart, Run, Trace
from gplvm_core.models.semi_described import SemiDescribedGPRegression
from gplvm_core.models.semi_supervised import SemiSupervisedClassifier
from gplvm_core.models.views import ManifoldRelevance

__all__ = [
    "GPLVM",
    "ON",
    "AutoregressiveGP",
    "BayesianGPLVM",
    "BayesianPCA",
    "DynamicalGPLVM",
    "GenerativeClassifier",
    "LatentVariableModel",
    "ManifoldRelevance",
    "ProbabilisticPCA",
    "Restart",
    "Run",
    "SemiDescribedGPRegression",
    "SemiSupervisedClassifier",
    "SparseGPRegression",
    "Trace",
]
