"""The settings of the estimators: what each one means, said once, and what values it may have.

An estimator lists its settings as the fields of a class, each with its kinds and its default. Its
constructor, the checks before training and the section "Parameters" of its documentation follow
from that list. The first two can be given by position, all others by name.
"""

import re
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
from gplvm_core.models.data.scaling import Noise

Scale = Literal["global", "columns", "none"]
Optimiser = Literal["lbfgs", "scg"]
Seed = int | np.random.Generator | np.random.RandomState | None
Class = TypeVar("Class", bound=type)

# What a setting means, where an estimator does not say more.
SENTENCES: Mapping[str, str] = {
    "n_components": "The number of latent dimensions, at most: training turns off those that the "
    "data do not need.",
    "n_inducing": "The number of inducing inputs, at most one for each row. More of them make the "
    "mapping finer; the cost of an iteration grows with their square.",
    "kernel": 'The covariance function of the mapping: "rbf", "linear", "periodic", or a kernel '
    "object with expectations under Gaussian inputs: RBF, Linear, Periodic, Bias, White, products "
    "of RBF kernels with at most one Periodic, and sums.",
    "time_kernel": "None, or the covariance function of the latent paths over time, which joins "
    'the rows of a sequence: "rbf" (smooth), "matern52", "matern32" (a little rough), "matern12" '
    '(rough), "periodic", each with a little white noise, or a kernel object. The first variance '
    'of an object is held, and so is what it names: (Periodic(1.0) + RBF(0.1)).holding("variance") '
    "+ White(0.01) nearly repeats, with a given share of anything smooth (Damianou 2015, §3.5.4).",
    "init": 'The latent means that training starts from: "pca", "isomap", "random", or the means '
    "themselves, N × Q.",
    "scaling": 'The units of the outputs inside the model: "global", one scale for all columns; '
    '"columns", one for each; "none", as given.',
    "max_iter": "The most accepted iterations of a start.",
    "n_restarts": "The number of starts. The one that ends with the best bound is used.",
    "jitter": "Added to the diagonal of every kernel matrix, relative to the mean of that "
    "diagonal. Results report it.",
    "optimiser": 'The optimiser: "lbfgs", or "scg", scaled conjugate gradients.',
    "random_state": "The seed of everything that is drawn at random: None, a whole number, or a "
    "`numpy.random.Generator` or `RandomState`, which every fit then advances.",
    "n_jobs": "The number of threads that share the rows; None is one, −1 all processors.",
    "noise": '"shared", one noise variance for all outputs in their internal units, or '
    '"per_output": every output has a signal and a noise variance of its own (`noise_std_`), so '
    "that its scale does not matter, whatever `scaling` says.",
    "encoder": "None, or q(X) as a function of the outputs that is learnt with the mapping, so "
    'that transform of a whole row needs no inference: "kernel", a linear map and an RBF expansion '
    '(Lawrence & Quiñonero-Candela 2006), or "network", a linear map and a hidden layer. '
    "`bound_` stays a lower bound, over fewer beliefs. New rows with gaps are "
    "inferred iteratively, as without an encoder.",
    "family": 'q of the hidden layers: "marginalised" (inducing outputs integrated out given the '
    'hidden layers) or "mean_field" (independent of them, never higher); or conditional ones, '
    'which a last phase of training turns a marginalised one into (Chamberlin 2016): "gated" and '
    '"free" (hidden outputs that follow the inducing outputs, by one gate a dimension or at will), '
    '"diagonal" (outputs that follow the inputs; RBF kernels). For small models, with RBF kernels '
    'and the package autograd: "joint" (gated, all dimensions of a layer together), "full" (every '
    'output follows all inputs), "chain" (joint, and the inducing outputs follow those of the '
    'layer above; no missing values) and "low_rank_chain" (by a matrix of low rank). Where such a '
    'bound ends lower than that of "marginalised" at the same beliefs, the latter is used, and '
    "`notes_` say so.",
    "kinds": 'None, all columns are numbers; "auto", every column has the kind that its data type '
    "suggests (`columns_`, `notes_`); or a list or dict of kinds by column, where a dict may "
    'leave out columns: "number", "yes/no", "category", "grade", "count", or the words of a grade '
    "in their order. With columns of several kinds every one has a signal of its own, and every "
    "number a noise of its own, whatever `noise` and `scaling` say; encoder, batch_size and files "
    "need numbers alone.",
    "batch_size": "None, or train by batches of so many rows drawn at random (stochastic "
    "variational inference; Damianou 2015, §3.3.3). After a sample of 2500 rows q(u) moves by its "
    "natural gradient and the other parameters by Adam, ten batches an iteration. With an encoder "
    "the beliefs of a batch are its answers, else each row has its own.",
    "input_connections": "Every layer sees the top beside the outputs of the layer above (Duvenaud "
    "et al. 2014), so that deep models forget none of it.",
    "constrained": "Beliefs about uncertain inputs stay centred on the inputs as given.",
}


@dataclass_transform(eq_default=False)
def preset(cls: Class) -> Class:
    """Make an estimator of a class whose fields are its settings.

    Where SENTENCES says too little about a setting, the section "Parameters" of the class'
    documentation says what it means here; this completes the section.
    """
    result: Any = dataclass(eq=False, repr=False)(cls)
    text, _, own = (cls.__doc__ or "").partition(_HEADING)
    result._sentences = {
        **getattr(cls, "_sentences", {}),
        **{name: " ".join(said.split()) for name, said in _ENTRY.findall(own)},
    }
    hints = get_type_hints(result)
    entries = [_entry(each, hints[each.name], result._sentences) for each in _in_order(result)]
    result.__doc__ = "\n".join((text.rstrip(), "", _HEADING + entries[0], *entries[1:], "    "))
    return cast(Class, result)


@dataclass(eq=False, repr=False)
class Iterative:
    """Settings of everything that is trained by iterations."""

    _: KW_ONLY
    max_iter: int = 500
    n_restarts: int = 1
    jitter: float = 1e-6
    optimiser: Optimiser = "lbfgs"
    random_state: Seed = None
    n_jobs: int | None = None


@dataclass(eq=False, repr=False)
class Scaled(Iterative):
    """Settings of models of outputs in units of their own."""

    _: KW_ONLY
    scaling: Scale = "global"
    noise: Noise = "shared"


@dataclass(eq=False, repr=False)
class LatentSettings(Scaled):
    """Settings of models with latent points."""

    n_components: Any = 10
    n_inducing: Any = 50
    _: KW_ONLY
    kernel: Any = "rbf"
    init: str | ArrayLike = "pca"


def check_settings(model: Any) -> None:
    """Raise ValueError for settings of an estimator that are out of range, with what is allowed."""
    hints = get_type_hints(type(model))
    for each in fields(model):
        _check(each.name, getattr(model, each.name), hints[each.name])


# Whole numbers of at least 1.
_COUNTS = {"n_components", "n_inducing", "max_iter", "n_restarts", "batch_size", "window"}
_HEADING = "    Parameters\n    ----------\n"
_ENTRY = re.compile(r"^    (\w+)\n((?:        .+\n)+)", re.MULTILINE)


def _check(name: str, value: Any, hint: Any) -> None:
    kinds = _kinds(hint)
    if value is None and type(None) in kinds:
        return
    if name in _COUNTS:
        layered = any(get_origin(kind) is tuple for kind in kinds)
        each = value if layered and isinstance(value, tuple) else (value,)
        if not (each and all(_whole(one) for one in each)):
            more = ", or a tuple of them, one for each layer" if layered else ""
            raise ValueError(f"{name} must be a whole number of at least 1{more}; got {value!r}")
    if bool in kinds and not isinstance(value, bool):
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
        raise ValueError(f"jitter must lie between 0 and 1, relative to K; got {value!r}")
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
    """The kernels in tuples and dicts of them."""
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
    """The settings by position, then an estimator's own, then those that others have, too."""
    own = [name for each in cls.__mro__ for name in vars(each).get("__annotations__", {})]
    return sorted(fields(cls), key=lambda each: (each.kw_only, own.index(each.name)))


def _entry(setting: "Field[Any]", hint: Any, said: Mapping[str, str]) -> str:
    """One entry of a numpydoc section."""
    sentence, default = said.get(setting.name) or SENTENCES[setting.name], setting.default
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    kind = _shown(hint) + ("" if default is MISSING else f", default {shown}")
    lines = textwrap.wrap(sentence, 88, break_long_words=False, break_on_hyphens=False)
    return "\n        ".join((f"    {setting.name} : {kind}", *lines))


def _shown(hint: Any) -> str:
    """Kinds as numpydoc writes them: {"shared", "per_output"}, int or None."""
    if hint == ArrayLike:  # of which str is one
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
    """The words that a setting may be, where only some are allowed."""
    kinds = (kind for kind in _kinds(hint) if get_origin(kind) is Literal)
    return [choice for kind in kinds for choice in get_args(kind)]
