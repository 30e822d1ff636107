"""Pack single columns of all rows, for a canvas that has only a sample of the rows."""

import numpy as np

from gplvm_core.readers.spread import row_order
from gplvm_core.wire.frame import frame
from gplvm_core.wire.model import MOST_FACTORS, Chart, facts_of, plane_positions

FEW_LABELS = 256


def pack_columns(chart: Chart) -> dict[str, bytes]:
    """Return framed bytes with `values` of all rows, by the canvas' name of the column.

    "0", "1", …: the positions in each dimension; "labels"; "fact 0", …: covariates. The result is
    empty if the canvas has all rows.
    """
    if chart.whole is None:
        return {}
    order, dataset = row_order(len(chart.latent_mean)), chart.dataset
    columns = {f"{q}": column for q, column in enumerate(plane_positions(chart).T)}
    facts = list(facts_of(dataset).values())[:MOST_FACTORS]
    columns |= {f"fact {number}": values for number, values in enumerate(facts)}
    found = {name: column[order].astype(np.float32) for name, column in columns.items()}
    if dataset.labels is not None:
        few = dataset.labels.min() >= 0 and dataset.labels.max() < FEW_LABELS
        found["labels"] = dataset.labels[order].astype(np.uint8 if few else np.int32)
    return {name: frame({}, {"values": values}) for name, values in found.items()}
