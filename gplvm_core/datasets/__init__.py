"""Floor 1: what to learn from. One file per source or format."""

from gplvm_core.datasets.bvh import Motion, read_motion
from gplvm_core.datasets.catalogue import list_datasets, load_dataset
from gplvm_core.datasets.checks import check_targets, describe
from gplvm_core.datasets.dataset import Dataset, Drawing, Skeleton
from gplvm_core.datasets.errors import DataError, EmptyRowsError
from gplvm_core.datasets.images import read_images
from gplvm_core.datasets.poses import read_bvh
from gplvm_core.datasets.sources import Source
from gplvm_core.datasets.table import read_table
from gplvm_core.datasets.table_report import ColumnReport, TableReport, inspect_table
from gplvm_core.datasets.video import read_video

__all__ = [
    "ColumnReport",
    "DataError",
    "Dataset",
    "Drawing",
    "EmptyRowsError",
    "Motion",
    "Skeleton",
    "Source",
    "TableReport",
    "check_targets",
    "describe",
    "inspect_table",
    "list_datasets",
    "load_dataset",
    "read_bvh",
    "read_images",
    "read_motion",
    "read_table",
    "read_video",
]
