"""Level 7: compare models with each other and with baselines, on held-out data."""

from gplvm_core.comparison.advice import Result, advice, results
from gplvm_core.comparison.anything import Evidence, is_anything_here
from gplvm_core.comparison.chained import ChainedModels
from gplvm_core.comparison.choice import Choice, Tried, choose
from gplvm_core.comparison.depth import is_depth_worth_it
from gplvm_core.comparison.factor_left import FactorLeft, is_factor_left
from gplvm_core.comparison.gaps_in_time import FilledSequence, fill_sequence
from gplvm_core.comparison.kept_aside import compare_kept_aside, refusal
from gplvm_core.comparison.panels import panels_html
from gplvm_core.comparison.placing import Placed, evidence_of, looked_at, measured, place
from gplvm_core.comparison.poisson_factors import PoissonFactors
from gplvm_core.comparison.repeated import Contender, compare
from gplvm_core.comparison.result import Comparison, Difference
from gplvm_core.comparison.table import MeasureTable, table_of
from gplvm_core.comparison.tables import compare_tables_kept_aside
from gplvm_core.models.estimators.back_test import BackTest, back_test
from gplvm_core.models.training.watched import Step

__all__ = [
    "BackTest",
    "ChainedModels",
    "Choice",
    "Comparison",
    "Contender",
    "Difference",
    "Evidence",
    "FactorLeft",
    "FilledSequence",
    "MeasureTable",
    "Placed",
    "PoissonFactors",
    "Result",
    "Step",
    "Tried",
    "advice",
    "back_test",
    "choose",
    "compare",
    "compare_kept_aside",
    "compare_tables_kept_aside",
    "evidence_of",
    "fill_sequence",
    "is_anything_here",
    "is_depth_worth_it",
    "is_factor_left",
    "looked_at",
    "measured",
    "panels_html",
    "place",
    "refusal",
    "results",
    "table_of",
]
