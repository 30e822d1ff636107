"""Pack a model's answers about new rows for the canvas: places, words and values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.likelihoods import TableColumns
from gplvm_core.new_rows import Answers, Reason, sentence_of
from gplvm_core.new_rows.reasons import expected_of, given_of
from gplvm_core.readers import Dataset
from gplvm_core.readers.errors import in_digits, plural
from gplvm_core.readers.names import names_of
from gplvm_core.wire.frame import frame
from gplvm_core.wire.table import drawn, recoded

MOST_VALUES = 600_000  # up to this many values, the page has all; else only those of the open row


def pack_new_rows(
    answers: Answers,
    given: Float[Array, "n D"],
    names: Sequence[str],
    near: Sequence[Sequence[str]],
    dataset: Dataset,
    learnt: TableColumns | None = None,
    current: int | None = None,
) -> bytes:
    """Pack the answers about the first rows of a file.

    given: the rows (NaN: missing); names: the rows' names; near: names of their nearest training
    rows; learnt: the columns of a model of words and counts. The page then gets the columns that
    the map draws (`drawn`), with the model's words. current: the row whose values are packed even
    if the values of all rows are too many.
    """
    count, columns, filled = len(answers.places), names_of(dataset), answers.filled
    given, kept = given[:count], np.arange(given.shape[1])
    if learnt is not None:
        kept = np.array(drawn(learnt.columns))
        filled = recoded(filled, dataset.columns, learnt)
    place = {int(at): number for number, at in enumerate(kept)}
    if given.size <= MOST_VALUES:
        detailed = list(range(count))
    else:
        detailed = [current] if current is not None and current < count else []
    rows = [
        {
            "name": names[n],
            "p": None if np.isnan(answers.p[n]) else float(answers.p[n]),
            "unlike": bool(answers.unlike[n]),
            "typical": typical_in_words(answers, n),
            "reasons": [
                reason_data(each, columns[each.column]) | {"column": place[each.column]}
                for each in answers.reasons[n]
            ],
            "gaps": int(np.isnan(given[n, kept]).sum()),
            "near": list(near[n]),
            "weights": weights_of(answers, n),
        }
        for n in range(count)
    ]
    header = {
        "name": "new rows",
        "rows": rows,
        "known": answers.known,
        "n_latent": answers.places.shape[1],
        "detailed": detailed,
        "width": len(kept),
    }
    return frame(
        header,
        {
            "places": answers.places.astype(np.float32),
            "place_std": answers.place_std.astype(np.float32),
            # The places of all explanations but the best, row after row.
            "others": answers.explanations[:, 1:][answers.weights[:, 1:] > 0.0].astype(np.float32),
            "filled": filled[detailed][:, kept].astype(np.float32),
            "std": answers.std[detailed][:, kept].astype(np.float32),
            "missing": np.isnan(given[detailed][:, kept]).astype(np.uint8),
        },
    )


def weights_of(answers: Answers, n: int) -> list[float]:
    """Return the weights of row n's explanations; [] if it has only one."""
    own = answers.weights[n]
    return own[own > 0.0].tolist() if own[1:].any() and not np.isnan(own[0]) else []


def typical_in_words(answers: Answers, n: int) -> str:
    """Say how many known rows were at least as odd as row n; "" if they were not compared."""
    p, known = float(answers.p[n]), answers.known
    if np.isnan(p) or not known:
        return ""
    scored, after = f"{plural(known, 'known row')}, scored by models that had not seen them", ""
    if not answers.held_out:
        scored = f"{plural(known, 'training row')} with values in the same columns"
        after = " New rows are usually a little less typical than training rows."
    as_odd = round(p * (known + 1)) - 1
    if as_odd <= 0:
        return f"Of {scored}, none was as odd (p ≤ {1 / (known + 1):.2g}).{after}"
    were = "was" if as_odd == 1 else "were"
    return f"Of {scored}, {as_odd:,} {were} at least as odd (p = {p:.2g}).{after}"


def reason_data(reason: Reason, column: str) -> dict[str, Any]:
    """Return a reason as numbers, as sentences, and in a short form."""
    short = f"{column} {given_of(reason)}: expected {expected_of(reason)}"
    if reason.hint is not None:
        slip = "decimal point" if reason.kind == "decimal" else "sign"
        short += f" ({slip}? {in_digits(reason.hint)} would fit)"
    return {
        "given": reason.given,
        "expected": reason.expected,
        "std": None if reason.words else reason.std,
        "word": None if reason.words is None else reason.words[1],
        "words": sentence_of(reason, column),
        "short": short,
    }
