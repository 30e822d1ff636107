"""Training of models of several views, and their fitted attributes by view."""

from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from gplvm_core.models.data.data_weights import weights_in_words
from gplvm_core.models.data.kinds import learnt_tables, missing_in_words
from gplvm_core.models.data.scaling import (
    AUTO,
    How,
    Scaling,
    gaps_in_words,
    noise_for,
    noise_in_words,
    units_for,
)
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.data.views import (
    Views,
    check_mapping,
    checked_views,
    log_jacobians,
    noise_by_view,
    notes_by_view,
    training_views,
)
from gplvm_core.models.estimators.fitted import Optimised, Saved
from gplvm_core.models.estimators.frames import names_of
from gplvm_core.models.estimators.second_stage import in_two_stages
from gplvm_core.models.estimators.settings import check_settings
from gplvm_core.models.estimators.trained import Callback, Ended, Trainable, whole
from gplvm_core.models.estimators.views_transfer import ViewsTransfer
from gplvm_core.models.problems.graph import Learnt
from gplvm_core.models.problems.kinds import KindsSettled
from gplvm_core.models.problems.several import drops_by_view, ways_to_views
from gplvm_core.models.training.run import Run
from gplvm_core.readers.views import unlinked_views
from gplvm_core.statistics import Executor, executor_for


class TrainedViews(Trainable, ViewsTransfer, Optimised, Saved, BaseEstimator):
    """A model of several views of the same rows on a shared latent space.

    Attributes
    ----------
    rows_ : TrainingRows
        The rows of the model. `count`: the number of rows. `trained`: the rows that training used
        (None: all rows).
    bounds_ : dict of str to float
        The contribution of each view to `bound_`, in nats.
    """

    rows_: TrainingRows
    restarts_: tuple[Any, ...]
    scaling: How
    noise: Any
    kinds: Any = None
    n_jobs: int | None
    # The node of the graph whose points all views share.
    _shared_node = 0

    @in_two_stages
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
        """Train the model.

        Parameters
        ----------
        views : dict of str to array_like or DataFrame of shape (N, D_v)
            Views of the same N rows by name; NaN marks missing values. Views with words or counts
            need `kinds`.
        resume : Run, optional
            A `progress.run` to continue, with the same views in the same order and the same
            settings; max_iter may be larger.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If the views differ in the number of rows, or if all columns of a view are constant.
        """
        check_settings(self)
        self.density_ = None
        check_mapping(views)
        coded, self.kinds_, kind_notes = learnt_tables(views, self.kinds)
        given = checked_views(coded)
        one = self.noise == AUTO and self._one_noise
        own = noise_by_view("shared" if one else self.noise, tuple(given))
        how = {name: units_for(self.scaling, noise) for name, noise in own.items()}
        internal, scalings = training_views(given, how, self.kinds_)
        self._noises = tuple(noise_for(own[name], units) for name, units in scalings.items())
        self.views_, values = tuple(given), tuple(internal.values())
        named = {name: names_of(view) for name, view in views.items()}
        self.columns_ = {
            name: names for name, names in named.items() if names and name not in self.kinds_
        }
        unused = self._take_times(times, sequences, len(values[0]))
        with executor_for(self.n_jobs) as executor:
            problem, offsets = self._problem(internal, executor), log_jacobians(internal, scalings)
            ended = self._train(problem, sum(offsets.values()), callback, resume, self.views_)
            learnt = ended.learnt(values)
            lost = drops_by_view(ended.problem, learnt, self.views_, self._shared_node)
        odd, count = self._take_path(ended), len(values[0])
        self.rows_ = TrainingRows(count, ended.trained_rows)
        notes = self._take_views(ended, learnt, scalings, offsets, lost)
        units = notes_by_view({name: each.notes for name, each in scalings.items()})
        apart = unlinked_views(internal)
        self._note(apart + ended.start_notes + ended.notes + units + odd + notes)
        gaps = {
            name: missing_in_words(self.kinds_[name], each)
            if name in self.kinds_
            else gaps_in_words(each)
            for name, each in internal.items()
        }
        self.notes_ += notes_by_view(gaps) + notes_by_view(kind_notes) + unused
        decided = zip(scalings.items(), self._noises, strict=True)
        self.notes_ += notes_by_view(
            {name: noise_in_words(noise, each) for (name, each), noise in decided}
        )
        self.notes_ += weights_in_words(self.view_weights_ or {})
        return self

    @property
    def _one_noise(self) -> bool:
        """Whether the settings require one noise variance for all columns of a view."""
        return False

    def _take_views(
        self,
        ended: Ended,
        learnt: Learnt,
        scalings: Mapping[str, Scaling],
        offsets: Mapping[str, float],
        lost: Mapping[str, Any],
    ) -> tuple[str, ...]:
        """Set the fitted attributes of every view; return notes."""
        ways = ways_to_views(ended.problem, len(self.views_), self._shared_node)
        of_views = dict(zip(self.views_, ways, strict=True))
        edges = ended.problem.edges
        self.seen_ = {name: edges[way[-1]].data.seen for name, way in of_views.items()}
        own = {name: learnt.layers[way[-1]] for name, way in of_views.items()}
        leading = {name: learnt.layers[way[0]] for name, way in of_views.items()}
        self._set_fitted(learnt.nodes[self._shared_node], own, leading, lost, scalings)
        self.bounds_ = {
            name: offsets[name]
            + sum(learnt.layers[at].posterior.value for at in way)
            + sum(learnt.nodes[at + 1].own for at in way[:-1])
            for name, way in of_views.items()
        }
        self.bound_ = learnt.bound + sum(offsets.values())
        layer_notes = {name: each.notes for name, each in own.items()}
        for name, columns in self._tables.items():
            settled = own[name]
            assert isinstance(settled, KindsSettled)
            layer_notes[name] = settled.of_columns(columns, scalings[name])
        notes = notes_by_view(layer_notes)
        return self._examined(ended, learnt, scalings) + notes

    def _examined(
        self, ended: Ended, learnt: Learnt, scalings: Mapping[str, Scaling]
    ) -> tuple[str, ...]:
        """Set the fitted attributes of deep models; return notes."""
        return ()

    def _problem(self, internal: Views, executor: Executor) -> Any:
        """The training problem."""
        raise NotImplementedError
