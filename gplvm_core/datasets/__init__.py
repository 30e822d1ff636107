"""Floor 1: what to learn from. One file per source or format."""

from gplvm_core.datasets.bvh import Motion, read_motion
from gplvm_core.datasets.catalogue import list_datasets, load_dataset, optional_datasets
from gplvm_core.datasets.cells import read_h5ad, write_h5ad
from gplvm_core.datasets.checks import check_targets, describe
from gplvm_core.datasets.dataset import Dataset
from gplvm_core.datasets.drawing import Drawing, Skeleton
from gplvm_core.datasets.errors import DataError, EmptyRowsError
from gplvm_core.datasets.files import kind_of, read_file
from gplvm_core.datasets.images import read_images
from gplvm_core.datasets.markers import read_c3d
from gplvm_core.datasets.poses import read_bvh
from gplvm_core.datasets.row_files import RowFiles
from gplvm_core.datasets.sources import NamedBytes, Source
from gplvm_core.datasets.table import read_table
from gplvm_core.datasets.table_report import ColumnReport, TableReport, inspect_table
from gplvm_core.datasets.toy_views import toy_views
from gplvm_core.datasets.video import read_video
from gplvm_core.datasets.views import View, label_view

__all__ = [
    "ColumnReport",
    "DataError",
    "Dataset",
    "Drawing",
    "EmptyRowsError",
    "Motion",
    "NamedBytes",
    "RowFiles",
    "Skeleton",
    "Source",
    "TableReport",
    "View",
    "check_targets",
    "describe",
    "inspect_table",
    "kind_of",
    "label_view",
    "list_datasets",
    "load_dataset",
    "optional_datasets",
    "read_bvh",
    "read_c3d",
    "read_file",
    "read_h5ad",
    "read_images",
    "read_motion",
    "read_table",
    "read_video",
    "toy_views",
    "write_h5ad",
]
