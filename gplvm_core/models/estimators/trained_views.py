"""Training of models of several views, and their fitted attributes by view."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from gplvm_core.models.data.data_weights import weights_in_words
from gplvm_core.models.data.fractions import proposed
from gplvm_core.models.data.kinds import learnt_tables, missing_in_words
from gplvm_core.models.data.rows import TrainingRows
from gplvm_core.models.data.scaling import (
    AUTO,
    Scaling,
    gaps_in_words,
    noise_for,
    noise_in_words,
    units_for,
)
from gplvm_core.models.data.views import (
    checked_views,
    log_jacobians,
    named_views,
    noise_by_view,
    notes_by_view,
    training_views,
)
from gplvm_core.models.estimators.attributes import names_of
from gplvm_core.models.estimators.settings import check_settings
from gplvm_core.models.estimators.trained import Callback, Ended, take_path, take_times, train
from gplvm_core.models.estimators.with_known import with_linear_part, without_linear_part
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.models.problems.graph import Learnt
from gplvm_core.models.problems.kinds import KindsSettled
from gplvm_core.models.problems.several import drops_by_view, ways_to_views
from gplvm_core.models.training.run import Run
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
    views = named_views(views)
    asked = getattr(model, "kinds", None)
    coded, model.kinds_, model.fractions_, kind_notes = learnt_tables(views, asked)
    if model.fractions_ and model.known_ is not None:
        raise ValueError("fractions cannot be combined with known factors: leave one of them out")
    given = checked_views(coded)
    one = model.noise == AUTO and model._one_noise
    own = noise_by_view("shared" if one else model.noise, tuple(given))
    how = {name: units_for(model.scaling, noise) for name, noise in own.items()}
    parts = {}
    for name, outputs in given.items():
        links = model.kinds_[name].links if name in model.kinds_ else None
        measured = True if links is None else links.measured
        given[name], parts[name] = without_linear_part(model, outputs, measured)
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
        model.drops_ = drops_by_view(ended.problem, learnt, model.views_, model._shared_node)
    odd, count = take_path(model, ended), len(values[0])
    model.rows_ = TrainingRows(count, ended.trained_rows)
    notes = _take_views(model, ended, learnt, scalings, offsets)
    model.posteriors_ = {
        name: with_linear_part(own, parts[name]) for name, own in model.posteriors_.items()
    }
    units = notes_by_view({name: each.notes for name, each in scalings.items()})
    apart = unlinked_views(internal)
    model._note(apart + ended.start_notes + ended.notes + units + odd + notes)
    gaps = {name: gaps_in_words(each) for name, each in internal.items()}
    for name, columns in model.kinds_.items():
        gaps[name] = missing_in_words(columns, internal[name])
    if hasattr(model, "kinds") and model.kinds is None and model.known_ is None:
        model.notes_ += notes_by_view({name: proposed(own) for name, own in given.items()})
    model.notes_ += notes_by_view(gaps) + notes_by_view(kind_notes) + unused + ended.told
    noises = zip(scalings, model._noises, scalings.values(), strict=True)
    model.notes_ += notes_by_view({name: noise_in_words(*own) for name, *own in noises})
    model.notes_ += weights_in_words(model.view_weights_ or {})


def _take_views(
    model: Any,
    ended: Ended,
    learnt: Learnt,
    scalings: Mapping[str, Scaling],
    offsets: Mapping[str, float],
) -> tuple[str, ...]:
    """Set the fitted attributes of every view; return notes."""
    # The layers from the shared space to each view; the last one generates the view.
    found = ways_to_views(ended.problem, len(model.views_), model._shared_node)
    ways = dict(zip(model.views_, found, strict=True))
    top = learnt.nodes[model._shared_node]
    own = {name: learnt.layers[way[-1]] for name, way in ways.items()}
    model.latent_mean_, model.latent_variance_ = top.belief.mean, top.belief.variance
    model.information_, model.bound_ = top.information, learnt.bound + sum(offsets.values())
    model.seen_ = {name: ended.problem.edges[way[-1]].data.seen for name, way in ways.items()}
    model.posteriors_ = {name: each.as_posterior(scalings[name]) for name, each in own.items()}
    # The statistics of views of several kinds contain weights of entries, so new rows cannot be
    # added to them.
    model.statistics_ = {
        name: each.statistics
        for name, each in own.items()
        if name not in model.kinds_ and model.known_ is None
    }
    n_latent = top.belief.n_latent
    model.relevance_ = {
        name: relevance_of(learnt.layers[way[0]].layer.kernel, n_latent)[:n_latent]
        for name, way in ways.items()
    }
    model.bounds_ = {
        name: offsets[name]
        + sum(learnt.layers[at].posterior.value for at in way)
        + sum(learnt.nodes[at + 1].own for at in way[:-1])
        for name, way in ways.items()
    }
    layer_notes = {name: each.notes for name, each in own.items()}
    for name, columns in model.kinds_.items():
        settled = own[name]
        assert isinstance(settled, KindsSettled)
        layer_notes[name] = settled.of_columns(columns, scalings[name])
    notes: tuple[str, ...] = model._examined(ended, learnt, scalings)
    return notes + notes_by_view(layer_notes)
