"""The starts of a training: which there are, and what is said of them afterwards."""

import math
from collections.abc import Sequence
from typing import Any

from gplvm_core.models.problems.graph import Graph, Recipes
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.starts import FewDimensions, Start
from gplvm_core.models.training.run import (
    FEW_ROWS,
    HEAT,
    KERNEL_HEAT,
    LEAST_HEAT,
    STARTS,
    Trained,
    seeds_for,
)

# Starts that are easier to train, by name, and the number of dimensions of the first.
TWO, LINEAR, FEW = "two dimensions", "linear kernel", 2
SIMPLE = {TWO: "two dimensions", LINEAR: "a linear kernel"}


def starts_of(model: Any, problem: Any) -> tuple[tuple[int, ...], int]:
    """The seeds of the starts, and the number of iterations after which only the best start
    continues.

    This number is 0 if all starts make all iterations. Starts that choose a kernel over time are
    always short.
    """
    recipes, count, auto = len(problem.recipes), model.n_restarts, model.n_restarts == "auto"
    few = isinstance(problem, Graph) and problem.n_rows <= FEW_ROWS
    kernels = problem.time_kernels if isinstance(problem, Graph) else ()
    if auto:
        count = max(1, STARTS // recipes) if few else 1
    seeds = seeds_for(model.random_state, count, recipes)
    if len(seeds) > 1 and kernels:
        return seeds, max(math.ceil(KERNEL_HEAT * model.max_iter), LEAST_HEAT)
    return seeds, math.ceil(HEAT * model.max_iter) if len(seeds) > 1 and auto and few else 0


def recipes_of(model: Any, begin: Start, problem: Graph, several: bool) -> Any:
    """The starts to choose from; several: whether there are several short starts.

    A table whose latent dimensions all switch off from the usual start may have structure all
    the same. Two dimensions and a linear kernel are easier to train.
    """
    simple: dict[str, Any] = {}
    if model.kernel == "rbf" and all(type(node) is LatentNode for node in problem.nodes):
        if model.n_components > FEW:
            simple[TWO] = FewDimensions(begin.narrow(FEW), model.n_components)
        simple[LINEAR] = begin.linear()
    if not (several or simple):
        return begin
    usual: dict[str, Any] = {"PCA" if several else "": begin}
    if several:
        usual["Isomap"] = begin.starting("isomap")
    if several and begin.mixed:
        usual |= simple
    return Recipes(usual, simple)


def starts_in_words(problem: Graph, trained: Sequence[Trained], best: Trained) -> tuple[str, ...]:
    """A note if a simpler start was taken, or if no start found structure."""
    tried = [SIMPLE[each] for each in SIMPLE if each in {own.restart.recipe for own in trained}]
    if not tried:
        return ()
    if problem.further(trained):
        return (
            f"all latent dimensions are off, also after starts with {' and with '.join(tried)}: "
            "the map shows no structure",
        )
    if best.restart.recipe not in SIMPLE:
        return ()
    usual = max(own.restart.bound for own in trained if own.restart.recipe not in SIMPLE)
    return (
        f"training took the start with {SIMPLE[best.restart.recipe]}: its bound is "
        f"{best.restart.bound:.1f}, that of the usual start {usual:.1f}",
    )


def kernels_in_words(problem: Graph, trained: Sequence[Trained], best: Trained) -> tuple[str, ...]:
    """A note on the kernel over time that training chose."""
    chosen = problem.time_kernel_of(best.restart.recipe)
    if not chosen:
        return ()
    tried = {problem.time_kernel_of(each.restart.recipe) for each in trained}
    others = " and ".join(name for name in problem.time_kernels if name != chosen)
    if len(tried) == len(problem.time_kernels):
        why = f"after short starts its bound was higher than with {others}"
    else:
        why = "training ended before all others were tried"
    return (f"the kernel over time is {chosen}: {why}",)
