"""Level 6: the models in scikit-learn's style, short compositions of the other packages."""

from gplvm_core.models.estimators.attributes import ON
from gplvm_core.models.estimators.autoregressive import AutoregressiveGP
from gplvm_core.models.estimators.average_of_starts import AverageOfStarts
from gplvm_core.models.estimators.base import Capabilities
from gplvm_core.models.estimators.bayesian import BayesianGPLVM, BayesianPCA, DynamicalGPLVM
from gplvm_core.models.estimators.classifier import GenerativeClassifier
from gplvm_core.models.estimators.deep_gp import DeepGP
from gplvm_core.models.estimators.deep_gplvm import DeepGPLVM
from gplvm_core.models.estimators.deep_views import DeepManifoldRelevance
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.gplvm import GPLVM
from gplvm_core.models.estimators.linear import ProbabilisticPCA
from gplvm_core.models.estimators.model import Model
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.estimators.semi_described import SemiDescribedGPRegression
from gplvm_core.models.estimators.semi_supervised import SemiSupervisedClassifier
from gplvm_core.models.estimators.state_space import StateSpaceGPLVM
from gplvm_core.models.estimators.views import ManifoldRelevance
from gplvm_core.models.problems.nodes import Believed, Node
from gplvm_core.models.problems.wiring import Edge, Facts, KnownInputs, Latent, NodeKind, OverTime
from gplvm_core.models.training.run import Restart, Run, Trace

__all__ = [
    "GPLVM",
    "ON",
    "AutoregressiveGP",
    "AverageOfStarts",
    "BayesianGPLVM",
    "BayesianPCA",
    "Believed",
    "Capabilities",
    "DeepGP",
    "DeepGPLVM",
    "DeepManifoldRelevance",
    "DynamicalGPLVM",
    "Edge",
    "Facts",
    "GenerativeClassifier",
    "KnownInputs",
    "Latent",
    "LatentVariableModel",
    "ManifoldRelevance",
    "Model",
    "Node",
    "NodeKind",
    "OverTime",
    "ProbabilisticPCA",
    "Restart",
    "Run",
    "SemiDescribedGPRegression",
    "SemiSupervisedClassifier",
    "SparseGPRegression",
    "StateSpaceGPLVM",
    "Trace",
]
