"""The bytes of a model's map, cached for every page that draws this map."""

from gplvm_core.wire.model import Chart, pack_model
from pages.ui.shared.kept import kept_by_name


@kept_by_name(8)
def packed_map(chart: Chart, name: str) -> bytes:
    """Return the framed bytes. Raises KernelError if the browser cannot evaluate the kernel.

    name: identifies the model and its version; the browser stores the bytes under this name.
    """
    return pack_model(chart, name)
