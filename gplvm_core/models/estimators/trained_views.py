"""Training of models of several views, and their fitted attributes by view."""

from collections.abc import Mapping
from typing import Any

from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.data.data_weights import weights_in_words
from gplvm_core.models.data.kinds import learnt_tables, missing_in_words
from gplvm_core.models.data.scaling import (
    AUTO,
    Scaling,
    gaps_in_words,
    noise_for,
    noise_in_words,
    units_for,
)
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.data.views import (
    check_mapping,
    checked_views,
    log_jacobians,
    noise_by_view,
    notes_by_view,
    training_views,
)
from gplvm_core.models.estimators.frames import names_of
from gplvm_core.models.estimators.settings import check_settings
from gplvm_core.models.estimators.trained import Callback, Ended, take_path, take_times, train
from gplvm_core.models.problems.edges import Settled, relevance_of
from gplvm_core.models.problems.graph import Learnt
from gplvm_core.models.problems.kinds import KindsSettled
from gplvm_core.models.problems.nodes import Believed
from gplvm_core.models.problems.several import drops_by_view, ways_to_views
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.readers.views import unlinked_views
from gplvm_core.statistics import executor_for


def fit_views(
    model: Any,
    views: Mapping[str, ArrayLike],
    times: ArrayLike | None,
    sequences: ArrayLike | None,
    callback: Callback | None,
    resume: Run | None,
) -> None:
    """Train a model of several views, and set its fitted attributes."""
    check_settings(model)
    model.density_ = None
    check_mapping(views)
    coded, model.kinds_, kind_notes = learnt_tables(views, getattr(model, "kinds", None))
    given = checked_views(coded)
    one = model.noise == AUTO and model._one_noise
    own = noise_by_view("shared" if one else model.noise, tuple(given))
    how = {name: units_for(model.scaling, noise) for name, noise in own.items()}
    internal, scalings = training_views(given, how, model.kinds_)
    model._noises = tuple(noise_for(own[name], units) for name, units in scalings.items())
    model.views_, values = tuple(given), tuple(internal.values())
    named = {name: names_of(view) for name, view in views.items()}
    model.columns_ = {
        name: names for name, names in named.items() if names and name not in model.kinds_
    }
    unused = take_times(model, times, sequences, len(values[0]))
    with executor_for(model.n_jobs) as executor:
        problem, offsets = model._problem(internal, executor), log_jacobians(internal, scalings)
        ended = train(model, problem, sum(offsets.values()), callback, resume, model.views_)
        learnt = ended.learnt(values)
        lost = drops_by_view(ended.problem, learnt, model.views_, model._shared_node)
    odd, count = take_path(model, ended), len(values[0])
    model.rows_ = TrainingRows(count, ended.trained_rows)
    notes = _take_views(model, ended, learnt, scalings, offsets, lost)
    units = notes_by_view({name: each.notes for name, each in scalings.items()})
    apart = unlinked_views(internal)
    model._note(apart + ended.start_notes + ended.notes + units + odd + notes)
    gaps = {
        name: missing_in_words(model.kinds_[name], each)
        if name in model.kinds_
        else gaps_in_words(each)
        for name, each in internal.items()
    }
    model.notes_ += notes_by_view(gaps) + notes_by_view(kind_notes) + unused
    decided = zip(scalings.items(), model._noises, strict=True)
    model.notes_ += notes_by_view(
        {name: noise_in_words(noise, each) for (name, each), noise in decided}
    )
    model.notes_ += weights_in_words(model.view_weights_ or {})


def _take_views(
    model: Any,
    ended: Ended,
    learnt: Learnt,
    scalings: Mapping[str, Scaling],
    offsets: Mapping[str, float],
    lost: Mapping[str, Any],
) -> tuple[str, ...]:
    """Set the fitted attributes of every view; return notes."""
    ways = ways_to_views(ended.problem, len(model.views_), model._shared_node)
    of_views = dict(zip(model.views_, ways, strict=True))
    edges = ended.problem.edges
    model.seen_ = {name: edges[way[-1]].data.seen for name, way in of_views.items()}
    own = {name: learnt.layers[way[-1]] for name, way in of_views.items()}
    leading = {name: learnt.layers[way[0]] for name, way in of_views.items()}
    _set_fitted(model, learnt.nodes[model._shared_node], own, leading, lost, scalings)
    model.bounds_ = {
        name: offsets[name]
        + sum(learnt.layers[at].posterior.value for at in way)
        + sum(learnt.nodes[at + 1].own for at in way[:-1])
        for name, way in of_views.items()
    }
    model.bound_ = learnt.bound + sum(offsets.values())
    layer_notes = {name: each.notes for name, each in own.items()}
    for name, columns in model._tables.items():
        settled = own[name]
        assert isinstance(settled, KindsSettled)
        layer_notes[name] = settled.of_columns(columns, scalings[name])
    notes = notes_by_view(layer_notes)
    return model._examined(ended, learnt, scalings) + notes


def _set_fitted(
    model: Any,
    top: Believed,
    layers: Mapping[str, Settled],
    leading: Mapping[str, Settled],
    drops: Mapping[str, Float[Array, " Q"]],
    scalings: Mapping[str, Scaling],
) -> None:
    """Set the fitted attributes.

    layers: the last layer of each view. leading: the first layer of each view below the shared
    space.
    """
    model.latent_mean_, model.latent_variance_ = top.belief.mean, top.belief.variance
    model.information_, model.drops_ = top.information, dict(drops)
    model.posteriors_ = {name: own.as_posterior(scalings[name]) for name, own in layers.items()}
    # The statistics of views of several kinds contain weights of entries, so new rows cannot be
    # added to them.
    model.statistics_ = {
        name: own.statistics for name, own in layers.items() if name not in model._tables
    }
    model.relevance_ = {
        name: relevance_of(own.layer.kernel, top.belief.n_latent) for name, own in leading.items()
    }
