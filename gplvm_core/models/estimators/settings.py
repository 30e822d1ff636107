"""The settings of the estimators: descriptions, types, and checks of the values.

An estimator declares its settings as the fields of a class, with types and defaults. The
constructor, the checks before training and the section "Parameters" of the documentation are made
from these fields. Only the first two settings are positional.
"""

import textwrap
import types
from collections.abc import Mapping
from dataclasses import KW_ONLY, MISSING, Field, dataclass, fields
from typing import (
    Any,
    Literal,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import How, Noise
from gplvm_core.models.estimators.documentation import documented, entries_of, sections_of

Scale = How
Seed = int | np.random.Generator | np.random.RandomState | None
Class = TypeVar("Class", bound=type)

# The description of each setting; an estimator can replace it in its own docstring.
SENTENCES: Mapping[str, str] = {
    "n_components": "The largest number of latent dimensions. Training turns off the dimensions "
    "that the data do not need.",
    "n_inducing": "The number of inducing inputs, at most one for each row. More inducing inputs "
    "make the mapping finer. The cost of an iteration grows with the square of their number.",
    "kernel": 'The covariance function of the mapping: "rbf", "linear", or a kernel object with '
    "expectations under Gaussian inputs: RBF, Linear, Bias, White, and their sums. If the inputs "
    'are known exactly, also "periodic", or any kernel object.',
    "time_kernel": "The covariance function of the latent paths over time, which couples the rows "
    'of a sequence: "rbf" (smooth), "matern52", "matern32" (a little rough), "matern12" (rough), '
    '"periodic", each with a little white noise, or a kernel object. None: independent rows. '
    "Training does not change the first variance of a kernel object, nor any parameter that "
    '`holding` names: (Periodic(1.0) + RBF(0.1)).holding("variance") + White(0.01) describes '
    "nearly periodic paths with a fixed proportion of smooth change (Damianou 2015, §3.5.4).",
    "path_over": 'What the paths of a time_kernel follow: "times", the times of the rows; '
    '"outputs", the rows\' own values, so that rows with similar values are near each other: an '
    "autoencoder, whose `bound_` is a bound on log p(Y | Y) (M2 of Damianou 2015, §6.2.5); or the "
    "numbers of some columns (counted from 0), such as a place on a map. Columns are standardised, "
    "and remain outputs, too. Such a model has no forecasts.",
    "init": 'The initial latent means: "pca", "isomap", "random", or an array of shape (N, Q).',
    "scaling": 'The units of the outputs inside the model: "global", one scale for all columns; '
    '"columns", one scale for each column; "none", the units of the given data. "auto": "columns" '
    "if the columns seem to have different units (one standard deviation is more than 20 times the "
    'median, or more than 1000 times the tenth percentile), otherwise "global".',
    "max_iter": "The largest number of accepted iterations of a start.",
    "n_restarts": "The number of starts. The model uses the start with the best final bound. If "
    "all dimensions of a map with an RBF kernel switch off, training also tries a start with two "
    "dimensions and one with a linear kernel; `notes_` says so. "
    '"auto": a table of at most 1000 rows has four short starts, and only the best start '
    'continues. With init="pca", some of them start from PCA and some from Isomap; tables with '
    "words or counts also start with two dimensions and with a linear kernel. This costs "
    "about 1.8 times as much as one start. A larger table has one start.",
    "jitter": "The number that is added to the diagonal of every kernel matrix, relative to the "
    "mean of that diagonal. `result_.jitter` reports the value that was used.",
    "random_state": "The seed of all random draws. Each fit advances a generator of NumPy.",
    "n_jobs": "The number of threads among which the rows are divided. None means one thread, −1 "
    "all processors.",
    "noise": '"shared", one noise variance for all outputs in internal units, or "per_output", a '
    'signal variance and a noise variance for each output (`noise_std_`). With "per_output", the '
    'results do not depend on `scaling`. "auto": "per_output" if scaling="auto" finds columns with '
    'different units and the model supports it, otherwise "shared".',
    "encoder": "None, or a function from outputs to q(X), which training learns with the mapping. "
    '`transform` then needs no inference for rows without gaps. "kernel" is a linear map plus an '
    'RBF expansion (Lawrence & Quiñonero-Candela 2006), "network" a linear map plus a hidden '
    'layer. "outputs" has no parameters: q(X) is centred on the outputs themselves, with a small '
    "fixed variance and one latent dimension for every output, so the model is an autoencoder "
    "(Damianou 2015, §6.2.5). "
    "`bound_` remains a lower bound, over a smaller family of posteriors. New rows with gaps are "
    "inferred by optimisation, as without an encoder.",
    "family": 'The variational family of the hidden layers. "marginalised" integrates out the '
    'inducing outputs given the hidden layers. "mean_field" makes the inducing outputs independent '
    "of the hidden layers; its bound is never higher. The other families are conditional: a last "
    'phase of training converts a marginalised posterior (Chamberlin 2016). In "gated" and '
    '"free" the hidden outputs depend on the inducing outputs, through one gate for each dimension '
    'or through any linear map. In "diagonal" (RBF kernels) the hidden outputs depend on the '
    "layer's inputs. The following families need RBF kernels and the package autograd, and suit "
    'small models: "joint" (gated, all dimensions of a layer jointly), "full" (each output depends '
    'on all inputs), "chain" (joint, and the inducing outputs depend on the inducing outputs of '
    'the layer above; no missing values) and "low_rank_chain" (a chain with a dependence of low '
    "rank). If the conditional bound ends lower than the marginalised bound, the model uses the "
    "marginalised posterior, and `notes_` reports this.",
    "kinds": "The kind of each column. None: all columns are numbers. "
    '"auto": the values of the columns decide (`columns_` and `notes_` report the kinds). '
    '"robust": likewise, with robust noise for all columns of numbers. A '
    "list or dict gives the kind of each column, and a dict may leave out columns. The kinds are "
    '"number", "robust" (a number some of whose values may be far from all others), "yes/no", '
    '"category", "grade", "count", "exposure" (a known number above 0 that '
    "multiplies the expected counts of its row), or a list of words for a grade in that order. "
    "With several kinds each column has its own signal variance and each column of numbers its own "
    "noise variance, so `noise` and `scaling` have no effect. An encoder and files "
    "require numbers.",
    "data_weight": "How much the rows count beside the prior when latent points are inferred: a "
    'number above 0 and at most 1 multiplies their term of the bound. "auto": wide rows that '
    "follow paths over time count as their number of independent columns, so that many pixels do "
    "not outweigh the prior; all other rows count fully (`data_weight_`).",
    "input_connections": "Whether every layer also has the top's points as inputs (Duvenaud et al. "
    "2014). Deep models then do not lose information about these points.",
    "second_stage": '"auto": after the map, `fit` learns the density of the rows '
    "(`fit_density(Y, folds=5)`) and the widths of intervals (`calibrate`), where the model can "
    'have them; `notes_` says what could not be learnt. "off": only the map is trained, and '
    "answers that are not calibrated say so.",
    "constrained": "Whether the posteriors of uncertain inputs are centred on the given inputs.",
}


@dataclass_transform(eq_default=False)
def preset(cls: Class) -> Class:
    """Make an estimator from a class whose fields are its settings.

    The section "Parameters" of the documentation is completed from SENTENCES. The class can
    replace a description by an entry in its docstring.
    """
    result: Any = dataclass(eq=False, repr=False)(cls)
    own = entries_of(sections_of(cls.__doc__).get("Parameters", ""))
    result._sentences = {
        **getattr(cls, "_sentences", {}),
        **{name: " ".join(entry.split()[1:]) for name, entry in own.items()},
    }
    hints = get_type_hints(result)
    entries = [_entry(each, hints[each.name], result._sentences) for each in _in_order(result)]
    return cast(Class, documented(result, entries))


@dataclass(eq=False, repr=False)
class Iterative:
    """Settings of all models that are trained by iterations."""

    _: KW_ONLY
    max_iter: int = 500
    n_restarts: int = 1
    jitter: float = 1e-6
    random_state: Seed = None
    n_jobs: int | None = None


@dataclass(eq=False, repr=False)
class Scaled(Iterative):
    """Settings of models that rescale their outputs."""

    _: KW_ONLY
    scaling: Scale = "auto"
    noise: Noise = "shared"


@dataclass(eq=False, repr=False)
class LatentSettings(Scaled):
    """Settings of models with latent points."""

    n_components: Any = 10
    n_inducing: Any = 50
    _: KW_ONLY
    noise: Noise | Literal["auto"] = "auto"  # type: ignore[assignment]
    n_restarts: int | Literal["auto"] = 1  # type: ignore[assignment]
    kernel: Any = "rbf"
    init: str | ArrayLike = "pca"
    second_stage: Literal["auto", "off"] = "auto"


def check_settings(model: Any) -> None:
    """Raise ValueError, with the allowed values, for settings that are out of range."""
    hints = get_type_hints(type(model))
    for each in fields(model):
        _check(each.name, getattr(model, each.name), hints[each.name])


# Settings that must be whole numbers of at least 1.
_COUNTS = {"n_components", "n_inducing", "max_iter", "n_restarts", "window"}


def _check(name: str, value: Any, hint: Any) -> None:
    kinds = _kinds(hint)
    if value is None and type(None) in kinds:
        return
    if name in _COUNTS and not (isinstance(value, str) and value in _choices(hint)):
        layered = any(get_origin(kind) is tuple for kind in kinds)
        each = value if layered and isinstance(value, tuple) else (value,)
        if not (each and all(_whole(one) for one in each)):
            more = ", or a tuple of such numbers, one for each layer" if layered else ""
            words = "".join(f' or "{choice}"' for choice in _choices(hint))
            raise ValueError(
                f"{name} must be a whole number of at least 1{more}{words}; got {value!r}"
            )
        return
    if hint is bool and not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False; got {value!r}")
    if name == "n_jobs" and not (_number(value) and value != 0):
        raise ValueError(f"{name} must be None or a whole number other than 0; got {value!r}")
    generators = np.random.Generator | np.random.RandomState
    if name == "random_state" and not (
        (_number(value) and value >= 0) or isinstance(value, generators)
    ):
        raise ValueError(
            f"{name} must be None or a whole number of at least 0, or a numpy.random.Generator or "
            f"RandomState; got {value!r}"
        )
    if name == "jitter" and not (_real(value) and 0.0 < value < 1.0):
        raise ValueError(
            f"jitter must lie between 0 and 1, relative to the diagonal of K; got {value!r}"
        )
    choices = _choices(hint)
    if choices and not (isinstance(value, str) and value in choices):
        none = "None or " if type(None) in kinds else ""
        raise ValueError(f"{name} must be {none}one of {', '.join(choices)}; got {value!r}")
    if name in ("kernel", "time_kernel"):
        parts = value.values() if isinstance(value, Mapping) else (value,)
        for part in _flat(parts):
            if not isinstance(part, str | Kernel):
                raise ValueError(
                    f"{name} must be the name of a kernel or a kernel object, such as RBF(); got "
                    f"{part!r}"
                )


def _flat(parts: Any) -> Any:
    """Flatten the kernels in tuples and dicts."""
    for part in parts:
        if isinstance(part, tuple):
            yield from _flat(part)
        elif isinstance(part, Mapping):
            yield from _flat(part.values())
        else:
            yield part


def _number(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return _number(value) and bool(value >= 1)


def _real(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


def _kinds(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _in_order(cls: Any) -> "list[Field[Any]]":
    """Sort the settings: first positional, then the estimator's own, then inherited settings."""
    own = [name for each in cls.__mro__ for name in vars(each).get("__annotations__", {})]
    return sorted(fields(cls), key=lambda each: (each.kw_only, own.index(each.name)))


def _entry(setting: "Field[Any]", hint: Any, described: Mapping[str, str]) -> str:
    """One entry of a numpydoc section."""
    sentence, default = described.get(setting.name) or SENTENCES[setting.name], setting.default
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    kind = _shown(hint) + ("" if default is MISSING else f", default {shown}")
    lines = textwrap.wrap(sentence, 88, break_long_words=False, break_on_hyphens=False)
    return "\n    ".join((f"{setting.name} : {kind}", *lines))


def _shown(hint: Any) -> str:
    """A type as numpydoc writes it: {"shared", "per_output"}, int or None."""
    if hint == str | ArrayLike:
        return "str or array_like"
    choices = _choices(hint)
    others = [kind for kind in _kinds(hint) if get_origin(kind) is not Literal]
    shown = ["{" + ", ".join(f'"{choice}"' for choice in choices) + "}"] if choices else []
    for kind in others:
        if get_origin(kind) is tuple:
            shown.append(f"tuple of {_shown(get_args(kind)[0])}")
        elif get_origin(kind) is not None:
            shown.append("dict" if issubclass(get_origin(kind), Mapping) else "list")
        else:
            shown.append("None" if kind is type(None) else str(getattr(kind, "__name__", kind)))
    return " or ".join(shown)


def _choices(hint: Any) -> list[str]:
    """The allowed words of a setting; empty if it is not restricted to words."""
    kinds = (kind for kind in _kinds(hint) if get_origin(kind) is Literal)
    return [choice for kind in kinds for choice in get_args(kind)]
