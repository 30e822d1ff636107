"""Propose, by their names, which columns of a table are the known errors of which."""

import re
from collections.abc import Iterable

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
    every = list(names)
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
