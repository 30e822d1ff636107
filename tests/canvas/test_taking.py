"""Tests that the usual programs read the tables and arrays that the page writes."""

import csv
import io
import json
from pathlib import Path

import numpy as np

from gplvm_core import load_dataset
from gplvm_core.datasets import read_motion
from gplvm_core.readers import read_bvh
from gplvm_core.readers.bodies.bvh_writer import write_bvh
from gplvm_core.readers.bodies.kinematics import axis_rotation, joint_frames
from gplvm_core.readers.tables.csv_text import csv_text, unmarked
from gplvm_core.wire.model import drawing_header
from tests.canvas.test_files import run_for_bytes, run_node
from tests.spreadsheet import HOSTILE, formulas


def test_numpy_reads_the_arrays():
    for code, expected in (
        ("Float64Array.from({ length: 6 }, (_, i) => i / 3)", np.arange(6) / 3),
        ("Float32Array.of(1.5, -2, 0, 4, 5, 6)", np.array([1.5, -2, 0, 4, 5, 6], np.float32)),
        ("Int32Array.of(7, -1, 2, 3, 4, 5)", np.array([7, -1, 2, 3, 4, 5], np.int32)),
    ):
        content = run_for_bytes(f"""
            import {{ npyFile }} from "KIT/numbers.js";
            const bytes = npyFile({code}, [2, 3]);""")
        array = np.load(io.BytesIO(content), allow_pickle=False)
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected.reshape(2, 3))


def test_numpy_reads_a_zip_of_arrays():
    content = run_for_bytes("""
        import { npyFile } from "KIT/numbers.js";
        import { zipFile } from "KIT/zip.js";
        const bytes = zipFile([
            { name: "mean.npy", bytes: npyFile(Float64Array.of(1, NaN, -3)) },
            { name: "point.npy", bytes: npyFile(new Float64Array(0)) },
        ]);""")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["mean"], [1, np.nan, -3])
        assert arrays["point"].shape == (0,)


def test_words_in_a_table_are_never_formulas_and_numbers_stay_numbers():
    words = [*HOSTILE, "-1.5", "+2", 'a "b", c', "two\nlines", "'quoted", "plain", ""]
    text = run_node(f"""
        import {{ csvText }} from "KIT/numbers.js";
        console.log(JSON.stringify(csvText([{json.dumps(words)}, [-1.5, 1e-7, NaN, 3]])));""")
    assert not formulas(text)
    assert text.startswith(csv_text([words]).removesuffix("\n"))
    first, second = csv.reader(io.StringIO(text, newline=""))
    assert [unmarked(cell) for cell in first] == words
    assert second == ["-1.5", "1e-7", "", "3"]


def test_numbers_of_single_precision_are_written_as_the_file_has_them():
    """NumPy writes the shortest text that gives a number of single precision back."""
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=300) * 10.0 ** rng.integers(-9, 12, 300)
    given = [28.191, 0.579, 0.1, 16777216.0, -45.691, 3.0, 0.0, *drawn.tolist()]
    singles = np.array(given, np.float32)
    text = run_node(f"""
        import {{ numberText }} from "KIT/numbers.js";
        console.log(JSON.stringify([{json.dumps(given)}.map((x) => numberText(Math.fround(x))),
            numberText(28.191), numberText(1 / 3)]));""")
    written, *doubles = text
    assert [float(each) for each in written] == [float(str(each)) for each in singles]
    assert written[0] == "28.191" and doubles == ["28.191", "0.3333333333333333"]


def test_the_reader_of_motions_finds_the_poses_where_they_were():
    poses = load_dataset("poses")
    skeleton, rows = poses.drawing.skeleton, poses.values[40:160:7]
    # The skeleton is rotated, turned upside down and displaced in between.
    angle = np.linspace(0.0, 3.5, len(rows))
    tilted = axis_rotation("Z", angle) @ axis_rotation("Y", 2.0 * angle)
    turned = np.einsum("fij,fkj->fki", tilted, rows.reshape(len(rows), -1, 3))
    moved = turned + np.array([1.0, 2.0, 3.0])
    named = json.dumps({"names": skeleton.joint_names, "parents": skeleton.parents})
    flat = moved.reshape(len(rows), -1).tolist()
    text = run_node(f"""
        import {{ bvhText }} from "KIT/bvh.js";
        console.log(JSON.stringify(bvhText({named}, {flat}, 1 / 20)));""")
    motion, _ = read_motion(text.encode())
    assert motion.frame_time == 0.05
    names = [joint.name for joint in motion.joints]
    back = joint_frames(motion)[0][
        :, [names.index("_".join(n.split())) for n in skeleton.joint_names]
    ]
    np.testing.assert_allclose(back, moved, atol=2e-4)


def test_a_movement_with_a_rig_is_the_file_that_python_writes():
    walk = Path("assets/data/cmu_01_01.bvh.gz").read_bytes()
    poses = read_bvh(walk, every=90, first_frame=1)
    rows = 1.03 * poses.values  # no pose of the file has these lengths
    skeleton = json.dumps(drawing_header(poses)["skeleton"])
    text = run_node(f"""
        import {{ bvhText }} from "KIT/bvh.js";
        console.log(JSON.stringify(bvhText({skeleton}, {rows.tolist()}, 1 / 20)));""")
    expected = write_bvh(poses.drawing.skeleton, rows.reshape(len(rows), -1, 3), 1 / 20)
    mine, own = (read_motion(each.encode())[0] for each in (text, expected))
    assert mine.joints == own.joints
    turned = (mine.channels - own.channels + 180.0) % 360.0 - 180.0
    np.testing.assert_allclose(turned, 0.0, atol=1e-3)
    assert mine.frame_time == own.frame_time


def test_a_pose_with_two_roots_is_refused_in_words():
    words = run_node("""
        import { bvhText } from "KIT/bvh.js";
        let words = "";
        try { bvhText({ names: ["a", "b"], parents: [-1, -1] }, [new Float64Array(6)], 1); }
        catch (error) { words = error.message; }
        console.log(JSON.stringify(words));""")
    assert "has 2" in words
