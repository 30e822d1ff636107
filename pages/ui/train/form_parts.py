"""Questions that the forms of several models share."""

from gplvm_core import RBF, Linear
from gplvm_core.kernels import Kernel
from pages.ui.shared.inputs import one_of, whole_number_of
from pages.ui.shared.words import TERMS

NOISES = {"shared": "One for all outputs", "per_output": "Each output its own"}
BY_UNITS = {"auto": "By the units of each view"}
KERNELS = {"rbf": "Curved", "linear": "Straight", "both": "Both"}


def chosen(
    label: str,
    name: str,
    words: dict[str, str],
    *,
    usual: str = "",
    term: str = "",
    mark: str = "",
) -> str:
    """Show a choice between a few named values, and return the chosen value.

    usual: the default, if it is not the first value. term: the glossary term, if it is not `name`.
    """
    usual = usual or next(iter(words))
    return one_of(label, words, f"form_{name}{mark}", usual=usual, help=TERMS[term or name])


def training_steps(key: str) -> int:
    """Ask for the most steps of the optimiser."""
    label = "Training steps, at most"
    return whole_number_of(label, key, 500, (10, 20_000), step=100, help=TERMS["max_iter"])


def random_seed(key: str) -> int:
    """Ask for the seed of all random choices."""
    return whole_number_of("Random seed", key, 0, (0, 2**31 - 1), help=TERMS["seed"])


def inducing_points(key: str, usual: int, most: int) -> int:
    """Ask for the number of inducing points."""
    ends = min(2, most), most
    return whole_number_of("Inducing points", key, usual, ends, step=10, help=TERMS["inducing"])


def kernel_of(shape: str) -> str | Kernel:
    """Return the kernel for the chosen shape of a mapping."""
    return RBF() + Linear() if shape == "both" else shape
