"""Level 1: read files into data sets, with checks and limits. One module per format."""

from gplvm_core.readers.asked import ask_column
from gplvm_core.readers.bodies.bvh import Motion, read_motion
from gplvm_core.readers.bodies.markers import read_c3d
from gplvm_core.readers.bodies.poses import read_bvh
from gplvm_core.readers.checks import check_targets, describe
from gplvm_core.readers.column_task import ColumnTask
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.readers.error_columns import error_columns
from gplvm_core.readers.errors import DataError, EmptyRowsError
from gplvm_core.readers.files import kind_of, read_file
from gplvm_core.readers.pictures.images import read_images
from gplvm_core.readers.pictures.video import read_video
from gplvm_core.readers.rows.files import RowFiles
from gplvm_core.readers.sources import NamedBytes, Source
from gplvm_core.readers.tables.fcs import read_fcs
from gplvm_core.readers.tables.h5ad import read_h5ad, write_h5ad
from gplvm_core.readers.tables.report import ColumnReport, TableReport, inspect_table
from gplvm_core.readers.tables.table import read_table
from gplvm_core.readers.views import View, label_view

__all__ = [
    "ColumnReport",
    "ColumnTask",
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
    "ask_column",
    "check_targets",
    "describe",
    "error_columns",
    "inspect_table",
    "kind_of",
    "label_view",
    "read_bvh",
    "read_c3d",
    "read_fcs",
    "read_file",
    "read_h5ad",
    "read_images",
    "read_motion",
    "read_table",
    "read_video",
    "write_h5ad",
]
