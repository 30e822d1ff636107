"""Coordinates that a table already has: found by their names, and taken out of the table."""

import numpy as np
import pytest

from gplvm_core import Dataset, Drawing
from gplvm_core.readers import DataError
from gplvm_core.readers.coordinates import at_coordinates, coordinate_columns


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("id", "x", "y", "age"), ("x", "y")),
        (("UMAP1", "UMAP2", "gene"), ("UMAP1", "UMAP2")),
        (("umap_0", "umap_1", "umap_2"), ("umap_0", "umap_1")),
        (("a", "tSNE-0", "tSNE-1"), ("tSNE-0", "tSNE-1")),
        (("PC 1", "PC 2", "PC 3"), ("PC 1", "PC 2")),
        (("X_umap1", "X_umap2"), ("X_umap1", "X_umap2")),
        (("Longitude", "Latitude"), ("Longitude", "Latitude")),
        (("umap_x", "umap_y", "gene"), ("umap_x", "umap_y")),
        (("UMAP-x", "UMAP-y"), ("UMAP-x", "UMAP-y")),
        (("tsne_y", "tsne_x"), ("tsne_x", "tsne_y")),
        (("id", "pcaX", "pcaY"), ("pcaX", "pcaY")),
        (("x_umap", "y_umap"), ("x_umap", "y_umap")),
        (("emb_0", "emb_1", "emb_2"), ("emb_0", "emb_1")),
        (("dim_1", "dim_2"), ("dim_1", "dim_2")),
        (("accel_x", "accel_y"), None),
        (("dim_x", "dim_y"), None),
        (("umap_x", "tsne_y"), None),
        (("box_umap", "boy_umap"), None),
        (("member_0", "member_1"), None),
        (("sensor 1", "sensor 2"), None),
        (("x", "height"), None),
        (("umap_1", "tsne_2"), None),
    ],
)
def test_coordinates_are_found_by_their_names(names, found):
    assert coordinate_columns(names) == found


def test_rows_keep_their_positions_and_the_other_numbers():
    rows = [
        {"x": 10.0, "y": 4.0, "age": 30.0, "wood": "oak"},
        {"x": 14.0, "y": 5.0, "age": 29.0, "wood": "pine"},
        {"x": np.nan, "y": 1.0, "age": 41.0, "wood": "oak"},
        {"x": 12.0, "y": 9.0, "age": 28.5, "wood": "pine"},
        {"x": 11.0, "y": 9.0, "age": np.nan, "wood": "pine"},
    ]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    kinds = {"x": "number", "y": "number", "age": "number", "wood": "category"}
    pandas = pytest.importorskip("pandas")
    data = Dataset.of_table(
        "t", "T", pandas.DataFrame(table), kinds, row_names=np.array([*"abcde"])
    )
    shown, places = at_coordinates(data, "x", "y")
    assert shown.column_names == ("age",) and shown.row_names.tolist() == ["a", "b", "d"]
    np.testing.assert_array_equal(shown.values[:, 0], [30.0, 29.0, 28.5])
    # A shift and one common scale: distances keep their proportions.
    given = np.array([[10.0, 4.0], [14.0, 5.0], [12.0, 9.0]])
    ratio = (places[1] - places[0]) / (given[1] - given[0])
    np.testing.assert_allclose((places[2] - places[0]) / (given[2] - given[0]), ratio)
    np.testing.assert_allclose(ratio[0], ratio[1])
    np.testing.assert_allclose([places.mean(), places.std(axis=0).max()], [0.0, 1.0], atol=1e-12)
    # The file's own numbers stay with the rows.
    np.testing.assert_array_equal(shown.covariates["x"], [10.0, 14.0, 12.0])
    np.testing.assert_array_equal(shown.covariates["y"], [4.0, 5.0, 9.0])
    said = " ".join(shown.notes)
    assert "not drawn: wood" in said and "left out: 2 of 5" in said


def test_coordinates_alone_are_their_own_values_and_constant_ones_are_refused():
    values = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 2.0]])
    data = Dataset("t", "T", values, Drawing("bars", (2,)), column_names=("x", "y"))
    shown, _ = at_coordinates(data, "x", "y")
    np.testing.assert_array_equal(shown.values, values)
    still = Dataset("t", "T", values * [1, 0], Drawing("bars", (2,)), column_names=("x", "y"))
    with pytest.raises(DataError, match="both must vary"):
        at_coordinates(still, "x", "y")
