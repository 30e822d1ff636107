"""Ask a trained model about new rows: places, gaps, how typical, and which columns are odd."""

from gplvm_core.new_rows.answers import Answers, Reason
from gplvm_core.new_rows.asked import answers_of, prepare
from gplvm_core.new_rows.labels import PredictedLabels, predict_labels
from gplvm_core.new_rows.reasons import sentence_of
from gplvm_core.new_rows.staying import added, can_add, with_rows
from gplvm_core.new_rows.table import apply, columns_of

__all__ = [
    "Answers",
    "PredictedLabels",
    "Reason",
    "added",
    "answers_of",
    "apply",
    "can_add",
    "columns_of",
    "predict_labels",
    "prepare",
    "sentence_of",
    "with_rows",
]
