"""Verdicts on the layers of a deep model: whether each layer is on, and whether it is linear.

A deep model may collapse to a shallow one: if a layer's outputs are all noise, or do not depend on
its inputs, the layer transmits no information.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds import Informed, LayerValue
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.edges import FREE, LayerEdge, Settled, relevance_of
from gplvm_core.models.problems.graph import Graph, Learnt, Parameters
from gplvm_core.models.problems.nodes import Believed, InputNode
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.several import ways_to_views
from gplvm_core.numerics import Array
from gplvm_core.prediction import Posterior
from gplvm_core.statistics import Statistics

# A layer is off if σ_f²/σ², the effective degrees of freedom per output, or the information of the
# top in nats per point is below its limit. A layer is also off if its noise is more than the
# fraction MOST_NOISE of the variance of its outputs.
LEAST_RATIO, LEAST_FREEDOM, LEAST_INFORMATION, MOST_NOISE = 1e-5, 0.5, 0.05, 0.9
# A hidden layer is unreliable if its degrees of freedom exceed the fraction MOST_FREEDOM of the
# number of points: it may predict badly even if its bound is high. A layer counts as linear if more
# than the fraction LINEAR of its variance is linear.
MOST_FREEDOM, LINEAR = 0.5, 0.99
ADVICE = "try another random seed, more starts or fewer layers"


@dataclass(frozen=True)
class DeepLayer:
    """A layer of a fitted deep model: q(X) of its inputs, its posterior, and its diagnosis.

    latent_mean_, latent_variance_ (N × Q): mean and variance of the layer's inputs for each
    training row. information_ (Q,): the KL divergence of each input dimension in nats per point. At
    the top it is the KL from the prior, in a hidden layer the KL from the Gaussian that best fits
    all points. relevance_ (Q,): ARD weights; if the layer also has the top as input, the top's
    dimensions are last. kl_: the cost of q(X) of the inputs in nats per point, including the layer
    above. signal_to_noise_: σ_f²/σ². freedom_: effective degrees of freedom per output. linear_:
    the fraction of the variance of the layer's mean outputs at the training rows that is linear in
    its inputs. verdict_: the diagnosis in words. doubt_: whether the diagnosis deserves a warning.
    """

    latent_mean_: Float[Array, "N Q"]
    latent_variance_: Float[Array, "N Q"]
    information_: Float[Array, " Q"]
    relevance_: Float[Array, " _R"]
    kl_: float
    signal_to_noise_: float
    freedom_: float
    linear_: float
    verdict_: str
    doubt_: bool
    posterior_: Posterior
    statistics_: Statistics


def examined(
    graph: Graph, learnt: Learnt, scaling: Scaling | Mapping[str, Scaling], shared: int = 0
) -> tuple[DeepLayer, ...]:
    """Examine every layer of a graph, in the order of the graph's edges.

    scaling: the units of the data, or of each view in the order of the layers to data. shared: the
    last node that all views share. If edges have names, verdicts use these names instead of the
    names of views.
    """
    each = {"": scaling} if isinstance(scaling, Scaling) else scaling
    views = dict[int, str]()
    if not (isinstance(scaling, Scaling) or graph.names):
        ways = ways_to_views(graph, len(scaling), shared)
        views = {at: name for name, way in zip(scaling, ways, strict=True) for at in way}
    units = iter(each.values())
    return tuple(
        _layer(graph, learnt, at, None if edge.ends_in_node else next(units), views.get(at))
        for at, edge in enumerate(graph.edges)
    )


def doubts(layers: Sequence[DeepLayer]) -> tuple[str, ...]:
    """Warnings about layers that are off or may predict badly."""
    return tuple(layer.verdict_ + _advice(layer) for layer in layers if layer.doubt_)


def _advice(layer: DeepLayer) -> str:
    """Advice for a layer.

    A layer that only reproduces its inputs is unnecessary, but not an error.
    """
    wild = layer.freedom_ > MOST_FREEDOM * len(layer.latent_mean_)
    needless = layer.posterior_.slope is not None and not wild
    return ", so fewer layers would do" if needless else f": {ADVICE}"


def sound(graph: Graph, parameters: Parameters) -> bool:
    """Whether the bound is reliable, that is, whether no hidden layer has too many degrees of
    freedom.
    """
    n_points = graph.believed(parameters)[0].belief.n_points
    found = zip(graph.edges, graph.informed(parameters), strict=True)
    hidden = [posterior for edge, posterior in found if edge.ends_in_node]
    return all(freedom(posterior) <= MOST_FREEDOM * n_points for posterior in hidden)


def freedom(posterior: Informed) -> float:
    """tr(βΦP), the effective degrees of freedom of a layer, averaged over its outputs."""
    inverse = posterior.inverse
    return inverse.shape[1] - float(np.mean(np.trace(inverse, axis1=1, axis2=2)))


def glance(graph: Graph, parameters: Parameters) -> tuple[str, ...]:
    """Whether each layer of a model in training is on, in words; the top first."""
    nodes, found = graph.believed(parameters), dict[str, list[bool]]()
    for at, layer in enumerate(graph.values(parameters, FREE, nodes)):
        found.setdefault(_name(graph, at), []).append(_off(graph, nodes, layer, at))
    return tuple(f"{name} is {_state(off)}" for name, off in found.items())


def _state(off: Sequence[bool]) -> str:
    """ "on" or "off"; for a level with one layer per view, the number of layers that are off."""
    if any(off) and not all(off):
        return f"off for {sum(off)} of {len(off)} views"
    return "off" if all(off) else "on"


def _off(graph: Graph, nodes: Sequence[Believed], layer: Settled | LayerValue, at: int) -> bool:
    top = graph.nodes[0]
    # The prior of a path over time is informative, so a single point may contain little further
    # information.
    alone = not isinstance(top, InputNode | PathNode)
    edge = graph.edges[at]
    information = float(nodes[0].information.sum()) if alone and edge.source == 0 else np.inf
    below = edge.outputs
    return (
        _ratio(layer) <= LEAST_RATIO
        or freedom(layer.posterior) < LEAST_FREEDOM
        or information < LEAST_INFORMATION
        or (isinstance(below, int) and _noise_share(layer, nodes[below]) > MOST_NOISE)
    )


def _name(graph: Graph, at: int) -> str:
    if graph.names:
        return f"edge {graph.names[at]!r}"
    level, depth = _level(graph, at)
    return f"layer {level} of {depth}"


def _level(graph: Graph, at: int) -> tuple[int, int]:
    """The level of a layer, counted from 1 at the top, and the number of levels."""

    def level(node: int) -> int:
        above = graph.edge_into(node)
        return 1 if above is None else 1 + max(map(level, graph.edges[above].sources))

    each = [max(map(level, edge.sources)) for edge in graph.edges]
    return each[at], max(each)


def _layer(
    graph: Graph, learnt: Learnt, at: int, scaling: Scaling | None = None, view: str | None = None
) -> DeepLayer:
    edge, layer, (level, depth) = graph.edges[at], learnt.layers[at], _level(graph, at)
    node, last = learnt.nodes[edge.source], not edge.ends_in_node
    belief, ratio, free = node.belief, _ratio(layer), freedom(layer.posterior)
    units = scaling or Scaling.none(learnt.nodes[_below_node(edge)].belief.n_latent)
    posterior, seen = layer.as_posterior(units), graph.source(edge, learnt.nodes)
    psi1, _ = posterior.kernel.psi1(seen.mean, seen.variance, posterior.inducing)
    linear = _linear(seen.mean, posterior.mean(seen.mean, psi1))
    latent_top = not isinstance(graph.nodes[0], InputNode)
    off = _off(graph, learnt.nodes, layer, at)
    wild = not last and free > MOST_FREEDOM * belief.n_points
    name, straight = _name(graph, at), depth > 1 and linear > LINEAR
    if view is not None:
        name += f", view {view!r},"
    if off and last:
        verdict = f"{name} is off: the data are explained as noise"
    elif off and graph.names:
        verdict = f"{name} is off: it transmits no information about its inputs"
    elif off and posterior.slope is not None:
        whole = posterior.n_outputs >= posterior.n_latent
        what = "the inputs on unchanged" if whole else "on only a projection of the inputs"
        verdict = f"{name} passes {what}: the model equals {_below(depth - level)}"
    elif off and view is not None:
        verdict = f"{name} is off: no information that the views share reaches it"
    elif off and not latent_top and not _passed_by(graph, edge):
        verdict = f"{name} is off: it transmits no information about the inputs"
    elif off:
        verdict = f"{name} is off: the model equals {_below(depth - level)}"
    elif wild:
        verdict = (
            f"{name} has {free:.0f} effective degrees of freedom for {belief.n_points} points: it "
            "may predict badly"
        )
    elif straight:
        verdict = f"{name} is on and almost linear: it rotates and stretches its inputs"
    else:
        verdict = f"{name} is on"
    return DeepLayer(
        belief.mean,
        belief.variance,
        node.information,
        relevance_of(layer.layer.kernel, seen.n_latent),
        _cost(graph, learnt, edge.source),
        ratio,
        free,
        linear,
        verdict,
        off or wild,
        posterior,
        layer.statistics,
    )


def _below(n_layers: int) -> str:
    return "a shallow model" if n_layers == 1 else f"a model of {n_layers} layers"


def _ratio(layer: Settled | LayerValue) -> float:
    """σ_f²/σ² of the layer; the mean over its outputs if each output has a separate ratio."""
    if layer.layer.ratio is not None:
        return float(np.mean(layer.layer.ratio))
    level = float(np.mean(layer.layer.kernel.diag(layer.layer.inducing)))
    return level / float(layer.layer.noise_variance)


def _noise_share(layer: Settled | LayerValue, below: Believed) -> float:
    """The noise of a hidden layer, as a fraction of the variance of its outputs."""
    outputs = below.belief
    together = outputs.mean.var(axis=0) + outputs.variance.mean(axis=0)
    return float(layer.layer.noise_variance) / float(np.mean(together))


def _cost(graph: Graph, learnt: Learnt, at: int) -> float:
    """The cost of a node in nats per point.

    It is minus the sum of two terms of the bound: the node's term, and the term of the layer above.
    """
    node, above = learnt.nodes[at], graph.edge_into(at)
    value = 0.0 if above is None else learnt.layers[above].posterior.value
    return -(node.own + value) / node.belief.n_points


def _below_node(edge: LayerEdge) -> int:
    """The node in which a hidden layer ends."""
    assert isinstance(edge.outputs, int)
    return edge.outputs


def _passed_by(graph: Graph, edge: LayerEdge) -> bool:
    """Whether the layer below a hidden layer also has other nodes as inputs."""
    below = [each for each in graph.edges if _below_node(edge) in each.sources]
    return any(len(each.sources) > 1 for each in below)


def _linear(inputs: Float[Array, "N Q"], outputs: Float[Array, "N D"]) -> float:
    """The fraction of the outputs' variance that a linear map of the inputs explains."""
    inputs, outputs = inputs - inputs.mean(axis=0), outputs - outputs.mean(axis=0)
    total = float(np.sum(outputs**2))
    if total == 0.0:
        return 1.0
    weights, *_ = np.linalg.lstsq(inputs, outputs, rcond=None)
    return 1.0 - float(np.sum((outputs - inputs @ weights) ** 2)) / total
