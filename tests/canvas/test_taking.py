"""Tables and arrays that the page writes, read by the programs that they are for."""

import csv
import io

import numpy as np

from tests.canvas.test_files import run_for_bytes, run_node


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
    words = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", 'a "b", c', "two\nlines", "plain", ""]
    text = run_node(f"""
        import {{ csvText }} from "KIT/numbers.js";
        console.log(JSON.stringify(csvText([{words!r}, [-1.5, 1e-7, NaN, 3]])));""")
    first, second = csv.reader(io.StringIO(text, newline=""))
    assert first == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", *words[5:]]
    assert second == ["-1.5", "1e-7", "", "3"]
