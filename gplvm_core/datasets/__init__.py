"""Level 6: data for users: the readers, and the data sets by name."""

from gplvm_core import readers
from gplvm_core.datasets.catalogue import list_datasets, load_dataset, optional_datasets
from gplvm_core.readers import *  # noqa: F403  (the readers' public names)
from gplvm_core.simulated.toy_views import toy_views

__all__ = ["list_datasets", "load_dataset", "optional_datasets", "toy_views"]
__all__ += readers.__all__
