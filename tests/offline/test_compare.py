"""Tests of linked maps as one file: its content, and that text from the data is escaped."""

import base64
import re

import numpy as np

from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.offline.compare import MapOf, offline_comparison
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart

HOSTILE = '</script><img src=x onerror="hacked">'


def test_every_map_is_in_the_file_and_nothing_is_fetched() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 4))
    dataset = Dataset("made", HOSTILE, rows, Drawing("bars", (4,)), source=HOSTILE)
    chart = Chart.of(ProbabilisticPCA(3).fit(rows), dataset)
    positions = rows[:, :2]
    html = offline_comparison(
        [MapOf(HOSTILE, "3 of 3", chart), MapOf("Isomap", "", chart, positions, "places")],
        HOSTILE,
        picture='<section class="mf-purposes"></section>',
        words=(HOSTILE,),
        source=HOSTILE,
    )
    assert '<section class="mf-purposes">' in html and ".mf-purposes {" in html
    assert "<img" not in html and "default-src 'none'" in html
    outside = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    assert "hacked" in outside and not re.search(r"<[^>]*\s(src|href)=", outside)
    found = re.findall(r'<script type="application/octet-stream" ([^>]*)>([^<]*)</script>', html)
    assert ["data-draws" in told for told, _ in found] == [True, False]
    (first, arrays), (second, placed) = (unframe(base64.b64decode(data)) for _, data in found)
    np.testing.assert_allclose(arrays["latent"], chart.latent_mean, rtol=1e-6)
    np.testing.assert_allclose(placed["latent"], positions, rtol=1e-6)
    assert second["axes"] == ["Isomap 1", "Isomap 2"] and second["relevance"] == [1.0, 1.0]
    assert "kernel" in first and "kernel" not in second
