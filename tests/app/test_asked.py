"""Tests of the command `manifolio FILE`: its sentences, and the page that the app opens first."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import Dataset, Drawing, ProbabilisticPCA, save
from gplvm_core.readers.rows import columns
from gplvm_core.readers.rows.folders import OWN
from gplvm_core.store import Library
from pages.ui.command import ONE_THREAD, main, readable_file
from pages.ui.shared.asked import ASKED
from pages.ui.shared.catalogue import user_library
from pages.ui.train.job_figures import words_of
from tests.app.apptest import ROOT, go_to, query, run_page, said, short, started

pytestmark = pytest.mark.usefixtures("home")
ROWS = np.random.default_rng(0).normal(size=(20, 3))
CSV = "length,width\n" + "\n".join(f"{a:.3f},{b:.3f}" for a, b, _ in ROWS)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from pages.ui.command import main; main()", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_command_says_its_version() -> None:
    found = command("--version")
    assert re.fullmatch(r"manifolio \d+\.\d+\.\d+\n", found.stdout)
    assert found.returncode == 0


def unreadable(folder: Path) -> Path:
    path = folder / "secret.csv"
    path.write_text(CSV)
    path.chmod(0)
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: folder / "absent.csv", r"There is no file .*absent\.csv.*whole path\.$"),
        (lambda folder: folder, r"is a folder\. Name one file, such as .*/table\.csv\.$"),
        (lambda folder: ROOT / "LICENSE", r"^Manifolio cannot open LICENSE\. It opens models"),
        pytest.param(
            unreadable,
            r"secret\.csv cannot be read: Permission denied\.",
            marks=pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file"),
        ),
    ],
)
def test_the_command_refuses_a_file_in_words(make, words, tmp_path) -> None:
    with pytest.raises(SystemExit, match=words):
        readable_file(str(make(tmp_path)))


def test_a_refused_file_ends_the_command(monkeypatch) -> None:
    for name in ONE_THREAD:  # the command sets these; the process of the tests loses them again
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(sys, "argv", ["manifolio", "absent.csv"])
    with pytest.raises(SystemExit, match=r"^There is no file absent\.csv in "):
        main()


def test_a_table_opens_train(tmp_path, monkeypatch) -> None:
    (tmp_path / "leaves.csv").write_text(CSV)
    monkeypatch.setenv(ASKED, str(tmp_path / "leaves.csv"))
    page = run_page("gallery")
    assert page.title[0].value == "Train"
    assert page.session_state["train_source"] == "upload"
    assert "leaves.csv" in said(page)
    assert "20 rows" in said(page) or "20 ×" in said(page)
    # The visitor may leave, and comes back to the Gallery.
    assert page.switch_page("pages/gallery.py").run().title[0].value != "Train"


def leaves(folder: Path) -> Path:
    words = [("oak", "elm")[n % 2] for n in range(len(ROWS))]
    rows = [f"{a:.3f},{b:.3f},{word}" for (a, b, _), word in zip(ROWS, words, strict=True)]
    (folder / "leaves.csv").write_text("\n".join(["length,width,tree", *rows]))
    return folder / "leaves.csv"


def test_a_large_table_opens_train_and_is_read_from_disk(tmp_path, monkeypatch) -> None:
    path = leaves(tmp_path)
    monkeypatch.setattr("gplvm_core.readers.rows.table.MOST_WHOLE", 100)
    monkeypatch.setenv(ASKED, str(path))
    monkeypatch.setenv(OWN, "1")
    page = run_page("gallery")
    assert not page.exception
    assert page.text_input(key="train_own_file").value == str(path)
    assert "20 rows, 2 values each, 2 labels" in said(page)
    assert "labels from 'tree'" in page.expander[0].label
    page.multiselect(key=f"table_values_{path}").set_value(["width"]).run()
    page.selectbox(key=f"table_label_{path}").set_value(None).run()
    assert "20 rows, 1 value each" in said(page)
    page.text_input(key="train_own_file").set_value(str(tmp_path / "no.csv")).run()
    assert "no.csv cannot be opened: No such file" in said(page)


def test_the_map_of_a_table_on_disk_has_the_labels_of_its_own_rows(tmp_path, monkeypatch) -> None:
    """The page Train shows fewer rows of the file than the map has."""
    monkeypatch.setattr("gplvm_core.readers.rows.table.MOST_WHOLE", 100)
    monkeypatch.setattr("gplvm_core.readers.rows.table.SHOWN", 8)
    monkeypatch.setenv(ASKED, str(leaves(tmp_path)))
    monkeypatch.setenv(OWN, "1")
    page = short(run_page("gallery"))
    assert "8 of 20 rows are shown here" in said(page)
    job = started(page)
    page.run()
    assert not page.exception
    labels, names, _ = words_of(job, 20)
    assert [names[label] for label in labels] == ["oak", "elm"] * 10


def test_words_counts_and_dates_of_a_table_on_disk_are_proposed(tmp_path, monkeypatch) -> None:
    """A category, counts, yes/no and dates are asked about as in a small file."""
    path = tmp_path / "birds.csv"
    lines = [
        f"R{n:03d},{70 + n % 13}.5,{('gull', 'tern', 'skua')[n % 3]},{n * n % 5},"
        f"{('yes', 'no')[n * n // 7 % 2]},0{1 + n % 9}/0{1 + n * n % 9}/202{n % 3},a{n % 4}"
        for n in range(90)
    ]
    late = "R090,71.5,gull,1,yes,01/02/2021,b7"  # a word that the sample does not have
    path.write_text("\n".join(["ring,wing,kind,eggs,alive,seen,place", *lines, late]))
    monkeypatch.setattr(columns.TextRows, "sampled", lambda rows, count: np.arange(90))
    monkeypatch.setattr("gplvm_core.readers.rows.table.MOST_WHOLE", 100)
    monkeypatch.setenv(ASKED, str(path))
    monkeypatch.setenv(OWN, "1")
    page = run_page("gallery")
    assert not page.exception
    assert page.multiselect(key=f"table_values_{path}").value == ["wing", "eggs", "alive", "place"]
    assert "labels from 'kind'" in page.expander[0].label
    assert "**alive** :small[two values: " in said(page)
    assert "**place** :small[4 different words" in said(page)
    assert "1 column of numbers, 1 yes/no column, 1 category and 1 column of counts" in said(page)
    assert "“b7” in place (1 ×)" in page.warning[0].value
    # Dates are learnt if the visitor wants them, and their format is asked about.
    chosen = ["wing", "kind", "alive", "seen"]
    page.multiselect(key=f"table_values_{path}").set_value(chosen).run()
    assert "no value decides whether" in said(page)
    page.selectbox(key=f"upload_format_seen_{path}").set_value("day first").run()
    assert not page.exception
    assert "seen became the columns seen year, seen season sine" in said(page)
    assert "3 labels" in said(page)
    assert [button.label for button in page.button if button.label == "Start training"]


def test_files_of_the_machine_are_not_offered_on_a_server(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("gplvm_core.readers.rows.table.MOST_WHOLE", 100)
    monkeypatch.setenv(ASKED, str(leaves(tmp_path)))
    monkeypatch.setenv(OWN, "0")
    page = run_page("gallery")
    assert "only while the app runs on one's own machine" in said(page)
    train = go_to(page, "train")
    assert "A file of this machine" not in train.segmented_control(key="train_source").options
    train.segmented_control(key="train_source").set_value("upload").run()
    assert "its owner can open folders of tables" in said(train)
    monkeypatch.setenv(OWN, "1")
    train = train.run()
    assert "A file of this machine" in train.segmented_control(key="train_source").options
    assert "Run `manifolio FILE`, or choose *A file of this machine* above" in said(train)


def model_file(folder: Path, name: str = "leaves", *labels: str) -> Path:
    found = np.arange(len(ROWS)) % 2 if labels else None
    data = Dataset(
        "rows", "Leaves", ROWS, Drawing.of_vector(3), labels=found, label_names=labels or None
    )
    library = Library(folder / f"other-{name}")
    added = library.add(ProbabilisticPCA(2).fit(ROWS), data, "Leaves of an oak")
    return library.export_file(added, folder / f"{name}.gplvm")


def test_a_model_opens_explore_and_is_added_once(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(ASKED, str(model_file(tmp_path)))
    for _ in range(2):
        page = run_page("gallery")
        assert "Leaves of an oak" in said(page)
        (entry,) = user_library().entries()
        assert query(page, "model") == f"library:{entry.id}"


@pytest.mark.slow
def test_models_of_the_same_rows_with_other_labels_are_other_models(tmp_path, monkeypatch) -> None:
    files = [
        model_file(tmp_path, "trees", "oak", "elm"),
        model_file(tmp_path, "ages", "old", "new"),
    ]
    for file in (*files, *files):
        monkeypatch.setenv(ASKED, str(file))
        run_page("gallery")
    assert len(user_library().entries()) == 2


def test_what_cannot_be_opened_is_said_in_the_gallery(tmp_path, monkeypatch) -> None:
    bare = tmp_path / "bare.gplvm"
    save(ProbabilisticPCA(2).fit(ROWS), bare)
    monkeypatch.setenv(ASKED, str(bare))
    assert "contains a model without its data set" in said(run_page("gallery"))
    monkeypatch.setenv(ASKED, str(tmp_path / "moved.csv"))
    assert "moved.csv cannot be opened" in said(run_page("gallery"))
