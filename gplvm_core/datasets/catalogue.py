"""Load data sets of the project and of other packages by name."""

from collections.abc import Callable

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.packages import not_installed
from gplvm_core.shipped import countries, digit_views
from gplvm_core.shipped.faces import PACKAGE, load_faces
from gplvm_core.shipped.poses import load_body_parts, load_poses
from gplvm_core.shipped.rendered import load_people, load_talking_head
from gplvm_core.shipped.scikit_learn import load_diabetes, load_digits, load_wine
from gplvm_core.simulated.flow import load_flow
from gplvm_core.simulated.lit_heads import load_heads, load_lit_pairs
from gplvm_core.simulated.pendulum import load_pendulum
from gplvm_core.simulated.silhouettes import load_silhouettes
from gplvm_core.simulated.spikes import load_spikes
from gplvm_core.simulated.toy_views import toy_views
from gplvm_core.simulated.turned_digit import load_turned_digit
from gplvm_core.simulated.walker import load_unseen_walk, load_walker

LOADERS: dict[str, Callable[[], Dataset]] = {
    "people": load_people,
    "faces": load_faces,
    "heads": load_heads,
    "digits": load_digits,
    "poses": load_poses,
    "talking_head": load_talking_head,
    "pendulum": load_pendulum,
    "flow": load_flow,
    "wine": load_wine,
    "diabetes": load_diabetes,
    "countries": countries.load_countries,
    "spikes": load_spikes,
    "turned_digit": load_turned_digit,
    "lit_pairs": load_lit_pairs,
    "silhouettes": load_silhouettes,
    "walker": load_walker,
    "body_parts": load_body_parts,
    "digits_views": digit_views.load_digits_views,
    "toy_views": toy_views,
    "multi_feature_digits": digit_views.load_multi_feature_digits,
    "walker_unseen": load_unseen_walk,  # further rows; no ready-made model was trained on them
}
UNLISTED = ("multi_feature_digits", "walker_unseen")  # not in `list_datasets`

# The packages that contain some of these data sets. If its package is not installed, a data set
# counts as optional.
PACKAGES: dict[str, tuple[str, ...]] = {
    "faces": (PACKAGE,),
    "countries": countries.PACKAGES,
    "multi_feature_digits": (digit_views.PACKAGE,),
}


def list_datasets() -> tuple[str, ...]:
    """Return the names of the data sets that can be loaded without installing further packages.

    Includes "faces" and "countries" only if their packages are installed.

    Examples
    --------
    >>> from gplvm_core import list_datasets
    >>> "digits" in list_datasets()
    True
    """
    listed = (name for name in LOADERS if name not in UNLISTED)
    return tuple(name for name in listed if not not_installed(PACKAGES.get(name, ())))


def optional_datasets() -> dict[str, tuple[str, ...]]:
    """Return further names for `load_dataset`, each with the packages to install for it."""
    absent = {name: not_installed(packages) for name, packages in PACKAGES.items()}
    return {name: packages for name, packages in absent.items() if packages or name in UNLISTED}


def load_dataset(name: str) -> Dataset:
    """Load a data set by its name; every call returns the same data.

    Raises DataError for an unknown name, and if a package that contains the data is not installed.

    Examples
    --------
    >>> from gplvm_core import load_dataset
    >>> digits = load_dataset("digits")
    >>> digits.values.shape, digits.drawing.kind
    ((1797, 64), 'image')
    """
    if name not in LOADERS:
        raise DataError(f"There is no data set {name!r}; choose one of {', '.join(LOADERS)}.")
    return LOADERS[name]()
