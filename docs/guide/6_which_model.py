"""
6. Which model when
===================

Choose a model by your data and your question, and compare candidates on rows that they have not
seen.

=============================================  =====================================================
You have                                       Start with
=============================================  =====================================================
one table, any gaps                            ``BayesianGPLVM``: if the columns have different
                                               units, each gets its own scale and noise
a linear structure, or a need for speed        ``BayesianPCA``, ``ProbabilisticPCA``
100 rows or fewer, and no inducing inputs      ``GPLVM`` (positions are optimised: it can over-fit)
rows in time                                   ``DynamicalGPLVM``; ``StateSpaceGPLVM`` for
                                               forecasts of what swings or repeats;
                                               ``AutoregressiveGP`` for one series
several descriptions of the same objects       ``ManifoldRelevance``
a map with structure at several levels         ``DeepGPLVM``, ``DeepManifoldRelevance``
inputs and outputs                             ``SparseGPRegression``; ``DeepGP`` for steps
inputs that are noisy or have gaps             ``SemiDescribedGPRegression``
classes, few rows labelled                     ``SemiSupervisedClassifier``
classes, all rows labelled                     ``GenerativeClassifier``
any other wiring                               ``Model``
new sequences, and time to spare               ``AverageOfStarts`` of one of these models
=============================================  =====================================================
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from gplvm_core import (
    AverageOfStarts,
    BayesianGPLVM,
    BayesianPCA,
    ProbabilisticPCA,
    load_dataset,
)
from gplvm_core.comparison import Contender, choose, compare

# %%
# Compare on held-out rows
# ------------------------
# ``compare`` trains every candidate on the same random splits and scores the rows that were held
# out. Log densities are in nats per row; larger is better. Put a simple model first, because
# ``compare`` compares all others with the first candidate.

rows = load_dataset("wine").values
settings = {"n_components": 5, "max_iter": 100}
curved = {"n_inducing": 30, **settings}
candidates = (
    Contender("probabilistic PCA", ProbabilisticPCA(n_components=5)),
    Contender("Bayesian PCA", BayesianPCA(**settings)),
    Contender("one noise for all columns", BayesianGPLVM(noise="shared", **curved)),
    Contender("Bayesian GP-LVM", BayesianGPLVM(**curved)),
)
found = compare(candidates, rows, cv=4, random_state=0)
for each in candidates:
    print(f"{each.name}: {found.mean('density', each.name):.1f} nats per row")

# %%
# A difference is meaningful if it is larger than chance alone would explain. The standard error of
# a difference accounts for the rows that the splits share.

names = [each.name for each in candidates]
differences = [found.difference("density", name) for name in names[1:]]
for name, difference in zip(names[1:], differences, strict=True):
    verdict = "more than chance" if difference.sure else "may be chance"
    print(f"{name}: {difference} nats per row ({verdict})")

fig, axes = plt.subplots(figsize=(7, 2.5), layout="constrained")
means, errors = [each.mean for each in differences], [each.error for each in differences]
axes.errorbar(means, np.arange(len(means)), xerr=errors, fmt="o")
axes.axvline(0.0, color="grey", linestyle=":")
axes.set_yticks(np.arange(len(means)), names[1:])
axes.set(xlabel="nats per held-out row, compared with probabilistic PCA", ylim=(-0.5, 2.5))
plt.show()

# %%
# Do not choose by the bound alone
# --------------------------------
# ``bound_`` compares settings of one kind of model on the same data: numbers of inducing inputs,
# kernels, restarts. It is a lower bound on the log evidence, and some kinds of model have a looser
# bound than others. To compare kinds of model, use held-out rows, as above. GPy and GPflow report
# other bounds for the same parameters, because their jitters differ; the page *The same number
# elsewhere* says how to compare.
#
# Several starts
# --------------
# Training ends at a local maximum of the bound, so another start can end at a better map. For a
# table of at most 1000 rows, ``n_restarts="auto"`` makes four short starts from PCA and from
# Isomap, and continues the best one. ``restarts_`` lists all starts.
flowers = load_iris().data
for starts in (1, "auto"):
    flower_map = BayesianGPLVM(n_restarts=starts, random_state=0).fit(flowers)
    print(f"n_restarts={starts!r}: {flower_map.bound_:.1f} nats")
for start in flower_map.restarts_:
    print(f"{start.recipe}, {start.result.iterations} iterations: {start.bound:.1f} nats")

# %%
# For predictions, the start with the highest bound need not be the best. ``AverageOfStarts`` keeps
# all starts and averages their predictions. Its standard deviations are those of the mixture, so
# they also include how far the starts differ.
average = AverageOfStarts(BayesianGPLVM(2, 20, max_iter=100), n_starts=3, random_state=0)
gaps = flowers[:1].copy()
gaps[0, 2:] = np.nan
for flower_map in average.fit(flowers).estimators_:
    print(flower_map.complete(gaps).round(2))
print(average.complete(gaps, return_std=True))

# %%
# Which settings?
# ---------------
# The bound on the training rows cannot choose the number of inducing inputs or of dimensions: for
# new sequences, a higher bound can come with worse predictions. ``choose`` trains candidates on
# parts of the rows and judges them on the others: by filled gaps, by the density of rows, by one
# view predicted from others, or by forecasts. Without ``candidates`` it tries twelve combinations.
# ``more_inducing_`` says whether twice as many inducing inputs would raise the bound at all.
candidates = [{"n_components": 1}, {"noise": "per_output"}]
start = BayesianGPLVM(n_components=3, n_inducing=20, max_iter=60)
print(start.fit(flowers).more_inducing_.sentence())
choice = choose(start, flowers, "density", candidates=candidates, cv=2)
print(choice.sentence())
for tried in choice.tried:
    print(f"{tried.settings}: {tried.score:.2f} nats per held-out row")

# %%
# Is depth worth it?
# ------------------
# ``is_depth_worth_it(X, y)`` makes this comparison for one, two and three layers and for simpler
# models, and returns the answer as a sentence. It trains many models, so it takes minutes.
