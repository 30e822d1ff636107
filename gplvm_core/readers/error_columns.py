"""Propose, by their names, which columns of a table are the known errors of which."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import plural

ERRORS = "known errors"  # the name among the covariates of a data set: N × D, 0 where unknown
WORDS = "err|error|std|sd|sigma"
FORMS = (
    re.compile(rf"(?P<of>.+?)[\s_.-]+(?:{WORDS})", re.IGNORECASE),
    re.compile(r"(?P<of>.+?)[\s_.-]*(?:±|\+/-)"),
    re.compile(r"(?:e|err|error|sigma)[\s_.-]+(?P<of>.+)", re.IGNORECASE),
)


def error_columns(names: Iterable[str]) -> dict[str, str]:
    """Propose pairs of a column and the column of its errors, from the names of a table.

    The errors of `x` are called `x_err`, `x_error`, `x_std`, `x_sd`, `x_sigma`, `x ±`, `x +/-`,
    `e_x`, `err_x`, `error_x` or `sigma_x`, with any of space, `_`, `.` and `-` between, in upper or
    lower case. The table must have the column `x` itself. Names may mislead, so look at the pairs
    before you use them.

    Parameters
    ----------
    names : iterable of str
        The names of the table's columns.

    Returns
    -------
    dict of str to str
        For each column with errors, in the table's order, the name of the column of its errors.

    Examples
    --------
    >>> from gplvm_core import error_columns
    >>> error_columns(["flux", "flux_err", "redshift"])
    {'flux': 'flux_err'}
    """
    every = [name for name in names if isinstance(name, str)]
    known, found = dict(zip(map(str.casefold, every), every, strict=True)), dict[str, str]()
    for name in every:
        matches = (form.fullmatch(name) for form in FORMS)
        for match in filter(None, matches):
            of = known.get(match["of"].casefold())
            if of is not None and of != name:
                found.setdefault(of, name)
                break
    errors = set(found.values())
    return {of: found[of] for of in every if of in found and of not in errors}


def proposed_errors(dataset: Dataset) -> dict[str, str]:
    """Return the pairs of `error_columns` in a data set whose columns can be values and errors.

    Both columns are numbers, and those of the errors are not negative.
    """
    names = dataset.column_names
    if names is None or dataset.views or dataset.drawing.kind == "image":
        return {}
    columns = dict(zip(names, zip(dataset.all_columns, dataset.values.T, strict=True), strict=True))
    numbers = [name for name in names if columns[name][0].kind == "number"]
    return {
        of: own
        for of, own in error_columns(numbers).items()
        if not np.nanmin(columns[own][1]) < 0.0
    }


def with_errors(dataset: Dataset, pairs: Mapping[str, str]) -> Dataset:
    """Return the data set with these columns as the known errors of others, no more as columns.

    pairs: the names of columns, each with the name of the column of its errors. The errors are
    among the covariates, under `ERRORS`. Rows that have only errors are left out.
    """
    names = dataset.column_names or ()
    kept = [at for at, name in enumerate(names) if name not in pairs.values()]
    errors = np.zeros((dataset.n_points, len(kept)))
    for place, at in enumerate(kept):
        if names[at] in pairs:
            errors[:, place] = np.nan_to_num(dataset.values[:, names.index(pairs[names[at]])])
    seen = ~np.isnan(dataset.values[:, kept]).all(axis=1)
    if not seen.all():  # rows that have errors only
        left = plural(int((~seen).sum()), "row")
        notes = (*dataset.notes, f"{left} with errors but without values left out")
        dataset = replace(dataset.taken(np.flatnonzero(seen)), notes=notes)
        errors = errors[seen]
    covariates = {**dataset.covariates, ERRORS: errors}
    return dataset.with_columns(kept, names, covariates=covariates)
