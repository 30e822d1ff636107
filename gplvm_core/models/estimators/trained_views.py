"""How a model of several views is trained, and the parts of what it learns by view."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from gplvm_core.models.data.scaling import Noise, Scaling, gaps_in_words, units_for
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.data.views import (
    Views,
    checked_views,
    log_jacobians,
    notes_by_view,
    training_views,
)
from gplvm_core.models.estimators.fitted import Optimised, Saved
from gplvm_core.models.estimators.frames import names_of
from gplvm_core.models.estimators.settings import check_settings
from gplvm_core.models.estimators.trained import Callback, Ended, Trainable, whole
from gplvm_core.models.estimators.views_transfer import ViewsTransfer
from gplvm_core.models.problems.graph import Learnt
from gplvm_core.models.problems.several import drops_by_view, ways_to_views
from gplvm_core.models.training.run import Run
from gplvm_core.statistics import Executor, executor_for


class TrainedViews(Trainable, ViewsTransfer, Optimised, Saved, BaseEstimator):
    """A model of several views of the same rows, on one latent space that they share."""

    rows_: TrainingRows
    restarts_: tuple[Any, ...]
    scaling: Literal["global", "columns", "none"]
    noise: Noise
    n_jobs: int | None
    # Of the graph, the node whose points views share.
    _shared_node = 0

    @whole
    def fit(
        self,
        views: Mapping[str, ArrayLike],
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callback | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on views of the same N rows, {name: N × D_v}, NaN for missing. `y` is ignored.

        times and sequences, with a time_kernel, callback and resume (a run of the same views, in
        their order) as for BayesianGPLVM. Raises DataError for views whose rows do not align, and
        for one in which nothing varies.
        """
        check_settings(self)
        given = checked_views(views)
        internal, scalings = training_views(given, units_for(self.scaling, self.noise))
        self.views_, values = tuple(given), tuple(internal.values())
        named = {name: names_of(view) for name, view in views.items()}
        self.columns_ = {name: names for name, names in named.items() if names}
        unused = self._take_times(times, sequences, len(values[0]))
        with executor_for(self.n_jobs) as executor:
            asked, offsets = self._problem(internal, executor), log_jacobians(internal, scalings)
            ended = self._train(asked, sum(offsets.values()), callback, resume, self.views_)
            learnt = ended.learnt(values)
            lost = drops_by_view(ended.problem, learnt, self.views_, self._shared_node)
        odd, count = self._take_path(ended), len(values[0])
        self.rows_ = TrainingRows(count, ended.trained_rows)
        notes = self._take_views(ended, learnt, scalings, offsets, lost)
        units = notes_by_view({name: each.notes for name, each in scalings.items()})
        self._note(ended.start_notes + ended.notes + units + odd + notes)
        gaps = {name: gaps_in_words(each) for name, each in internal.items()}
        self.notes_ += notes_by_view(gaps) + unused
        return self

    def _take_views(
        self,
        ended: Ended,
        learnt: Learnt,
        scalings: Mapping[str, Scaling],
        offsets: Mapping[str, float],
        lost: Mapping[str, Any],
    ) -> tuple[str, ...]:
        """Fitted attributes of every view; notes on them."""
        ways = ways_to_views(ended.problem, len(self.views_), self._shared_node)
        of_views = dict(zip(self.views_, ways, strict=True))
        edges = ended.problem.edges
        self.seen_ = {name: edges[way[-1]].data.seen for name, way in of_views.items()}
        own = {name: learnt.layers[way[-1]] for name, way in of_views.items()}
        leading = {name: learnt.layers[way[0]] for name, way in of_views.items()}
        self._keep(learnt.nodes[self._shared_node], own, leading, lost, scalings)
        self.bounds_ = {
            name: offsets[name]
            + sum(learnt.layers[at].posterior.value for at in way)
            + sum(learnt.nodes[at + 1].own for at in way[:-1])
            for name, way in of_views.items()
        }
        self.bound_ = learnt.bound + sum(offsets.values())
        notes = notes_by_view({name: each.notes for name, each in own.items()})
        return self._examined(ended, learnt, scalings) + notes

    def _examined(
        self, ended: Ended, learnt: Learnt, scalings: Mapping[str, Scaling]
    ) -> tuple[str, ...]:
        """What else is found of the layers; notes on them."""
        return ()

    def _problem(self, internal: Views, executor: Executor) -> Any:
        """What training is to maximise."""
        raise NotImplementedError
