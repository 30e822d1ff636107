"""The tools that list tables of opened folders, train a model on one, and follow the training."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from gplvm_core import training
from gplvm_core.assistant.schema import Answer, number
from gplvm_core.models import BayesianGPLVM
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import listed, shortened
from gplvm_core.readers.rows.folders import SETTING, opened_folders, table_named, tables_in
from gplvm_core.readers.rows.table import TableDataset, Use, looked_into, use_in_words
from gplvm_core.store import workspace_problem

TableName = Annotated[str, Field(description="The table's name from list_tables.")]
NO_FOLDERS = f"No folder is open. Set {SETTING} in the settings of this server to open folders."


class Table(BaseModel, frozen=True):
    name: str = Field(description="Folder, path and file; * stands for all files of a kind.")
    bytes: int
    files: int


class Tables(Answer, frozen=True):
    tables: list[Table]


class TableColumn(BaseModel, frozen=True):
    name: str
    role: str = Field(description="value, label, id, time, sequence or unused, as proposed.")
    kind: str = Field(description="numbers, words or dates.")
    missing: int = Field(description="Sampled rows without a value.")


class LookedInto(Answer, frozen=True):
    rows: int
    use: str = Field(description="What train_model learns if it is not told otherwise.")
    columns: list[TableColumn]


class Job(Answer, frozen=True):
    job: str = Field(description="The name of the training, for the other tools.")
    title: str
    status: str = Field(
        description="queued, running, paused, interrupted, cancelled, finished or failed."
    )
    share: float | None = Field(description="The completed share of the work, from 0 to 1.")
    seconds_left: float | None = Field(description="Estimated seconds until the end.")
    iteration: int | None
    bound: float | None = Field(description="The bound on the log likelihood so far, in nats.")
    model: str | None = Field(description="The key of the finished model, for the other tools.")
    problem: str | None = Field(description="Why the training failed.")


class Jobs(Answer, frozen=True):
    jobs: list[Job]


@dataclass(frozen=True)
class TrainingTools:
    """The tools for tables and trainings."""

    def list_tables(self) -> Tables:
        """List the tables in opened folders, on which models can be trained. Other files of this
        machine cannot be read.
        """
        folders = opened_folders(os.environ)
        return Tables(
            tables=[
                Table(name=each.name, bytes=each.size, files=len(each.files))
                for each in tables_in(folders)
            ],
            notes=[] if folders else [NO_FOLDERS],
        )

    def look_into_table(self, table: TableName) -> LookedInto:
        """Say which columns a table has, from a sample of its rows, and how they would be used."""
        opened = table_named(table, opened_folders(os.environ))
        report = looked_into(opened)
        if report is None:
            found = TableDataset.of(opened)
            words = f"{found.n_outputs:,} columns of numbers without names"
            return LookedInto(rows=found.n_rows, use=words, columns=[], notes=list(found.notes))
        return LookedInto(
            rows=report.n_rows,
            use=use_in_words(Use.of(report), [each.name for each in report.columns]),
            columns=[
                TableColumn(
                    name=each.name,
                    role=each.role,
                    kind="dates" if each.is_date else "words" if each.is_text else "numbers",
                    missing=each.n_missing,
                )
                for each in report.columns
            ],
            notes=list(report.notes),
        )

    def train_model(
        self,
        table: TableName,
        title: Annotated[str, Field(description="The title of the model, up to 120 letters.")],
        columns: Annotated[
            list[str] | None, Field(description="Columns to learn; left out: as proposed.")
        ] = None,
        label: Annotated[
            str, Field(description="The column that colours the map; left out: as proposed.")
        ] = "",
        dimensions: Annotated[int, Field(ge=1, le=20, description="Latent dimensions.")] = 10,
        inducing: Annotated[int, Field(ge=2, le=500, description="Inducing inputs.")] = 50,
        iterations: Annotated[int, Field(ge=1, le=5000, description="The most iterations.")] = 500,
    ) -> Job:
        """Train a Bayesian GP-LVM on a table of an opened folder, in the background. Returns the
        name of the training; training_progress follows it. The model is then in the library.
        """
        if problem := workspace_problem():
            raise ValueError(problem)
        active = sum(each.active for each in training.here().jobs())
        training.here().limits.allow_visitor(active)
        data = _read(table, columns, label)
        model = BayesianGPLVM(dimensions, inducing, max_iter=iterations, random_state=0)
        found = _shown(training.here().snapshot(training.here().submit(model, data, title)))
        return found.model_copy(update={"notes": [*data.notes, *found.notes]})

    def training_progress(
        self,
        job: Annotated[
            str, Field(description="The name of a training; left out: all trainings.")
        ] = "",
    ) -> Jobs:
        """Say how far trainings are, and which models they have made."""
        found = [_snapshot(job)] if job else training.here().jobs()
        return Jobs(jobs=[_shown(each) for each in found])

    def change_training(
        self,
        job: Annotated[str, Field(description="The name of the training.")],
        action: Annotated[
            Literal["cancel", "pause", "resume"],
            Field(description="cancel ends it and keeps its model as far as it is."),
        ],
    ) -> Job:
        """Cancel, pause or resume a training. An interrupted training can be resumed, too."""
        _snapshot(job)
        getattr(training.here(), action)(job)
        return _shown(training.here().snapshot(job))


def _snapshot(job: str) -> training.Snapshot:
    if training.here().elsewhere(job):
        raise ValueError(f"The training {job} runs in another process: follow it in the app.")
    found = next((each for each in training.here().jobs() if each.id == job), None)
    if found is None:
        raise ValueError(
            f"There is no training “{shortened(job)}”. training_progress lists the trainings."
        )
    return found


def _shown(each: training.Snapshot) -> Job:
    progress = each.progress
    warned = [each.warning] if each.warning else []
    left = None if progress is None else progress.seconds_left
    return Job(
        job=each.id,
        title=each.name,
        status=each.status,
        share=None if progress is None else number(progress.share),
        seconds_left=None if left is None else number(left),
        iteration=None if progress is None else progress.iteration,
        bound=None if progress is None else number(progress.bound),
        model=None if each.entry is None else f"library:{each.entry}",
        problem=each.error,
        notes=[*each.notes, *([each.reason] if each.reason else []), *warned],
    )


def _read(name: str, columns: Sequence[str] | None, label: str) -> TableDataset:
    """Read a table of an opened folder as the page Train does, with the proposed use of columns."""
    opened = table_named(name, opened_folders(os.environ))
    report = looked_into(opened)
    if report is None:
        if columns or label:
            raise DataError(f"{opened.name} has no names of columns: leave columns and label out.")
        return TableDataset.of(opened)
    use, known = Use.of(report), {each.name: each for each in report.columns}
    unknown = [each for each in (*(columns or ()), label) if each and each not in known]
    if unknown:
        raise DataError(
            f"{opened.name} has no column {listed(unknown)}; it has {listed([*known], 30)}."
        )
    if label or columns is not None:
        own = label or use.label
        # A label is learnt only if it is among the named columns.
        values = [each for each in use.values if each != own] if columns is None else columns
        words = any(known[each].is_text for each in values)
        use = Use(
            tuple(each for each in values if not known[each].is_date),
            label=own,
            ids=tuple(each for each in use.ids if each not in (*values, own)),
            kinds="auto" if words else None,
            dates=tuple(each for each in values if known[each].is_date),
        )
    if not use.values and not use.dates:
        raise DataError(f"{opened.name} has no column to learn. Name its columns.")
    return TableDataset.of(opened, use)
