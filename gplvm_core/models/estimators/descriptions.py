"""Descriptions that estimators share: settings, fitted attributes, and arguments of methods.

An estimator's own docstring may replace an entry. `documentation.py` completes the docstrings from
these sections.

Settings
--------
n_components
    The largest number of latent dimensions. Training turns off the dimensions that the data do
    not need.
n_inducing
    The number of inducing inputs, at most one for each row. More inducing inputs make the
    mapping finer. The cost of an iteration grows with the square of their number.
kernel
    The covariance function of the mapping: "rbf", "linear", or a kernel object with
    expectations under Gaussian inputs: RBF, Linear, Bias, White, and their sums. If the inputs
    are known exactly, also "periodic", or any kernel object.
time_kernel
    The covariance function of the latent paths over time, which couples the rows of a sequence:
    "rbf" (smooth), "matern52", "matern32" (a little rough), "matern12" (rough), "periodic",
    each with a little white noise, or a kernel object. "auto": starts with "matern32",
    "matern52" and, unless a sequence has more than 300 rows, "rbf" make 15 % of the
    iterations, at least 20; the one with the highest bound continues. None: independent rows.
    Training does not change the first variance of a kernel object, nor any parameter that
    `holding` names: (Periodic(1.0) + RBF(0.1)).holding("variance") + White(0.01) describes
    nearly periodic paths with a fixed proportion of smooth change (Damianou 2015, §3.5.4).
path_over
    What the paths of a time_kernel follow: "times", the times of the rows; "outputs", the rows'
    own values, so that rows with similar values are near each other: an autoencoder, whose
    `bound_` is a bound on log p(Y | Y) (M2 of Damianou 2015, §6.2.5); or the numbers of some
    columns (counted from 0), such as a place on a map. Columns are standardised, and remain
    outputs, too. Such a model has no forecasts.
init
    The initial latent means: "pca", "isomap", "random", or an array of shape (N, Q).
scaling
    The units of the outputs inside the model: "global", one scale for all columns; "columns",
    one scale for each column; "none", the units of the given data. "auto": "columns" if the
    columns seem to have different units (one standard deviation is more than 20 times the
    median, or more than 1000 times the tenth percentile), otherwise "global".
max_iter
    The largest number of accepted iterations of a start.
n_restarts
    The number of starts. The model uses the start with the best final bound. If all dimensions
    of a map with an RBF kernel switch off, training also tries a start with two dimensions and
    one with a linear kernel; `notes_` says so. "auto": a table of at most 1000 rows has four
    short starts, and only the best start continues. With init="pca", some of them start from
    PCA and some from Isomap; tables with words or counts also start with two dimensions and
    with a linear kernel. This costs about 1.8 times as much as one start. A larger table has
    one start.
jitter
    The number that is added to the diagonal of every kernel matrix, relative to the mean of
    that diagonal. `result_.jitter` reports the value that was used.
random_state
    The seed of all random draws. Each fit advances a generator of NumPy.
n_jobs
    The number of threads among which the rows are divided. None means one thread, −1 all
    processors.
noise
    "shared", one noise variance for all outputs in internal units, or "per_output", a signal
    variance and a noise variance for each output (`noise_std_`). With "per_output", the results
    do not depend on `scaling`. "auto": "per_output" if scaling="auto" finds columns with
    different units and the model supports it, otherwise "shared".
encoder
    None, or a function from outputs to q(X), which training learns with the mapping.
    `transform` then needs no inference for rows without gaps. "kernel" is a linear map plus an
    RBF expansion (Lawrence & Quiñonero-Candela 2006), "network" a linear map plus a hidden
    layer. "outputs" has no parameters: q(X) is centred on the outputs themselves, with a small
    fixed variance and one latent dimension for every output, so the model is an autoencoder
    (Damianou 2015, §6.2.5). `bound_` remains a lower bound, over a smaller family of
    posteriors. New rows with gaps are inferred by optimisation, as without an encoder.
family
    The variational family of the hidden layers. "marginalised" integrates out the inducing
    outputs given the hidden layers. "mean_field" makes the inducing outputs independent of the
    hidden layers; its bound is never higher. The other families are conditional: a last phase
    of training converts a marginalised posterior (Chamberlin 2016). In "gated" and "free" the
    hidden outputs depend on the inducing outputs, through one gate for each dimension or
    through any linear map. In "diagonal" (RBF kernels) the hidden outputs depend on the layer's
    inputs. The following families need RBF kernels and the package autograd, and suit small
    models: "joint" (gated, all dimensions of a layer jointly), "full" (each output depends on
    all inputs), "chain" (joint, and the inducing outputs depend on the inducing outputs of the
    layer above; no missing values) and "low_rank_chain" (a chain with a dependence of low
    rank). If the conditional bound ends lower than the marginalised bound, the model uses the
    marginalised posterior, and `notes_` reports this.
kinds
    The kind of each column. None: all columns are numbers. "auto": the values of the columns
    decide (`columns_` and `notes_` report the kinds). "robust": likewise, with robust noise for
    all columns of numbers. "fraction": all columns are fractions of one whole. A list or dict
    gives the kind of each column, and a dict may leave out columns. The kinds are "number",
    "robust" (a number some of whose values may be far from all others), "fraction" (not negative,
    with the sum 1 or 100 over the fractions of every row; all answers are such fractions),
    "yes/no", "category", "grade", "count", "exposure" (a known number above 0 that multiplies the
    expected counts of its row), or a list of words for a grade in that order.
    With several kinds each column has its own signal variance and each column of numbers its
    own noise variance, so `noise` and `scaling` have no effect. An encoder and files require
    numbers.
data_weight
    How much the rows count beside the prior when latent points are inferred: a number above 0
    and at most 1 multiplies their term of the bound. "auto": wide rows that follow paths over
    time count as their number of independent columns, so that many pixels do not outweigh the
    prior; all other rows count fully (`data_weight_`).
without
    The columns of the table that the map leaves out: their names, or numbers from 0. They are
    known factors, such as batches, laboratories or ages: inputs of the outputs' functions beside
    the latent point. The map then shows only what they do not explain. `given` returns the map at
    a value of the factors; rows with other or missing values are averaged over the values in
    training.
input_connections
    Whether every layer also has the top's points as inputs (Duvenaud et al. 2014). Deep models
    then do not lose information about these points.
second_stage
    "auto": after the map, `fit` learns the density of the rows (`fit_density(Y, folds=5)`) and
    the widths of intervals (`calibrate`), where the model can have them; `notes_` says what
    could not be learnt. "off": only the map is trained, and answers that are not calibrated say
    so.
constrained
    Whether the posteriors of uncertain inputs are centred on the given inputs.

Attributes
----------
fitted_ : Fitted
    The trained graph with the columns of its data, the rows over time, the density and the widths
    of intervals: one value whose methods answer about rows and points.
bound_ : float
    The bound on the log density of the data, in nats, in the units of the given data.
notes_ : tuple of str
    Notes on the data and on automatic choices during training.
result_ : Result
    How training ended: its status and the reason in words, and the numbers of iterations and
    evaluations.
trace_ : dict of str to ndarray
    The history of quantities such as `bound`, with one entry for each accepted iteration.
n_iter_ : int
    The number of accepted iterations of the start that was used.
restarts_ : tuple of Restart
    For each start its seed, its final bound in nats, and how its training ended.
more_inducing_ : MoreInducing or None
    The rise of the bound at once with twice as many inducing inputs (None: not computed).
latent_mean_ : ndarray of shape (N, Q)
    The posterior means of the latent points of the training rows.
latent_variance_ : ndarray of shape (N, Q)
    The posterior variances of these latent points.
information_ : ndarray of shape (Q,)
    The information of each latent dimension about a training point, in nats per row. A
    dimension is on above 0.05.
relevance_ : ndarray of shape (Q,)
    The ARD weight of each latent dimension, an inverse squared lengthscale.
latent_scale_ : ndarray of shape (Q,)
    The square roots of the relevances: the factors from latent points to lengthscales, the
    units in which distances have a meaning.
n_effective_ : int
    The number of latent dimensions that are on.
posterior_ : Posterior
    The layer that generates the outputs: kernel, inducing inputs, q(u) and units.
kernel_ : Kernel
    The trained kernel of this layer, in internal units.
inducing_ : ndarray of shape (M, Q)
    The inducing inputs of this layer.
noise_variance_ : float
    The noise variance of this layer in internal units; 1 with noise="per_output".
noise_std_ : ndarray of shape (D,)
    The standard deviations of the observation noise, in the units of the outputs.
center_ : ndarray of shape (D,)
    The values of the outputs, in the units of the outputs, that are 0 in internal units.
scale_ : ndarray of shape (D,)
    The factors from internal units to the units of the outputs. With noise="per_output"
    these are the standard deviations of the noise.
data_weight_ : float
    How much a row counts when its latent point is inferred.
density_ : DerivedDensity or None
    The density of rows, a mixture of Gaussians; None if `fit` did not learn it, and before
    `fit_density` is called.
intervals_ : Intervals or None
    The factors of standard deviations (`calibrate`); None if `fit` did not learn them.
forecaster_ : Forecaster or None
    Who continues the training sequences, and why (`choose_forecaster`); None if `fit` did not test
    it.
times_ : ndarray of shape (N, P) or None
    The times of the training rows; None without a kernel over time.
sequences_ : ndarray of shape (N,) or None
    The labels of the training rows' sequences; None without a kernel over time.
path_ : Path or None
    The parameters (μ̄, λ) of the latent path, each of shape (N, Q); None without a kernel over
    time.
time_kernel_ : Kernel or None
    The trained kernel over time, or None.
encoder_ : Encoder or None
    The trained encoder, or None.
layers_ : tuple of DeepLayer
    The layers, the top first. Each has the posterior of its inputs (`latent_mean_`,
    `latent_variance_`, `information_`, `relevance_`) and a verdict in words (`verdict_`).
family_ : str or None
    "marginalised" if the posterior of the marginalised family replaced the posterior of
    `family`, because the bound of `family` was lower; else None.
statistics_ : Statistics
    The sums over the rows that determine q(u).
known_ : TakenOut or None
    The known factors that the map leaves out; None without such factors.
given_ : ndarray or None
    The values of the known factors of the rows asked about, after `given`; None otherwise.
rows_ : TrainingRows
    The rows of the model. `count`: the number of rows. `trained`: the rows that training used
    (None: all).
n_features_in_ : int
    The number of columns of the training data.
feature_names_in_ : ndarray of str, shape (D,)
    The column names of the training data; only defined for a data frame with text names.

Arguments
---------
column : str or int
    The name or the number of the column.
errors : array_like of shape (n, D), optional
    The known standard deviation of each value, in its units; NaN where it is unknown. They add to
    the column's noise. The map then answers, and not the density of the rows. A data frame is
    matched by its names. Default: no errors.
inputs : dict of str to array_like of shape (n, Q), optional
    The points of the nodes with `KnownInputs`.
most : int
    The largest count.
noise : bool, default False
    Whether standard deviations include the observation noise.
random_state : int or None, default None
    The seed of the draws.
return_std : bool, default False
    Whether to return standard deviations, too.
sequence : label, optional
    The label of the trained sequence to which the rows belong; None for a new sequence.
view : str
    The name of the view with the column.

Arguments of complete
---------------------
method : {"map", "density"}, optional
    How gaps are filled: "map" uses latent points that explain the row, "density" the density that
    the second stage of `fit` derived. Default: the method that filled gaps of the same kind better
    in held-out rows (`completion_methods`); standard deviations are calibrated on these rows.
    Without a density, the default is "map", and standard deviations are not calibrated.

Arguments of fit
----------------
y : ignored
    Not used; scikit-learn expects this argument.
times : array_like of shape (N,) or (N, P), optional
    Times of the rows, or other observed inputs, for a model with a time_kernel. Default:
    0, 1, 2, … within each sequence.
sequences : array_like of shape (N,), optional
    The label of each row's sequence. Rows with the same label share a path; different paths are
    independent.
callback : callable, optional
    Called as callback(progress) after each accepted iteration, and after each step of the second
    stage. If it raises StopIteration, training ends with the best state so far.
resume : Run, optional
    A `progress.run` to continue, with the same data and settings; max_iter may be larger.
"""
