"""The bytes of a model's map, cached for every page that draws this map."""

from gplvm_core.wire.model import Chart, pack_model
from pages.ui.shared.kept import kept


class _Named:
    """A chart that the cache identifies by its name."""

    def __init__(self, chart: Chart, name: str) -> None:
        self.chart, self.name = chart, name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and other.name == self.name


def packed_map(chart: Chart, name: str) -> bytes:
    """Return the framed bytes. Raises KernelError if the browser cannot evaluate the kernel.

    name: identifies the model and its version; the browser stores the bytes under this name.
    """
    return _packed(_Named(chart, name))


@kept(8)
def _packed(named: _Named) -> bytes:
    return pack_model(named.chart, named.name)
