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

from gplvm_core.lazy import attached

# Names are imported when they are first used, from where __init__.pyi says: whoever needs the
# readers alone, such as the subprocess that reads a file, does not wait for the models.
__getattr__, __dir__, __all__ = attached(__name__, __file__)
